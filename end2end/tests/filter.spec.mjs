// Chips filter the transcript by type and role: in the address, with honest counts, live.
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, query, ready, step, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';

const bar = (page) => page.getByRole('navigation', { name: 'Filter messages' });
const chip = (page, name) => bar(page).getByRole('link', { name: new RegExp(`^${name},`) });
const rows = (page) => page.locator('.chunk > article');
const kinds = (page, name) => rows(page).evaluateAll((all, name) => [...new Set(all.map((one) => one.dataset[name]))], name);

test.describe('an imported session', () => {
  // The browser logs the answer to what is invalid.
  test.use({ transcripts: ['-home-ada-orchard'], tolerated: [/status of 400/] });

  test('chips filter, also on a phone', async ({ page, verbatim }) => {
    await step(page, 'chips filter, count, and are kept in the address', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      await expect(bar(page)).toBeHidden();
      await page.getByRole('link', { name: 'Filter messages' }).first().click();
      await expect(chip(page, 'Code edit')).toBeVisible();
      const edits = Number((await chip(page, 'Code edit').locator('.num').first().innerText()).replace(',', ''));
      expect(edits).toBeGreaterThan(0);
      await expect(chip(page, 'System')).toHaveAccessibleName(/0 shown, \d+ hidden/);
      await accessible(page);

      await chip(page, 'Code edit').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/type=CODE_EDIT/);
      await ready(page);
      expect(query(page)).toEqual({ type: 'CODE_EDIT' });
      await expect(chip(page, 'Code edit')).toHaveAttribute('aria-current', 'true');
      await expect(chip(page, 'Code edit')).toBeFocused();
      await expect(bar(page).getByRole('status')).toContainText(`Showing ${edits} of `);
      expect(await kinds(page, 'type')).toEqual(['CODE_EDIT']);

      // Two of a kind are either, a type and a role are both.
      await chip(page, 'Text').click();
      await page.waitForURL(/TEXT/);
      await ready(page);
      await chip(page, 'You').click();
      await page.waitForURL(/role=user/);
      await ready(page);
      expect(query(page)).toEqual({ type: 'CODE_EDIT,TEXT', role: 'user' });
      expect(await kinds(page, 'role')).toEqual(['user']);

      // A message that the filter leaves out is shown without it.
      const answer = await page.request.get(`${verbatim.url}/v1/sessions/${RIPE}/messages?role=assistant&type=TEXT&limit=1`);
      const { seq } = (await answer.json()).messages[0];
      await page.evaluate((seq) => { location.hash = `m${seq}`; }, seq);
      await page.waitForURL((url) => !url.searchParams.has('role'));
      await ready(page);
      await expect(page.locator('article[data-current]')).toHaveAttribute('data-seq', `${seq}`);
    });

    await step(page, 'what matches nothing says so, and exports are filtered', async () => {
      await visit(page, verbatim, `/s/${RIPE}?type=CHART`);
      await expect(rows(page)).toHaveCount(0);
      await expect(page.getByText('No message matches this filter.')).toBeVisible();
      await page.getByRole('link', { name: 'Show all messages' }).click();
      await page.waitForURL(/filter=1/);
      await ready(page);
      await expect(rows(page)).not.toHaveCount(0);

      await page.goto(`${verbatim.url}/s/${RIPE}?type=CODE_EDIT&role=assistant`);
      await ready(page);
      const exports = page.getByRole('link', { name: 'JSON', exact: true, includeHidden: true });
      const exported = await (await page.request.get(verbatim.url + await exports.getAttribute('href'))).json();
      expect(exported.filter).toEqual({ type: ['CODE_EDIT'], role: ['assistant'] });
      expect(new Set(exported.messages.map((one) => one.message_type))).toEqual(new Set(['CODE_EDIT']));

      await page.goto(`${verbatim.url}/s/${RIPE}?role=nobody`);
      await expect(page.getByRole('heading', { name: /is invalid/ })).toBeVisible();
    });

    await step(page, 'on a phone the chips scroll sideways', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await visit(page, verbatim, `/s/${RIPE}?type=CODE_EDIT`);
      const { height } = await bar(page).boundingBox();
      expect(height).toBeLessThan(60);
      expect(await bar(page).evaluate((bar) => bar.scrollWidth > bar.clientWidth)).toBe(true);
    });
  });
});

test('what comes obeys the filter', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ content: 'I begin.' });
  await visit(page, verbatim, `/s/${agent.id}?type=TODO`);
  await expect(page.getByText('No message matches this filter.')).toBeVisible();
  for (let n = 0; n < 45; n += 1) await agent.post({ content: `Row ${n}` });
  await agent.post(typed('TODO', { todos: [{ id: '1', content: 'Prune', status: 'pending' }] }));
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('Prune');
  await expect(page.getByText('No message matches this filter.')).toBeHidden();
  await expect(bar(page).getByRole('status')).toHaveText('Showing 1 of 47 messages');
});
