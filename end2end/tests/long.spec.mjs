// A session of 10,000 messages: only what is near is in the document, and everything can be reached.
import { makeLong } from '../make-long.mjs';
import { expect, imported, logIn, ready, test } from '../verbatim.mjs';

test.slow();

const transcript = (page) => page.locator('#transcript');
// The page removes what is far away in its next frame: the elements are counted after it.
const count = (page) =>
  page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.getElementsByTagName('*').length)));
  }));
const visible = (page) =>
  transcript(page).evaluate((scroller) => {
    const view = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll('article[data-seq]')]
      .filter((row) => row.getBoundingClientRect().bottom > view.top && row.getBoundingClientRect().top < view.bottom)
      .map((row) => Number(row.dataset.seq));
  });

test('is opened, scrolled, jumped into and searched', async ({ page, verbatim }) => {
  const made = await makeLong(verbatim.projects);
  await logIn(page, verbatim);
  await imported(page, verbatim);
  const read = async (path) => (await page.request.get(verbatim.url + path)).json();
  await expect.poll(async () => (await read('/v1/sessions')).sessions[0]?.message_count, { timeout: 40_000 }).toBe(made.messages);
  await imported(page, verbatim);
  const session = (await read('/v1/sessions')).sessions[0];

  await test.step('opens at its end', async () => {
    await page.goto(`${verbatim.url}/s/${made.session}`);
    await ready(page);
    await expect(page.locator('.chunk > article').last()).toBeInViewport();
    await expect(page.getByText('That was the year, farewell.')).toBeInViewport();
  });

  await test.step('keeps the document small on the way up, and never stays blank', async () => {
    await transcript(page).hover();
    let lowest = session.last_seq;
    for (let turn = 0; turn < 15; turn += 1) {
      await page.mouse.wheel(0, -1_500);
      // Rows that come above move the others until the page has put them back, in the same frame.
      let first;
      await expect.poll(async () => { first = (await visible(page))[0] ?? Infinity; return first; }, { intervals: [20] }).toBeLessThanOrEqual(lowest);
      lowest = first;
      await expect.poll(() => count(page)).toBeLessThanOrEqual(LIMIT);
    }
    expect(lowest).toBeLessThan(session.last_seq - 100);
  });

  await test.step('goes to the beginning and back by keys', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await expect.poll(async () => (await visible(page))[0]).toBe(1);
    await expect.poll(() => count(page)).toBeLessThanOrEqual(LIMIT);
    await page.keyboard.press('Shift+G');
    await expect(page.getByText('That was the year, farewell.')).toBeInViewport();
    await expect.poll(() => count(page)).toBeLessThanOrEqual(LIMIT);
  });

  await test.step('lands at a message by its link, to the pixel', async () => {
    for (const seq of [777, 6_000, 13_000]) {
      await page.goto(`${verbatim.url}/s/${made.session}?at=${seq}#m${seq}`);
      await ready(page);
      const current = page.locator('article[data-current]');
      await expect(current).toBeFocused();
      const place = () => current.evaluate((row) => row.getBoundingClientRect().top - row.closest('#transcript').getBoundingClientRect().top);
      await expect.poll(async () => Math.abs((await place()) - 72)).toBeLessThanOrEqual(1);
      const at = await current.evaluate((row) => [Number(row.dataset.seq), Number(row.dataset.last ?? row.dataset.seq)]);
      expect(at[0]).toBeLessThanOrEqual(seq);
      await expect.poll(() => count(page)).toBeLessThanOrEqual(LIMIT);
    }
  });

  await test.step('finds every milestone, and opens at it', async () => {
    for (let n = 1_000; n <= 10_000; n += 1_000) {
      const word = `milestone${String(n).padStart(5, '0')}`;
      const { total, hits } = await read(`/v1/search?q=${word}`);
      expect([word, total]).toEqual([word, 1]);
      if (n !== 4_000) continue;
      await page.goto(`${verbatim.url}/search?q=${word}`);
      await page.locator('#results .hit').click();
      await ready(page);
      const found = page.locator(`article[data-id="${hits[0].message_id}"]`);
      await expect(found).toContainText(word);
      await expect(found).toBeInViewport();
    }
  });
});

// Elements of the whole page: the budget for any session.
const LIMIT = 1_500;
