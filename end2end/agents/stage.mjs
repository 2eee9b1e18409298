// What driving an agent in Chromium has in common: the agent's home and folder, a scripted model, a server of ours, a page, and what people
// do on it.
//
// `AGENTS` is where agents are installed, `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, `CHROMIUM` another browser.
// With `KEEP`, the home folder of the agent stays in the temporary folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
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

// An upper bound for a busy machine; nothing waits for it when all is well.
export const expect = base.configure({ timeout: 60_000 });
export const ready = (page) => page.waitForSelector('html[data-ready]', { state: 'attached' });
export const holds = (request, words) => JSON.stringify(request.body).includes(JSON.stringify(words).slice(1, -1));

// Sets up the agent with this name, and starts server and browser.
export async function stage(name) {
  const agent = programs[name];
  if (!agent) throw new Error(`expected one of ${Object.keys(programs).join(', ')}; got ${name}`);
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
    return { link, url: link.split('/#')[0], pid: server.pid, stop };
  }

  let server = await serve('127.0.0.1:0');
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const began = Date.now();
  const done = [];

  const self = {
    agent, home, folder, deployed, llm, context,
    page: await context.newPage(),
    said: [],
    can: (step) => !agent.cannot?.includes(step),
    get server() { return server; },
    // Kills the server, and starts it again on its port.
    restart: async (signal) => {
      await server.stop(signal);
      server = await serve(new URL(server.url).host);
    },
    step: async (name, run) => {
      const began = Date.now();
      await run();
      done.push(name);
      console.log(`${String(Date.now() - began).padStart(6)} ms  ${name}`);
    },
    // The requests that carry a conversation, not those for a title or the like.
    turns: () => llm.requests.filter(({ tools }) => tools.length > 0),
    // Runs `play`, and leaves a picture and the requests of the agent if it fails.
    run: async (play) => {
      try {
        await play();
        console.log(`${done.length} passed (${((Date.now() - began) / 1000).toFixed(1)}s)`);
      } catch (error) {
        console.error(log.join('\n'));
        await self.page.screenshot({ path: join(tmpdir(), `verbatim-${name}.png`) }).catch(() => {});
        await writeFile(join(tmpdir(), `verbatim-${name}.json`), JSON.stringify(llm.requests, null, 1));
        console.log(`1 failed\n${done.length} passed`);
        throw error;
      } finally {
        await browser.close();
        await server.stop('SIGTERM');
        await llm.stop();
        if (!process.env.KEEP) await rm(home, { recursive: true, force: true });
      }
    },
  };
  return Object.assign(self, hands(self, name));
}

// What people do on the page.
function hands(self, name) {
  const transcript = () => self.page.locator('#transcript');
  const session = () => self.page.url().split('/s/')[1].split(/[?#]/)[0];
  // Calls the API as the page does.
  const send = (method, path, body) =>
    self.page.evaluate(async ([method, path, body]) => {
      const headers = { 'content-type': 'application/json', 'x-verbatim-secret': await globalThis.verbatim.secret() };
      const answer = await fetch(`/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    }, [method, path, body]);
  const messages = async (of = session()) => (await send('GET', `/sessions/${of}/messages?limit=500`)).messages;
  const state = (word) => expect(self.page.locator(`[data-agent-state=${word}]`)).toBeVisible();
  // The open request of the session, once there is one.
  const asked = async () => {
    let open;
    await expect.poll(async () => {
      const { asks } = await send('GET', '/asks');
      open = asks.map(({ entry }) => entry).find(({ session_id }) => session_id === session());
      return open;
    }).toBeTruthy();
    return open;
  };
  // The button of a request whose option is of this kind.
  const button = (open, kind, page = self.page) => {
    const options = open.metadata.payload.questions[0].options;
    const option = options.find((option) => option.kind === kind);
    assert.ok(option, JSON.stringify(options));
    return page.locator(`#transcript form[data-decide="${open.id}"] button[name=option][value="${option.id}"]`);
  };
  return {
    transcript, session, send, messages, state, asked, button,
    works: () => expect(self.page.locator('[data-agent-state=waiting], [data-agent-state=working]')).toBeVisible(),
    say: async (words) => {
      await self.page.getByLabel('Message', { exact: true }).fill(words);
      await self.page.getByRole('button', { name: /^Send(?! now)/ }).click();
      self.said.push(words);
    },
    // Waits until so many messages have these words, and the page shows the last of them.
    shown: async (words, count = 1) => {
      await expect.poll(async () => (await messages()).filter(({ content }) => content.includes(words)).length).toBe(count);
      await expect(transcript().locator('article').filter({ hasText: words }).last()).toBeVisible();
    },
    decide: async (kind) => button(await asked(), kind).click(),
    // Starts a session from the page, with a prompt, and waits for the agent's state.
    start: async (prompt, then) => {
      const { page, server, agent, folder } = self;
      await page.goto(`${server.url}/new`);
      await ready(page);
      await page.getByLabel('Agent', { exact: true }).selectOption(name);
      await page.getByLabel('Folder', { exact: true }).fill(folder);
      await page.getByLabel('Prompt').fill(prompt);
      if (agent.mode) await page.getByLabel('Mode').selectOption(agent.mode);
      await page.getByRole('button', { name: 'Start' }).click();
      self.said.push(prompt);
      await page.waitForURL(/\/s\//, { timeout: 60_000 });
      await ready(page);
      await state(then);
    },
    logIn: async () => {
      await self.page.goto(self.server.link);
      await ready(self.page);
    },
  };
}
