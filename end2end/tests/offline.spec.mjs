// Reading without a server: what was read last is kept on this device, for as long as it is logged in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newAgent, typed } from '../agent.mjs';
import { act, expect, logIn, ready, step, test, visit } from '../verbatim.mjs';

const RIPE = '/s/5e551001-0000-4000-8000-000000000001';
const OTHER = '/s/5e551003-0000-4000-8000-000000000003';

test.use({ transcripts: ['.'], tolerated: [/Failed to load resource|ERR_CONNECTION_REFUSED/] });

const articles = (page) => page.locator('.chunk > article');
// What the worker keeps: of each session, in the order in which they were read, the addresses.
const kept = (page) => page.evaluate(async () => {
  const sessions = (await caches.keys()).filter((name) => name.includes(' session '));
  return Promise.all(sessions.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url.slice(location.origin.length))));
});

// Waits until the browser has every part of the interface: a page loads them while it rests.
const wholeInterface = (page) => expect.poll(() => page.evaluate(async () => {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const program = await fetch(loaded.find((name) => name.includes('/assets/frontend.js')));
  const parts = (await program.text()).match(/part_\w+\.bin/g);
  return parts.filter((part) => !loaded.some((name) => name.includes(`/assets/${part}`)));
})).toEqual([]);

// Ends the server once the browser has all that a page needs without one.
async function goAway(page, verbatim) {
  await wholeInterface(page);
  await verbatim.stop();
}

// Opens a page and waits until the worker has it.
async function read(page, verbatim, path) {
  await visit(page, verbatim, path);
  const own = await page.locator('#rail-recent a[aria-current]').getAttribute('href');
  await expect.poll(async () => (await kept(page)).map(([first]) => first)).toContain(own);
}

test('sessions that were read are there without a server', async ({ page, verbatim }) => {
  await step(page, 'a session that was read can be read without a server, and goes on when it is back', async () => {
    await read(page, verbatim, RIPE);
    const words = await articles(page).allInnerTexts();
    await goAway(page, verbatim);
    await page.reload();
    await ready(page);
    expect(await articles(page).allInnerTexts()).toEqual(words);
    await expect(page.locator('#link-notice')).toHaveText(/^Offline: as of \d+ \w+, \d\d:\d\d\. /);
    await expect(page.locator('#live')).toHaveText('Offline');

    await verbatim.start();
    await expect(page.locator('html')).not.toHaveAttribute('data-kept');
    await ready(page);
    await expect(page.locator('#live')).toHaveText('Live');
    await expect(page.locator('#link-notice')).toBeHidden();
  });

  await step(page, 'a page that is not kept says so, and lists what is', async () => {
    const title = () => page.getByRole('heading', { level: 1 }).innerText();
    await read(page, verbatim, RIPE);
    const first = await title();
    await read(page, verbatim, `${OTHER}?dev=1`);
    const titles = [await title(), first];
    await goAway(page, verbatim);

    await page.goto(`${verbatim.url}/stats`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Offline');
    await expect(page.locator('#not-kept')).toBeVisible();
    const links = page.getByRole('list').getByRole('link');
    await expect(links).toHaveText(titles.map((title) => new RegExp(` - ${title}$`)));
    await links.last().click();
    await ready(page);
    expect(await title()).toBe(first);
    await expect(page.locator('#link-notice')).toContainText('Offline: as of');

    await page.goto(verbatim.url);
    await expect(links).toHaveCount(2);
    await expect(page.locator('#not-kept')).toBeHidden();
    await verbatim.start();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
    await ready(page);
  });

  await step(page, 'what asks the server is off, and a draft waits', async () => {
    const agent = await newAgent(verbatim, { title: 'Prune the quince' });
    await agent.post({ content: '', ...typed('APPROVAL', {
      kind: 'permission', title: 'Cut the oldest branch', state: 'open',
      questions: [{ question: 'Cut it?', options: [{ id: 'yes', label: 'Cut', kind: 'allow_once' }] }],
    }) });
    await read(page, verbatim, `/s/${agent.id}`);
    const draft = page.getByLabel('Message', { exact: true });
    await draft.fill('Leave the');
    await goAway(page, verbatim);
    await page.reload();
    await ready(page);
    await expect(page.getByRole('button', { name: 'Cut allows once' })).toBeDisabled();
    await expect(page.getByText("Can't be answered while offline")).toBeVisible();
    await expect(draft).toHaveValue('Leave the');
    await draft.fill('Leave the oldest');
    await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
    await expect(page.getByText("You are offline.")).toBeVisible();
    await draft.press('Control+Enter');
    await expect(draft).toHaveValue('Leave the oldest');

    await verbatim.start();
    await expect(page.locator('#live')).toHaveText('Live');
    await expect(draft).toHaveValue('Leave the oldest');
    await page.getByRole('button', { name: 'Cut allows once' }).click();
    await expect(articles(page).first()).toContainText('Allowed once');
  });
});

test('the pieces that a page loaded are kept with it', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  for (let n = 1; n <= 200; n += 1) await agent.post({ content: `Row ${n}.\n\nMore of it.\n\nAnd more.` });
  await read(page, verbatim, `/s/${agent.id}`);
  await page.locator('#transcript').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('g');
  await expect(articles(page).first()).toContainText('Row 1.');
  await expect.poll(async () => (await kept(page)).flat().join()).toContain('/chunks/0?');
  await goAway(page, verbatim);
  await page.reload();
  await ready(page);
  await page.keyboard.press('g');
  await page.keyboard.press('g');
  await expect(articles(page).first()).toContainText('Row 1.');
});

test('what was read, and what was not', async ({ page, verbatim }) => {
  await step(page, 'what was scrolled away comes back, what was not loaded says so, and the find bar answers over what is there', async () => {
    const agent = await newAgent(verbatim);
    for (let from = 1; from <= 400; from += 40) {
      const messages = Array.from({ length: 40 }, (_, n) => ({ content: `Row ${from + n}.\n\nMore of it.\n\nAnd more.` }));
      await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages });
    }
    const bar = page.waitForRequest(/part_carry_on/);
    await read(page, verbatim, `/s/${agent.id}`);
    await page.locator('#transcript').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await expect(articles(page).first()).toContainText('Row 1.');
    await expect(page.getByText('Row 400.')).toHaveCount(0);
    // Nobody has asked for it yet.
    await (await (await bar).response()).finished();
    await goAway(page, verbatim);
    await page.keyboard.press('G');
    await expect(page.getByText('Row 400.')).toBeInViewport();

    await page.evaluate(() => { location.hash = '#m200'; });
    await expect(page.getByText("This part couldn't be loaded")).toBeVisible();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('Row 4');
    await expect(page.locator('#find-count')).toHaveText(/ of \d+ messages?, only in the loaded part$/);
    await verbatim.start();
    await expect(page.locator('#live')).toHaveText('Live');
    await expect(page.getByText("This part couldn't be loaded")).toHaveCount(0);
    await expect(page.locator('#find-count')).toHaveText(/ of 12 messages$/);
  });

  await step(page, 'downloads, and links from other sites, come through the worker', async () => {
    await read(page, verbatim, RIPE);
    await page.reload();
    await ready(page);
    await page.getByRole('button', { name: 'More' }).click();
    const link = page.getByRole('link', { name: 'Original file' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const plain = await page.request.get(verbatim.url + await link.getAttribute('href'));
    expect(await readFile(await download.path(), 'utf8')).toBe(await plain.text());

    const elsewhere = verbatim.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${elsewhere}/login`);
    await page.evaluate((to) => { location.href = to; }, verbatim.url + RIPE);
    await expect(page).toHaveURL(`${verbatim.url}${RIPE}?outside=1`);
    await ready(page);
    expect(await kept(page)).not.toEqual([]);
  });
});

test('the last twenty sessions are kept', async ({ page, verbatim }) => {
  await visit(page, verbatim);
  const ids = [];
  for (let n = 1; n <= 22; n += 1) {
    const agent = await newAgent(verbatim, { title: `Tree ${n}` });
    ids.push(agent.id);
    await read(page, verbatim, `/s/${agent.id}`);
  }
  await expect.poll(async () => (await kept(page)).map(([first]) => first)).toEqual(ids.slice(2).map((id) => `/s/${id}`));
  // Only what a reader saw: nothing of the API, of settings and of lists.
  expect((await kept(page)).flat().filter((url) => !/^\/s\/|^\/fragments\/sessions\/|\/outline$/.test(url))).toEqual([]);

  expect((await act(page, 'PATCH', '/v1/sessions', { sessions: [ids[21]], deleted: true })).status).toBe(200);
  // The worker asks the server for each of them.
  await expect.poll(async () => (await kept(page)).length, { timeout: 120_000 }).toBe(19);
});

test('logging out deletes what is kept, and a new link logs in again', async ({ page, verbatim, context }) => {
  await context.addInitScript(() => {
    navigator.clearAppBadge = async () => { window.cleared = location.pathname; };
  });
  await read(page, verbatim, RIPE);
  await page.goto(`${verbatim.url}/settings`);
  await ready(page);
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await expect(page).toHaveURL(/\/login/);
  expect(await kept(page)).toEqual([]);
  await expect.poll(() => page.evaluate(() => window.cleared)).toBe('/login');

  const { key } = JSON.parse(await readFile(join(verbatim.folder, 'data/server.json'), 'utf8'));
  const asked = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{}' };
  const { url } = await (await fetch(`${verbatim.url}/v1/launch-codes`, asked)).json();
  await page.goto('about:blank');
  await page.goto(url);
  await expect(page).toHaveURL(/\/$|\/sessions$/);
  await ready(page);

  await goAway(page, verbatim);
  await page.goto(verbatim.url + RIPE);
  await expect(page.getByText('No session is stored here')).toBeVisible();
});

test('a title that looks like a file brings nothing into what stays, and a log-out takes the drafts', async ({ page, verbatim }) => {
  const list = await newAgent(verbatim, { title: '/assets/..?v=1' });
  const missing = await newAgent(verbatim, { title: '/assets/x?v=1' });
  await read(page, verbatim, `/s/${list.id}`);
  await read(page, verbatim, `/s/${missing.id}`);
  const files = () => page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.includes(' files '));
    const urls = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)));
    return urls.flat().filter((path) => !path.startsWith('/assets/'));
  });
  expect(await files()).toEqual(['/offline']);
  const other = await page.context().newPage();
  await visit(other, verbatim, `/s/${missing.id}`);
  await page.getByLabel('Message', { exact: true }).fill('Nobody is to read this');
  await expect(other.getByLabel('Message', { exact: true })).toHaveValue('Nobody is to read this');

  await page.goto(`${verbatim.url}/settings`);
  await ready(page);
  const logOut = page.getByRole('button', { name: 'Log out', exact: true });
  await logOut.click();
  await expect(page.getByRole('dialog')).toContainText("didn't send them");
  await page.getByRole('button', { name: 'Stay logged in' }).click();
  expect(await page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('draft:')))).toBe(true);
  await logOut.click();
  await page.getByRole('button', { name: 'Log out and delete' }).click();
  await expect(page).toHaveURL(/\/login/);
  await expect(other).toHaveURL(/\/login/);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Nobody is to read this');
  expect(await kept(page)).toEqual([]);
  expect(await files()).toEqual(['/offline']);
});

test('a log-in that is ended elsewhere deletes it too', async ({ page, verbatim }) => {
  await read(page, verbatim, RIPE);
  const { key } = JSON.parse(await readFile(join(verbatim.folder, 'data/server.json'), 'utf8'));
  const headers = { authorization: `Bearer ${key}` };
  const { logins } = await (await fetch(`${verbatim.url}/v1/logins`, { headers })).json();
  for (const { id } of logins) await fetch(`${verbatim.url}/v1/logins/${id}`, { method: 'DELETE', headers });
  await expect(page).toHaveURL(/\/login/);
  await expect.poll(() => kept(page)).toEqual([]);
});

test('it can be installed, and its icon counts what waits', async ({ page, verbatim, context }) => {
  await context.addInitScript(() => {
    navigator.setAppBadge = async (count) => { (window.badges ??= []).push(count); };
  });
  await logIn(page, verbatim);
  await visit(page, verbatim);
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json());
  expect({ ...manifest, icons: [] }).toMatchObject({ name: 'Verbatim', start_url: './', scope: './', display: 'standalone' });
  expect(manifest.shortcuts.map(({ url }) => url)).toEqual(['sessions', 'inbox', 'search']);
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(['192x192 any', '512x512 any', '512x512 maskable', 'any any']);
  const sizes = await page.evaluate((icons) => Promise.all(icons.map(async ({ src }) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    return image.naturalWidth;
  })), manifest.icons);
  expect(sizes.slice(0, 3)).toEqual([192, 512, 512]);

  await expect.poll(() => page.evaluate(() => window.badges)).toEqual([0]);
  const agent = await newAgent(verbatim);
  await agent.post({ content: '', ...typed('APPROVAL', { kind: 'permission', title: 'Dig', state: 'open' }) });
  await expect.poll(() => page.evaluate(() => window.badges)).toEqual([0, 1]);
});
