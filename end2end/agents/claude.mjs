// Drives the real Claude Code in Chromium, against a scripted model: what people do with an agent that Verbatim started.
//
//   npm install --prefix /tmp/claude @anthropic-ai/claude-code
//   CLAUDE=/tmp/claude/node_modules/.bin node end2end/agents/claude.mjs
//
// `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, `CHROMIUM` another browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, expect as base } from '@playwright/test';
import { model } from './model.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');
const agent = process.env.CLAUDE ?? '';
// An upper bound for a busy machine; nothing waits for it when all is well.
const expect = base.configure({ timeout: 40_000 });

const home = await realpath(await mkdtemp(join(tmpdir(), 'verbatim-claude-')));
const folder = join(home, 'work');
await mkdir(folder);
await mkdir(join(home, 'config/projects'), { recursive: true });
const llm = await model(folder);
const log = [];

async function serve(listen) {
  const given = ['--no-discover', '--claude-dir', join(home, 'config'), '--agent-env', 'DISABLE_TELEMETRY', '--agent-env', 'DISABLE_AUTOUPDATER'];
  const server = spawn(program, ['serve', '--data-dir', join(home, 'data'), '--listen', listen, ...given], {
    env: {
      PATH: `${agent}:${process.env.PATH}`,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'config'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      ANTHROPIC_BASE_URL: llm.url,
      ANTHROPIC_API_KEY: 'scripted',
      VERBATIM_SECRET: 'stays with the server',
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

const state = (word) => expect(page.locator(`[data-agent-state=${word}]`)).toBeVisible();
const say = async (words) => {
  await page.getByLabel('Message', { exact: true }).fill(words);
  await page.getByRole('button', { name: /^Send(?! now)/ }).click();
};
const shown = (words) => expect(page.locator('#transcript').getByText(words).first()).toBeVisible();
const card = () => page.locator('#transcript article').filter({ has: page.getByRole('button', { name: 'Deny' }) }).last();
const session = () => page.url().split('/s/')[1].split(/[?#]/)[0];
const told = (words) => llm.requests.filter(({ messages }) => JSON.stringify(messages).includes(words));

try {
  await step('a session is started from the page, and an error names its field', async () => {
    await page.goto(server.link);
    await ready();
    await page.goto(`${server.url}/new`);
    await ready();
    await page.getByLabel('Folder', { exact: true }).fill(join(home, 'missing'));
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(page.locator('#new-folder')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Folder', { exact: true }).fill(folder);
    await page.getByLabel('Prompt').fill('Say [hello]');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/s\//);
    await ready();
    await shown('Hello. What is to be done?');
    await state('idle');
  });

  await step('an edit is approved, and on the disk', async () => {
    await say('Please [edit]');
    await state('waiting');
    assert.equal(existsSync(join(folder, 'note.txt')), false);
    await card().getByRole('button', { name: 'Allow once' }).click();
    await shown('The note is written.');
    assert.equal(await readFile(join(folder, 'note.txt'), 'utf8'), 'first line\n');
    await state('idle');
  });

  await step('a denial is respected', async () => {
    await say('Please [deny]');
    await state('waiting');
    await card().getByRole('button', { name: 'Deny' }).click();
    await shown('Then I leave it.');
    assert.equal(existsSync(join(folder, 'forbidden.txt')), false);
    await state('idle');
  });

  await step('a question is answered', async () => {
    await say('Please [ask]');
    await state('waiting');
    await page.locator('#transcript').getByRole('button', { name: 'Blue' }).last().click();
    await shown('So be it.');
    assert.ok(told('Which colour?').some(({ messages }) => /Blue/.test(JSON.stringify(messages.at(-1)))));
    await state('idle');
  });

  await step('what is sent while it works steers it', async () => {
    await say('Please be [slow]');
    await state('working');
    await say('Mind the gap');
    await page.getByRole('button', { name: 'Send now' }).click();
    await shown('It is over.');
    await state('idle');
    const last = JSON.stringify(llm.requests.at(-1).messages);
    assert.equal(last.split('Mind the gap').length - 1, 1);
    await expect(page.locator('#transcript article').filter({ hasText: 'Mind the gap' })).toHaveCount(1);
  });

  await step('Escape twice interrupts it', async () => {
    await say('Please be [endless]');
    await expect(page.locator('[data-agent-state=waiting], [data-agent-state=working]')).toBeVisible();
    if (await card().count()) await card().getByRole('button', { name: 'Allow once' }).click();
    await page.locator('#transcript').focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await state('idle');
  });

  await step('it is ended and resumed', async () => {
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await state('ended');
    const before = session();
    await page.getByRole('button', { name: 'Resume' }).click();
    await state('idle');
    assert.equal(session(), before);
    await say('Once more [hello]');
    await expect(page.locator('#transcript article').filter({ hasText: 'Hello. What is to be done?' })).toHaveCount(2);
  });

  await step('a server that is killed leaves it interrupted, to be resumed', async () => {
    await say('Once more be [endless]');
    await expect(page.locator('[data-agent-state=waiting], [data-agent-state=working]')).toBeVisible();
    await server.stop('SIGKILL');
    server = await serve(new URL(server.url).host);
    await page.goto(`${server.url}/s/${session()}`);
    await ready();
    await state('interrupted');
    await page.getByRole('button', { name: 'Resume' }).click();
    await state('idle');
    await say('After that [hello]');
    await expect(page.locator('#transcript article').filter({ hasText: 'Hello. What is to be done?' })).toHaveCount(3);
  });

  await step('there is one session, and each prompt is one message', async () => {
    const { sessions } = await (await page.request.get(`${server.url}/v1/sessions`)).json();
    assert.deepEqual(sessions.map(({ id }) => id), [session()]);
    const { messages } = await (await page.request.get(`${server.url}/v1/sessions/${session()}/messages?limit=500`)).json();
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    assert.equal(said.filter((words) => words === 'Please [edit]').length, 1);
    assert.ok(!JSON.stringify(llm.requests).includes('stays with the server'));
  });
} catch (error) {
  console.error(log.join('\n'));
  await page.screenshot({ path: join(tmpdir(), 'verbatim-claude.png') });
  throw error;
} finally {
  await browser.close();
  await server.stop('SIGTERM');
  await llm.stop();
  await rm(home, { recursive: true, force: true });
}
