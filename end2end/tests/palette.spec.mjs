// The palette: everything by a few letters.
import { accessible, expect, ready, step, test, visit } from '../verbatim.mjs';

const options = (page) => page.getByRole('dialog', { name: 'Search or jump to' }).getByRole('option');
const field = (page) => page.getByRole('combobox', { name: 'Search or jump to' });

test.describe('the palette', () => {
  test.use({ transcripts: ['.'] });

  test('finds and offers', async ({ page, verbatim }) => {
    await step(page, 'finds a session by letters, and opens it', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('Control+k');
      await expect(field(page)).toBeFocused();
      await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
      await accessible(page);
      await page.keyboard.type('millst');
      await expect(options(page).first()).toContainText('Is the millstone balanced?');
      await expect(options(page).first().locator('mark')).toHaveText('millst');
      await accessible(page);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Is the millstone balanced?');
      await ready(page);
    });

    await step(page, 'what stands beside titles ends at one edge, and dates are whole', async () => {
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await visit(page, verbatim);
        await page.keyboard.press('Control+k');
        await field(page).fill('#');
        await expect(options(page).locator('.num').nth(3)).toBeVisible();
        const dates = await options(page).locator('.num').evaluateAll((all) =>
          all.map((it) => [it.getBoundingClientRect().right, it.scrollWidth <= it.clientWidth]));
        for (const date of dates) expect(date).toEqual([dates[0][0], true]);
        // What stands beside a title takes no more of its room than its words need.
        const spare = await options(page).locator('.about-it').evaluateAll((all) => all.map((it) => {
          const said = document.createRange();
          said.selectNodeContents(it);
          return it.getBoundingClientRect().width - said.getBoundingClientRect().width;
        }));
        expect(Math.max(...spare)).toBeLessThan(2);
        await page.keyboard.press('Escape');
      }
    });

    await step(page, 'lists changed files, walks with arrows, and Escape closes it', async () => {
      await visit(page, verbatim);
      await page.getByRole('button', { name: 'Search or jump to' }).click();
      await field(page).fill('@');
      await expect(page.getByRole('group', { name: 'Files' })).toBeVisible();
      const count = await options(page).count();
      expect(count).toBeGreaterThan(1);
      await page.keyboard.press('ArrowDown');
      await expect(options(page).nth(1)).toHaveAttribute('aria-selected', 'true');
      await expect(field(page)).toHaveAttribute('aria-activedescendant', await options(page).nth(1).getAttribute('id'));
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await expect(options(page).nth(count - 1)).toHaveAttribute('aria-selected', 'true');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });

    await step(page, 'a file begins with its name, on phones too', async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      await visit(page, verbatim);
      await page.keyboard.press('Control+k');
      await field(page).fill('@');
      const first = options(page).first();
      const [name, folder] = [first.locator('.cut').first(), first.locator('.folder')];
      await expect(name).not.toContainText('/');
      await expect(folder).toHaveText(/\/$/);
      // The name is whole, and of the folder the end is seen.
      expect(await name.evaluate((it) => it.scrollWidth <= it.clientWidth)).toBe(true);
      const [inner, outer] = await folder.evaluate((it) => [it.firstElementChild, it].map((one) => one.getBoundingClientRect().right));
      expect(inner - outer).toBeLessThan(2);
    });
  });

  test('offers and runs', async ({ page, verbatim }) => {
    await step(page, 'offers what the page has: no composer, no request, but a page to print', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('#millst');
      await expect(options(page).first()).toContainText('Is the millstone balanced?');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/s\//);
      await ready(page);
      await page.keyboard.press('Control+k');
      await field(page).fill('>');
      await expect(options(page).filter({ hasText: 'Developer view' })).toBeVisible();
      await expect(options(page).filter({ hasText: /Write to the agent|Allow|Deny it/ })).toHaveCount(0);
      await field(page).fill('>export');
      await expect(options(page)).toHaveText([/HTML/, /Markdown/, /JSON/, /an archive/, /without secrets/]);
      await field(page).fill('>print');
      await expect(options(page).first()).toHaveText('Printable page');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/print$/);
    });

    await step(page, 'opens from the bar of a phone', async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      await visit(page, verbatim);
      await page.getByRole('button', { name: 'Search or jump to' }).click();
      await expect(field(page)).toBeFocused();
      await field(page).fill('#millst');
      await expect(options(page).first()).toContainText('Is the millstone balanced?');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/s\//);
      await ready(page);
      await page.locator('.tabbar').getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Search or jump to' }).click();
      await expect(field(page)).toBeFocused();
    });

    await step(page, 'says when nothing matches, and offers to search everywhere', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('#zzzz');
      await expect(page.getByText('Nothing matches')).toBeVisible();
      await field(page).fill('torn');
      await options(page).filter({ hasText: 'Search all history' }).click();
      await page.waitForURL(`${verbatim.url}/search?q=torn`);
      await ready(page);
    });

    await step(page, 'runs a command, shows its key, and changes how pages look', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('>shortcuts');
      await expect(options(page).first()).toHaveText('Keyboard shortcuts ?');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('>theme dark');
      await expect(options(page).first()).toHaveText('Theme: dark');
      await page.keyboard.press('Enter');
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    });
  });
});
