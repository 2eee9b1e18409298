// Drives a real agent in Chromium, against a scripted model: what people do with an agent that Verbatim started, and what the model
// was given meanwhile.
//
//   cargo xtask agents claude        # installs the agent below target/agents, and runs this
//   AGENTS=target/agents node end2end/agents/drive.mjs claude
//
// `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, `CHROMIUM` another browser. With `KEEP`, the home folder of the
// agent stays in the temporary folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, expect as base } from '@playwright/test';
import { model } from './model.mjs';
import { programs } from './programs.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const verbatim = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');
const agents = resolve(process.env.AGENTS ?? join(here, '../../target/agents'));
const name = process.argv[2];
const agent = programs[name];
if (!agent) throw new Error(`expected one of ${Object.keys(programs).join(', ')}; got ${name}`);
const can = (step) => !agent.cannot?.includes(step);
// An upper bound for a busy machine; nothing waits for it when all is well.
const expect = base.configure({ timeout: 60_000 });

const home = await realpath(await mkdtemp(join(tmpdir(), `verbatim-${name}-`)));
const folder = join(home, 'work');
const deployed = join(home, 'DEPLOYED');
const llm = await model(folder);
const environment = agent.environment(home, llm.url);
for (const made of ['work', 'data']) await mkdir(join(home, made), { mode: 0o700 });
for (const [path, text] of Object.entries(agent.files?.(llm.url) ?? {})) {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}
await writeFile(join(home, 'data/notices.json'), JSON.stringify({ deployment: { file: deployed } }));
const log = [];

async function serve(listen) {
  const passed = Object.keys(environment).flatMap((name) => ['--agent-env', name]);
  const server = spawn(verbatim, ['serve', '--data-dir', join(home, 'data'), '--listen', listen, ...passed], {
    env: {
      PATH: [join(agents, agent.folder, 'node_modules/.bin'), join(agents, 'node/node_modules/node/bin'), process.env.PATH].join(':'),
      HOME: home,
      LANG: 'C.UTF-8',
      VERBATIM_SECRET: 'stays with the server',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  createInterface({ input: server.stderr }).on('line', (line) => log.push(line));
  const link = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const found = line.match(/http:\/\/\S+\/#c=\S+/);
      if (found) resolve(found[0]);
    });
    ended.then(() => reject(new Error(log.join('\n'))));
  });
  const stop = (signal) => { server.kill(signal); return ended; };
  return { link, url: link.split('/#')[0], stop };
}

let server = await serve('127.0.0.1:0');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
const ready = () => page.waitForSelector('html[data-ready]', { state: 'attached' });

async function step(name, run) {
  const began = Date.now();
  await run();
  console.log(`${String(Date.now() - began).padStart(6)} ms  ${name}`);
}

const transcript = page.locator('#transcript');
const state = (word) => expect(page.locator(`[data-agent-state=${word}]`)).toBeVisible();
const session = () => page.url().split('/s/')[1].split(/[?#]/)[0];
const minute = () => Math.floor(Date.now() / 60_000);
let begunBy;
const said = [];
const say = async (words) => {
  await page.getByLabel('Message', { exact: true }).fill(words);
  await page.getByRole('button', { name: /^Send(?! now)/ }).click();
  said.push(words);
};
// Waits until so many messages have these words, and the page shows the last of them.
const shown = async (words, count = 1) => {
  await expect.poll(async () => (await messages()).filter(({ content }) => content.includes(words)).length).toBe(count);
  await expect(transcript.locator('article').filter({ hasText: words }).last()).toBeVisible();
};
// Calls the API as the page does.
const send = (method, path, body) =>
  page.evaluate(async ([method, path, body]) => {
    const headers = { 'content-type': 'application/json', 'x-verbatim-secret': await globalThis.verbatim.secret() };
    const answer = await fetch(`/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }, [method, path, body]);
const messages = async (of = session()) => (await send('GET', `/sessions/${of}/messages?limit=500`)).messages;

// Presses the button of the open request whose option is of this kind.
async function decide(kind) {
  let open;
  await expect.poll(async () => {
    const { asks } = await send('GET', '/asks');
    open = asks.map(({ entry }) => entry).find(({ session_id }) => session_id === session());
    return open;
  }).toBeTruthy();
  const card = transcript.locator(`form[data-decide="${open.id}"]`);
  const options = open.metadata.payload.questions[0].options;
  const option = options.find((option) => option.kind === kind);
  assert.ok(option, JSON.stringify(options));
  await card.locator(`button[name=option][value="${option.id}"]`).click();
}

// The requests that carry a conversation, not those for a title or the like.
const turns = () => llm.requests.filter(({ tools }) => tools.length > 0);
const holds = (request, words) => JSON.stringify(request.body).includes(JSON.stringify(words).slice(1, -1));

try {
  await step('a session is started from the page, and an error names its field', async () => {
    await page.goto(server.link);
    await ready();
    await page.goto(`${server.url}/new`);
    await ready();
    await page.getByLabel('Agent', { exact: true }).selectOption(name);
    await page.getByLabel('Folder', { exact: true }).fill(join(home, 'missing'));
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(page.locator('#new-folder')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Folder', { exact: true }).fill(folder);
    await page.getByLabel('Prompt').fill('Say [hello]');
    if (agent.mode) await page.getByLabel('Mode').selectOption(agent.mode);
    await page.getByRole('button', { name: 'Start' }).click();
    said.push('Say [hello]');
    await page.waitForURL(/\/s\//, { timeout: 60_000 });
    await ready();
    await shown('Hello. What is to be done?');
    await state('idle');
    begunBy = minute();
  });

  await step('an edit is approved, and on the disk', async () => {
    await say('Please [edit]');
    await state('waiting');
    assert.equal(existsSync(join(folder, 'note.txt')), false);
    await decide('allow_once');
    await shown('The note is written.');
    assert.equal(await readFile(join(folder, 'note.txt'), 'utf8'), 'first line\n');
    await state('idle');
  });

  await step('a denial is respected', async () => {
    await say('Please [deny]');
    await state('waiting');
    await decide('reject_once');
    await state('idle');
    assert.equal(existsSync(join(folder, 'forbidden.txt')), false);
  });

  if (can('ask')) {
    await step('a question is answered', async () => {
      await say('Please [ask]');
      await state('waiting');
      if (agent.asksByForm) {
        await transcript.getByRole('combobox', { name: 'Colour' }).last().selectOption({ label: agent.asksByForm });
        await transcript.getByRole('button', { name: 'Send', exact: true }).click();
      } else {
        await transcript.getByLabel('Blue').last().check();
        await transcript.getByRole('button', { name: 'Send answer' }).click();
      }
      await shown('So be it.');
      assert.ok(turns().at(-1).messages.some(({ role, text }) => role === 'tool' && text.includes('Blue')));
      await state('idle');
    });
  }

  await step('what the system says stays, what the host says never comes, and a notice is for one run', async () => {
    await writeFile(deployed, 'Marker of the first deployment');
    await send('POST', `/sessions/${session()}/messages`, { role: 'system', sender: 'deploy', content: 'The lantern was deployed' });
    await send('POST', '/host-messages', { content: 'Marker of the host', session: session() });
    await say('First run, say [hello]');
    await shown('Hello. What is to be done?', 2);
    await state('idle');
    await writeFile(deployed, 'Marker of the second deployment');
    await say('Second run, say [hello]');
    await shown('Hello. What is to be done?', 3);
    await state('idle');
    const last = turns().at(-1);
    assert.ok(holds(last, 'Marker of the second deployment'), 'the run has its notice');
    if (!agent.keepsNotices) assert.ok(!holds(last, 'Marker of the first deployment'), 'the notice of the run before is gone');
  });

  await step('what is sent while it works steers it, or comes next', async () => {
    await say('Please be [slow]');
    await state('waiting');
    await decide('allow_once');
    await state('working');
    await say('Mind the gap');
    if (can('steer')) await page.getByRole('button', { name: 'Send now' }).click();
    await shown('It is over.');
    await state('idle');
    await expect.poll(() => holds(turns().at(-1), 'Mind the gap')).toBe(true);
    await shown('Mind the gap');
  });

  await step('Escape twice interrupts it', async () => {
    await say('Please be [endless]');
    await expect(page.locator('[data-agent-state=waiting], [data-agent-state=working]')).toBeVisible();
    await transcript.focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await state('idle');
  });

  await step('it is ended and resumed', async () => {
    if (agent.resumesAfterMinute) await expect.poll(minute, { timeout: 70_000 }).toBeGreaterThan(begunBy);
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await state('ended');
    const before = session();
    await page.getByRole('button', { name: 'Resume' }).click();
    await state('idle');
    assert.equal(session(), before);
    await say('Once more [hello]');
    await shown('Hello. What is to be done?', 4);
    await state('idle');
  });

  await step('a server that is killed leaves it interrupted, to be resumed', async () => {
    await say('Once more be [endless]');
    await expect(page.locator('[data-agent-state=waiting], [data-agent-state=working]')).toBeVisible();
    await expect.poll(() => holds(turns().at(-1), 'Once more be')).toBe(true);
    await server.stop('SIGKILL');
    server = await serve(new URL(server.url).host);
    await page.goto(`${server.url}/s/${session()}`);
    await ready();
    await state('interrupted');
    await page.getByRole('button', { name: 'Resume' }).click();
    await state('idle');
    await say('After that [hello]');
    await shown('Hello. What is to be done?', 5);
    await state('idle');
  });

  await step('there is one session, and each prompt is one message', async () => {
    const { sessions } = await send('GET', '/sessions');
    // Some agents write a file for each start, in which nobody says anything.
    const spoken = await Promise.all(sessions.map(async ({ id }) => (await messages(id)).some(({ content }) => said.includes(content)) && id));
    assert.deepEqual(spoken.filter(Boolean), [session()]);
    const users = (await messages()).filter(({ role, metadata }) => role === 'user' && !metadata?.message_type && !metadata?.interrupted);
    assert.deepEqual(users.map(({ content }) => content), said);
  });

  await step('the model got each prompt once, in order, and never what is not meant for it', async () => {
    const every = JSON.stringify(llm.requests);
    for (const secret of ['Marker of the host', 'stays with the server']) assert.ok(!every.includes(secret), secret);
    const given = turns().at(-1).messages.filter(({ role }) => role !== 'tool').map(({ text }) => text).join('\n\n');
    const wanted = said.toSpliced(said.indexOf('First run, say [hello]'), 0, 'The lantern was deployed');
    const places = wanted.map((words) => given.indexOf(words));
    assert.deepEqual(places.filter((place) => place < 0), [], given);
    assert.deepEqual(places, places.toSorted((a, b) => a - b), given);
    for (const words of wanted) assert.equal(given.split(words).length, 2, `${words}: once in\n${given}`);
  });

  await step('the context log has the bytes of each run', async () => {
    const check = await send('GET', `/sessions/${session()}/context-log/check`);
    assert.equal(check.fault ?? null, null);
    const { entries } = await send('GET', `/sessions/${session()}/context-log?limit=500`);
    const bytes = entries.map(({ text }) => text).join('');
    assert.deepEqual(said.filter((words) => !bytes.includes(words)), []);
    assert.equal(bytes.split('Marker of the first deployment').length, 2);
    assert.ok(!bytes.includes('Marker of the host'));
  });
  await step('latency', async () => {
    const [pixels, decisions] = [[], []];
    for (let number = 1; number <= 5; number += 1) {
      const seen = page.evaluate((words) => new Promise((resolve) => {
        const look = () => (document.body.innerText.includes(words) ? resolve(Date.now()) : requestAnimationFrame(look));
        look();
      }), `Heard number ${number}`);
      await say(`Number ${number}, are you there? [heard]`);
      const at = await seen;
      pixels.push(at - turns().at(-1).answered);
      await state('idle');
      await say('Please [touch]');
      await state('waiting');
      const before = turns().length;
      await decide('allow_once');
      const pressed = Date.now();
      await expect.poll(() => turns().length, { intervals: [5] }).toBeGreaterThan(before);
      decisions.push(turns()[before].came - pressed);
      await state('idle');
    }
    const middle = (numbers) => numbers.toSorted((a, b) => a - b)[2];
    console.log(`          from the model's last byte to the pixel: ${middle(pixels)} ms; from a decision to the agent's next request: ${middle(decisions)} ms`);
  });
} catch (error) {
  console.error(log.join('\n'));
  await page.screenshot({ path: join(tmpdir(), `verbatim-${name}.png`) });
  await writeFile(join(tmpdir(), `verbatim-${name}.json`), JSON.stringify(llm.requests, null, 1));
  throw error;
} finally {
  await browser.close();
  await server.stop('SIGTERM');
  await llm.stop();
  if (!process.env.KEEP) await rm(home, { recursive: true, force: true });
}
