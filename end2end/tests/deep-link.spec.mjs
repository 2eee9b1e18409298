// Addresses of messages, and the way back to them.
import { expect, ready, step, test, visit } from '../verbatim.mjs';

test.use({ transcripts: ['-home-ada-orchard'] });

const RIPE = '/s/5e551001-0000-4000-8000-000000000001';
const EDIT = 'toolu_018407ebde7933519b2d698f~edit~0';
const BELOW_TOP = 72;

const message = (page, id) => page.locator(`article[data-id="${id}"]`);
const offset = (locator) =>
  locator.evaluate((row) => row.getBoundingClientRect().top - row.closest('#transcript').getBoundingClientRect().top);

// Rows flash for a second, which a test may miss: the page notes which did.
const noteFlashes = () => {
  globalThis.flashed = [];
  const note = (changes) => changes.map(({ target }) => target)
    .filter((row) => row.classList.contains('flash') && !globalThis.flashed.includes(row))
    .forEach((row) => globalThis.flashed.push(row));
  new MutationObserver(note).observe(document, { subtree: true, attributeFilter: ['class'] });
};
const flashed = (page) => page.evaluate(() => globalThis.flashed.map((row) => row.dataset.id ?? row.dataset.seq));

test('an address leads to a message', async ({ page, verbatim }) => {
  await page.addInitScript(noteFlashes);
  await step(page, 'by the id of a message', async () => {
    await visit(page, verbatim, `${RIPE}#m=${EDIT}`);

    await expect(message(page, EDIT)).toBeFocused();
    await expect.poll(() => offset(message(page, EDIT))).toBeCloseTo(BELOW_TOP, -0.3);
    await expect.poll(() => flashed(page)).toEqual([EDIT]);
    await expect(message(page, EDIT)).not.toHaveClass(/flash/);
  });

  await step(page, 'by its number, with the server drawing what is around', async () => {
    await visit(page, verbatim, `${RIPE}?at=42`);

    await expect(message(page, EDIT)).toBeFocused();
    await expect.poll(() => offset(message(page, EDIT))).toBeCloseTo(BELOW_TOP, -0.3);
  });

  await step(page, 'to a message inside a folded group', async () => {
    await visit(page, verbatim, `${RIPE}#m=toolu_01288139daf861cd487b2d9a`);

    const call = message(page, 'toolu_01288139daf861cd487b2d9a');
    await expect(call).toBeFocused();
    await expect(call).toBeInViewport();
    await expect(page.locator('article.group').first().locator('details').first()).toHaveAttribute('open');
  });

  await step(page, 'to the first message of a folded group, whose number the group has', async () => {
    const group = page.locator('article.group').first();
    const first = group.locator('article').first();
    // Its second one: the group is far from the end, where the page opens.
    await visit(page, verbatim, `${RIPE}#m=toolu_01288139daf861cd487b2d9a`);
    await expect(message(page, 'toolu_01288139daf861cd487b2d9a')).toBeFocused();
    const id = await first.getAttribute('data-id');
    const seq = await first.getAttribute('data-seq');
    expect(await group.getAttribute('data-seq')).toBe(seq);

    for (const address of [`#m=${id}`, `#m${seq}`, `?at=${seq}`]) {
      await page.goto('about:blank');
      await page.goto(`${verbatim.url}${RIPE}${address}`);
      await ready(page);
      await expect(first).toBeFocused();
      await expect(first).toBeInViewport();
      await expect(group.locator('details').first()).toHaveAttribute('open');
    }
  });

  await step(page, 'to a step of a turn that is one line', async () => {
    await visit(page, verbatim, `${RIPE}?view=summary#m=${EDIT}`);

    const line = page.locator('.steps > li:focus');
    await expect.poll(() => flashed(page)).toEqual([await line.getAttribute('data-seq')]);
    await expect(line).not.toHaveClass('flash');
    await expect(line).toBeInViewport();
    await expect(line.locator(`article[data-id="${EDIT}"]`)).toBeInViewport();
    await expect(line.locator('xpath=ancestor::details[1]')).toHaveAttribute('open');
  });
});

test('an address leads to a view, to the end, and back', async ({ page, verbatim }) => {
  await step(page, 'beyond the last message: the page opens at its end', async () => {
    await visit(page, verbatim, RIPE);
    await page.goto(`${verbatim.url}${RIPE}?at=99999`);
    await ready(page);

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ripe means more than warm');
    await expect(page.locator('article').last()).toBeInViewport();
  });

  await step(page, 'back and forward find the place again', async () => {
    await visit(page, verbatim, '/search?q=pick%20anything');
    await page.goto(`${verbatim.url}${RIPE}?at=42`);
    await ready(page);
    await expect(message(page, EDIT)).toBeInViewport();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^History/ }).click();
    await page.waitForURL(/\/search/);
    await page.goBack();
    await ready(page);
    await expect(message(page, EDIT)).toBeInViewport();
    await page.goBack();
    await expect(page.getByRole('searchbox')).toHaveValue('pick anything');
    await page.goForward();
    await ready(page);
    await expect(message(page, EDIT)).toBeInViewport();
  });

  await step(page, 'a link to a view changes nothing of what its reader prefers', async () => {
    const level = page.locator('.menu-levels [aria-current]');
    await visit(page, verbatim, `${RIPE}?view=summary`);
    await expect(level).toHaveText('Summary');
    await page.goto(`${verbatim.url}${RIPE}`);
    await ready(page);
    await expect(level).toHaveText('Normal');

    await page.keyboard.press('m');
    await page.getByRole('link', { name: 'Thinking' }).click();
    await expect(level).toHaveText('Thinking');
    await page.goto(`${verbatim.url}${RIPE}`);
    await expect(level).toHaveText('Thinking');
  });
});
