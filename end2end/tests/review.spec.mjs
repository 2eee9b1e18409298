// The changes page: many edits of a file as one difference, looked at, ticked off, commented.
import { newAgent, typed } from '../agent.mjs';
import { expect, logIn, ready, test } from '../verbatim.mjs';

const cwd = '/home/ada/orchard';
const lines = (from, to, change = {}) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${change[from + at] ?? `    let row_${from + at} = tree(${from + at});`}\n`).join('');

async function edit(agent, file, old_content, new_content, info = {}) {
  const edits = [{ file_path: `${cwd}/${file}`, ...(old_content !== null && { old_content }), ...(new_content !== null && { new_content }) }];
  const envelope = typed('CODE_EDIT', { edits });
  const scope = old_content === null || new_content === null ? 'file' : 'fragment';
  envelope.message_metadata.edit_info = [{ state: 'applied', scope, ...info }];
  return agent.post(envelope);
}

async function session(verbatim) {
  const agent = await newAgent(verbatim, { cwd });
  await edit(agent, 'src/rows.rs', lines(10, 60), lines(10, 60, { 30: '    let row_30 = pear(30);', 50: '    let row_50 = plum(50);' }), { start_line: 10 });
  await edit(agent, 'src/rows.rs', lines(28, 32, { 30: '    let row_30 = pear(30);' }), lines(28, 32, { 30: '    let row_30 = quince(30);' }), { start_line: 28 });
  await edit(agent, 'src/new.rs', null, 'fn planted() {}\n');
  await edit(agent, 'Cargo.lock', 'a\n', 'b\n');
  await edit(agent, 'src/gone.rs', 'fn felled() {}\n', 'fn stands() {}\n', { state: 'failed' });
  return agent;
}

async function open(page, verbatim, path) {
  await logIn(page, verbatim);
  await page.goto(verbatim.url + path);
  await ready(page);
}

test('edits of one file are one difference, failed ones stand apart', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  await expect(rows.locator('ins.l')).toHaveText(['    let row_30 = quince(30);', '    let row_50 = plum(50);']);
  await expect(rows.locator('del.l')).toHaveText(['    let row_30 = tree(30);', '    let row_50 = tree(50);']);
  await expect(page.locator('section.file', { hasText: 'Cargo.lock' })).toContainText('Lock file');
  await expect(page.locator('.not-applied')).toContainText('src/gone.rs');
  // What a gap hides comes when asked for.
  const gap = rows.locator('.gap', { hasText: '13 unchanged lines' });
  await gap.getByRole('button', { name: 'Show' }).click();
  await expect(rows.locator('.l', { hasText: 'row_40' })).toBeVisible();
});

test('files are ticked off, and stay so until they change', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  await rows.getByRole('checkbox').check();
  await expect(page.locator('#viewed-count')).toHaveText('1 of 3 viewed');
  await expect(rows.locator('.file-body')).toBeHidden();
  await page.reload();
  await ready(page);
  await expect(page.locator('#viewed-count')).toHaveText('1 of 3 viewed');
  await edit(agent, 'src/rows.rs', lines(50, 50, { 50: '    let row_50 = plum(50);' }), lines(50, 50, { 50: '    let row_50 = fig(50);' }), { start_line: 50 });
  await page.reload();
  await ready(page);
  await expect(page.locator('#viewed-count')).toHaveText('0 of 3 viewed');
});

test('keys change the view and walk through the changes', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  await expect(rows.locator('ins.l')).toHaveCount(2);
  await page.keyboard.press('s');
  await expect(page.getByRole('button', { name: 'Split' })).toHaveAttribute('aria-pressed', 'true');
  await expect(rows.locator('.split')).toHaveCount(1);
  await page.keyboard.press('u');
  await expect(rows.locator('.split')).toHaveCount(0);
  await page.keyboard.press('n');
  await expect(page.locator('#review-at')).toHaveText(/^1 of /);
  await page.keyboard.press('F7');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('comments on lines are collected and sent to the agent as one message', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
  await page.getByRole('textbox', { name: 'Comment on R30' }).fill('Why a quince?');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await expect(rows.locator('.note')).toContainText('Why a quince?');
  await page.reload();
  await ready(page);
  await expect(rows.locator('.note')).toContainText('Draft');
  await page.getByRole('button', { name: 'Send 1 comment' }).click();
  await expect(rows.locator('.note')).toContainText('Sent');
  const [message] = await agent.pending();
  expect(message.content).toContain(`\`${cwd}/src/rows.rs:30\``);
  expect(message.content).toContain('let row_30 = quince(30);');
  expect(message.content).toContain('Why a quince?');
});

test('a link leads to its lines, also after they moved', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  await rows.locator('ins.l').nth(1).click({ position: { x: 12, y: 8 } });
  const link = page.url();
  expect(link).toMatch(/#d-[0-9a-f]{8}:R50~[0-9a-f]{8}$/);
  await edit(agent, 'src/rows.rs', lines(12, 12), `    // planted\n${lines(12, 12)}`, { start_line: 12 });
  await page.goto('about:blank');
  await page.goto(link);
  await ready(page);
  await expect(rows.locator('.l.at')).toHaveText('    let row_50 = plum(50);');
});

test('a large difference is text in blocks, coloured and findable', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { cwd });
  const old = lines(1, 5000);
  await edit(agent, 'src/large.rs', old, old.replaceAll('tree', 'pear'), { scope: 'file' });
  await open(page, verbatim, `/s/${agent.id}/changes`);
  await page.getByRole('button', { name: 'Show the difference' }).click();
  await expect(page.locator('.bc')).toHaveCount(20);
  await expect(page.locator('.bc:has(.bk)')).toHaveCount(20);
  expect(await page.evaluate(() => document.querySelectorAll('#files *').length)).toBeLessThan(1000);
  expect(await page.evaluate(() => CSS.highlights.get('k').size)).toBeGreaterThan(1000);
  expect(await page.evaluate(() => window.find('let row_4990 = pear'))).toBe(true);
});
