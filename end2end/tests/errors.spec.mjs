// What goes wrong is said plainly, with a way on.
import { AWAY, expect, ready, step, test, visit } from '../verbatim.mjs';

const says = (page, text) => expect(page.getByRole('main')).toHaveText(text, { useInnerText: true });

test('addresses that lead nowhere say so', async ({ page, verbatim }) => {
  await step(page, 'an unknown session', async () => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/s/never-was`);

    expect(answer.status()).toBe(404);
    await says(page, /^There is no such session\s+.*All sessions\s+History\s+Status 404$/s);
    // Whoever is logged in has the rail there too.
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
    await page.getByRole('link', { name: 'All sessions' }).click();
    await expect(page).toHaveURL(`${verbatim.url}/sessions`);
    await ready(page);
  }, [/status of 40[04]/]);

  await step(page, 'an unknown page', async () => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/nowhere`);

    expect(answer.status()).toBe(404);
    await says(page, /^There is no such page\s+All sessions\s+History\s+Status 404$/s);
  }, [/status of 40[04]/]);

  await step(page, 'a link that was cut or mistyped', async () => {
    await visit(page, verbatim);
    const answer = await page.goto(`${verbatim.url}/sessions?sort=sideways`);

    expect(answer.status()).toBe(400);
    await says(page, /^This link is invalid.*Start again from the sessions page\s+All sessions\s+History\s+Status 400$/s);
  }, [/status of 40[04]/]);
});

test.describe('a server that stops', () => {
  test.use({ transcripts: ['-home-ada-windmill'], tolerated: [AWAY] });

  test('is told, and what comes back', async ({ page, verbatim }) => {
    await step(page, 'the list says that it is not live, and is again when it comes back', async () => {
      await visit(page, verbatim);
      await expect(page.locator('#live')).toHaveText('Live');
      await verbatim.stop();
      await expect(page.locator('#live')).toHaveText('Reconnecting');
      await expect(page.locator('.srow')).toHaveCount(2);
      await verbatim.start();

      await expect(page.locator('#live')).toHaveText('Live', { timeout: 15_000 });
      await expect(page.locator('.srow')).toHaveCount(2);
    });

    await step(page, 'what can not be fetched says so in place', async () => {
      await visit(page, verbatim, '/s/5e551007-0000-4000-8000-000000000007?dev=1');
      await verbatim.stop();
      const answer = page.locator('article[data-id="65e34d73-c62f-4f39-acf7-dfc9989b242a"]');
      await answer.getByRole('button', { name: '1 record' }).click();

      await expect(answer.locator('.raw-records')).toHaveText(/can't be reached|not.*reach|is it running/i);
      await verbatim.start();
    });
  });
});
