// What waits for the reader in all sessions, answered on one page.
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, ready, test, visit } from '../verbatim.mjs';

const approval = (title) => typed('APPROVAL', { kind: 'permission', title, state: 'open' });
const row = (page, agent, seq) => page.locator(`[data-ask="${agent.id}/${seq}"]`);
const words = async (agent) => (await agent.pending()).map((message) => message.content);

async function asks(agent, tool_name, input, title) {
  const call_id = 'a-call';
  await agent.post({ call_id, ...typed('TOOL_CALL', { tool_name, state: 'pending', input }) });
  return agent.post({ id: 'a', call_id, ...approval(title) });
}

test('requests of all sessions are read and answered in place', async ({ page, verbatim }) => {
  const runs = await newAgent(verbatim, { title: 'Frost' });
  await asks(runs, 'Bash', { command: 'rm -rf frost && ./check.sh' }, 'Run the frost check');
  const edits = await newAgent(verbatim, { title: 'Pears' });
  await asks(edits, 'Edit', { file_path: '/home/ada/orchard/pears.md', old_string: 'old pear\n', new_string: 'young pear\n' }, 'Edit a file');
  const wonders = await newAgent(verbatim, { title: 'Names' });
  await wonders.post({ id: 'q', content: 'Shall I call it **quince**?', requires_user_input: true });
  await visit(page, verbatim, '/sessions');
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL('**/inbox');
  await ready(page);
  await expect(page).toHaveTitle('(3!) Needs you · Verbatim');
  await expect(page.locator('#asks-count')).toHaveText('3 requests of 3 sessions');
  await expect(page.locator('a[href="/inbox"]').first()).toHaveText(/3$/);
  await expect(row(page, runs, 2)).toContainText('rm -rf frost && ./check.sh');
  await expect(row(page, edits, 2).locator('.proposed')).toContainText(/pears\.md.*young pear/s);
  await accessible(page);

  // Without the focus on a request keys decide nothing.
  await page.keyboard.press('a');
  await expect(page.locator('#announcer')).toHaveText('No open request has the focus');
  await page.keyboard.press('j');
  await expect(page.getByRole('article', { name: 'Frost', exact: true })).toBeFocused();
  await page.keyboard.press('a');
  await expect(row(page, runs, 2)).toContainText(/Allowed once.*by you/);
  await expect(row(page, runs, 2)).toBeFocused();
  expect(await words(runs)).toEqual(['Selected: allowed once']);
  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await expect(row(page, edits, 2)).toContainText(/Denied.*by you/);
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await expect(page.getByRole('textbox', { name: 'Your answer' })).toBeFocused();
  await page.keyboard.type('The *old* name');
  await page.keyboard.press('Control+Enter');
  await expect(row(page, wonders, 1)).toContainText('Answered by you');
  expect(await words(wonders)).toEqual(['The *old* name']);
  await expect(page).toHaveTitle('Needs you · Verbatim');
  await expect(page.getByRole('heading', { name: 'Nothing needs you' })).toBeVisible();
  await accessible(page);
  await page.reload();
  await expect(page.locator('#asks > *')).toHaveCount(0);
  await ready(page);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });

  test('two hundred requests come a page at a time', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim, { title: 'Frost' });
    const messages = Array.from({ length: 200 }, (_, n) => ({ id: `a${n}`, ...approval(`Check tree ${n}`) }));
    const posted = await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages });
    expect(posted.status, JSON.stringify(posted.body)).toBe(201);
    await visit(page, verbatim, '/sessions');
    const tab = page.locator('.tabbar').getByRole('link', { name: 'Needs you' });
    await expect(tab).toContainText('200');
    await tab.tap();
    await page.waitForURL('**/inbox');
    await ready(page);
    await expect(page.locator('.inbox .request')).toHaveCount(20);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    await accessible(page);
    await page.getByRole('link', { name: 'Show more' }).tap();
    await expect(page.locator('.inbox .request')).toHaveCount(40);
    await expect(page.locator('.inbox .request').nth(20)).toBeFocused();
    await expect(page.getByText('40 of 200 shown')).toBeVisible();
    expect(new URL(page.url()).search).toBe('?limit=40');
    const allow = page.locator('.inbox .request').nth(20).getByRole('button', { name: 'Allow once' });
    expect((await allow.boundingBox()).height).toBeGreaterThanOrEqual(48);
    await allow.tap();
    // The one that is decided stays, the next one comes.
    await expect(page.locator('.inbox .request').nth(20)).toContainText(/Allowed once.*by you/);
    await expect(page.locator('.inbox .request')).toHaveCount(41);
    await expect(page.getByText('40 of 199 shown')).toBeVisible();
  });
});
