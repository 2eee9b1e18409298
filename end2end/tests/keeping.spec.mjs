// Where the reader is stays theirs: the focus, a selection, and one group whatever the parts that it is loaded in.
import { newAgent, typed } from '../agent.mjs';
import { newSession } from '../transcript.mjs';
import { accessible, expect, imported, logIn, ready, step, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const pill = (page) => page.locator('#new-messages');
const fromEnd = (page) => page.locator('#transcript').evaluate((s) => s.scrollHeight - s.clientHeight - s.scrollTop);

async function open(page, verbatim, session, messages, query = '') {
  await logIn(page, verbatim);
  await imported(page, verbatim);
  await expect
    .poll(async () => (await (await page.request.get(`${verbatim.url}/v1/sessions/${session.id}`)).json()).session?.last_seq)
    .toBeGreaterThanOrEqual(messages);
  await visit(page, verbatim, `/s/${session.id}${query}`);
  await expect(page.locator('#live')).toHaveText('Live');
}

async function talk(verbatim, turns) {
  const session = await newSession(verbatim);
  for (let turn = 1; turn <= turns; turn += 1) {
    await session.prompt(`Question ${turn}`);
    await session.answer(`Answer ${turn}.\n\nIn a paragraph of its own.\n\nAnd one more.`);
  }
  return session;
}

test('what comes moves neither the focus nor the reader', async ({ page, verbatim }) => {
  await step(page, 'a card that is drawn anew keeps the focus', async () => {
    const session = await talk(verbatim, 1);
    const call = await session.call('Bash', { command: 'cat /dev/oven' });
    await open(page, verbatim, session, 3);
    const card = articles(page).filter({ hasText: 'cat /dev/oven' });
    await card.locator('summary').click();
    await expect(card.locator('[data-folded]')).toHaveCount(0);
    await card.getByRole('button', { name: 'Copy command' }).focus();
    await session.result(call, '230 degrees');
    await expect(card).toContainText('230 degrees');
    await expect(card.getByRole('button', { name: 'Copy command' })).toBeFocused();
  });

  await step(page, 'the pill that goes leaves the focus at what is new', async () => {
    const session = await talk(verbatim, 12);
    await open(page, verbatim, session, 24);
    await page.locator('#transcript').hover();
    await page.mouse.wheel(0, -900);
    await expect.poll(() => fromEnd(page)).toBeGreaterThan(300);
    await session.prompt('One more?');
    await expect(pill(page)).toHaveText('1 new');
    await pill(page).focus();
    await page.keyboard.press('Enter');
    await expect(articles(page).last()).toBeFocused();
    await expect(articles(page).last()).toContainText('One more?');
  });

  await step(page, 'a scroll that ends after the pill was pressed takes nothing from what is new', async () => {
    const session = await talk(verbatim, 12);
    await open(page, verbatim, session, 24);
    await page.locator('#transcript').hover();
    await page.mouse.wheel(0, -900);
    await expect.poll(() => fromEnd(page)).toBeGreaterThan(300);
    let pass;
    const pressed = new Promise((done) => { pass = done; });
    await page.route('**/chunks/**', async (route) => {
      await pressed;
      await route.continue();
    });
    await session.prompt('One more?');
    await expect(pill(page)).toHaveText('1 new');
    await pill(page).focus();
    await page.keyboard.press('Enter');
    await expect(articles(page).last()).toBeFocused();
    await page.locator('#transcript').evaluate((transcript) => {
      transcript.dispatchEvent(new WheelEvent('wheel', { deltaY: 1 }));
      transcript.dispatchEvent(new Event('scroll'));
    });
    pass();
    await expect(articles(page).last()).toContainText('One more?');
    await expect(articles(page).last()).toBeFocused();
  });

  await step(page, 'what folds around the focus has it, and what unfolds elsewhere does not move it', async () => {
    const session = await talk(verbatim, 8);
    for (const n of [1, 2, 3]) {
      await session.result(await session.call('Read', { file_path: `/home/ada/bakery/${n}.txt` }), `${n}\n`.repeat(40));
    }
    await session.answer('Read.');
    await open(page, verbatim, session, 20);
    const group = articles(page).filter({ hasText: 'Explored' });
    await group.locator('summary').first().click();
    await group.locator('article summary').last().focus();
    await group.evaluate((row) => row.setAttribute('data-current', ''));
    await page.keyboard.press('e');
    await expect(group.locator('summary').first()).toBeFocused();

    await page.keyboard.press('k');
    const row = articles(page).filter({ hasText: 'Answer 8.' });
    await expect(row).toBeFocused();
    await page.keyboard.press('E');
    await expect(group.locator('> details')).toHaveAttribute('open', '');
    await expect(row).toBeFocused();
    await expect(row).toBeInViewport();
  });

  await step(page, 'what is selected stays where it is, and what comes is counted', async () => {
    const session = await talk(verbatim, 12);
    await open(page, verbatim, session, 24);
    const row = articles(page).last();
    await row.evaluate((element) => getSelection().selectAllChildren(element.querySelector('.msg p')));
    const before = (await row.boundingBox()).y;
    const id = await row.getAttribute('id');
    await session.prompt('One more?');
    await expect(pill(page)).toHaveText('1 new');
    await session.answer('And an answer');
    await expect(pill(page)).toHaveText('2 new');
    expect(Math.abs((await page.locator(`#${id}`).boundingBox()).y - before)).toBeLessThanOrEqual(1);
    expect(await page.evaluate(() => getSelection().toString())).toContain('Answer 12.');

    await page.evaluate(() => getSelection().removeAllRanges());
    await pill(page).click();
    await session.prompt('And on?');
    await expect(articles(page).last()).toContainText('And on?');
    await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
  });

  await step(page, 'a turn of many messages is one line, which counts all of them while they come', async () => {
    const session = await newSession(verbatim);
    await session.prompt('Try every oven');
    for (let n = 1; n <= 70; n += 1) await session.result(await session.call('Bash', { command: `oven ${n}` }), 'cold');
    await open(page, verbatim, session, 71, '?view=summary');
    const groups = articles(page).filter({ hasText: 'Worked' });
    await expect(groups).toHaveCount(1);
    await expect(groups.locator('.target').first()).toHaveText('70 commands');
    await expect(articles(page)).toHaveCount(2);

    await session.result(await session.call('Bash', { command: 'oven 71' }), 'hot');
    await expect(groups.locator('.target').first()).toHaveText('71 commands');
    await session.answer('The last one is hot.');
    await expect(articles(page)).toHaveText([/Try every oven/, /71 commands/, /The last one is hot/]);

    // A message within it leads to it.
    await page.goto(`${verbatim.url}/s/${session.id}?view=summary&at=40`);
    await ready(page);
    await expect(groups).toHaveCount(1);
    await expect(groups.locator('li[data-seq="40"]')).toBeFocused();
  });
});

test('a row that leaves the list leaves its place to the next one', async ({ page, verbatim }) => {
  for (const name of ['first', 'second', 'third']) {
    const session = await newSession(verbatim, { cwd: `/home/ada/${name}` });
    await session.prompt(`Talk about the ${name}`);
  }
  await logIn(page, verbatim);
  await imported(page, verbatim);
  await visit(page, verbatim, '/sessions');
  const titles = page.locator('#sessions .srow .title > a');
  await expect(titles).toHaveCount(3);
  const [, second, third] = await titles.allTextContents();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(titles.nth(1)).toBeFocused();
  await page.keyboard.press('y');
  await expect(titles).toHaveCount(2);
  await expect(titles.filter({ hasText: second })).toHaveCount(0);
  await expect(titles.filter({ hasText: third })).toBeFocused();
  await page.keyboard.press('#');
  await expect(titles).toHaveCount(1);
  await expect(titles).toBeFocused();
});

test.describe('days', () => {
  test.use({ timezoneId: 'Europe/Berlin' });

  test('a line says where the day of the reader ends', async ({ page, verbatim }) => {
    const session = await newSession(verbatim, { at: Date.parse('2031-02-01T22:59:58Z') });
    await session.prompt('Before midnight');
    await session.answer('Still before it');
    await session.prompt('After midnight');
    await open(page, verbatim, session, 3);
    await expect(page.locator('[data-day]')).toHaveCount(1);
    await expect(articles(page).filter({ hasText: 'After midnight' })).toHaveAttribute('data-day', 'Sunday, 2 February 2031');
    await session.answer('And on');
    await expect(articles(page)).toHaveCount(4);
    await expect(page.locator('[data-day]')).toHaveCount(1);
  });
});

test.describe('images', () => {
  test.use({ transcripts: ['-home-ada-windmill'] });

  test('images are looked at in the viewer', async ({ page, verbatim }) => {
    await step(page, 'are looked at one after the other, and the focus comes back', async () => {
      await visit(page, verbatim, '/s/5e551008-0000-4000-8000-000000000008?at=1');
      const cards = page.locator('a.filecard:has(> img.thumb)');
      await cards.first().focus();
      await page.keyboard.press('Enter');
      const viewer = page.getByRole('dialog', { name: 'Image viewer' });
      await expect(viewer.locator('.num')).toHaveText('1 of 2');
      await expect.poll(() => viewer.locator('img').evaluate((img) => img.naturalWidth)).toBeGreaterThan(0);
      await accessible(page);
      await page.keyboard.press('ArrowRight');
      await expect(viewer.locator('.num')).toHaveText('2 of 2');
      await page.keyboard.press('1');
      await expect(viewer.getByRole('button', { name: '100 %' })).toHaveAttribute('aria-pressed', 'true');
      await page.keyboard.press('Escape');
      await expect(viewer).toHaveCount(0);
      await expect(cards.first()).toBeFocused();
    });

    await step(page, 'that a tool gave back are looked at in the viewer, too, on a phone with its signs in one row', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      const agent = await newAgent(verbatim);
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const output = [{ type: 'image', data, mimeType: 'image/png' }];
      await agent.post(typed('TOOL_CALL', { tool_name: 'camera', input: {}, output, state: 'done' }));
      await visit(page, verbatim, `/s/${agent.id}?view=verbose`);
      const shot = page.locator('.shot');
      await shot.locator('summary').focus();
      await page.keyboard.press('Enter');
      const viewer = page.getByRole('dialog', { name: 'Image viewer' });
      await expect(viewer.locator('.num')).toHaveText('1 of 1');
      await expect.poll(() => viewer.locator('img').evaluate((img) => img.naturalWidth)).toBe(1);
      // There is no address to open.
      await expect(viewer.getByRole('link', { name: 'Open' })).toBeHidden();
      const tops = await viewer.locator('header > *:visible').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2));
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
      await accessible(page);
      await viewer.getByRole('button', { name: 'Close' }).click();
      await expect(viewer).toHaveCount(0);
      await expect(shot).not.toHaveAttribute('open');
    });
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test('the menu and the filter', async ({ page, verbatim }) => {
    await step(page, 'the menu closes for the find bar', async () => {
      const session = await talk(verbatim, 1);
      await open(page, verbatim, session, 2);
      await page.locator('[popovertarget=session-menu]').click();
      await page.getByRole('link', { name: 'Find in this session' }).click();
      await expect(page.locator('#find-words')).toBeFocused();
      await expect(page.locator('#session-menu')).toBeHidden();
    });

    await step(page, 'a filtered view can be saved', async () => {
      await talk(verbatim, 1);
      await visit(page, verbatim, '/sessions?q=question');
      await expect(page.getByRole('button', { name: 'Save or copy this view' })).toBeInViewport({ ratio: 1 });
    });
  });
});

test('colours that are forced show what is on and what is pressed', async ({ page, verbatim }) => {
  const session = await talk(verbatim, 1);
  await open(page, verbatim, session, 2);
  await page.emulateMedia({ forcedColors: 'active' });
  const look = () => page.locator('#dev').evaluate((input) => getComputedStyle(input).background);
  const off = await look();
  await page.locator('#dev').check();
  expect(await look()).not.toBe(off);
});
