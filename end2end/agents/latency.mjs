// How long it takes from an agent's request to the pixel, and from a person's decision back to the agent.
//
//   VERBATIM_PROGRAM=target/release/verbatim node agents/latency.mjs [TIMES]
//
// Prints a line for each way, in milliseconds: median, 95th percentile and maximum of so many times, 40 by default. Agent,
// server and browser run on one machine and read one clock. Nothing else is asserted: figures are to be read.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, logIn, looks } from '../perf/browser.mjs';
import { serve } from '../perf/server.mjs';
import { watch } from '../perf/watch.mjs';

const times = Number(process.argv[2] ?? 40);
const now = () => performance.timeOrigin + performance.now();

const folder = await mkdtemp(join(tmpdir(), 'verbatim-latency-'));
await mkdir(join(folder, '.claude/projects'), { recursive: true });
const server = await serve(folder);
const browser = await launch();
try {
  const context = await browser.newContext({ ...looks(), storageState: await logIn(browser, server) });
  await context.addInitScript(watch);
  const agent = await newAgent();
  await agent.post({ content: 'I begin.' });
  const open = async (path) => {
    const page = await context.newPage();
    await page.goto(server.url + path);
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    return page;
  };

  const session = await open(`/s/${agent.id}`);
  await measure('message posted, to its pixel in the session', (n) => painted(session, mark(n), (content) => agent.post({ content })));
  await measure('request posted, to its pixel in the session', (n) => painted(session, mark(100 + n), (title) => ask(title)));
  await measure('decision in the session, to the agent', () => decided(session, '#transcript'));
  await session.close();

  const inbox = await open('/inbox');
  await measure('request posted, to its pixel in the inbox', (n) => painted(inbox, mark(200 + n), (title) => ask(title)));
  await measure('decision in the inbox, to the agent', () => decided(inbox, '#asks'));

  async function ask(title) {
    const metadata = { message_type: 'APPROVAL', payload: { kind: 'permission', title, state: 'open' } };
    return agent.post({ message_metadata: metadata });
  }

  // Waits as an agent does, and presses a button: until the answer is here.
  async function decided(page, within) {
    const { messages } = await agent.pending(0);
    const after = messages.at(-1)?.seq;
    const waits = agent.pending(30, after);
    // The wait has to be there before the decision is: a request that the server has read answers nothing yet.
    await page.waitForTimeout(50);
    const pressed = await page.evaluate((selector) => {
      const button = document.querySelector(`${selector} form:not([data-sent]) .btn.allow`);
      const at = performance.timeOrigin + performance.now();
      button.click();
      return at;
    }, within);
    await waits;
    const took = now() - pressed;
    // What was decided leaves the list of what can be.
    await page.waitForFunction((selector) => !document.querySelector(`${selector} form[data-sent]`), within);
    return took;
  }

  async function newAgent() {
    const { key } = JSON.parse(await readFile(join(folder, 'data/server.json'), 'utf8'));
    const call = (bearer) => async (method, path, body) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const send = call((await call(key)('POST', '/keys', { name: 'latency' })).key);
    const { id } = await send('POST', '/sessions', { agent: 'latency-bot', title: 'Latency' });
    return {
      id,
      post: (message) => send('POST', `/sessions/${id}/messages`, message),
      pending: (wait, after) => send('POST', `/sessions/${id}/pending`, { wait, ...(after ? { after } : {}) }),
    };
  }
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

function mark(n) {
  return `mark${String(n).padStart(3, '0')}`;
}

// From before something is posted until a frame that shows its mark was drawn.
async function painted(page, mark, post) {
  const sent = now();
  await post(mark);
  const seen = await page.waitForFunction((mark) => window.perf.marks.get(mark), mark, { polling: 5 });
  return await seen.jsonValue() - sent;
}

async function measure(name, once) {
  const values = [];
  for (let n = 0; n < times; n += 1) {
    values.push(await once(n));
    // The next one finds everything at rest.
    await new Promise((resolve) => { setTimeout(resolve, 300); });
  }
  values.sort((a, b) => a - b);
  const at = (part) => values[Math.min(values.length - 1, Math.floor(values.length * part))].toFixed(1).padStart(7);
  console.log(`${name.padEnd(46)} median ${at(0.5)}   p95 ${at(0.95)}   max ${at(1)}`);
}
