// Which messages wake an agent: set for the workspace in the settings, for a session on its own page.
import { accessible, act, expect, ready, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';

test.use({ transcripts: ['-home-ada-orchard'], tolerated: [/400 \(Bad Request\)/] });

const settings = async (page, path) => (await act(page, 'GET', path)).body.settings;

test('the workspace and a session each have their routing', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/settings');
  const form = page.getByRole('region', { name: 'Routing' });
  const general = page.getByRole('region', { name: 'General' });
  const calls = form.getByText('The assistant is called by');
  await expect(calls).toHaveText('The assistant is called by @Assistant, at the beginning of a message. Change its name');
  await expect(form.getByLabel('Other names')).toHaveAttribute('placeholder', 'ghost');
  await expect(form.getByLabel('What wakes the agent').locator('option')).toHaveText([
    'Default: In rooms, messages that begin with its name', 'Messages that begin with its name', 'Every message',
  ]);
  await expect(form.getByRole('button', { name: 'Back to the defaults' })).toHaveCount(0);

  await general.getByLabel('Name of the assistant').fill('Pynchy');
  await general.getByRole('button', { name: 'Save' }).first().click();
  await expect(calls).toContainText('@Pynchy,');
  await form.getByLabel('Other names').fill(`bot\n${'x'.repeat(65)}`);
  await form.getByLabel('Other messages').selectOption('accumulate');
  await form.getByRole('button', { name: 'Save' }).click();
  const names = form.getByLabel('Other names');
  await expect(form.getByRole('alert')).toHaveText('Line 2 should be a name of 1 to 64 characters that can be seen');
  await expect(names).toBeFocused();
  await expect(names).toHaveAttribute('aria-invalid', 'true');
  await accessible(page);
  expect(await settings(page, '/v1/settings/routing')).toEqual({});

  await names.fill('bot\n\n  Py  ');
  await form.getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await expect(form.getByRole('button', { name: 'Back to the defaults' })).toBeVisible();
  const saved = { aliases: ['bot', 'Py'], ignored: 'accumulate' };
  expect(await settings(page, '/v1/settings/routing')).toEqual(saved);
  await page.reload();
  await ready(page);
  await expect(calls).toContainText('@Pynchy,');
  await calls.getByRole('link', { name: 'Change its name' }).click();
  await expect(general.getByLabel('Name of the assistant')).toHaveValue('Pynchy');
  await expect(names).toHaveValue('bot\nPy');
  await expect(form.getByLabel('Other messages')).toHaveValue('accumulate');
  await expect(page.getByRole('region', { name: 'Audit log' }).locator('tbody tr').first()).toContainText('routing changed');

  await page.goto(`${verbatim.url}/s/${RIPE}/routing`);
  await ready(page);
  const own = page.getByRole('region', { name: 'Which messages wake the agent' });
  await expect(own.getByLabel('Name of the assistant')).toHaveAttribute('placeholder', 'Pynchy');
  await expect(own.getByLabel('Other names')).toHaveAttribute('placeholder', 'bot\nPy');
  await expect(own.getByLabel('Other messages').locator('option').first()).toHaveText(
    'Same as the workspace: Read together with the next message that wakes the agent',
  );
  await own.getByLabel('What wakes the agent').selectOption('mention');
  await own.getByLabel('What ends the name').selectOption('strict');
  await own.getByLabel('Allowed senders in rooms').fill('matrix:@ada:example.org');
  await own.getByLabel('Direct commands').selectOption('on');
  await own.getByLabel('Tools whose output is remembered').fill('command_output');
  await own.getByRole('button', { name: 'Save' }).click();
  await expect(own.getByRole('button', { name: 'Same as the workspace' })).toBeVisible();
  await accessible(page);
  expect(await settings(page, `/v1/sessions/${RIPE}/routing`)).toEqual({
    trigger: 'mention', mention_end: 'strict', senders: ['matrix:@ada:example.org'], direct_commands: 'on',
    remembered_tools: ['command_output'],
  });

  // A list without entries, as the API sets it, stays one.
  await act(page, 'PUT', `/v1/sessions/${RIPE}/routing`, { senders: [] });
  await page.reload();
  await ready(page);
  await expect(own.getByLabel('Allowed senders in rooms')).toHaveAttribute('placeholder', 'Nobody');
  await own.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.toast')).toContainText('Saved');
  expect(await settings(page, `/v1/sessions/${RIPE}/routing`)).toEqual({ senders: [] });
  await own.getByRole('button', { name: 'Same as the workspace' }).click();
  await expect(own.getByRole('button', { name: 'Same as the workspace' })).toHaveCount(0);
  expect(await settings(page, `/v1/sessions/${RIPE}/routing`)).toEqual({});
});

test('what is said in a session goes where its routing says', async ({ page, verbatim }) => {
  await visit(page, verbatim, `/s/${RIPE}/routing`);
  const own = page.getByRole('region', { name: 'Which messages wake the agent' });
  await own.getByLabel('Name of the assistant').fill('Pynchy');
  await own.getByLabel('What wakes the agent').selectOption('mention');
  await own.getByRole('button', { name: 'Save' }).click();
  await expect(own.getByRole('button', { name: 'Same as the workspace' })).toBeVisible();
  for (const content of ['Lunch?', '@pynchy pick them']) await act(page, 'POST', `/v1/sessions/${RIPE}/messages`, { content });
  await page.goto(`${verbatim.url}/s/${RIPE}`);
  await ready(page);
  const said = (words) => page.locator('article[data-role=user]', { hasText: words });
  await expect(said('Lunch?')).toContainText('Not addressed to the agent');
  await expect(said('@pynchy pick them')).toHaveText(/@pynchy pick them$/);
});
