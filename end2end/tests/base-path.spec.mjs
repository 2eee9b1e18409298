// Below a path of a host that other servers share: pages, their parts, the worker, events and what is sent.
import { newSession } from '../transcript.mjs';
import { act, AWAY, expect, idOf, open, ready, step, test, visit } from '../verbatim.mjs';

const BASE = '/tools/verbatim';
const RIPE = '5e551001-0000-4000-8000-000000000001';

test.use({ transcripts: ['-home-ada-orchard'], base: BASE });

test('below a path', async ({ page, verbatim }) => {
  const strays = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === new URL(verbatim.url).origin && !pathname.startsWith(`${BASE}/`)) strays.push(pathname);
  });

  await step(page, 'the link logs in, with a cookie for the path', async () => {
    await open(page, verbatim);
    await expect(page).toHaveURL(`${verbatim.url}/`);
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ name }) => name.startsWith('verbatim_')).map(({ path }) => path)).toEqual([BASE]);
  });

  await step(page, 'a page is reached by links, and by keys', async () => {
    await visit(page, verbatim);
    await page.getByRole('main').getByRole('link', { name: 'Ripe means more than warm' }).click();
    await ready(page);
    await expect(page).toHaveURL(`${verbatim.url}/s/${await idOf(page, RIPE)}`);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await expect(page).toHaveURL(`${verbatim.url}/inbox`);
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Settings');
    await expect(page.getByRole('option', { name: 'Settings' }).first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`^${verbatim.url}/settings`));
  });

  await step(page, 'what comes is shown live, and what is written is sent', async () => {
    const session = await newSession(verbatim);
    await session.prompt('Bake a loaf');
    await visit(page, verbatim, `/s/${session.id}`);
    await session.answer('It rises.');
    await expect(page.locator('article').getByText('It rises.', { exact: true })).toBeVisible();
    await page.goto(`${verbatim.url}/search?q=loaf`);
    await expect(page.getByText('Bake a loaf').first()).toBeVisible();
    const { status } = await act(page, 'PATCH', '/v1/sessions', { sessions: [await idOf(page, session.id)], pinned: true });
    expect(status).toBe(200);
  });

  await step(page, 'the app is installed for the path alone, and a kept session is read without the server', async () => {
    await visit(page, verbatim, `/s/${RIPE}`);
    const kept = `/s/${await idOf(page, RIPE)}`;
    const manifest = await (await page.request.get(new URL(await page.locator('link[rel=manifest]').getAttribute('href'), page.url()).href)).json();
    expect([manifest.start_url, manifest.scope].map((url) => new URL(url, `${verbatim.url}/manifest.webmanifest`).href)).toEqual([`${verbatim.url}/`, `${verbatim.url}/`]);
    await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.ready).scope)).toBe(`${verbatim.url}/`);
    await expect.poll(() => page.evaluate(async () => (await caches.keys()).filter((name) => name.includes(' session ')).at(-1))).toBe(`verbatim 2${BASE} session ${kept}`);
    await verbatim.stop();
    await page.reload();
    await expect(page.locator('article').first()).toBeVisible();
    await page.goto(`${verbatim.url}/stats`);
    await expect(page.getByRole('link', { name: 'Ripe means more than warm' })).toHaveAttribute('href', BASE + kept);
    await verbatim.start();
  }, [AWAY]);

  expect(strays, 'requests outside the path').toEqual([]);
});
