// The dev toggle hides content, never presence: what is hidden is counted in its place.
import { expect, query, ready, step, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';
const HORN = '5e551004-0000-4000-8000-000000000004';
const MILL = '5e551007-0000-4000-8000-000000000007';

const toggle = (page) => page.getByRole('switch', { name: 'Dev' });
const markers = (page) => page.locator('article.hid');
const hidden = (page) => page.locator('article[data-role=system], article[data-role=model]');

test.use({ transcripts: ['.'] });

test('what is hidden is counted, and shown in place', async ({ page, verbatim }) => {
  await step(page, 'markers count what is hidden, and it appears in their place', async () => {
    await visit(page, verbatim, `/s/${MILL}`);
    await expect(toggle(page)).not.toBeChecked();
    await expect(markers(page)).toHaveText(['6']);
    await expect(markers(page).getByRole('link')).toHaveAccessibleName('2 system messages, 4 notes hidden, show');
    await expect(hidden(page)).toHaveCount(0);
    await expect(page.locator('.chunk > article')).toHaveText(
      [
        /Is the millstone balanced\?/, /It turns evenly at 12 rounds a minute\./, '6', /hologram/,
        /A result that nobody asked for/, /Then grind the rye\./, /The rye is ground\./, /^Run finished/,
      ],
    );

    await toggle(page).click();

    await expect(markers(page)).toHaveCount(0);
    await expect(hidden(page)).toHaveCount(6);
    const labels = page.locator('.chunk > article');
    expect(await labels.evaluateAll((all) => all.map((one) => one.ariaLabel))).toEqual([
      'You: Is the millstone balanced?',
      'Claude Code: It turns evenly at 12 rounds a minute.',
      "System: A line that can't be read as JSON",
      "System: A line that can't be read as JSON",
      "System: A line that can't be read as JSON",
      'System: An empty line',
      'System: wind gust (version: 2.1.205, strength: 9, direction: north-west, note: A type of line that no version had)',
      'System: Wind from the north-west',
      'Claude Code: A block of type `hologram`',
      'Tool: A result that nobody asked for',
      'You: Then grind the rye.',
      'Claude Code: The rye is ground.',
      'Host: 2.0 s',
    ]);
    expect(query(page)).toEqual({ dev: '1' });
  });

  await step(page, 'the end of a run counts what is hidden around it, and shows it in place', async () => {
    await visit(page, verbatim, `/s/${RIPE}?at=55#m55`);
    const foot = page.locator('.chunk > article[data-seq="55"]');
    await expect(foot).toHaveText('Run finished1 min 32 s506k tokens3 hidden');
    const line = foot.getByRole('link', { name: '3 hidden' });
    await expect(line).toHaveAttribute('title', '3 system messages');
    await line.click();
    await expect(line).toHaveAttribute('aria-expanded', 'true');
    await expect(foot.locator('.hidden-rows > article')).toHaveCount(3);
    await line.click();
    await expect(foot.locator('.hidden-rows')).toHaveCount(0);
    // A link to one of them leads there.
    await page.goto(`${verbatim.url}/s/${RIPE}?at=56#m56`);
    await ready(page);
    await expect(page.locator('article[data-current]')).toHaveAttribute('data-seq', '55');
    await page.goto(`${verbatim.url}/s/${RIPE}?dev=1&at=56#m56`);
    await ready(page);
    await expect(page.locator('article[data-current]')).toHaveAttribute('data-seq', '56');
    await page.keyboard.press('.');
  });

  await step(page, 'a marker unfolds in place to what it stands for, and folds again', async () => {
    await visit(page, verbatim, `/s/${RIPE}`);
    await page.locator('#transcript').press('g');
    await page.locator('#transcript').press('g');
    const marker = markers(page).filter({ has: page.getByRole('link', { name: /^Thought .* hidden, show$/ }) }).first();
    // It takes no room between the rows until it is unfolded, by a press or by a key.
    expect(await marker.evaluate((row) => row.offsetHeight)).toBe(0);
    const line = marker.getByRole('link').first();
    await expect(line).toHaveAttribute('href', /\?dev=1&at=/);
    await line.click();

    const reasoning = marker.locator('article[data-id="d1802b5e-8fa6-466f-a6d4-f0c06b02591d"]');
    await expect(reasoning).toContainText('Ripeness should need several days of warmth and sugar.');
    await expect(reasoning).toBeInViewport();
    await expect(line).toHaveAttribute('aria-expanded', 'true');
    await expect(toggle(page)).not.toBeChecked();
    await line.press('Enter');
    await expect(reasoning).toHaveCount(0);
    await expect(line).toHaveAttribute('aria-expanded', 'false');
  });

  await step(page, 'a message tells its facts, and shows its record', async () => {
    await visit(page, verbatim, `/s/${MILL}?dev=1`);
    const answer = page.locator('article[data-id="65e34d73-c62f-4f39-acf7-dfc9989b242a"]');
    await expect(answer.locator('.dev')).toHaveText(/^seq 2\s*assistant \/ TEXT · bot · rev 1\s*(now|\d+ (min|h|d)|\d+ \w+( \d+)?)\s*1 record\s*What the model saw$/);
    await answer.getByRole('button', { name: '1 record' }).click();
    await expect(answer.locator('.raw-records')).toContainText('uuid: "65e34d73-c62f-4f39-acf7-dfc9989b242a"');
    await answer.getByRole('button', { name: '1 record' }).click();
    await expect(answer.locator('.raw-records')).toHaveCount(0);
  });

  await step(page, 'an edit shows the call that it stands for', async () => {
    await visit(page, verbatim, `/s/${HORN}?dev=1`);
    const call = page.locator('article[data-id="toolu_0180637bae0683039a87594e"]');
    await expect(call.locator('summary').first()).toHaveText(/^Edit\s*src\/fog\.ts/);
  });
});

test('the toggle', async ({ page, verbatim }) => {
  await step(page, 'the key and the address turn it, and it is remembered', async () => {
    await visit(page, verbatim, `/s/${HORN}`);
    await expect(markers(page)).toHaveText(['1 system message', '1', 'Context compacted · 84k tokens beforeRead the summary', '1']);
    await page.keyboard.press('.');
    await expect(hidden(page)).toHaveCount(5);
    await expect(toggle(page)).toBeChecked();

    await page.goto(`${verbatim.url}/s/${MILL}`);
    await ready(page);
    await expect(toggle(page)).toBeChecked();
    await expect(hidden(page)).toHaveCount(6);
    await page.keyboard.press('.');
    await expect(markers(page)).toHaveCount(1);
    await page.reload();
    await ready(page);
    await expect(toggle(page)).not.toBeChecked();

    await page.goto(`${verbatim.url}/s/${HORN}?dev=1`);
    await ready(page);
    await expect(hidden(page)).toHaveCount(5);
  });

  await step(page, 'the place is kept: the message that was jumped to stays where it is, to the pixel', async () => {
    await visit(page, verbatim, `/s/${RIPE}?at=53`);
    const current = page.locator('article[data-current]');
    await expect(current).toBeInViewport();
    const place = () => current.evaluate((row) => row.getBoundingClientRect().top - row.closest('#transcript').getBoundingClientRect().top);
    await expect.poll(async () => Math.abs((await place()) - 72)).toBeLessThanOrEqual(1);
    const at = await current.getAttribute('data-seq');
    const moved = () =>
      page.locator(`.chunk > article[data-seq="${at}"]`).evaluate((row) => Math.abs(row.getBoundingClientRect().top - row.closest('#transcript').getBoundingClientRect().top - 72));
    await page.keyboard.press('.');
    await expect(hidden(page).first()).toBeAttached();
    await expect.poll(moved).toBeLessThanOrEqual(1);
    await page.keyboard.press('.');
    await expect(markers(page).first()).toBeAttached();
    await expect.poll(moved).toBeLessThanOrEqual(1);
  });

  await step(page, 'no count changes with it', async () => {
    await visit(page, verbatim, '/sessions');
    const counts = () => page.locator('.srow .msgs').allInnerTexts();
    const before = await counts();
    await page.goto(`${verbatim.url}/s/${RIPE}?dev=1&panel=about`);
    await ready(page);
    const messages = page.locator('#panel dt', { hasText: /^Messages$/ }).locator('+ dd');
    await expect(messages).toHaveText('47');
    await page.goto(`${verbatim.url}/sessions`);
    await ready(page);
    expect(await counts()).toEqual(before);
  });
});
