// What is remembered of people's words: shown, found, forgotten.
import { accessible, act, expect, idOf, query, ready, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';

test('nothing is remembered yet', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/memory');
  await expect(page.getByRole('heading', { name: 'No memories yet' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '0 memories' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Forget all' })).toHaveCount(0);
});

test.describe('with sessions', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  const memories = (page) => page.locator('#memories .memory');

  test('memories are found, forgotten one by one, and all at once', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/memory');
    await act(page, 'POST', '/v1/memory/forget', { all: true });
    for (const content of ['The ladder is in the <i>shed</i>', 'The cider press leaks', 'Pears are picked in September']) {
      const { status } = await act(page, 'POST', `/v1/sessions/${RIPE}/messages`, { content });
      expect(status).toBe(201);
    }
    await page.reload();
    await ready(page);
    await expect(memories(page).locator('.memory-text')).toHaveText([
      'Pears are picked in September', 'The cider press leaks', 'The ladder is in the <i>shed</i>',
    ]);
    await expect(page.getByRole('search')).toContainText('3 memories');
    await expect(page.getByRole('search')).toContainText('Found by words. No embedding endpoint is set up.');
    await accessible(page);

    await page.getByRole('searchbox', { name: 'Search memories' }).fill('where is the ladder');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=/);
    await ready(page);
    expect(query(page)).toEqual({ q: 'where is the ladder' });
    const first = memories(page).first();
    await expect(first).toContainText('The ladder is in the <i>shed</i>');
    await expect(first.locator('.chip')).toHaveText(['words']);
    const link = first.getByRole('link');
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^/s/${await idOf(page, RIPE)}\\?at=\\d+#m=`));
    await accessible(page);

    await page.goto(`${verbatim.url}/memory?q=zeppelin`);
    await ready(page);
    await expect(page.getByRole('heading', { name: 'No memory matches “zeppelin”' })).toBeVisible();
    await page.getByRole('link', { name: 'Show all memories' }).click();
    await ready(page);
    await memories(page).nth(1).getByRole('button', { name: /^Forget ?: The cider press leaks$/ }).focus();
    await page.keyboard.press('Enter');
    await expect(memories(page)).toHaveCount(2);
    await expect(memories(page).nth(1).getByRole('button', { name: /^Forget/ })).toBeFocused();
    expect((await act(page, 'GET', '/v1/memory')).body.memories.map(({ text }) => text)).toEqual([
      'Pears are picked in September', 'The ladder is in the <i>shed</i>',
    ]);

    await page.getByRole('button', { name: 'Forget all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget everything?' });
    await accessible(page);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await expect(memories(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Forget all' }).click();
    await dialog.getByRole('button', { name: 'Forget all' }).click();
    await expect(page.getByRole('heading', { name: 'No memories yet' })).toBeVisible();
    expect((await act(page, 'GET', '/v1/memory')).body.total).toBe(0);
    // The messages stay.
    expect((await act(page, 'GET', '/v1/search?q=ladder')).body.hits).not.toEqual([]);
  });

  test.describe('in the dark, on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });

    test('nothing is wider than the screen', async ({ page, verbatim }) => {
      await visit(page, verbatim, '/memory');
      const content = `One word without a place to break: ${'apple'.repeat(40)}`;
      await act(page, 'POST', `/v1/sessions/${RIPE}/messages`, { content });
      await page.reload();
      await ready(page);
      await expect(memories(page).first()).toContainText('One word without');
      await accessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    });
  });
});
