// Several people: an invitation, what a viewer sees, and a project that they don't see.
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, logIn, ready, test, visit } from '../verbatim.mjs';

test.use({ actionTimeout: 20_000, tolerated: [/status of 40[34]/] });

const permission = {
  kind: 'permission',
  title: 'Open the sluice?',
  questions: [{ question: 'Now?', options: [{ id: 'yes', label: 'Open it', kind: 'allow_once' }, { id: 'no', label: 'Keep it shut', kind: 'reject_once' }] }],
};

test('a person is invited, reads as a viewer, answers as a member, and is let see fewer projects', async ({ browser, page, verbatim }) => {
  await logIn(page, verbatim);
  const mill = await newAgent(verbatim, { id: 'mill', title: 'The mill', project: '/home/ada/mill' });
  await mill.post(typed('APPROVAL', permission));
  const bank = await newAgent(verbatim, { id: 'bank', title: 'The bank', project: '/home/ada/bank' });
  await bank.post({ content: 'Nobody else reads this' });

  const part = page.locator('#people');
  const link = await test.step('an invitation is made in the settings', async () => {
    await visit(page, verbatim, '/settings');
    await expect(part).toContainText('Only you use this server');
    await part.getByText('Add a person').click();
    const form = page.locator('#new-person form');
    await form.getByLabel('Name').fill('Ines');
    await form.getByLabel('Role').selectOption('viewer');
    await form.getByRole('button', { name: 'Add, and show the invitation' }).click();
    const added = page.locator('#added');
    await expect(added).toBeVisible();
    await expect(added.getByRole('img')).toHaveAttribute('src', /^data:image\/svg/);
    await expect(part.getByRole('form', { name: 'Person Ines' })).toContainText('Invited, and not logged in yet');
    await accessible(page);
    return added.locator('code').textContent();
  });

  const context = await browser.newContext({ baseURL: verbatim.url });
  const theirs = await context.newPage();
  await test.step('a viewer reads, and is offered nothing else', async () => {
    await theirs.goto(link);
    await ready(theirs);
    await expect(theirs.getByRole('link', { name: 'The mill' }).first()).toBeVisible();
    await expect(theirs.getByRole('link', { name: 'New session' })).toHaveCount(0);
    await expect(theirs.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Schedules' })).toHaveCount(0);
    await theirs.goto(`${verbatim.url}/s/mill`);
    await ready(theirs);
    await expect(theirs.getByText('Open the sluice?').first()).toBeVisible();
    await expect(theirs.getByRole('button', { name: 'Open it' })).toHaveCount(0);
    await expect(theirs.getByRole('textbox', { name: /message/i })).toHaveCount(0);
    await theirs.goto(`${verbatim.url}/settings`);
    await ready(theirs);
    await expect(theirs.getByRole('heading', { level: 2 })).toHaveText(['Settings', 'Devices', 'How you log in', 'Notifications', 'Appearance', 'Shortcuts', 'General']);
    await accessible(theirs);
  });

  await test.step('a member answers, under their name', async () => {
    await page.reload();
    await ready(page);
    const form = part.getByRole('form', { name: 'Person Ines' });
    await form.getByLabel('Role').selectOption('member');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await form.getByRole('button', { name: 'Save' }).click();
    expect((await saved).ok()).toBe(true);
    await theirs.goto(`${verbatim.url}/s/mill`);
    await ready(theirs);
    await theirs.getByRole('button', { name: 'Open it' }).click();
    await page.goto(`${verbatim.url}/s/mill`);
    await ready(page);
    await expect(page.getByText('by Ines').first()).toBeVisible();
  });

  await test.step('a restricted project is gone for them at once', async () => {
    await theirs.goto(`${verbatim.url}/sessions`);
    await ready(theirs);
    await expect(theirs.getByRole('link', { name: 'The bank' }).first()).toBeVisible();
    await visit(page, verbatim, '/settings');
    await part.getByText('Restrict a project').click();
    const form = page.locator('#new-restriction form');
    await form.getByLabel('Project').selectOption('/home/ada/bank');
    await form.getByRole('button', { name: 'Restrict' }).click();
    await expect(part.getByRole('form', { name: 'Project /home/ada/bank' })).toBeVisible();
    await theirs.reload();
    await ready(theirs);
    await expect(theirs.getByRole('link', { name: 'The mill' }).first()).toBeVisible();
    await expect(theirs.getByText('The bank')).toHaveCount(0);
    await theirs.goto(`${verbatim.url}/s/bank`);
    await expect(theirs.getByRole('heading', { level: 1 })).not.toContainText('The bank');
  });

  await test.step('who is removed is out', async () => {
    await part.getByRole('form', { name: 'Person Ines' }).getByRole('button', { name: 'Remove Ines' }).click();
    await page.getByRole('dialog', { name: /Remove Ines/ }).getByRole('button', { name: 'Remove' }).click();
    await expect(part).toContainText('Only you use this server');
    await theirs.goto(`${verbatim.url}/sessions`);
    await expect(theirs.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });
  await context.close();
});
