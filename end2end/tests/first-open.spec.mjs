// The first thing that anyone sees: the link that `verbatim serve` prints.
import { AWAY, expect, logIn, open, ready, step, test } from '../verbatim.mjs';

test('the one-time link opens the sessions page and leaves no code behind', async ({ page, verbatim }) => {
  await open(page, verbatim);

  await expect(page).toHaveTitle('Sessions · Verbatim');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
  expect(page.url()).not.toContain('#c=');
  await page.goBack();
  expect(page.url()).not.toContain('#c=');
});

test.describe('a link that was used', () => {
  test.use({ tolerated: [/status of 401/] });

  test('is refused in plain words', async ({ page, verbatim }) => {
    await logIn(page, verbatim);
    await page.context().clearCookies();
    await page.goto(verbatim.link);

    await expect(page).toHaveTitle('Sign in · Verbatim');
    await expect(page.getByRole('status')).toHaveText(
      'This link was already used, or has expired. Run `verbatim open` for a new link, or ask who invited you for another invitation',
    );
    await expect(page.getByRole('textbox', { name: 'Sign-in code' })).toBeVisible();
    expect(page.url()).toBe(`${verbatim.url}/login?next=%2F`);
  });
});

test('the log-in page', async ({ page, verbatim }) => {
  await step(page, 'copies the command that prints a fresh link', async () => {
    await page.goto(`${verbatim.url}/login`);
    await page.getByRole('button', { name: 'Copy' }).click();

    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('verbatim open');
  });

  await step(page, 'the code can be typed, or the whole link pasted', async () => {
    await page.goto(verbatim.url);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await expect(page.getByRole('status')).toHaveText('Open the link that this command prints');

    await page.getByRole('textbox', { name: 'Sign-in code' }).fill(verbatim.link);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
  });

  await step(page, 'the log-in page keeps nobody who is logged in', async () => {
    await logIn(page, verbatim);
    await page.goto(`${verbatim.url}/login?next=%2Ffolders`);
    await ready(page);

    expect(page.url()).toBe(`${verbatim.url}/folders`);
  });

  await step(page, 'a link to another site is never followed after the log-in', async () => {
    await logIn(page, verbatim);
    const seen = [];
    page.on('request', (request) => seen.push(request.url()));
    const host = 'elsewhere.example';
    for (const next of [`https://${host}/`, `//${host}`, `///${host}`, `/.//${host}`, `/././/${host}`, `/x/..//${host}`, `/%2e//${host}`,
      `/\\${host}`, `\\\\${host}`, `/\t/${host}`, `/\n/${host}`, ` //${host}`, `https:${host}`, `https:/${host}`, `http://[`,
      `http://ada:pass@${new URL(verbatim.url).host}/`, `javascript:alert(1)`, `data:text/html,x`, `blob:${verbatim.url}/x`]) {
      await page.goto(`${verbatim.url}/login?next=${encodeURIComponent(next)}`);
      await page.waitForURL((url) => url.pathname !== '/login');
      expect(new URL(page.url()).origin, next).toBe(new URL(verbatim.url).origin);
    }
    expect(seen.filter((url) => !url.startsWith(verbatim.url))).toEqual([]);
    for (const next of ['/folders', '/search?q=a%2F%2Fb', '/sessions?q=a//b']) {
      await page.goto(`${verbatim.url}/login?next=${encodeURIComponent(next)}`);
      await expect(page).toHaveURL(`${verbatim.url}${next}`);
    }
    await page.goto(`${verbatim.url}/sessions`);
    await ready(page);
  });
});

test.describe('a deep link', () => {
  test.use({ transcripts: ['-home-ada-windmill'] });

  test('outlives the printed link, which may open in another tab', async ({ page, verbatim }) => {
    const path = '/search?q=millstone&type=TEXT#results';
    await page.goto(verbatim.url + path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');

    const printed = await page.context().newPage();
    await printed.goto(verbatim.link);
    for (const tab of [printed, page]) await expect(tab).toHaveURL(verbatim.url + path);
    // It leads there once.
    await page.goto(`${verbatim.url}/login`);
    await expect(page).toHaveURL(`${verbatim.url}/sessions`);
  });

  test('leads back to its page after the log-in', async ({ page, verbatim }) => {
    const path = '/search?q=millstone&type=TEXT';
    await page.goto(verbatim.url + path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');

    await page.getByRole('textbox', { name: 'Sign-in code' }).fill(verbatim.link.split('#c=')[1]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await ready(page);

    expect(page.url()).toBe(verbatim.url + path);
    await expect(page.getByRole('searchbox')).toHaveValue('millstone');
  });
});

test.describe('a log-in', () => {
  test.use({ tolerated: [AWAY] });

  test('survives a restart of the server', async ({ page, verbatim }) => {
    await open(page, verbatim);
    await verbatim.stop();
    await verbatim.start();
    await page.goto(`${verbatim.url}/folders`);
    await ready(page);

    expect(page.url()).toBe(`${verbatim.url}/folders`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Folders');
  });
});
