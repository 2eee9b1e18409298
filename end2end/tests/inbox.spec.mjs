// What waits for the reader in all sessions, answered on one page.
import { newAgent, typed } from '../agent.mjs';
import { AWAY, accessible, decidable, expect, ready, test, visit } from '../verbatim.mjs';

const approval = (title) => typed('APPROVAL', { kind: 'permission', title, state: 'open' });
const row = (page, agent, seq) => page.locator(`[data-ask="${agent.id}/${seq}"]`);
const words = async (agent) => (await agent.pending()).map((message) => message.content);

async function asks(agent, tool_name, input, title, id = 'a') {
  const call_id = `${id}-call`;
  await agent.post({ call_id, ...typed('TOOL_CALL', { tool_name, state: 'pending', input }) });
  return agent.post({ id, call_id, ...approval(title) });
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
  await decidable(row(page, runs, 2));
  await page.keyboard.press('a');
  await expect(row(page, runs, 2)).toContainText(/Allowed once.*by you/);
  await expect(row(page, runs, 2)).toBeFocused();
  expect(await words(runs)).toEqual(['Selected: allowed once']);
  await page.keyboard.press('j');
  await decidable(row(page, edits, 2));
  await page.keyboard.press('d');
  await expect(row(page, edits, 2)).toContainText(/Denied.*by you/);
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await expect(row(page, wonders, 1).getByRole('textbox', { name: 'Your answer' })).toBeFocused();
  await page.keyboard.type('The *old* name');
  await decidable(row(page, wonders, 1));
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

test('what comes, changes and goes leaves the reader where they are', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { title: 'Frost' });
  for (const id of ['one', 'two', 'three']) await asks(agent, 'Bash', { command: `./check.sh ${id}` }, `Check ${id}`, id);
  const note = row(page, agent, 6).getByPlaceholder('A note to the agent (optional)');
  await visit(page, verbatim, '/inbox');
  await note.fill('Mind the frost');
  const before = await note.boundingBox();

  const other = await newAgent(verbatim, { title: 'Names' });
  await other.post({ id: 'q', content: 'Which tree?', requires_user_input: true });
  await expect(row(page, other, 1)).toContainText('Which tree?');
  // Decided elsewhere, and withdrawn: both say so in their place.
  const { body: { entry } } = await agent.call('GET', `/sessions/${agent.id}/messages/one`);
  const payload = { ...entry.metadata.payload, state: 'decided_elsewhere', decision: { state: 'allowed_once', via: 'terminal' } };
  await agent.update('one', { message_metadata: { ...entry.metadata, payload } });
  await expect(row(page, agent, 2)).toContainText('Allowed in the agent\'s terminal');
  await agent.update('two', { status: 'retracted' });
  await expect(row(page, agent, 4).getByRole('button', { name: 'Allow once' })).toHaveCount(0);
  await expect(row(page, agent, 4)).toContainText(/retracted/i);
  await expect(page.locator('#asks-count')).toHaveText('2 requests of 2 sessions');

  await expect(note).toBeFocused();
  await expect(note).toHaveValue('Mind the frost');
  expect(Math.abs((await note.boundingBox()).y - before.y)).toBeLessThan(2);
  // A request that is changed is drawn anew, with what was typed into it.
  const three = await agent.call('GET', `/sessions/${agent.id}/messages/three`);
  const metadata = three.body.entry.metadata;
  await agent.update('three', { message_metadata: { ...metadata, payload: { ...metadata.payload, title: 'Check all of it' } } });
  await expect(row(page, agent, 6)).toContainText('Check all of it');
  await expect(note).toHaveValue('Mind the frost');
  await expect(note).toBeFocused();
  await row(page, agent, 6).getByRole('button', { name: 'Deny' }).click();
  await expect(row(page, agent, 6)).toContainText('Mind the frost');
});

test('a notification is shown for each request while the page is not seen', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { title: 'Frost' });
  await page.addInitScript(() => {
    window.shown = [];
    window.asked = 0;
    let permission = 'default';
    class Stub {
      static get permission() { return permission; }
      static async requestPermission() { window.asked += 1; permission = 'granted'; return permission; }
      constructor(heading, { body, tag }) {
        window.shown.push({ heading, body, tag });
        this.close = () => { window.shown = window.shown.filter((other) => other.tag !== tag); };
      }
    }
    Object.defineProperty(window, 'Notification', { value: Stub });
    // Without a worker the page shows them itself, which can be seen here.
    navigator.serviceWorker.getRegistration = async () => undefined;
    window.hide = (hidden) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: hidden ? 'hidden' : 'visible' });
      document.dispatchEvent(new Event('visibilitychange'));
    };
  });
  await visit(page, verbatim, '/inbox');
  const shown = () => page.evaluate(() => window.shown);
  const notify = page.getByRole('button', { name: 'Notify me' });
  await expect(notify).toHaveAttribute('aria-pressed', 'false');
  expect(await page.evaluate(() => window.asked)).toBe(0);
  await notify.click();
  await expect(page.getByRole('button', { name: 'Notifications on' })).toHaveAttribute('aria-pressed', 'true');
  expect(await page.evaluate(() => window.asked)).toBe(1);

  await asks(agent, 'Bash', { command: './seen.sh' }, 'Seen', 'seen');
  await expect(row(page, agent, 2)).toBeVisible();
  // The list beside the page knows of it too.
  await expect(page.getByRole('link', { name: /^Needs you/ }).first()).toContainText('1');
  await page.evaluate(() => window.hide(true));
  await asks(agent, 'Bash', { command: './unseen.sh' }, 'Unseen', 'unseen');
  await expect.poll(shown).toEqual([{ heading: 'Frost needs you', body: expect.stringContaining('Unseen'), tag: `${agent.id}/4` }]);
  await agent.update('unseen', { status: 'retracted' });
  await expect.poll(shown).toEqual([]);
  await page.evaluate(() => window.hide(false));
  await page.getByRole('button', { name: 'Notifications on' }).click();
  await expect(notify).toBeVisible();
  await page.evaluate(() => window.hide(true));
  await asks(agent, 'Bash', { command: './off.sh' }, 'Off', 'off');
  await expect(row(page, agent, 6)).toBeAttached();
  expect(await shown()).toEqual([]);
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
    await decidable(page.locator('.inbox .request').nth(20));
    await allow.tap();
    // The one that is decided stays, the next one comes.
    await expect(page.locator('.inbox .request').nth(20)).toContainText(/Allowed once.*by you/);
    await expect(page.locator('.inbox .request')).toHaveCount(41);
    await expect(page.getByText('40 of 199 shown')).toBeVisible();
  });
});

test.describe('while the server is away', () => {
  test.use({ tolerated: [AWAY] });

  test('an answer is kept and sent when it is back, and what came meanwhile appears', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim, { title: 'Frost' });
    await asks(agent, 'Bash', { command: './check.sh' }, 'Check');
    await visit(page, verbatim, '/inbox');
    await verbatim.stop();
    const allow = row(page, agent, 2).getByRole('button', { name: 'Allow once' });
    await allow.click();
    await expect(page.getByText('What you did is kept here')).toBeVisible();
    await verbatim.start();
    await agent.post({ id: 'q', content: 'Still there?', requires_user_input: true });
    await expect(row(page, agent, 3)).toContainText('Still there?');
    await expect(row(page, agent, 2)).toContainText(/Allowed once.*by you/);
    expect(await words(agent)).toEqual(['Selected: allowed once']);
  });
});
