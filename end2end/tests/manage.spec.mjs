// What a person does with sessions: rename, pin, archive, delete, one or many, and the way back.
import { newAgent } from '../agent.mjs';
import { accessible, expect, query, ready, step, test, visit } from '../verbatim.mjs';

const SAIL = 'Which sailcloth is torn?';
const MILL = 'Is the millstone balanced?';
const titles = (page) => page.locator('.srow .title > a');
const row = (page, title) => page.locator('.srow').filter({ hasText: title });
const toast = (page) => page.locator('.toast');

async function menu(page, title, item) {
  await row(page, title).hover();
  await row(page, title).getByRole('button', { name: `More for ${title}` }).click();
  await page.locator('#row-menu').getByRole('button', { name: item, exact: true }).click();
}

test.describe('sessions', () => {
  test.use({ transcripts: ['.'] });

  test('sessions are chosen, archived, deleted and pinned, and all comes back', async ({ page, verbatim }) => {
    await step(page, 'its menu is walked through by keys, and gives the focus back', async () => {
      await visit(page, verbatim);
      const item = (name) => page.locator('#row-menu').getByRole('button', { name, exact: true });
      await page.keyboard.press('j');
      await page.keyboard.press('m');
      await expect(item('Select')).toBeFocused();
      await page.keyboard.press('ArrowDown');
      await expect(item('Rename')).toBeFocused();
      await page.keyboard.press('End');
      await expect(item('Delete')).toBeFocused();
      await page.keyboard.press('ArrowDown');
      await expect(item('Select')).toBeFocused();
      await page.keyboard.press('ArrowUp');
      await expect(item('Delete')).toBeFocused();
      await page.keyboard.press('Home');
      await expect(item('Select')).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(page.locator('#row-menu')).toBeHidden();
      await expect(titles(page).first()).toBeFocused();

      await page.keyboard.press('o');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(SAIL);
      await ready(page);
      const button = page.locator('[popovertarget=session-menu]');
      await button.focus();
      await page.keyboard.press('Enter');
      await expect(page.locator('#session-menu').getByRole('button', { name: 'Rename' })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(page.locator('#session-menu')).toBeHidden();
      await expect(button).toBeFocused();
    });

    await step(page, 'a range is ticked with Shift, and Escape lets it go', async () => {
      await visit(page, verbatim);
      const tick = (title) => page.getByRole('checkbox', { name: `Select ${title}` });
      await row(page, SAIL).hover();
      await tick(SAIL).click();
      await tick(MILL).click({ modifiers: ['Shift'] });
      await expect(tick(MILL)).toBeChecked();
      await page.keyboard.press('Escape');
      await expect(tick(SAIL)).not.toBeChecked();
      await expect(page.getByRole('group', { name: 'Selected sessions' })).toBeHidden();
    });

    await step(page, 'one is archived, found in the archive, and taken back', async () => {
      await visit(page, verbatim);
      const all = await titles(page).allInnerTexts();
      await menu(page, SAIL, 'Archive');
      await expect(toast(page)).toContainText('Session archived');
      await accessible(page);
      await expect(titles(page)).toHaveText(all.filter((title) => title !== SAIL));

      await page.getByRole('link', { name: 'Archived' }).click();
      await ready(page);
      await expect(titles(page)).toHaveText([SAIL]);
      await menu(page, SAIL, 'Unarchive');
      await expect(page.getByRole('heading', { name: 'The archive is empty' })).toBeVisible();
      await page.getByRole('link', { name: 'All sessions' }).click();
      await expect(titles(page)).toHaveText(all);
    });

    await step(page, 'what was archived comes back from the next page', async () => {
      await visit(page, verbatim);
      const all = await titles(page).allInnerTexts();
      await menu(page, SAIL, 'Archive');
      await expect(toast(page)).toContainText('Session archived');
      await row(page, MILL).locator('.title a').click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(MILL);
      await ready(page);
      await expect(toast(page)).toContainText('Session archived');
      await page.keyboard.press('Control+z');
      await expect(toast(page)).toHaveText('Taken back');
      await page.goto(`${verbatim.url}/sessions`);
      await ready(page);
      await expect(titles(page)).toHaveText(all);
      await expect(toast(page)).toHaveCount(0);
    });

    await step(page, 'several are selected by keys, deleted, and all come back at once', async () => {
      await visit(page, verbatim);
      const all = await titles(page).allInnerTexts();
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      const bar = page.getByRole('group', { name: 'Selected sessions' });
      await expect(bar).toContainText('1 selected');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('X');
      await expect(bar).toContainText('3 selected');
      await accessible(page);
      await bar.getByRole('button', { name: 'Delete' }).click();
      await expect(toast(page)).toContainText('3 sessions deleted');
      await expect(titles(page)).toHaveText(all.slice(3));
      await expect(bar).toBeHidden();

      await toast(page).getByRole('button', { name: 'Undo' }).click();
      await expect(titles(page)).toHaveText(all);
    });

    await step(page, 'a pinned one stands at the top', async () => {
      await visit(page, verbatim);
      const last = (await titles(page).allInnerTexts()).at(-1);
      await menu(page, last, 'Pin to the top');
      await expect(page.locator('.sessions h2').first()).toContainText('Pinned');
      await expect(titles(page).first()).toHaveText(last);
      await page.keyboard.press('Control+z');
      await expect(page.getByText('Taken back')).toBeVisible();
      await expect(titles(page).last()).toHaveText(last);
    });
  });

  test('titles and views', async ({ page, verbatim }) => {
    await step(page, 'a title is changed where it stands, in the list and on its page', async () => {
      await visit(page, verbatim);
      await menu(page, SAIL, 'Rename');
      const field = page.getByRole('textbox', { name: 'Title' });
      await expect(field).toBeFocused();
      await field.fill('The torn sail');
      await page.keyboard.press('Enter');
      await expect(titles(page).filter({ hasText: 'The torn sail' })).toHaveCount(1);

      await titles(page).filter({ hasText: 'The torn sail' }).click();
      await ready(page);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('The torn sail');
      await page.keyboard.press('F2');
      await field.fill('');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(SAIL);
      await page.keyboard.press('F2');
      await field.fill('Never mind');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(SAIL);
    });

    await step(page, 'deleted on its own page, it leads to the list, where it can come back', async () => {
      await visit(page, verbatim);
      await titles(page).filter({ hasText: SAIL }).click();
      await ready(page);
      await page.getByRole('button', { name: 'More' }).click();
      const menu = page.locator('#session-menu');
      await expect(menu.locator('.menu-item:visible').last()).toHaveText('Delete');
      // A menu isn't a dialog: the page behind it stays as bright as it was.
      expect(await menu.evaluate((it) => getComputedStyle(it, '::backdrop').backgroundColor)).toBe('rgba(0, 0, 0, 0)');
      await menu.getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(`${verbatim.url}/sessions`);
      await ready(page);
      await expect(titles(page).filter({ hasText: SAIL })).toHaveCount(0);
      await toast(page).getByRole('button', { name: 'Undo' }).click();
      await expect(titles(page).filter({ hasText: SAIL })).toHaveCount(1);
    }, [/status of 404/]);

    await step(page, 'a view is kept under a name', async () => {
      await visit(page, verbatim, '/sessions?q=ripe');
      await page.getByRole('button', { name: 'Save or copy this view' }).click();
      await page.getByRole('button', { name: 'Copy link to this view' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${verbatim.url}/sessions?q=ripe`);
      await page.getByRole('textbox', { name: 'Save this view as' }).fill('Ripe ones');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const saved = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Ripe ones' });
      await expect(saved).toBeVisible();
      await page.goto(`${verbatim.url}/sessions`);
      await ready(page);
      await saved.click();
      await ready(page);
      expect(query(page)).toEqual({ q: 'ripe' });
    });

    await step(page, 'a click counts although the list changes between press and release', async () => {
      await visit(page, verbatim);
      await titles(page).filter({ hasText: SAIL }).hover();
      await page.mouse.down();
      const again = page.waitForResponse((answer) => answer.url().includes('/fragments/sessions'));
      const bot = await newAgent(verbatim, { title: 'Is the weir open?' });
      await bot.post({ content: 'It is.' });
      await (await again).finished();
      await page.mouse.up();
      await page.waitForURL('**/s/*');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(SAIL);
    });

    await step(page, 'a new title is taken back, and the rail counts what is archived at once', async () => {
      await visit(page, verbatim);
      const all = await titles(page).allInnerTexts();
      await menu(page, SAIL, 'Rename');
      await page.keyboard.type('Sails');
      await page.keyboard.press('Enter');
      await expect(toast(page)).toContainText('Renamed');
      await expect(row(page, 'Sails')).toHaveCount(1);
      await toast(page).getByRole('button', { name: 'Undo' }).click();
      await expect(titles(page)).toHaveText(all);

      const count = page.locator('#rail a[href="/sessions"] .num');
      const before = Number(await count.innerText());
      await menu(page, SAIL, 'Archive');
      await expect(count).toHaveText(String(before - 1));
    });
  });
});
