// What agents are told at the beginning of each run, as the settings list it.
import { accessible, act, expect, ready, test, visit } from '../verbatim.mjs';

test.use({ tolerated: [/400 \(Bad Request\)/] });

const stored = async (page) => (await act(page, 'GET', '/v1/settings/notices')).body.notices;

test('notices are added, changed, switched off and removed, at once', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/settings');
  const section = page.getByRole('region', { name: 'Notices of runs' });
  await section.getByText('Add a notice').click();
  const form = section.locator('#new-notice form');
  await form.getByLabel('Name').fill('Deploy freeze');
  await form.getByLabel('Agents are told').selectOption('The text of the file');
  await form.getByLabel('Text, or absolute paths').fill('DEPLOYED');
  await form.getByRole('button', { name: 'Add' }).click();
  await expect(form.getByRole('alert')).toContainText('the absolute path of a file');
  await form.getByLabel('Agents are told').selectOption('These words');
  await form.getByLabel('Text, or absolute paths').fill('Nothing is deployed on Fridays');
  await accessible(page);
  await form.getByRole('button', { name: 'Add' }).click();

  const notice = section.getByRole('form', { name: 'Notice Deploy freeze' });
  await expect(notice.getByRole('switch', { name: 'Deploy freeze' })).toBeChecked();
  await expect(notice.getByLabel('Text, or absolute paths')).toHaveValue('Nothing is deployed on Fridays');
  const kept = { name: 'Deploy freeze', kind: 'text', value: 'Nothing is deployed on Fridays', on: true };
  expect(await stored(page)).toEqual([kept]);

  await notice.getByLabel('Text, or absolute paths').fill('Nothing is deployed this week');
  await notice.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => stored(page)).toEqual([{ ...kept, value: 'Nothing is deployed this week' }]);
  await notice.getByRole('switch', { name: 'Deploy freeze' }).uncheck();
  await expect.poll(() => stored(page)).toEqual([{ ...kept, value: 'Nothing is deployed this week', on: false }]);
  await page.reload();
  await ready(page);
  await expect(notice.getByRole('switch', { name: 'Deploy freeze' })).not.toBeChecked();
  await accessible(page);
  const freeze = { ...kept, value: 'Nothing is deployed this week', on: false };
  await act(page, 'PUT', '/v1/settings/notices/Holidays', { value: 'Ada is away' });
  const holidays = { name: 'Holidays', kind: 'text', value: 'Ada is away', on: true };
  await notice.getByRole('button', { name: 'Remove Deploy freeze' }).click();
  await expect(notice).toHaveCount(0);
  expect(await stored(page)).toEqual([holidays]);
  // What was removed comes back as it was, where it was.
  const removed = page.getByRole('status').filter({ hasText: 'The notice Deploy freeze was removed.' });
  await accessible(page);
  await removed.getByRole('button', { name: 'Undo' }).click();
  await expect(notice.getByLabel('Text, or absolute paths')).toHaveValue('Nothing is deployed this week');
  await expect(removed).toBeHidden();
  expect(await stored(page)).toEqual([freeze, holidays]);
  await notice.getByRole('button', { name: 'Remove Deploy freeze' }).click();
  await expect(notice).toHaveCount(0);
  expect(await stored(page)).toEqual([holidays]);
});
