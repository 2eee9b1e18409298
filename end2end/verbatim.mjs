// The one helper of the browser tests: a `verbatim serve` of its own for each test, and a page that is watched.
//
//   import { test, expect, open } from '../verbatim.mjs';
//
//   test.use({ transcripts: ['three-cards.jsonl'] });
//   test('shows the session', async ({ page, verbatim }) => {
//     await open(page, verbatim);
//     ...
//   });
//
// When a test ends, its page must not have logged an error or a hydration warning, nor thrown, and axe must find
// nothing in what is shown at that moment; `await accessible(page)` asks the same earlier.
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base } from '@playwright/test';

export { expect };

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../target/debug/verbatim');
const link = /http:\/\/\S+\/#c=\S+/;

export const test = base.extend({
  // Files and folders below `fixtures/transcripts`, put where Claude Code keeps its sessions.
  transcripts: [[], { option: true }],
  // What `verbatim serve` gets besides: for instance `['--demo']`.
  serveArguments: [[], { option: true }],

  // `{ link, url, folder, log }`: the one-time link, the address without the code, the data, what the server said.
  verbatim: async ({ transcripts, serveArguments }, use, info) => {
    const folder = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
    await place(transcripts, join(folder, 'claude/projects/-home-ada-shop'));
    const server = await start(folder, serveArguments);
    await use(server);
    await server.stop();
    if (info.status !== info.expectedStatus) {
      await info.attach('server', { body: server.log.join('\n'), contentType: 'text/plain' });
    }
    await rm(folder, { recursive: true, force: true });
  },

  page: async ({ page }, use, info) => {
    const faults = [];
    page.on('pageerror', (error) => faults.push(`thrown: ${error.stack ?? error}`));
    page.on('console', (message) => {
      const hydration = message.type() === 'warning' && /hydrat/i.test(message.text());
      if (message.type() === 'error' || hydration) faults.push(`${message.type()}: ${message.text()}`);
    });
    await use(page);
    expect(faults, 'console errors, hydration warnings and uncaught errors').toEqual([]);
    if (info.status === info.expectedStatus && page.url().startsWith('http')) await accessible(page);
  },
});

// Follows the one-time link and waits for the islands.
export async function open(page, verbatim) {
  await page.goto(verbatim.link);
  await ready(page);
}

// Waits until `boot.js` has brought all islands to life.
export async function ready(page) {
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
}

// Asserts that axe finds no violation, and tells each with its place.
export async function accessible(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const told = violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
  expect(told, 'accessibility violations').toEqual([]);
}

async function place(transcripts, project) {
  await mkdir(project, { recursive: true });
  for (const name of transcripts) {
    await cp(join(here, '../fixtures/transcripts', name), join(project, basename(name)), { recursive: true });
  }
}

async function start(folder, serveArguments) {
  const { CLAUDE_CONFIG_DIR: _, ...environment } = process.env;
  const server = spawn(
    program,
    ['serve', '--listen', '127.0.0.1:0', '--data-dir', join(folder, 'data'), '--no-discover',
      '--claude-dir', join(folder, 'claude'), ...serveArguments],
    { env: { ...environment, HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = [];
  const ended = new Promise((resolve) => {
    server.on('error', (error) => { log.push(String(error)); resolve(); });
    server.on('exit', resolve);
  });
  createInterface({ input: server.stderr }).on('line', (line) => log.push(line));
  const printed = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      log.push(line);
      const found = line.match(link);
      if (found) resolve(found[0]);
    });
    ended.then(() => reject(new Error(`${program} ended before it printed its link:\n${log.join('\n')}`)));
  });
  const stop = async () => {
    server.kill('SIGTERM');
    // A page's event stream may hold the server for a while.
    const patience = setTimeout(() => server.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(patience);
  };
  return { link: printed, url: printed.split('/#')[0], folder, log, stop };
}
