// Schedules: made in the form, paused, run, removed and brought back.
import { newAgent } from '../agent.mjs';
import { accessible, act, expect, idOf, ready, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';

test('without a session there is nothing to schedule', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/schedules');
  await expect(page.getByRole('heading', { name: 'No schedules yet' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Start one' })).toHaveAttribute('href', '/new');
});

test.describe('with sessions', () => {
  test.use({ transcripts: ['-home-ada-orchard'], tolerated: [/40[09] \((Bad Request|Conflict)\)/], timezoneId: 'Europe/Berlin' });

  test('a schedule is made, paused, run, removed and brought back', async ({ page, verbatim }) => {
    const ripe = (await newAgent(verbatim)).id;
    await visit(page, verbatim, '/schedules');
    const form = page.getByRole('form', { name: 'New schedule' });
    await form.getByLabel('Session', { exact: true }).selectOption(ripe);
    await form.getByLabel('Prompt').fill('Count the <b>apples</b>');
    await form.getByLabel('Cron expression').fill('every day');
    await form.getByRole('button', { name: 'Add schedule' }).click();
    await expect(form.getByRole('alert')).toContainText('`/cron`');
    await expect(form.getByLabel('Cron expression')).toBeFocused();
    await expect(form.getByLabel('Cron expression')).toHaveAttribute('aria-invalid', 'true');
    await accessible(page);
    await form.getByLabel('Cron expression').fill('0 9 * * 1-5');
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await page.keyboard.press('Enter');

    const row = page.getByRole('row', { name: /Count the <b>apples<\/b>/ });
    await expect(row).toContainText('0 9 * * 1-5 Europe/Berlin');
    await expect(row.getByRole('cell').nth(1)).toHaveText('Never');
    const [made] = (await act(page, 'GET', '/v1/schedules')).body.schedules;
    expect([made.session, made.prompt, made.cron, made.zone, made.state]).toEqual([
      ripe, 'Count the <b>apples</b>', '0 9 * * 1-5', 'Europe/Berlin', 'active',
    ]);
    await ready(page);
    await accessible(page);
    await row.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await expect(row.getByRole('cell').first()).toContainText('Paused');
    await row.getByRole('button', { name: 'Resume' }).click();
    await expect(row.getByRole('button', { name: 'Pause' })).toBeVisible();
    await row.getByRole('button', { name: 'Run now' }).click();
    await expect(row.getByRole('status')).toHaveText('Sent');
    await page.reload();
    await ready(page);
    await expect(row.getByRole('link', { name: 'Sent' })).toHaveAttribute('href', `/s/${ripe}`);
    await row.getByRole('button', { name: 'Remove' }).click();
    await expect(row.getByRole('button', { name: 'Undo' })).toBeVisible();
    expect((await act(page, 'GET', '/v1/schedules')).body.schedules).toEqual([]);
    await row.getByRole('button', { name: 'Undo' }).click();
    await expect(row.getByRole('button', { name: 'Remove' })).toBeVisible();
    expect((await act(page, 'GET', '/v1/schedules')).body.schedules.map(({ id }) => id)).toEqual([made.id]);

    await row.getByRole('link', { name: 'Sent' }).click();
    await ready(page);
    const sent = page.getByRole('article', { name: 'You: Count the <b>apples</b>' });
    await expect(sent.locator('.by')).toHaveText('Scheduled task» [Scheduled Task]');
    await expect(sent.getByText('Scheduled task', { exact: true })).toHaveCount(1);
    await expect(sent.locator('.prose')).toHaveText('Count the apples');
    await page.goto(`${verbatim.url}/settings#audit`);
    await ready(page);
    const log = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
    await expect(log.first()).toContainText('Schedule created for session');
    await expect(log.nth(1)).toContainText('Schedule removed from session');
    await expect(log.nth(2)).toContainText('Schedule changed (paused) of session');
  });

  test('a session that no agent takes up gets none', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/schedules');
    const form = page.getByRole('form', { name: 'New schedule' });
    await form.getByLabel('Session', { exact: true }).selectOption(await idOf(page, RIPE));
    await form.getByLabel('Prompt').fill('Count the apples');
    await form.getByLabel('Cron expression').fill('0 9 * * 1-5');
    await form.getByRole('button', { name: 'Add schedule' }).click();
    await expect(form.getByRole('alert')).toContainText('No agent reads prompts in this session');
    await expect(form.getByLabel('Session', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  });

  test.describe('in the dark, on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });

    test('one that runs once is made, and nothing is wider than the screen', async ({ page, verbatim }) => {
      const { id } = await newAgent(verbatim);
      await visit(page, verbatim, '/schedules');
      const form = page.getByRole('form', { name: 'New schedule' });
      await form.getByLabel('Session', { exact: true }).selectOption(id);
      await form.getByLabel('Prompt').fill('Publish the harvest');
      await form.getByLabel('When').selectOption('at');
      await form.getByLabel('Day and time').fill('2001-01-01T09:00');
      await form.getByRole('button', { name: 'Add schedule' }).click();
      await expect(form.getByRole('alert')).toContainText('a time in the future');
      await form.getByLabel('Day and time').fill('2999-12-01T09:00');
      await form.getByRole('button', { name: 'Add schedule' }).click();
      await expect(page.getByRole('row', { name: /Publish the harvest/ })).toContainText('2999');
      await accessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    });
  });
});
