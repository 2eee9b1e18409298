// What goes wrong is said plainly, with a way on.
import { AWAY, expect, ready, test, visit } from '../verbatim.mjs';

test.describe('addresses that lead nowhere', () => {
  test.use({ tolerated: [/status of 40[04]/] });

  const says = (page, text) => expect(page.getByRole('main')).toHaveText(text, { useInnerText: true });

  test('an unknown session', async ({ page, verbatim }) => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/s/never-was`);

    expect(answer.status()).toBe(404);
    await says(page, /^There is no such session\s+.*All sessions\s+History\s+Status 404$/s);
    // Whoever is logged in has the rail there too.
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
    await page.getByRole('link', { name: 'All sessions' }).click();
    await expect(page).toHaveURL(`${verbatim.url}/sessions`);
    await ready(page);
  });

  test('an unknown page', async ({ page, verbatim }) => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/nowhere`);

    expect(answer.status()).toBe(404);
    await says(page, /^There is no such page\s+All sessions\s+History\s+Status 404$/s);
  });

  test('a link that was cut or mistyped', async ({ page, verbatim }) => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/sessions?sort=sideways`);

    expect(answer.status()).toBe(400);
    await says(page, /^This link is invalid.*Start again from the sessions page\s+All sessions\s+History\s+Status 400$/s);
  });
});

test.describe('a server that stops', () => {
  test.use({ transcripts: ['-home-ada-windmill'], tolerated: [AWAY] });

  test('the list says that it is not live, and is again when it comes back', async ({ page, verbatim }) => {
    await visit(page, verbatim);
    await expect(page.locator('#live')).toHaveText('Live');
    await verbatim.stop();
    await expect(page.locator('#live')).toHaveText('Reconnecting');
    await expect(page.locator('.srow')).toHaveCount(2);
    await verbatim.start();

    await expect(page.locator('#live')).toHaveText('Live', { timeout: 15_000 });
    await expect(page.locator('.srow')).toHaveCount(2);
  });

  test('what can not be fetched says so in place', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/s/5e551007-0000-4000-8000-000000000007?dev=1');
    await verbatim.stop();
    const answer = page.locator('article[data-id="65e34d73-c62f-4f39-acf7-dfc9989b242a"]');
    await answer.getByRole('button', { name: '1 record' }).click();

    await expect(answer.locator('.raw-records')).toHaveText(/can't be reached|not.*reach|is it running/i);
    await verbatim.start();
  });
});
