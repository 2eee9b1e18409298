// The sessions page: what it lists, in which order, and what is left by filters.
import { newAgent } from '../agent.mjs';
import { newSession } from '../transcript.mjs';
import { expect, logIn, open, query, ready, step, test, visit } from '../verbatim.mjs';

const titles = (page) => page.locator('#sessions .title a');
const headings = (page) => page.locator('#sessions h2');
const count = (page) => page.locator('#sessions-count');

const RIPE = 'Ripe means more than warm';
const FORK = 'Ripe by colour (fork)';
const MEDLARS = 'How long the medlars blet';
const HORN = 'The horn sounds at noon';
const PAINT = 'Paint the lanternroom in three steps and keep a list.';
const KEEPER = 'Bring the keeperlog up to date, task by task.';
const MILL = 'Is the millstone balanced?';
const SAIL = 'Which sailcloth is torn?';

test.describe('the list', () => {
  test.use({ transcripts: ['.'] });

  test('the list is filtered', async ({ page, verbatim }) => {
    await step(page, 'shows every session with all that is known of it', async () => {
      await visit(page, verbatim);

      await expect(titles(page)).toHaveText([SAIL, MILL, KEEPER, PAINT, HORN, MEDLARS, FORK, RIPE]);
      const row = page.locator('.srow').filter({ hasText: RIPE });
      await expect(row).toMatchAriaSnapshot(`
        - listitem:
          - text: Idle Select Ripe means more than warm
          - checkbox
          - link "Ripe means more than warm"
          - text: orchard · feat/ripeness Good.
          - insertion: +16 lines added
          - deletion: −7 lines removed
          - text: 47 messages $0.36
          - time
      `);
      await expect(page.locator('.srow').filter({ hasText: HORN })).toMatchAriaSnapshot(`
        - listitem:
          - img "Failed"
          - link "The horn sounds at noon"
          - text: /^lighthouse · fix\\/fog \\S/
          - insertion: +1 lines added
          - deletion: −1 lines removed
          - text: 14 messages $0.07
          - time
      `);
      await expect(page.locator('.srow').filter({ hasText: KEEPER }).locator('.todo-mini')).toHaveText('todos done 1/3');
      await expect(page.locator('.srow').filter({ hasText: MEDLARS }).getByTitle('2 sub-agents')).toHaveText('22 sub-agents');
      await expect(page.locator('.way-on')).toHaveText('8 of 8 sessions shown');
    });

    await step(page, 'is filtered by words, and the address keeps them', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('/');
      await page.keyboard.type('ripe');

      await expect(titles(page)).toHaveText([FORK, RIPE]);
      await expect(page).toHaveURL(`${verbatim.url}/sessions?q=ripe`);
      await expect(page.locator('#announcer')).toHaveText('2 of 2 sessions');

      await titles(page).first().click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(FORK);
      await page.goBack();
      await ready(page);
      await expect(page).toHaveURL(`${verbatim.url}/sessions?q=ripe`);
      await expect(page.getByRole('searchbox')).toHaveValue('ripe');
      await expect(titles(page)).toHaveText([FORK, RIPE]);
    });

    await step(page, 'is filtered by project and agent', async () => {
      await visit(page, verbatim);
      await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'lighthouse (3)' });

      await expect(titles(page)).toHaveText([KEEPER, PAINT, HORN]);
      await expect(page).toHaveURL(`${verbatim.url}/sessions?project=%2Fhome%2Fada%2Flighthouse`);
      await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'Claude Code (8)' });
      await expect(page).toHaveURL(`${verbatim.url}/sessions?project=%2Fhome%2Fada%2Flighthouse&agent=claude_code`);
      await expect(titles(page)).toHaveText([KEEPER, PAINT, HORN]);

      await page.reload();
      await ready(page);
      await expect(page.getByRole('combobox', { name: 'Project' })).toHaveValue('/home/ada/lighthouse');
      await expect(titles(page)).toHaveText([KEEPER, PAINT, HORN]);
      await page.getByRole('link', { name: 'Clear' }).click();
      await expect(titles(page)).toHaveCount(8);
    });

    await step(page, 'is filtered by the projects in the rail', async () => {
      await visit(page, verbatim);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'windmill 2' }).click();

      await expect(titles(page)).toHaveText([SAIL, MILL]);
      await expect(page.getByRole('combobox', { name: 'Project' })).toHaveValue('/home/ada/windmill');
    });
  });

  test('the list is sorted, and says what it holds', async ({ page, verbatim }) => {
    await step(page, 'is sorted, with headings that fit the order', async () => {
      await visit(page, verbatim);
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Messages');
      await page.waitForURL(/sort=messages/);
      await ready(page);
      await expect(titles(page)).toHaveText([RIPE, HORN, KEEPER, SAIL, PAINT, MILL, MEDLARS, FORK]);
      await expect(headings(page)).toHaveText([/^All others/]);

      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Project');
      await page.waitForURL(/sort=project/);
      await ready(page);
      await expect(headings(page)).toHaveText([/^lighthouse\s*3 sessions/, /^orchard\s*3 sessions/, /^windmill\s*2 sessions/]);

      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Title');
      await page.waitForURL(/sort=title/);
      await ready(page);
      await expect(titles(page)).toHaveText([KEEPER, MEDLARS, MILL, PAINT, FORK, RIPE, HORN, SAIL]);
      await page.getByRole('link', { name: 'Sort descending' }).click();
      await expect(titles(page)).toHaveText([SAIL, HORN, RIPE, FORK, PAINT, MILL, MEDLARS, KEEPER]);
      expect(query(page)).toEqual({ sort: 'title', order: 'desc' });
      await page.getByRole('link', { name: 'Sort ascending' }).click();
      await expect(titles(page)).toHaveText([KEEPER, MEDLARS, MILL, PAINT, FORK, RIPE, HORN, SAIL]);
    });

    await step(page, 'keeps its words when a period or an order is chosen', async () => {
      await visit(page, verbatim);
      await page.getByRole('searchbox').fill('ripe');
      await expect(titles(page)).toHaveText([FORK, RIPE]);
      await page.getByRole('link', { name: '30 days' }).click();
      await expect(page.getByRole('link', { name: '30 days' })).toHaveAttribute('aria-current', 'true');

      expect(query(page)).toEqual({ q: 'ripe', since: expect.any(String) });
      await expect(titles(page)).toHaveText([FORK, RIPE]);
    });

    await step(page, 'says when nothing matches, and leads out of it', async () => {
      await visit(page, verbatim);
      await page.getByRole('searchbox').fill('submarine');

      await expect(page.getByRole('heading', { name: 'No session matches' })).toBeVisible();
      await expect(page.locator('#sessions .empty')).toHaveText(
        'No session matches No session matches all of these filters. Clear the filters Search inside the sessions',
        { useInnerText: true },
      );
      await page.getByRole('link', { name: 'Clear the filters' }).click();
      await expect(titles(page)).toHaveCount(8);
      await expect(page).toHaveURL(`${verbatim.url}/sessions`);
    });
  });
});

test.describe('sessions of several days', () => {
  const DAY = 86_400_000;

  test('stand in groups and are filtered by date', async ({ page, verbatim }) => {
    const now = Date.now();
    const old = new Date(now - 400 * DAY);
    for (const [prompt, at] of [['From now', now], ['Three days old', now - 3.1 * DAY], ['Ten days old', now - 10 * DAY], ['Very old', +old]]) {
      const session = await newSession(verbatim, { at });
      await session.prompt(prompt);
      await session.answer('Done.');
    }
    await open(page, verbatim);

    await expect(titles(page)).toHaveText(['From now', 'Three days old', 'Ten days old', 'Very old']);
    const month = old.toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });
    await expect(headings(page)).toHaveText([/^Today/, /^This week/, /^This month/, new RegExp(`^${month}`)]);
    await expect(page.locator('.srow .when')).toHaveText(['now', '3 d', /^\d+ \w+( \d+)?$/, /^\d+ \w+ \d+$/]);

    await page.getByRole('link', { name: '7 days' }).click();
    await expect(titles(page)).toHaveText(['From now', 'Three days old']);
    await expect(page.getByRole('link', { name: '7 days' })).toHaveAttribute('aria-current', 'true');
    await page.getByRole('link', { name: '30 days' }).click();
    await expect(titles(page)).toHaveText(['From now', 'Three days old', 'Ten days old']);
    await page.goBack();
    await expect(titles(page)).toHaveText(['From now', 'Three days old']);

    await page.getByRole('link', { name: 'Any time' }).click();
    await page.getByRole('button', { name: 'Dates' }).click();
    const day = (time) => new Date(time).toISOString().slice(0, 10);
    await page.getByRole('textbox', { name: 'From' }).fill(day(now - 12 * DAY));
    await page.getByRole('textbox', { name: 'To' }).fill(day(now - 2 * DAY));
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect(titles(page)).toHaveText(['Three days old', 'Ten days old']);
    await expect(page).toHaveURL(new RegExp(`since=${day(now - 12 * DAY)}&until=${day(now - 2 * DAY)}$`));
  });
});

test('two hundred rows are few elements, and each is whole where it is seen', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { title: 'Tree 0' });
  for (let n = 1; n < 200; n += 1) {
    const { body: { id } } = await agent.call('POST', '/sessions', { agent: 'orchard-bot', cwd: '/home/ada/orchard', title: `Tree ${n}` });
    await agent.call('POST', `/sessions/${id}/messages`, { content: `Leaf ${n}` });
  }
  // More of them come as the end comes near.
  await visit(page, verbatim, '/sessions');
  await expect(page.locator('.srow')).toHaveCount(40);
  for (const count of [140, 200]) {
    await page.locator('#scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await expect(page.locator('.srow')).toHaveCount(count);
  }
  await visit(page, verbatim, '/sessions?limit=200');
  const elements = () => page.evaluate(() => document.querySelectorAll('*').length);
  const rows = page.locator('.srow');
  const row = (title) => rows.filter({ has: page.getByRole('link', { name: title, exact: true }) });
  // In view, and whole.
  const isWhole = async (title) => {
    await expect(row(title)).toBeInViewport();
    await expect(row(title).getByRole('button', { name: `More for ${title}` })).toHaveCount(1);
    await expect(row(title).locator('.where')).toHaveText('orchard');
    await expect(row(title).locator('.said')).toHaveText(`Leaf ${title.slice(5)}`);
  };
  await expect(rows).toHaveCount(200);
  expect(await elements()).toBeLessThanOrEqual(1500);
  await isWhole('Tree 199');
  const height = () => page.evaluate(() => document.querySelector('#scroller').scrollHeight);
  const before = await height();

  // By keys, far beyond what was drawn at first; the row that they walked to keeps the focus.
  for (let n = 0; n < 60; n += 1) await page.keyboard.press('j');
  await isWhole('Tree 140');
  await expect(page.getByRole('link', { name: 'Tree 140', exact: true })).toBeFocused();
  await expect(row('Tree 140')).toHaveAttribute('data-current', '');
  await page.keyboard.press('k');
  await expect(page.getByRole('link', { name: 'Tree 141', exact: true })).toBeFocused();
  await page.keyboard.press('x');
  await expect(row('Tree 141').getByRole('checkbox')).toBeChecked();

  // To the end and back: the selection stays, and so does the length.
  await page.evaluate(() => document.querySelector('#scroller').scrollTo(0, 1e6));
  await isWhole('Tree 1');
  await expect(async () => expect(await elements()).toBeLessThanOrEqual(1500)).toPass();
  expect(Math.abs(await height() - before)).toBeLessThanOrEqual(200);
  await page.evaluate(() => document.querySelector('#scroller').scrollTo(0, 0));
  await isWhole('Tree 199');
  await expect(async () => expect(await elements()).toBeLessThanOrEqual(1500)).toPass();
  await page.locator('#selection [data-action=select-all]').click();
  await expect(page.locator('#selection [data-count]')).toHaveText('200 selected');
  await page.evaluate(() => document.querySelector('#scroller').scrollTo(0, 4000));
  await expect(page.locator('.srow:not(.distant)').filter({ has: page.locator('.tick:not(:checked)') })).toHaveCount(0);
  await page.keyboard.press('Escape');

  // A row that changes while the reader is far below doesn't move what they read.
  const at = () => page.evaluate(() => document.querySelector('#scroller').scrollTop);
  const there = await at();
  await agent.post({ content: 'Leaf 0' });
  await expect(row('Tree 0')).toHaveCount(1);
  await expect(rows.first()).toContainText('Tree 0');
  expect(Math.abs(await at() - there)).toBeLessThanOrEqual(50);
});

test('a session that starts appears by itself, and grows', async ({ page, verbatim }) => {
  await open(page, verbatim);
  await expect(page.getByRole('heading', { name: 'No sessions yet' })).toBeVisible();
  await expect(page.locator('.copyline code')).toHaveText([/^verbatim import /, /^verbatim key create /, /^verbatim send /]);
  await expect(page.locator('#filters')).toBeHidden();
  await page.evaluate(() => { window.same = true; });

  const session = await newSession(verbatim, { cwd: '/home/ada/bakery' });
  await session.prompt('Is the oven hot?');
  await expect(titles(page)).toHaveText(['Is the oven hot?']);
  await expect(page.locator('.srow .msgs')).toHaveText('1 message');
  await expect(page.locator('#filters')).toBeVisible();
  await session.answer('It is.');
  await expect(page.locator('.srow .msgs')).toHaveText('2 messages');
  await expect(page.locator('.srow .cost')).toHaveText('<$0.001');
  await expect(page.locator('.srow .said')).toHaveText('It is.');

  await expect(count(page)).toHaveText('1 of 1 session');
  expect(await page.evaluate(() => window.same)).toBe(true);
});

test('a session that starts before the list can follow is not missed', async ({ page, verbatim }) => {
  let go;
  const gone = new Promise((resolve) => { go = resolve; });
  await page.route('**/part_filters*', async (route) => {
    await gone;
    await route.continue();
  });
  await logIn(page, verbatim);
  const asked = page.waitForRequest('**/part_filters*');
  await page.goto(`${verbatim.url}/sessions`);
  await asked;
  const heard = page.waitForRequest('**/fragments/rail');
  const session = await newSession(verbatim, { cwd: '/home/ada/bakery' });
  await session.prompt('Is the oven hot?');
  await heard;
  go();
  await expect(titles(page)).toHaveText(['Is the oven hot?']);
});

test.describe('with more contrast', () => {
  test.use({ transcripts: ['.'], contrast: 'more' });

  // What axe says of it is asked after each step.
  test('the list is as legible', async ({ page, verbatim }) => {
    for (const colorScheme of ['light', 'dark']) {
      await step(page, colorScheme, async () => {
        await page.emulateMedia({ colorScheme });
        await visit(page, verbatim);
        expect(await page.evaluate(() => matchMedia('(prefers-contrast: more)').matches)).toBe(true);
        await expect(page.locator('.rail a[aria-current]')).toHaveText(/Sessions/);
      });
    }
  });
});

test('a row has the focus, and gives a look at its session', async ({ page, verbatim }) => {
  await step(page, 'the row has the focus, and not the letters of its title', async () => {
    await (await newAgent(verbatim)).post({ content: 'Hot' });
    await visit(page, verbatim);
    await page.locator('#find').focus();
    await expect(async () => {
      await page.keyboard.press('Tab');
      await expect(titles(page)).toBeFocused({ timeout: 100 });
    }).toPass();
    const outline = (element) => getComputedStyle(element).outlineStyle;
    expect(await page.locator('.srow').evaluate(outline)).toBe('solid');
    expect(await titles(page).evaluate(outline)).toBe('none');
  });

  await step(page, 'a look at a session shows what the agent said last, and what came after it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'The oven is **hot**.' });
    await agent.post({ role: 'tool', content: 'Three hundred degrees' });
    await visit(page, verbatim);
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    const peek = page.locator('#sessions .peek');
    await expect(peek.locator('article').first()).toContainText('The oven is hot.');
    await expect(peek.locator('article')).toHaveCount(2);
    await page.keyboard.press('Space');
    await expect(peek).toHaveCount(0);
  });
});

test.describe('where there is little room', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('titles and filters', async ({ page, verbatim }) => {
    await step(page, 'a new title is typed where the old one stands', async () => {
      await (await newAgent(verbatim, { title: 'The old title' })).post({ content: 'Hot' });
      await visit(page, verbatim);
      const row = page.locator('.srow');
      const before = await row.boundingBox();
      await page.keyboard.press('j');
      await page.keyboard.press('F2');
      const field = await page.getByRole('textbox', { name: 'Title' }).boundingBox();
      const renamed = await row.boundingBox();
      expect(renamed.height - before.height).toBeLessThanOrEqual(10);
      expect(field.y - renamed.y).toBeLessThan(16);
      expect(field.width).toBeGreaterThan(200);
    });

    await step(page, 'filters are behind one button, and what opens from the bar of places is above it', async () => {
      const agent = await newAgent(verbatim);
      await agent.post({ content: 'Hot' });
      await visit(page, verbatim);
      await expect(page.locator('select[name=project]')).toBeHidden();
      await page.getByRole('button', { name: 'Filters', exact: true }).click();
      await expect(page.locator('select[name=project]')).toBeVisible();
      await page.locator('select[name=agent]').selectOption('orchard-bot');
      expect(query(page)).toMatchObject({ agent: 'orchard-bot' });
      await page.keyboard.press('Escape');
      await page.goto(`${verbatim.url}/s/${agent.id}`);
      await ready(page);
      const more = page.locator('.tabbar').getByRole('button', { name: 'More' });
      await more.click();
      const [menu, button] = [await page.locator('#more-places').boundingBox(), await more.boundingBox()];
      expect(button.y - (menu.y + menu.height)).toBeGreaterThanOrEqual(0);
      expect(button.y - (menu.y + menu.height)).toBeLessThan(24);
    });
  });
});
