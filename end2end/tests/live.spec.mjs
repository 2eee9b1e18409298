// What an agent writes while somebody looks on.
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newSession } from '../transcript.mjs';
import { act, AWAY, expect, imported, logIn, ready, step, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const pill = (page) => page.locator('#new-messages');
const fromEnd = (page) => page.locator('#transcript').evaluate((s) => s.scrollHeight - s.clientHeight - s.scrollTop);

// A session that is longer than the view, open in the page.
async function begin(page, verbatim, turns = 12) {
  const session = await newSession(verbatim);
  for (let turn = 1; turn <= turns; turn += 1) {
    await session.prompt(`Question ${turn}`);
    await session.answer(`Answer ${turn}.\n\nIn a paragraph of its own.\n\nAnd one more.`);
  }
  await logIn(page, verbatim);
  await imported(page, verbatim);
  await expect
    .poll(async () => (await (await page.request.get(`${verbatim.url}/v1/sessions/${session.id}`)).json()).session?.message_count)
    .toBe(2 * turns);
  await visit(page, verbatim, `/s/${session.id}`);
  await expect(page.locator('#live')).toHaveText('Live');
  return session;
}

// Elements that the browser looked at whenever it styled some of the page.
async function styled(page, act) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  return traceEvents.filter(({ name }) => name === 'UpdateLayoutTree').map(({ args }) => args.elementCount ?? 0);
}

test('a message that comes has its own row styled, and not the page', async ({ page, verbatim }) => {
  // A style of the whole page would be seen by its elements.
  const session = await begin(page, verbatim, 28);
  const all = await page.evaluate(() => document.querySelectorAll('body *').length);
  expect(all).toBeGreaterThan(600);
  const looks = await styled(page, async () => {
    for (const text of ['Is the oven hot?', 'And now?']) {
      await session.prompt(text);
      await expect(articles(page).last()).toContainText(text);
      await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
    }
  });
  expect(looks.length).toBeGreaterThan(0);
  expect(Math.max(...looks)).toBeLessThan(100);
});

test.describe('a server that stops', () => {
  test.use({ tolerated: [AWAY] });

  test('is told, and what was missed comes when it is back', async ({ page, verbatim }) => {
    const session = await begin(page, verbatim, 1);
    await verbatim.stop();
    await expect(page.locator('#live')).toHaveText('Reconnecting');
    await session.prompt('Did you miss me?');
    await verbatim.start();

    await expect(page.locator('#live')).toHaveText('Live', { timeout: 15_000 });
    await expect(articles(page).last()).toContainText('Did you miss me?');
  });

  test('shows its database as it is when that was put back', async ({ page, verbatim }) => {
    const session = await begin(page, verbatim, 1);
    const live = () => expect(page.locator('#live')).toHaveText('Live', { timeout: 15_000 });
    const data = join(verbatim.folder, 'data');
    await verbatim.stop();
    await cp(data, `${data}-then`, { recursive: true });
    await verbatim.start();
    await live();
    for (const content of ['One', 'Two', 'Not for long']) {
      expect((await act(page, 'POST', `/v1/sessions/${session.id}/messages`, { content })).status).toBe(201);
    }
    await expect(articles(page).last()).toContainText('Not for long');

    await verbatim.stop();
    await rm(data, { recursive: true });
    await rename(`${data}-then`, data);
    await verbatim.start();
    await expect(articles(page)).toHaveCount(2, { timeout: 15_000 });
    await live();
    await session.prompt('Shall we go on?');
    await expect(articles(page).last()).toContainText('Shall we go on?');
  });
});

test('what an agent writes is shown at once', async ({ page, context, verbatim }) => {
  await step(page, 'todos and changes in the panel follow', async () => {
    const session = await begin(page, verbatim, 1);
    await session.prompt('Plan it');
    const todos = ['Knead', 'Bake'].map((content) => ({ content, status: 'pending', activeForm: content }));
    const call = await session.call('TodoWrite', { todos });
    await session.result(call, 'Todos have been modified successfully.');
    await page.getByRole('tab', { name: /^Todos/ }).click();
    await expect(page.locator('#panel .todos li')).toHaveText(['Knead', 'Bake']);
    await page.locator('#transcript').focus();

    todos[0].status = 'completed';
    const next = await session.call('TodoWrite', { todos });
    await session.result(next, 'Todos have been modified successfully.');

    await expect(page.locator('#panel .panel-line')).toHaveText(/^1 of 2 done/);
    await expect(page.getByRole('tab', { name: /^Todos/ })).toHaveText(/1\/2/);
  });

  await step(page, 'another window sees it too', async () => {
    const session = await begin(page, verbatim, 1);
    const second = await context.newPage();
    await second.goto(page.url());
    await ready(second);
    await session.prompt('Is anybody there?');

    await expect(articles(page).last()).toContainText('Is anybody there?');
    await expect(articles(second).last()).toContainText('Is anybody there?');
  });

  await step(page, 'a result completes its card in place, and what was unfolded stays so', async () => {
    const session = await begin(page, verbatim, 2);
    await session.prompt('How warm is it?');
    const call = await session.call('Bash', { command: 'cat /dev/oven', description: 'Read the oven' });
    const card = articles(page).filter({ hasText: 'cat /dev/oven' });
    await expect(card.locator('summary')).toHaveText(/^Bash\s+cat \/dev\/oven\s+(now|\d+ \w+)?\s*Running$/, { useInnerText: true });
    await expect(page.locator('#session-state')).toBeVisible();
    await card.locator('summary').click();
    const id = await card.getAttribute('id');

    await session.result(call, '230 degrees');

    await expect(card.locator('summary')).toHaveText(/^Bash\s*cat \/dev\/oven\s*1\.0 s$/);
    await expect(card.getByText('230 degrees')).toBeVisible();
    await expect(card).toHaveAttribute('id', id);
    await expect(articles(page)).toHaveCount(6);
  });

  await step(page, 'a new line appears at once, and the reader stays at the end', async () => {
    const session = await begin(page, verbatim);
    await page.evaluate(() => { window.same = true; });
    for (const text of ['Is the oven hot?', 'And now?', 'Really?']) {
      await session.prompt(text);
      await expect(articles(page).last()).toContainText(text);
      await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
    }

    await expect(articles(page).last()).toBeInViewport();
    await expect(pill(page)).toBeHidden();
    await expect(page.locator('#announcer')).toHaveText('1 new message');
    expect(await page.evaluate(() => window.same)).toBe(true);
  });

  await step(page, 'a reader further up is not moved, and told how many came', async () => {
    const session = await begin(page, verbatim);
    await page.locator('#transcript').hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(() => fromEnd(page)).toBeGreaterThan(300);
    const row = articles(page).filter({ hasText: 'Answer 9.' });
    const before = (await row.boundingBox()).y;

    await session.prompt('One more?');
    await expect(pill(page)).toHaveText('1 new');
    await session.prompt('And two?');
    await expect(pill(page)).toHaveText('2 new');
    expect(Math.abs((await row.boundingBox()).y - before)).toBeLessThanOrEqual(1);

    await pill(page).click();
    await expect(articles(page).last()).toBeInViewport();
    await expect(articles(page).last()).toContainText('And two?');
    await expect(pill(page)).toBeHidden();
  });

  await step(page, 'keys scroll by whole pages, also while messages come, and back to the end', async () => {
    const session = await begin(page, verbatim, 30);
    const view = await page.locator('#transcript').evaluate((scroller) => scroller.clientHeight);
    await page.locator('#transcript').focus();
    await page.keyboard.press('PageUp');
    await expect.poll(() => fromEnd(page)).toBeGreaterThan(view / 2);
    const first = await fromEnd(page);
    await page.keyboard.press('PageUp');
    await session.prompt('One more?');
    await expect.poll(() => fromEnd(page)).toBeGreaterThan(first + view / 2);
    await expect(pill(page)).toHaveText('1 new');
    await expect.poll(async () => {
      await page.keyboard.press('PageDown');
      return fromEnd(page);
    }).toBeLessThanOrEqual(1);
    await session.prompt('And two?');
    await expect(articles(page).last()).toContainText('And two?');
    await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
  });
});
