// Rules that delete old sessions: off at first, with what they would delete.
import { accessible, act, expect, test, visit } from '../verbatim.mjs';

test.use({ tolerated: [/400 \(Bad Request\)/] });

const stored = async (page) => (await act(page, 'GET', '/v1/settings/retention')).body.rules;

test('a rule is added, says what it would delete, is changed, removed and brought back', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/settings');
  const section = page.getByRole('region', { name: 'Retention' });
  await expect(section.getByText('Everything is kept.')).toBeVisible();
  await section.getByText('Add a rule', { exact: true }).click();
  const form = section.locator('#new-retention form');
  await form.getByLabel('Name').fill('Old sessions');
  await form.getByLabel('Days without activity').fill('36500');
  await accessible(page);
  await form.getByRole('button', { name: 'Add' }).click();

  const rule = section.getByRole('form', { name: 'Rule Old sessions' });
  await expect(rule.getByText('Switched on, it would delete nothing now.')).toBeVisible();
  await rule.getByLabel('Only this project').fill('/none');
  await rule.getByLabel('Only sessions larger than, in MB').fill('1.5');
  await rule.getByRole('button', { name: 'Save' }).click();
  const kept = { days: 36500, project: '/none', larger_than: 1500000, on: false };
  await expect.poll(() => stored(page)).toMatchObject([kept]);
  await expect(rule.getByLabel('Only sessions larger than, in MB')).toHaveValue('1.5');
  await rule.getByRole('switch', { name: 'Old sessions' }).check();
  await expect.poll(() => stored(page)).toMatchObject([{ ...kept, on: true }]);
  await expect(rule.getByText('it would delete')).toHaveCount(0);
  await accessible(page);

  await rule.getByRole('button', { name: 'Remove Old sessions' }).click();
  await expect(rule).toHaveCount(0);
  expect(await stored(page)).toEqual([]);
  const removed = page.getByRole('status').filter({ hasText: 'The rule Old sessions was removed.' });
  await removed.getByRole('button', { name: 'Undo' }).click();
  await expect(rule.getByLabel('Only this project')).toHaveValue('/none');
  expect(await stored(page)).toMatchObject([{ ...kept, on: true }]);
  await rule.getByLabel('Only sessions larger than, in MB').fill('-1');
  await rule.evaluate((own) => (own.noValidate = true));
  await rule.getByRole('button', { name: 'Save' }).click();
  await expect(rule.getByRole('alert')).toBeVisible();
  expect(await stored(page)).toMatchObject([{ ...kept, on: true }]);
});
