// Phones, themes and the keyboard alone.
import { accessible, expect, query, ready, step, test, visit } from '../verbatim.mjs';

const RIPE = '/s/5e551001-0000-4000-8000-000000000001';
const SAIL = '/s/5e551008-0000-4000-8000-000000000008';
const PAGES = ['/sessions', '/sessions?q=nothing-at-all', `${RIPE}?at=1`, RIPE, `${RIPE}?dev=1`, SAIL, '/search?q=ripe', '/search', '/folders', '/settings', '/login'];

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
// What sticks out of the transcript, or of the page, sideways.
const wide = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('#main, #transcript, .scroll')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.id || box.className));

for (const [name, viewport] of [['a phone', { width: 390, height: 844 }], ['320 px', { width: 320, height: 640 }]]) {
  test.describe(name, () => {
    test.use({ transcripts: ['.'], viewport, hasTouch: true });

    test('nothing is wider than the screen', async ({ page, verbatim }) => {
      test.slow();
      await visit(page, verbatim);
      for (const path of PAGES) {
        await page.goto(verbatim.url + path);
        await ready(page);
        expect([path, await overflow(page), await wide(page)]).toEqual([path, 0, []]);
        await accessible(page);
      }
    });
  });
}

test.describe('on a phone', () => {
  test.use({ transcripts: ['.'], viewport: { width: 390, height: 844 }, hasTouch: true });

  test('tabs, the panel and the menu of a phone', async ({ page, verbatim }) => {
    await step(page, 'sections are tabs at the bottom', async () => {
      await visit(page, verbatim);
      const tabs = page.getByRole('navigation', { name: 'Sections' });
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
      await expect(tabs.getByRole('link')).toHaveText(['Sessions', 'Needs you', 'History', 'Folders']);
      await expect(tabs.getByRole('link', { name: 'Sessions' })).toHaveAttribute('aria-current', 'page');
      expect((await tabs.boundingBox()).y).toBeGreaterThan(760);
      for (const link of await tabs.getByRole('link').all()) expect((await link.boundingBox()).height).toBeGreaterThanOrEqual(44);

      await tabs.getByRole('link', { name: 'History' }).tap();
      await expect(page).toHaveURL(`${verbatim.url}/search`);
      await ready(page);
    });

    await step(page, 'the panel is a sheet that closes', async () => {
      await visit(page, verbatim, RIPE);
      const panel = page.getByRole('complementary', { name: 'Session details' });
      await expect(panel).toBeHidden();
      await page.getByRole('link', { name: 'Details' }).tap();
      await expect(panel).toBeVisible();
      await expect(panel.getByRole('tab', { name: 'Changes' })).toBeFocused();
      expect((await panel.boundingBox()).width).toBe(390);
      await accessible(page);
      await page.keyboard.press('Escape');
      await expect(panel).toBeHidden();
      await expect(page.getByRole('link', { name: 'Details' })).toBeFocused();
    });

    await step(page, 'the dev toggle is in the menu, and back leads to the list', async () => {
      await visit(page, verbatim, RIPE);
      await page.locator('header.bar').getByRole('button', { name: 'More' }).tap();
      await page.getByRole('link', { name: 'Developer view' }).tap();
      await expect.poll(() => query(page)).toEqual({ dev: '1' });
      await ready(page);
      await expect(page.locator('article[data-role=system]').first()).toBeAttached();
      await page.locator('header.bar').getByRole('link', { name: 'Sessions' }).tap();
      await expect(page).toHaveURL(`${verbatim.url}/sessions`);
      await ready(page);
    });
  });
});

test.describe('themes', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  // Drawn, since a colour may be written in many ways.
  const bright = (page) =>
    page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d');
      for (const element of [document.documentElement, document.body, document.querySelector('#main')]) {
        context.fillStyle = getComputedStyle(element).backgroundColor;
        context.fillRect(0, 0, 1, 1);
      }
      const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
      return red + green + blue > 384;
    });

  test('are accessible in the dark, and follow the device', async ({ page, verbatim }) => {
    await step(page, 'are accessible in the dark', async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const path of ['/sessions', '/search?q=ripe', '/folders', '/settings']) {
        await visit(page, verbatim, path);
        await accessible(page);
      }
      // It leads on who is logged in.
      await visit(page, verbatim, '/login');
    });

    await step(page, 'follow the device, until somebody chooses', async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      await visit(page, verbatim, RIPE);
      expect(await bright(page)).toBe(true);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await bright(page)).toBe(false);
      await accessible(page);

      await page.getByRole('button', { name: 'Theme: system. Switch' }).click();
      await expect(page.getByRole('button', { name: 'Theme: light. Switch' })).toBeVisible();
      await expect.poll(() => bright(page)).toBe(true);
      await page.getByRole('button', { name: 'Theme: light. Switch' }).click();
      await page.emulateMedia({ colorScheme: 'light' });
      await expect.poll(() => bright(page)).toBe(false);

      await page.goto(`${verbatim.url}/sessions`);
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
      await ready(page);
      expect(await bright(page)).toBe(false);
    });
  });
});

test.describe('the keyboard alone', () => {
  test.use({ transcripts: ['.'] });

  test('leads everywhere', async ({ page, verbatim }) => {
    await step(page, 'walks the list, opens a session, walks and unfolds it, and comes back', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('j');
      await expect(page.getByRole('link', { name: 'Which sailcloth is torn?' })).toBeFocused();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await expect(page.getByRole('link', { name: 'Is the millstone balanced?' })).toBeFocused();
      await page.keyboard.press('o');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Is the millstone balanced?');
      await ready(page);

      await page.keyboard.press('g');
      await page.keyboard.press('g');
      await page.keyboard.press('j');
      const current = page.locator('article[data-current]');
      await expect(current).toContainText('Is the millstone balanced?');
      await page.keyboard.press(']');
      await expect(current).toContainText('Then grind the rye.');
      await page.keyboard.press('[');
      await expect(current).toContainText('Is the millstone balanced?');
      for (let n = 0; n < 3; n += 1) await page.keyboard.press('j');
      await expect(current).toHaveAttribute('data-type', 'claude_code.hologram');
      const card = current.locator('details').first();
      await expect(card).toHaveAttribute('open');
      await page.keyboard.press('e');
      await expect(card).not.toHaveAttribute('open');
      await page.keyboard.press('o');
      await expect(card).toHaveAttribute('open');

      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await expect(page).toHaveURL(`${verbatim.url}/sessions`);
      await ready(page);
    });

    await step(page, 'the sheet names the keys, and Escape closes it', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await expect(sheet).toBeVisible();
      await expect(sheet.locator('kbd')).toContainText(['Ctrl K', '/', 'g s', 'g a', 'g c', 'g ,', '?', 'Ctrl Z', 'j', 'k', 'o', 'x', 'X', 'm']);
      await accessible(page);
      await page.keyboard.press('Escape');
      await expect(sheet).toBeHidden();
    });

    await step(page, 'Tab begins with the skip link, which leads into the content', async () => {
      await visit(page, verbatim, RIPE);
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press('Tab');
      const skip = page.getByRole('link', { name: 'Skip to the transcript' });
      await expect(skip).toBeFocused();
      await expect(skip).toBeInViewport();
      await page.keyboard.press('Enter');
      await expect(page.locator('#transcript')).toBeFocused();
    });

    await step(page, 'keys are letters again while somebody types', async () => {
      await visit(page, verbatim);
      await page.keyboard.press('/');
      await page.keyboard.type('jk?.o');
      await expect(page.getByRole('searchbox')).toHaveValue('jk?.o');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('searchbox')).not.toBeFocused();
    });
  });
});
