// Search over all history: what is found, marked, left by filters, and where a hit leads.
import { expect, query, ready, step, test, visit } from '../verbatim.mjs';

test.use({ transcripts: ['.'] });

const hits = (page) => page.locator('#results .hit');

test('words are found', async ({ page, verbatim }) => {
  await step(page, 'a word of one session is found in it alone, and marked', async () => {
    await visit(page, verbatim);
    await page.getByRole('link', { name: /^History/ }).click();
    await ready(page);
    await expect(page.getByRole('searchbox')).toBeFocused();
    await expect(page.locator('#results')).toHaveText(
      'Search in 8 sessions Prompts, answers, code edits, commands and their output. All words must occur; the last one can be the beginning of a word. file:lib.rs finds the edits of a file by its name or a part of its path.',
      { useInnerText: true },
    );
    await page.keyboard.type('fogsignal');
    await page.keyboard.press('Enter');

    await expect(page.getByRole('status').first()).toHaveText('1 hit');
    expect(query(page)).toEqual({ q: 'fogsignal' });
    await expect(page).toHaveTitle('fogsignal - History · Verbatim');
    await expect(page.locator('#results h2')).toHaveText('The horn sounds at noon lighthouse 1 hit', { useInnerText: true });
    await expect(hits(page)).toHaveText([/^You\s*The fogsignal sounds at noon\. Why\?/]);
    await expect(hits(page).locator('mark')).toHaveText(['fogsignal']);
  });

  await step(page, 'the last word may be a beginning, and all must occur', async () => {
    await visit(page, verbatim, '/search?q=warm%20quincet');

    await expect(hits(page)).toHaveText([/^You\s*The quincetree sensor says ripe when it is only warm\./]);
    await expect(hits(page).locator('mark')).toHaveText(['quincetree', 'warm']);
  });

  await step(page, 'what a fork copied is found once', async () => {
    await visit(page, verbatim, '/search?q=quincetree');
    await expect(page.locator('#results h2 a')).toHaveText(['Ripe means more than warm']);
  });

  await step(page, 'nothing found says so', async () => {
    await visit(page, verbatim, '/search?q=xylophone');

    await expect(page.getByRole('status').first()).toHaveText('0 hits');
    await expect(page.locator('#results')).toHaveText('Nothing found for “xylophone” Try fewer words, or the beginning of a word.', { useInnerText: true });
  });

  await step(page, 'what is behind the dev toggle is found, and opened there', async () => {
    await visit(page, verbatim, '/search?q=hologram');
    await expect(hits(page)).not.toHaveCount(0);
    await page.goto(`${verbatim.url}/search?q=working%20tree%20changed`);
    await hits(page).first().click();
    await ready(page);

    await expect(page.locator('article[data-current]')).toBeInViewport();
  });
});

test('filters and hits', async ({ page, verbatim }) => {
  await step(page, 'filters narrow it, and the address keeps them', async () => {
    await visit(page, verbatim, '/search?q=ripe');
    const all = await hits(page).count();
    expect(all).toBeGreaterThan(3);
    await page.getByRole('checkbox', { name: 'Code edit' }).check();
    await page.waitForURL(/type=CODE_EDIT/);
    await ready(page);
    expect(query(page)).toEqual({ q: 'ripe', type: 'CODE_EDIT' });
    await expect(page.getByRole('checkbox', { name: 'Code edit' })).toBeChecked();
    const kinds = await hits(page).locator('.cap.cut').allInnerTexts();
    expect(new Set(kinds)).toEqual(new Set(['Code edit']));

    await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'windmill' });
    await expect(page.locator('#results')).toHaveText('Nothing found for “ripe” Not with these filters. Search everywhere', { useInnerText: true });
    await page.getByRole('link', { name: 'Search everywhere' }).click();
    await expect(hits(page)).toHaveCount(all);
    await page.goBack();
    await page.goBack();
    await expect(page.getByRole('checkbox', { name: 'Code edit' })).toBeChecked();
  });

  await step(page, 'one role alone', async () => {
    await visit(page, verbatim, '/search?q=the&role=user&project=%2Fhome%2Fada%2Fwindmill');

    await expect(hits(page)).toHaveText([/^You\s*Then grind the rye\./, /^You\s*Is the millstone balanced\?/]);
    await expect(page.getByRole('checkbox', { name: 'You' })).toBeChecked();
  });

  await step(page, 'a hit opens its session at the message, outlined and in view', async () => {
    await visit(page, verbatim, '/search?q=day%20above%2024%20degrees');
    await hits(page).first().click();
    await ready(page);

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ripe means more than warm');
    const message = page.locator('article[data-id="50a96cc8-ba93-495c-ab8a-1309f0014b20"]');
    await expect(message).toBeInViewport();
    await expect(message).toBeFocused();
    await expect(message).toHaveAttribute('data-current', '');
  });

  await step(page, 'within one session: from its find bar, and out of it again', async () => {
    await visit(page, verbatim, '/s/5e551008-0000-4000-8000-000000000008');
    await page.keyboard.press('/');
    await page.keyboard.type('sail');
    await expect(page.getByRole('link', { name: 'Search by words' })).toHaveAttribute('href', /q=sail$/);
    await page.getByRole('link', { name: 'Search by words' }).click();
    await page.waitForURL(/\/search\?session=/);
    await ready(page);

    await expect(page.locator('#results h2 a')).toHaveText(['Which sailcloth is torn?']);
    expect(query(page)).toEqual({ q: 'sail', session: expect.any(String) });
    await page.getByRole('link', { name: /^Only in Which sailcloth is torn\?/ }).click();
    await expect(page.locator('.search-line .chip')).toHaveCount(0);
    expect(query(page)).toEqual({ q: 'sail' });
  });

  await step(page, 'an excerpt shows what was found, on phones too', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await visit(page, verbatim, '/search?q=ripe');
    const unseen = await hits(page).locator('p').evaluateAll((excerpts) => excerpts.filter((excerpt) => {
      const [mark, frame] = [excerpt.querySelector('mark')?.getBoundingClientRect(), excerpt.getBoundingClientRect()];
      return !mark || mark.bottom > frame.bottom + 1 || mark.right > frame.right + 1;
    }).map((excerpt) => excerpt.textContent));
    expect(unseen).toEqual([]);
  });
});
