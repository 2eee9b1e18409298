// The helper of the browser tests: a `verbatim serve` of its own for each test, and a page that is watched.
//
//   import { test, expect, visit } from '../verbatim.mjs';
//
//   test.use({ transcripts: ['-home-ada-orchard'] });
//   test('shows the session', async ({ page, verbatim }) => {
//     await visit(page, verbatim, '/s/5e551001');
//     ...
//   });
//
// When a test ends, its page must not have logged an error or a hydration warning, nor thrown, and axe must find
// nothing in what is shown at that moment; `await accessible(page)` asks the same earlier.
//
// A server, a log-in and the first page take longer than most of what is asked of a page. Behaviours with the same set-up
// are steps of one test, which are judged as tests are:
//
//   await step(page, 'opens with a click', async () => {
//     await visit(page, verbatim);
//     ...
//   });
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base } from '@playwright/test';

export { expect };

const here = dirname(fileURLToPath(import.meta.url));
export const program = process.env.VERBATIM_PROGRAM ?? join(here, '../target/debug/verbatim');
const link = /https?:\/\/\S+\/(#c=\S+)/;

// How the server comes to its sessions: a folder that was named, one that it finds and asks about, or the example.
const ways = {
  named: (folder) => ['--no-discover', '--claude-dir', join(folder, '.claude')],
  found: () => [],
  demo: () => ['--demo'],
};

export const test = base.extend({
  // Projects and files below `fixtures/browser/projects`, put where Claude Code keeps its sessions; `.` is all of them.
  transcripts: [[], { option: true }],
  // One of `ways`.
  reads: ['named', { option: true }],
  // `sqlite`, or `postgres`: each test has a database of its own in the cluster that `cargo xtask pg` starts.
  engine: ['sqlite', { option: true }],
  // Further arguments of `verbatim serve`.
  args: [[], { option: true }],
  // The path of the public URL, as `/verbatim`: VERBATIM_TEST_BASE puts all tests below one.
  base: [process.env.VERBATIM_TEST_BASE ?? '', { option: true }],
  // What the console may say besides nothing at all, as patterns: the browser itself logs answers like 404.
  tolerated: [[], { option: true }],

  // `{ link, url, folder, projects, log, start, stop }`: the latest one-time link, the address without the code, the home
  // folder, where the transcripts are, what the server said. After `stop`, `start` goes on at the same port and data.
  verbatim: async ({ transcripts, reads, engine, args, base }, use, info) => {
    const folder = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
    const projects = join(folder, '.claude/projects');
    await mkdir(projects, { recursive: true });
    for (const name of transcripts) {
      await cp(join(here, '../fixtures/browser/projects', name), join(projects, name), { recursive: true });
    }
    const database = engine === 'postgres' ? ['--database', newDatabase()] : [];
    const verbatim = { folder, projects, reads, database, base, log: [] };
    const publicUrl = base ? ['--public-url', `https://agents.example.org${base}`] : [];
    verbatim.start = async () => {
      const at = verbatim.url ? new URL(verbatim.url).host : '127.0.0.1:0';
      Object.assign(verbatim, await start(folder, ['--listen', at, ...ways[reads](folder), ...database, ...args, ...publicUrl], verbatim.log));
      verbatim.url += base;
      verbatim.link = verbatim.url + verbatim.link.slice(verbatim.link.indexOf('/#'));
    };
    await verbatim.start();
    await use(verbatim);
    await verbatim.stop();
    if (info.status !== info.expectedStatus) {
      await info.attach('server', { body: verbatim.log.join('\n'), contentType: 'text/plain' });
    }
    await rm(folder, { recursive: true, force: true });
  },

  // Ends before the server does, so that a page is judged while it still has one.
  page: async ({ page, verbatim, tolerated }, use, info) => {
    const seen = { faults: [], tolerated, verbatim };
    watched.set(page, seen);
    page.on('pageerror', (error) => seen.faults.push(`thrown: ${error.stack ?? error}`));
    page.on('console', (message) => {
      const hydration = message.type() === 'warning' && /hydrat/i.test(message.text());
      const known = seen.tolerated.some((pattern) => pattern.test(message.text()));
      if ((message.type() === 'error' && !known) || hydration) seen.faults.push(`${message.type()}: ${message.text()}`);
    });
    await use(page);
    if (info.status === info.expectedStatus) await settled(page);
    else expectNoFaults(page);
  },
});

// Of the page of each test: what it logged, what it may log, and its server.
const watched = new WeakMap();
// What is shown between steps: of the same server, so that the browser keeps its process, and without a script.
const BETWEEN = '/assets/secret.js';

function expectNoFaults(page) {
  expect(watched.get(page).faults, 'console errors, hydration warnings and uncaught errors').toEqual([]);
}

// What holds at the end of each test and step: nothing was logged, the window itself doesn't scroll, and axe finds nothing.
export async function settled(page) {
  expectNoFaults(page);
  if (!page.url().startsWith('http') || page.url().endsWith(BETWEEN)) return;
  // The last action may have led to another page.
  await page.waitForLoadState();
  const beyond = () => (document.querySelector('.app') ? document.documentElement.scrollHeight - innerHeight : 0);
  await expect.poll(() => page.evaluate(beyond), 'pixels by which the window itself scrolls').toBeLessThanOrEqual(0);
  await accessibleIfNew(page);
}

// One of several behaviours in a test. The next one begins without its routes, its other tabs, and what pages stored besides the
// log-in, in the size of the test. `tolerated` is what the console may say besides while it runs.
export async function step(page, title, body, tolerated = []) {
  const seen = watched.get(page);
  const [usual, size] = [seen.tolerated, page.viewportSize()];
  await test.step(title, async () => {
    seen.tolerated = [...usual, ...tolerated];
    await body();
    await settled(page);
  });
  const context = page.context();
  for (const routed of [page, context]) await routed.unrouteAll({ behavior: 'ignoreErrors' });
  for (const other of context.pages()) if (other !== page) await other.close();
  // A page writes some of it when it is left.
  await page.goto(seen.verbatim.url + BETWEEN);
  await page.evaluate(() => [localStorage, sessionStorage].forEach((store) => store.clear()));
  await context.clearCookies({ name: /^(?!verbatim_)/ });
  await page.setViewportSize(size);
  seen.tolerated = usual;
}

// What the console says while a server ends, is away, and starts again: tolerated by tests that stop theirs.
export const AWAY = /status of (410|50\d)|ERR_|fetching the script|a part of the interface did not load/;

// Follows the one-time link and waits for the islands.
export async function open(page, verbatim) {
  await page.goto(verbatim.link);
  await ready(page);
}

// Logs the browser in, waits until everything is imported, and opens a page.
export async function visit(page, verbatim, path = '/sessions') {
  await logIn(page, verbatim);
  await imported(page, verbatim);
  await page.goto(verbatim.url + path);
  await ready(page);
}

// Logs the browser in without showing a page, once.
export async function logIn(page, verbatim) {
  if ((await page.context().cookies(verbatim.url)).some(({ name }) => name.startsWith('verbatim_'))) return;
  const code = verbatim.link.split('#c=')[1];
  const answer = await page.request.post(`${verbatim.url}/v1/login`, { data: { code } });
  expect(answer.ok()).toBe(true);
  const { secret } = await answer.json();
  // It lies where all pages of the server find it, and is put there by one, which has the script for it and nothing else.
  const body = `<html data-base="${verbatim.base}"><script type="module" src="${verbatim.base}/assets/secret.js"></script>`;
  await page.route(`${verbatim.url}/login`, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${verbatim.url}/login`);
  await page.evaluate((secret) => globalThis.verbatim.keep(secret), secret);
  await page.unroute(`${verbatim.url}/login`);
}

// Sends what changes something as the page itself would, which is one of the server's: `{ status, body }`.
export function act(page, method, path, body) {
  return page.evaluate(async ([method, path, body]) => {
    const headers = { 'content-type': 'application/json', 'x-verbatim-secret': await globalThis.verbatim.secret() };
    const answer = await fetch(globalThis.verbatim.at(path), { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  }, [method, path, body]);
}

// Our id of a session that is named otherwise.
export async function idOf(page, session) {
  return (await act(page, 'GET', `/v1/sessions/${session}`)).body.session.id;
}

// Another browser with this one's log-in, and nothing else of it.
export async function twin(browser, page) {
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  return browser.newContext({ storageState: { cookies, origins: origins.map((origin) => ({ ...origin, localStorage: [] })) } });
}

// Waits until every file of a named folder is a session and no import runs any more.
export async function imported(page, verbatim) {
  const read = async (path) => (await page.request.get(`${verbatim.url}/v1/${path}`)).json();
  await expect(async () => {
    expect((await read('sessions')).all).toBeGreaterThanOrEqual(verbatim.reads === 'named' ? await files(verbatim) : 0);
    expect((await read('imports')).imports.map((job) => job.done)).not.toContain(false);
  }).toPass({ timeout: 60_000, intervals: [50] });
}

// Counts the transcripts that are read without a question: links and pipes are not.
async function files({ projects }) {
  const folders = (await readdir(projects, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const all = await Promise.all(folders.map(({ name }) => readdir(join(projects, name), { withFileTypes: true })));
  return all.flat().filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl')).length;
}

// Waits until `boot.js` has brought all islands to life.
export async function ready(page) {
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
}

// Waits until a request takes a decision: a second after it came into view. A click waits for the second by itself, not for the view.
export async function decidable(request) {
  const form = request.locator(':is(form[data-decide], form[data-reply])').first();
  await form.scrollIntoViewIfNeeded();
  await expect(form).toHaveAttribute('data-ready', '');
}

// What the address asks for. Empty fields don't belong into it.
export function query(page) {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

// Hashes of the kinds of elements that axe has looked at, in whichever worker: a line each, in a file that goes with the next run.
const judged = () => join(test.info().project.outputDir, 'judged');
const hash = (kind) => createHash('sha256').update(kind).digest('base64').slice(0, 16);

async function unjudged(all) {
  const known = new Set((await readFile(judged(), 'utf8').catch(() => '')).split('\n'));
  return all.filter((kind) => !known.has(hash(kind)));
}

async function judge(all) {
  await mkdir(dirname(judged()), { recursive: true });
  await appendFile(judged(), all.map((kind) => `${hash(kind)}\n`).join(''));
}

// Many tests end on the same page, and axe takes as long as the rest of a short test: it is asked about elements of a kind
// that it hasn't seen.
async function accessibleIfNew(page) {
  const news = await unjudged(await page.evaluate(kinds));
  if (news.length === 0) return;
  // A redraw may have removed some of them: these stay unjudged. The title is always there, and axe fails without any element.
  const there = new Set(await page.evaluate(kinds, news));
  await nothingFound(page, (axe) => axe.include(':is([data-unjudged], title)'));
  await page.evaluate(kinds, []);
  await judge(news.filter((kind) => there.has(kind)));
}

// The kinds of elements on a page. Those of a kind in `marked` get an attribute, and all others lose it. A kind is what axe's rules
// and the style sheets go by:
// tags, classes and attributes of an element and its parent, whether it has a text, the width, the theme.
function kinds(marked) {
  const asIs = ['role', 'type', 'aria-hidden', 'aria-expanded', 'aria-checked', 'aria-pressed', 'aria-selected'];
  const passed = ['class', 'id', 'style', 'href', 'src', 'for', 'value', 'd'];
  const attribute = ({ name, value }) => (asIs.includes(name) ? `${name}=${value}` : name);
  const own = (element) => {
    const attributes = [...element.attributes].filter(({ name }) => !passed.includes(name) && !name.startsWith('data-'));
    const words = [...element.classList, ...attributes.map(attribute)].sort();
    return [element.localName, ...words, element.textContent.trim() ? 'text' : ''].join(' ');
  };
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const where = `${innerWidth} ${document.documentElement.dataset.theme} ${dark}`;
  const all = [...document.querySelectorAll('body, body *')];
  const kind = (element) => `${where}: ${own(element.parentElement)} > ${own(element)}`;
  if (marked) all.forEach((element) => element.toggleAttribute('data-unjudged', marked.includes(kind(element))));
  return [...new Set(all.map(kind))];
}

// Asserts that axe finds no violation, and tells each with its place.
export async function accessible(page) {
  await nothingFound(page, (axe) => axe);
  await judge(await unjudged(await page.evaluate(kinds)));
}

async function nothingFound(page, within) {
  // In the middle of a change of themes, words have the new colour and what is behind them the old one.
  await page.evaluate(() => Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
  ));
  // Only violations are described, and no second page is opened for those of frames from elsewhere, which no page has: the
  // same rules in a fourth of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await within(axe).analyze();
  const told = violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
  expect(told, 'accessibility violations').toEqual([]);
}

// One more server on the same database, with a home of its own: `{ link, url, folder, log, stop }`.
export async function another(verbatim) {
  const folder = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
  const log = [];
  const server = await start(folder, ['--listen', '127.0.0.1:0', '--no-discover', ...verbatim.database], log);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...verbatim, ...server, folder, log, stop };
}

function newDatabase() {
  const url = new URL(process.env.VERBATIM_TEST_POSTGRES);
  const name = `browser_${randomUUID().replaceAll('-', '')}`;
  execFileSync(process.env.VERBATIM_TEST_CREATEDB, ['--maintenance-db', url.href, name]);
  url.pathname = name;
  return url.href;
}

async function start(folder, given, log) {
  const { CLAUDE_CONFIG_DIR: _, ...environment } = process.env;
  const server = spawn(program, ['serve', '--data-dir', join(folder, 'data'), ...given], {
    // A test may put programs there that stand in for agents.
    env: { ...environment, HOME: folder, PATH: `${join(folder, 'bin')}:${environment.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => {
    server.on('error', (error) => { log.push(String(error)); resolve(); });
    server.on('exit', resolve);
  });
  createInterface({ input: server.stderr }).on('line', (line) => log.push(line));
  const printed = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      log.push(line);
      const found = line.match(link);
      if (found) resolve(found[1]);
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
  // A public URL leads elsewhere.
  const { url } = JSON.parse(await readFile(join(folder, 'data/server.json'), 'utf8'));
  return { link: `${url}/${printed}`, url, stop };
}
