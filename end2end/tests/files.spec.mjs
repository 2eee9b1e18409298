// The files that all sessions changed: the page by day and project, by a part of a path, and the palette.
import { expect, query, ready, step, test, visit } from '../verbatim.mjs';

test.use({ transcripts: ['.'] });

const rows = (page) => page.locator('#changed-files .file-edited');
const paths = (page) => rows(page).locator('.path').allInnerTexts();

// The day of the first change that the API names.
async function lastDay(page, { url }) {
  const answer = await page.request.get(`${url}/v1/files?limit=1`);
  const [edit] = (await answer.json()).edits;
  return { day: new Date(edit.changed_at / 1000).toISOString().slice(0, 10), edit };
}

test('changed files', async ({ page, verbatim }) => {
  await step(page, 'today is empty, says where the last changes are, and leads to them', async () => {
    await visit(page, verbatim, '/sessions');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.waitForURL('**/files');
    await ready(page);
    await expect(page).toHaveTitle('Changed files · Verbatim');
    await expect(page.getByRole('heading', { name: 'Nothing was changed today' })).toBeVisible();
    const { day, edit } = await lastDay(page, verbatim);
    await page.goto(`${verbatim.url}/files?day=2031-12-24`);
    await ready(page);
    await expect(page.getByRole('heading', { name: 'Nothing was changed on Wednesday, 24 December 2031' })).toBeVisible();
    await page.getByRole('link', { name: /^The last changes before/ }).click();
    await page.waitForURL(`**/files?day=${day}`);
    await ready(page);
    const name = edit.path.split('/').pop();
    await expect(rows(page).first()).toContainText(name);
    await expect(rows(page).first()).toContainText(edit.session_title);
    // Each leads to its last edit.
    await rows(page).first().click();
    await page.waitForURL(new RegExp(`/s/${edit.session_id}.*#m${edit.seq}$`));
  });

  await step(page, 'a day before and after, a project, and a part of a path', async () => {
    await visit(page, verbatim, '/sessions');
    const { day, edit } = await lastDay(page, verbatim);
    await page.goto(`${verbatim.url}/files?day=${day}`);
    await ready(page);
    const all = await paths(page);
    expect(all.length).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'The day before' }).click();
    await page.waitForURL((url) => url.searchParams.get('day') < day);
    await ready(page);
    await page.getByRole('link', { name: 'The day after' }).click();
    await page.waitForURL(`**/files?day=${day}`);
    await ready(page);
    expect(await paths(page)).toEqual(all);

    // What is chosen takes effect at once.
    const project = page.getByRole('combobox', { name: 'Project' });
    await project.selectOption(edit.project);
    await page.waitForURL(/project=/);
    await ready(page);
    expect(query(page)).toEqual({ day, project: edit.project });
    await expect(page.locator('#changed-files h2')).toHaveCount(1);

    const name = edit.path.split('/').pop();
    await page.keyboard.press('/');
    await page.keyboard.type(name.slice(0, -1));
    await page.keyboard.press('Enter');
    await page.waitForURL(/path=/);
    await ready(page);
    for (const path of await paths(page)) expect(path).toContain(name);
    await page.goto(`${verbatim.url}/files?path=nothing-of-that-name`);
    await ready(page);
    await expect(page.locator('#changed-files')).toContainText('No changed file with “nothing-of-that-name” in its path');
  });

  await step(page, 'a link with a wrong day says so', async () => {
    await visit(page, verbatim, '/sessions');
    const answer = await page.request.get(`${verbatim.url}/files?day=tomorrow`);
    expect(answer.status()).toBe(400);
    expect(await answer.text()).toContain('a day like `2026-11-01`');
  });

  await step(page, 'search finds the edits of a file, and each hit shows its path', async () => {
    await visit(page, verbatim, '/search');
    const { edit } = await lastDay(page, verbatim);
    const name = edit.path.split('/').pop();
    await page.keyboard.type(`file:${name}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=/);
    await ready(page);
    const hits = page.locator('#results .hit');
    expect(await hits.count()).toBeGreaterThan(0);
    for (const path of await hits.locator('.path b').allInnerTexts()) expect(path).toBe(name);
    await expect(page.getByRole('textbox', { name: 'Part of the path of a file that was changed' })).toHaveValue(name);
  });

  await step(page, 'the palette lists files of all sessions, also within one', async () => {
    await visit(page, verbatim, '/sessions');
    const { edit } = await lastDay(page, verbatim);
    const others = (await (await page.request.get(`${verbatim.url}/v1/files?limit=200`)).json()).edits;
    const other = others.find((one) => one.session_id !== edit.session_id && one.path !== edit.path);
    await page.goto(`${verbatim.url}/s/${edit.session_id}`);
    await ready(page);
    await page.keyboard.press('Control+k');
    const name = other.path.split('/').pop();
    await page.keyboard.type(`@${name}`);
    const option = page.getByRole('option').filter({ hasText: name }).first();
    await expect(option).toBeVisible();
    await option.click();
    await page.waitForURL(/\/s\/.*#m\d+$/);
  });
});

test('it fits a phone', async ({ page, verbatim }) => {
  for (const scheme of ['light', 'dark']) {
    await step(page, scheme, async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: scheme });
      await visit(page, verbatim, '/sessions');
      const { day } = await lastDay(page, verbatim);
      await page.goto(`${verbatim.url}/files?day=${day}`);
      await ready(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await rows(page).first().evaluate((row) => row.scrollWidth <= row.clientWidth)).toBe(true);
    });
  }
});
