// What a person waits for: a session of 10,000 messages is opened, scrolled and followed in Chromium, or in the Firefox
// that `browser.mjs` names.
//
//   VERBATIM_PROGRAM=target/release/verbatim node perf/session.mjs [FOLDER]
//
// Prints a list of `{row, metric, unit, values, atMost, p99AtMost}` as JSON; `row` is that of the table of budgets.
// FOLDER is where it may write; `cargo xtask bench browser` calls it and draws the table. Of the transcripts in
// VERBATIM_TRANSCRIPTS, a folder as `~/.claude` is one, the largest session is opened and scrolled too.
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeLong } from '../make-long.mjs';
import { newSession } from '../transcript.mjs';
import { counted, isFirefox, launch, logIn, looks, memory } from './browser.mjs';
import { serve } from './server.mjs';
import { countChanges, interactions, wait, watch } from './watch.mjs';

const COLD = 7;
const WARM = 10;
const LINES = 30;
const SCREENS = 80;
const EVENTS = 200;
const PRESSES = 100;
// Each takes minutes: what an agent appends is stored ten times a second.
const GROWN = 2;
// 20 KB of what agents write, and not so many elements that its end is folded away.
const text = Array.from({ length: 10 }, (_, n) => `## Step ${n}\n\nKnead the **dough** for ${n} minutes, then \`rest\` it. ${'It rises slowly. '.repeat(112)}\n\n- flour\n- water\n\n\`\`\`rust\nfn bake() -> u32 { ${n} }\n\`\`\`\n\n`).join('').slice(0, 20_480);

const figures = [];
// What the browser doesn't tell is no figure.
const figure = (row, metric, unit, values, atMost = null, p99AtMost = null) => {
  if (values.some((value) => value > 0)) figures.push({ row, metric, unit, values, atMost, p99AtMost });
};

const folder = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'verbatim-perf-'));
const projects = join(folder, '.claude/projects');
await mkdir(projects, { recursive: true });
const long = await makeLong(projects);
const live = await newSession({ projects });
await live.prompt('Is the oven hot?');
await live.answer('It is.');

let server = await serve(folder);
const browser = await launch();
let storageState = await logIn(browser, server);
try {
  await imported();
  await open(`/s/${long.session}`, '10,000 messages');
  await first('/sessions', 'sessions page');
  await scroll(`/s/${long.session}`);
  await follow();
  const agent = await newAgent();
  await post(agent);
  await press(agent);
  await grow(agent);
  if (process.env.VERBATIM_TRANSCRIPTS) await real(process.env.VERBATIM_TRANSCRIPTS);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${JSON.stringify(figures)}\n`);

async function imported() {
  const context = await fresh();
  for (;;) {
    const { imports } = await (await context.request.get(`${server.url}/v1/imports`)).json();
    if (imports.length > 0 && imports.every((job) => job.done)) break;
    await pause(50);
  }
  await context.close();
}

// A browser with nothing in its cache.
async function fresh() {
  const context = await browser.newContext({ ...looks(), storageState });
  await context.addInitScript(watch);
  return context;
}

// The largest session of real transcripts.
async function real(transcripts) {
  await server.stop();
  const home = join(folder, 'real');
  await cp(transcripts, join(home, '.claude'), { recursive: true });
  server = await serve(home);
  storageState = await logIn(browser, server);
  await imported();
  const context = await fresh();
  const { sessions } = await (await context.request.get(`${server.url}/v1/sessions?limit=500`)).json();
  await context.close();
  const [largest] = sessions.toSorted((a, b) => b.message_count - a.message_count);
  const path = `/s/${largest.id}`;
  await open(path, `the largest real session, ${largest.message_count} messages,`);
  await scroll(path);
}

// Opens a session cold and warm: until its last message is painted at the bottom of the transcript.
async function open(path, name) {
  const [cold, warm, lcp, keys, wire, html] = [[], [], [], [], [], []];
  for (let n = 0; n < COLD; n += 1) {
    const context = await fresh();
    const page = await context.newPage();
    const bytes = await counted(page);
    await page.goto(server.url + path);
    const seen = await page.evaluate(wait, 'opened');
    cold.push(seen.bottom);
    const came = await bytes.read();
    lcp.push(seen.lcp);
    keys.push(seen.ready);
    wire.push(came.total / 1000);
    html.push(came.html / 1000);
    if (n === 0) {
      for (let again = 0; again < WARM; again += 1) {
        await page.goto(server.url + path);
        warm.push((await page.evaluate(wait, 'opened')).bottom);
      }
    }
    await context.close();
  }
  figure(13, `open ${name} to painted bottom, cold`, 'ms', cold, 300);
  figure(13, 'the same, warm', 'ms', warm, 100);
  figure(12, 'the same, cold: largest contentful paint', 'ms', lcp, 400);
  figure(12, 'the same, cold: keys are handled', 'ms', keys, 700);
  figure(11, 'the same, cold: over the wire', 'kB', wire, 170);
  figure(0, 'of it the page itself', 'kB', html);
}

async function first(path, name) {
  const [wire, lcp] = [[], []];
  for (let n = 0; n < COLD; n += 1) {
    const context = await fresh();
    const page = await context.newPage();
    const bytes = await counted(page);
    await page.goto(server.url + path);
    lcp.push((await page.evaluate(wait, 'ready')).lcp);
    wire.push((await bytes.read()).total / 1000);
    await context.close();
  }
  figure(11, `${name}, cold: over the wire`, 'kB', wire, 170);
  figure(12, `${name}, cold: largest contentful paint`, 'ms', lcp, 400);
}

// Up from the end by screens, then to the beginning: how much is in the document, and what it costs.
async function scroll(path) {
  const context = await fresh();
  const page = await context.newPage();
  await page.goto(server.url + path);
  await page.evaluate(wait, 'opened');
  const elements = [];
  const count = async () => elements.push(await page.evaluate(() => document.getElementsByTagName('*').length));
  await count();
  await page.mouse.move(500, 400);
  for (let n = 0; n < SCREENS; n += 1) {
    await page.mouse.wheel(0, -700);
    await pause(50);
    await count();
  }
  await page.keyboard.press('Home');
  await pause(500);
  await count();
  for (let n = 0; n < SCREENS; n += 1) {
    await page.mouse.wheel(0, 700);
    await pause(50);
    await count();
  }
  figure(14, 'elements in the document, at most', '', [Math.max(...elements)], 1_500);
  const { all, wasm } = await memory(page);
  figure(15, 'JavaScript heap and WebAssembly memory', 'MB', [all], 40);
  figure(0, 'of it WebAssembly', 'MB', [wasm]);
  await context.close();
}

// A line is appended to a followed transcript: until it is painted.
async function follow() {
  const times = await painted(live.id, (text) => live.answer(text));
  figure(6, 'line appended to a transcript until painted', 'ms', times, 50, 100);
}

// `{ id, post, update }`: an agent with a session of its own.
async function newAgent() {
  const { key: local } = JSON.parse(await readFile(join(folder, 'data/server.json'), 'utf8'));
  const call = (key) => async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const ask = call((await call(local)('POST', '/keys', { name: 'oven' })).key);
  const { id } = await ask('POST', '/sessions', { agent: 'oven-bot' });
  return {
    id,
    post: (message) => ask('POST', `/sessions/${id}/messages`, message),
    update: (message, change) => ask('PATCH', `/sessions/${id}/messages/${message}`, change),
  };
}

// An agent posts a message: until it is painted.
async function post(agent) {
  const times = await painted(agent.id, (content) => agent.post({ content }));
  figure(7, 'message posted until painted', 'ms', times, 25, 60);
}

// Keys are pressed and buttons clicked while an agent posts: how long until the page shows it.
async function press(agent) {
  const context = await fresh();
  const page = await context.newPage();
  await page.goto(`${server.url}/s/${agent.id}`);
  await page.evaluate(wait, 'ready');
  let [posted, late] = [0, 0];
  const posts = setInterval(() => {
    late += 1;
    agent.post({ content: `Loaf ${late} is in the oven.` }).then(() => { posted += 1; }, () => {});
  }, 1_000 / EVENTS);
  const start = performance.now();
  for (let n = 0; n < PRESSES; n += 1) {
    if (n % 10 === 9) await page.click('#theme');
    else await page.keyboard.press(n % 4 === 0 ? 'k' : 'j');
    await pause(40);
  }
  const seconds = (performance.now() - start) / 1000;
  clearInterval(posts);
  const durations = await page.evaluate(interactions, PRESSES);
  durations.sort((a, b) => a - b);
  figure(16, 'interaction until painted, 98 of 100, while an agent posts', 'ms', [durations[Math.floor(durations.length * 0.98)]], 50);
  figure(0, 'messages a second meanwhile', '', [posted / seconds]);
  await context.close();
}

// A text of 20 KB comes in pieces of 20 letters: what its page works for it, all pieces together.
async function grow(agent) {
  const [work, changes] = [[], []];
  for (let n = 0; n < GROWN; n += 1) {
    const context = await fresh();
    const page = await context.newPage();
    const protocol = isFirefox ? null : await context.newCDPSession(page);
    const message = `grown-${n}`;
    await agent.post({ id: message, content: '# Bread\n\n', status: 'streaming' });
    await page.goto(`${server.url}/s/${agent.id}`);
    await page.evaluate(wait, 'ready');
    await page.evaluate(countChanges);
    await protocol?.send('Performance.enable');
    const script = async () => {
      if (!protocol) return 0;
      const { metrics } = await protocol.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ScriptDuration').value * 1000;
    };
    const before = await script();
    const pieces = text.match(/[^]{1,20}/g);
    for (const append of pieces) await agent.update(message, { append });
    const mark = `mark9${String(n).padStart(2, '0')}`;
    const seen = page.evaluate(wait, mark);
    await agent.update(message, { append: ` ${mark}`, status: 'final' });
    await seen;
    work.push((await script()) - before);
    changes.push(await page.evaluate(() => window.perf.changes));
    await context.close();
  }
  // What drawing it costs, row 19, `app/examples/growing.rs` tells.
  figure(0, 'a text of 20 KB in pieces of 20 letters: scripts of the page, all together', 'ms', work);
  figure(0, 'nodes that came into the document for it', '', changes);
}

// Milliseconds until each of some texts, once they are said, is painted on their session's page.
async function painted(session, say) {
  const context = await fresh();
  const page = await context.newPage();
  await page.goto(`${server.url}/s/${session}`);
  await page.evaluate(wait, 'ready');
  await pause(1_000);
  const times = [];
  for (let n = 0; n < LINES; n += 1) {
    const mark = `mark${String(n).padStart(3, '0')}`;
    const seen = page.evaluate(wait, mark);
    await pause(150 + ((n * 37) % 100));
    const start = performance.timeOrigin + performance.now();
    await say(`The oven is at 230 degrees, ${mark}.`);
    times.push((await seen).at - start);
  }
  await context.close();
  return times;
}
