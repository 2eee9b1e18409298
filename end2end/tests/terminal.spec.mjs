// What is written in the page for Claude Code in its own terminal, where a hook waits for it.
import { withKey } from '../agent.mjs';
import { accessible, expect, ready, test, visit } from '../verbatim.mjs';

const SESSION = '5e551001-0000-4000-8000-000000000001';
const WAITS = { session_id: SESSION, hook_event_name: 'Stop', hook: 'h1', is_new: true };

test.use({ transcripts: ['-home-ada-orchard'] });

async function say(page, text) {
  await page.locator('#say').fill(text);
  await page.locator('#say').press('Control+Enter');
}

test('a message goes to the terminal, waits for the end of its turn, and is withdrawn', async ({ page, verbatim }) => {
  await visit(page, verbatim, `/s/${SESSION}`);
  const hooks = await withKey(verbatim, ['hooks']);
  const report = (hook_event_name) => hooks('POST', '/hooks/claude_code/5', { session_id: SESSION, hook_event_name });
  const waits = (hook) => hooks('POST', '/hooks/claude_code/words/60', { ...WAITS, hook });
  await expect(page.locator('#say')).toHaveCount(0);

  const first = waits('h1');
  await expect.poll(async () => {
    await page.reload();
    return page.locator('#say').count();
  }).toBe(1);
  await ready(page);
  const bar = page.getByRole('region', { name: 'The agent' });
  await expect(bar.locator('.state')).toHaveText('Waits in its terminal');
  await expect(bar).toContainText("Claude is told that you didn't type it there");
  await accessible(page);
  await say(page, 'Grind it finer');
  expect((await first).body.words).toBe('Grind it finer');
  await expect(bar.locator('.state')).toHaveText('Works in its terminal');
  await expect(page.getByRole('button', { name: 'Withdraw' })).toHaveCount(0);

  await say(page, 'Never mind');
  const waiting = bar.locator('.strip', { hasText: 'Never mind' });
  await expect(waiting).toContainText('Waits for the end of the turn');
  await accessible(page);
  await waiting.getByRole('button', { name: 'Withdraw' }).click();
  await expect(waiting).toHaveCount(0);
  await say(page, 'Then sweep');
  await expect(bar.locator('.strip', { hasText: 'Then sweep' })).toBeVisible();
  await report('Stop');
  expect((await waits('h2')).body.words).toBe('Then sweep');
  await expect(bar.locator('.strip', { hasText: 'Then sweep' })).toHaveCount(0);
  await expect(page.locator('article', { hasText: 'Then sweep' })).toHaveCount(1);
});
