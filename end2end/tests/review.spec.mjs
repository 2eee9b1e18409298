// The changes page: many edits of a file as one difference, looked at and ticked off.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newAgent, typed } from '../agent.mjs';
import { cwd, edit, editor, lines, open, session } from '../review.mjs';
import { accessible, act, expect, logIn, ready, settled, step, test } from '../verbatim.mjs';

// Wide enough for the files beside the differences, and not for two sides of them.
test.use({ viewport: { width: 1084, height: 800 } });

test('changes are read', async ({ page, verbatim }) => {
  await step(page, 'edits of one file are one difference, failed ones stand apart', async () => {
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

  await step(page, 'files are ticked off, and stay so until they change', async () => {
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

  await step(page, 'keys change the view and walk through the changes', async () => {
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

  await step(page, 'keys stop at a file that shows no changes, and say why; the list names it though nothing scrolls', async () => {
    const agent = await newAgent(verbatim, { cwd });
    await edit(agent, 'a.rs', 'fn a() {}\n', 'fn b() {}\n');
    await edit(agent, 'Cargo.lock', 'a\n', 'b\n');
    await edit(agent, 'z.rs', 'fn y() {}\n', 'fn z() {}\n');
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const at = (name) => page.locator('section.file[data-at], section.file:has([data-at])').filter({ hasText: name });
    const named = page.locator('.file-row[aria-current]');
    await expect(page.locator('.run.chg')).toHaveCount(2);
    await expect(page.locator('.folded-why')).toHaveCount(1);
    expect(await page.locator('#files').evaluate((files) => files.scrollHeight - files.clientHeight)).toBe(0);
    await page.keyboard.press('n');
    await expect(at('Cargo.lock')).toHaveCount(1);
    await expect(page.locator('#announcer')).toHaveText('Cargo.lock, collapsed: Lock file');
    await expect(named).toContainText('Cargo.lock');
    await page.keyboard.press('n');
    await expect(at('a.rs')).toHaveCount(1);
    await expect(named).toContainText('a.rs');
    await page.keyboard.press('n');
    await expect(at('z.rs')).toHaveCount(1);
    await expect(named).toContainText('z.rs');
    await page.keyboard.press('v');
    await expect(page.locator('#viewed-count')).toHaveText('1 of 3 viewed');
    await page.keyboard.press('p');
    await expect(at('a.rs')).toHaveCount(1);
    await page.keyboard.press('n');
    await expect(page.locator('#announcer')).toHaveText('z.rs, collapsed: viewed');
  });

  await step(page, 'what scrolls sideways can be reached by keys', async () => {
    const agent = await newAgent(verbatim, { cwd });
    await edit(agent, 'art/logo.txt', `${'<'.repeat(400)}\n`, `${'>'.repeat(400)}\n`);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await page.keyboard.press('z');
    await expect(page.locator('section.file .diff[tabindex="0"]')).toHaveCount(1);
    await accessible(page);
    await page.keyboard.press('z');
    await expect(page.locator('section.file .diff[tabindex]')).toHaveCount(0);
  });

  await step(page, 'names hide nothing: what turns them round, or can not be seen, is shown by its number', async () => {
    const agent = await newAgent(verbatim, { cwd, title: 'hostile \u202egpj.exe\u202c' });
    await edit(agent, 'a\u202egnp.rs', 'a\n', 'b\n');
    await edit(agent, 'co\u200bnfig.rs', 'a\n', 'b\n');
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await expect(page.locator('.file-row .name')).toHaveText([/a<U\+202E>gnp\.rs/, /co<U\+200B>nfig\.rs/]);
    await expect(page.locator('section.file .path b')).toHaveText(['aU+202Egnp.rs', 'coU+200Bnfig.rs']);
    await expect(page).toHaveTitle(/hostile <U\+202E>gpj\.exe<U\+202C>/);
    await page.goto(`${verbatim.url}/s/${agent.id}?panel=changes`);
    await ready(page);
    await expect(page.locator('#panel summary b')).toHaveText(['co<U+200B>nfig.rs', 'a<U+202E>gnp.rs']);
    await expect(page.locator('h1')).toHaveText('hostile <U+202E>gpj.exe<U+202C>');
  });
});

test('files, lines and comments', async ({ page, context, verbatim }) => {
  await step(page, 'files far away leave the document and come back as they were', async () => {
    const agent = await newAgent(verbatim, { cwd });
    for (let n = 0; n < 24; n += 1) {
      await edit(agent, `src/file_${String(n).padStart(2, '0')}.rs`, lines(1, 60), lines(1, 60, Object.fromEntries([5, 20, 35, 50].map((at) => [at, `    let row_${at} = pear(${n});`]))), { start_line: 1 });
    }
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const first = page.locator('section.file').first();
    await expect(first.locator('ins.l')).toHaveCount(4);
    await first.locator('.gap', { hasText: 'unchanged' }).first().getByRole('button', { name: 'Show' }).click();
    await expect(first.locator('.l', { hasText: 'row_12 ' })).toBeVisible();
    // A file with the focus in it stays.
    await page.locator('#files').focus();
    let most = 0;
    for (let n = 0; n < 24; n += 1) {
      await page.keyboard.press(']');
      const next = page.locator('section.file', { hasText: `file_${String(Math.min(n + 1, 23)).padStart(2, '0')}.rs` });
      await expect(next.locator('ins.l').first()).toBeAttached();
      most = Math.max(most, await page.evaluate(() => document.getElementsByTagName('*').length));
    }
    expect(most).toBeLessThan(1_500);
    await expect(page.locator('section.file', { hasText: 'file_00.rs' })).toHaveCount(0);
    await page.locator('#files').evaluate((files) => files.scrollTo(0, 0));
    await expect(first.locator('.l', { hasText: 'row_12 ' })).toBeVisible();
    expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(1_500);
  });

  await step(page, 'images stand side by side, and what is no text says why', async () => {
    const agent = await newAgent(verbatim, { cwd });
    const image = (colour) => page.evaluate((fill) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
      const context = canvas.getContext('2d');
      context.fillStyle = fill;
      context.fillRect(0, 0, 64, 48);
      return canvas.toDataURL('image/png');
    }, colour);
    await edit(agent, 'art/tree.png', await image('green'), await image('orange'), { scope: 'file' });
    await edit(agent, 'art/raw.dat', 'a\u0001', `b${'\ufffd'.repeat(20)}`, { scope: 'file' });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await expect(page.getByAltText(/^Before: .*tree\.png$/)).toBeVisible();
    await expect(page.getByAltText(/^After: .*tree\.png$/)).toBeVisible();
    await expect(page.locator('.picture-sides figcaption').first()).toContainText(/^Before, 64 \u00d7 48, \d+ B/);
    await page.getByRole('radio', { name: 'Fade' }).check();
    await page.getByLabel('Opacity of the new image').fill('20');
    expect(await page.locator('.picture-sides .after').evaluate((it) => getComputedStyle(it).opacity)).toBe('0.2');
    await page.getByRole('radio', { name: 'Swipe' }).check();
    await expect(page.getByAltText(/^After/)).toBeVisible();
    await expect(page.locator('section.file', { hasText: 'raw.dat' })).toContainText('Not UTF-8');
  });

  await step(page, 'lines are chosen, commented and linked by keys, and a comment that was begun stays', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await expect(rows.locator('ins.l')).toHaveCount(2);
    await page.keyboard.press('c');
    await expect(page.locator('#toasts')).toContainText('No lines are selected');
    const toChange = () => expect(async () => {
      await page.keyboard.press('n');
      await expect(rows.locator('.run.chg[data-at]')).toHaveCount(1, { timeout: 300 });
    }).toPass();
    await toChange();
    await page.keyboard.press('c');
    const field = page.getByRole('textbox', { name: /Comment on R30/ });
    await expect(field).toBeFocused();
    await field.fill('Why a quince?');
    // Another look at the file, another number, a page that is drawn anew: what was begun is there again.
    await page.getByRole('button', { name: 'Split' }).click();
    await expect(rows.locator('.split').first()).toBeVisible();
    await expect(field).toHaveValue('Why a quince?');
    await page.getByRole('button', { name: 'Unified' }).click();
    await expect(field).toHaveValue('Why a quince?');
    await rows.locator('ins.l').last().click({ position: { x: 12, y: 8 } });
    await expect(page.getByRole('textbox', { name: 'Comment on R50' })).toBeFocused();
    await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
    await expect(field).toHaveValue('Why a quince?');
    await page.reload();
    await ready(page);
    await expect(field).toHaveValue('Why a quince?');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await toChange();
    await page.keyboard.press('Shift+ArrowDown');
    await expect(rows.locator('.l.at')).toHaveCount(1);
    await page.keyboard.press('F7');
    const table = page.getByRole('dialog');
    await expect(table.getByRole('button', { name: 'Copy link: R30' })).toBeVisible();
    await table.getByRole('button', { name: 'Comment: R31' }).click();
    await expect(page.getByRole('textbox', { name: 'Comment on R31' })).toBeFocused();
    await expect(table).toBeHidden();
  });

  await step(page, 'the page says what was changed since, and a phone has files and steps', async () => {
    const agent = await session(verbatim);
    await page.setViewportSize({ width: 390, height: 800 });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const files = page.getByRole('button', { name: 'Files 0/3' });
    await files.click();
    await expect(page.getByPlaceholder('Filter files')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(files).toBeFocused();
    await page.getByRole('button', { name: 'Next change' }).last().click();
    await expect(page.locator('[data-at]')).toHaveCount(1);
    await files.click();
    await page.locator('#review-side .file-row', { hasText: 'new.rs' }).getByRole('link').click();
    await expect(page.locator('#review-side')).toBeHidden();
    await edit(agent, 'src/later.rs', null, 'fn later() {}\n');
    const news = page.getByRole('button', { name: '1 edit since: show' });
    await expect(news).toBeInViewport({ ratio: 1 });
    expect(await page.locator('.bar-title h1').evaluate((title) => title.scrollWidth - title.clientWidth)).toBeLessThanOrEqual(0);
    await news.click();
    await expect(page.locator('section.file', { hasText: 'later.rs' })).toHaveCount(1);
  });

  await step(page, 'an edit of unknown place has no line numbers, in comments and links neither', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const agent = await newAgent(verbatim, { cwd });
    await edit(agent, 'src/rows.rs', lines(30, 32), lines(30, 32, { 31: '    let row_31 = pear(31);' }));
    await edit(agent, 'src/rows.rs', lines(70, 72), lines(70, 72, { 71: '    let row_71 = plum(71);' }));
    await edit(agent, 'src/rows.rs', lines(10, 12), lines(10, 12, { 11: '    let row_11 = fig(11);' }), { start_line: 10 });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await expect(page.locator('#review-at')).toHaveText('3 changes');
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await expect(rows.locator('.gap.unknown', { hasText: "wasn't recorded" })).toHaveCount(2);
    const number = (text) => rows.locator('ins.l', { hasText: text }).evaluate((line) => getComputedStyle(line, '::before').content);
    expect(await number('fig')).not.toContain('\u00b7');
    expect(await number('plum')).toContain('\u00b7');
    await rows.locator('ins.l', { hasText: 'plum' }).click({ position: { x: 12, y: 8 } });
    await page.getByRole('textbox', { name: 'Comment on R\u00b72' }).fill('Why a plum?');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await expect(rows.locator('ins.l', { hasText: 'plum' }).locator('xpath=following-sibling::*[1]')).toContainText('Why a plum?');
    await rows.locator('ins.l', { hasText: 'plum' }).click({ position: { x: 12, y: 8 } });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await rows.locator('ins.l', { hasText: 'plum' }).click({ position: { x: 12, y: 8 } });
    const link = page.url();
    expect(link).toMatch(/:R2@2\.0~[0-9a-f]{8}$/);
    await page.goto('about:blank');
    await page.goto(link);
    await ready(page);
    await expect(rows.locator('.l.at')).toHaveText('    let row_71 = plum(71);');
    await rows.getByLabel('More').click();
    await rows.getByRole('button', { name: 'Copy patch' }).click();
    await expect(async () => {
      const patch = await page.evaluate(() => navigator.clipboard.readText());
      expect(patch.match(/^@@.*$/gm)).toEqual(['@@ -10,3 +10,3 @@', '@@ place in the file not recorded @@', '@@ place in the file not recorded @@']);
    }).toPass();
    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    const [message] = await agent.pending();
    expect(message.content).toContain(`\`${cwd}/src/rows.rs\` (position in the file unknown)`);
    expect(message.content).toContain('let row_71 = plum(71);');
    expect(message.content).not.toContain('rows.rs:');
  });

  await step(page, 'the editor opens at the line that is meant', async () => {
    const agent = await session(verbatim);
    await logIn(page, verbatim);
    const opened = await editor(page, verbatim);
    await page.goto(`${verbatim.url}/s/${agent.id}/changes`);
    await ready(page);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await expect(rows.locator('ins.l')).toHaveCount(2);
    const toEditor = async () => {
      await rows.getByLabel('More').click();
      await rows.locator('.menu-item', { hasText: 'Open in the editor' }).click();
    };
    await toEditor();
    await expect.poll(() => opened.pop()).toMatch(/src\/rows\.rs:30$/);
    await rows.locator('ins.l').last().click({ position: { x: 12, y: 8 } });
    await toEditor();
    await expect.poll(() => opened.pop()).toMatch(/src\/rows\.rs:50$/);
    // An unchanged line is as good on the old side.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Split' }).click();
    await rows.locator('.o > .l', { hasText: 'row_33 ' }).click({ position: { x: 12, y: 8 } });
    await toEditor();
    await expect.poll(() => opened.pop()).toMatch(/src\/rows\.rs:33$/);
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    const card = page.locator('.card.edit', { hasText: 'rows.rs' }).first();
    await card.getByRole('button', { name: 'Open in the editor' }).click();
    await expect.poll(() => opened.pop()).toMatch(/src\/rows\.rs:30$/);
  });
});

test.describe('answers that are late', () => {
  test.use({ serviceWorkers: 'block' });

  test('a gap is opened once, however often it is clicked, and the keys go on', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim, { cwd });
    await edit(agent, 'src/rows.rs', lines(1, 120), lines(1, 120, { 5: 'a', 110: 'b' }), { start_line: 1 });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    const gap = rows.locator('.gap').first();
    let asked = 0;
    await page.route('**/net?*lines=*', async (route) => {
      asked += 1;
      await new Promise((resolve) => { setTimeout(resolve, 300); });
      await route.continue();
    });
    await gap.locator('[data-expand=down]').dblclick();
    const row = (n) => rows.locator('.run > .l', { hasText: new RegExp(`row_${n} =`) });
    await expect(row(10)).toHaveCount(1);
    expect(asked).toBe(1);
    await page.unroute('**/net?*lines=*');
    await gap.locator('[data-expand]:not([data-expand=down]):not([data-expand=up])').press('Enter');
    await expect(row(60)).toHaveCount(1);
    expect(await page.evaluate(() => document.activeElement.tagName)).not.toBe('BODY');
  });
});

test('eight hundred files are counted at once, and few of them are in the document', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { cwd });
  const edits = Array.from({ length: 800 }, (_, n) => ({ file_path: `${cwd}/src/part_${n % 40}/file_${n}.rs`, old_content: 'a\n', new_content: `b ${n}\n` }));
  const envelope = typed('CODE_EDIT', { edits });
  envelope.message_metadata.edit_info = edits.map(() => ({ state: 'applied', scope: 'file' }));
  await agent.post(envelope);
  await logIn(page, verbatim);
  await page.route('**/*.wasm', (route) => route.abort());
  await page.goto(`${verbatim.url}/s/${agent.id}/changes`);
  await expect(page.locator('#review-at')).toHaveText('800 changes');
  const elements = () => page.evaluate(() => document.getElementsByTagName('*').length);
  expect(await elements()).toBeLessThan(1_500);
  await page.unroute('**/*.wasm');
  await page.reload();
  await ready(page);
  const files = page.locator('#files');
  await expect(page.locator('section.file').first().locator('ins.l')).toHaveCount(1);
  let most = await elements();
  for (const share of [0.2, 0.5, 0.9, 1, 0.4]) {
    await files.evaluate((list, at) => list.scrollTo(0, at * list.scrollHeight), share);
    await expect.poll(() => page.locator('section.file .run').count()).toBeGreaterThan(2);
    await expect(page.locator('#review-at')).toHaveText('800 changes');
    most = Math.max(most, await elements());
  }
  await page.locator('#review-side').evaluate((side) => side.scrollTo(0, side.scrollHeight));
  await page.locator('.file-row a', { hasText: 'file_9.rs' }).click();
  await expect(page.locator('section.file', { hasText: 'file_9.rs' }).locator('ins.l')).toBeInViewport();
  // What is remembered is read for all files at once.
  await page.evaluate(() => {
    const { getItem } = Storage.prototype;
    globalThis.reads = 0;
    Storage.prototype.getItem = function read(...key) {
      globalThis.reads += 1;
      return getItem.apply(this, key);
    };
  });
  await page.locator('section.file', { hasText: 'file_9.rs' }).getByRole('checkbox').check();
  await expect(page.locator('#viewed-count')).toHaveText('1 of 800 viewed');
  expect(await page.evaluate(() => globalThis.reads)).toBeLessThan(100);
  await page.getByPlaceholder('Filter files').fill('file_40');
  await expect(page.locator('.file-row')).toHaveCount(11);
  await page.getByPlaceholder('Filter files').fill('');
  await page.locator('button.folder').first().click();
  await expect(page.locator('.file-row', { hasText: 'file_40.rs' })).toHaveCount(0);
  await page.locator('#files').focus();
  await page.keyboard.press('n');
  await expect(page.locator('#review-at')).toHaveText(/^\d+ of 800$/);
  most = Math.max(most, await elements());
  expect(most).toBeLessThan(1_500);
});

test('what leads out of the changes, and around them', async ({ page, context, verbatim }) => {
  await step(page, 'copying one of two sides gives the side in which the selection began', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.setViewportSize({ width: 1600, height: 900 });
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await page.keyboard.press('s');
    await expect(rows.locator('.split')).toHaveCount(1);
    const copied = async (selector) => {
      await rows.evaluate((card, lines) => {
        const found = [...card.querySelectorAll(lines)].filter((line) => /row_(29|30|31) /.test(line.textContent));
        getSelection().setBaseAndExtent(found[0].firstChild, 0, found.at(-1).firstChild, found.at(-1).firstChild.length);
      }, selector);
      await page.keyboard.press('Control+c');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await expect.poll(() => copied('.o > .l, del.l')).toBe(lines(29, 31).trimEnd());
    await expect.poll(() => copied('ins.l, .run.ctx > .l')).toBe(lines(29, 31, { 30: '    let row_30 = quince(30);' }).trimEnd());
  });

  await step(page, 'a file menu lies above what follows, and closes with Escape and a click elsewhere', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const first = page.locator('section.file').first();
    const menu = first.locator('.drop');
    await menu.locator('summary').click();
    const last = menu.getByRole('link', { name: 'Show in the transcript' });
    await expect(last).toBeVisible();
    const isOnTop = (entry) => entry.evaluate((it) => {
      const { left, top, width, height } = it.getBoundingClientRect();
      return it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
    for (const entry of await menu.locator('.menu-item:visible').all()) expect(await isOnTop(entry)).toBe(true);
    await page.keyboard.press('Escape');
    await expect(last).toBeHidden();
    await expect(menu.locator('summary')).toBeFocused();
    await menu.locator('summary').click();
    await expect(last).toBeVisible();
    await page.locator('#rail, nav').first().click({ position: { x: 5, y: 300 } });
    await expect(last).toBeHidden();
  });

  await step(page, 'a moved block leads to the lines that it came from', async () => {
    const agent = await newAgent(verbatim, { cwd });
    const moved = lines(10, 15);
    await edit(agent, 'src/moved.rs', lines(1, 60), lines(1, 9) + lines(16, 50) + moved + lines(51, 60), { start_line: 1 });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await page.getByRole('link', { name: 'Moved from line 10' }).click();
    await expect(page.locator('.l.at')).toHaveText('    let row_10 = tree(10);');
  });

  await step(page, 'all changes are one patch, and git applies it', async () => {
    const agent = await session(verbatim);
    await edit(agent, 'old name.rs', 'fn old() {}\n', null);
    await edit(agent, 'src/loose.rs', '--- a\n', '+++ b\n');
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const patch = await (await page.request.get(`${verbatim.url}/fragments/sessions/${agent.id}/net?as=patch`)).text();
    const folder = join(verbatim.folder, 'repository');
    await mkdir(join(folder, 'src'), { recursive: true });
    const write = (file, text) => writeFile(join(folder, file), text);
    await write('src/rows.rs', lines(1, 80));
    await write('old name.rs', 'fn old() {}\n');
    await write('Cargo.lock', 'a\n');
    await write('all.patch', patch);
    const git = (...words) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
    git('init', '--quiet');
    git('apply', '--exclude=Cargo.lock', 'all.patch');
    expect(await readFile(join(folder, 'src/rows.rs'), 'utf8')).toBe(lines(1, 80, { 30: '    let row_30 = quince(30);', 50: '    let row_50 = plum(50);' }));
    expect(await readFile(join(folder, 'src/new.rs'), 'utf8')).toBe('fn planted() {}\n');
    expect((await readdir(folder)).sort()).toEqual(['.git', 'Cargo.lock', 'all.patch', 'src']);
    await page.locator('summary[title="Display options"]').click();
    await expect(page.getByRole('link', { name: 'Download the patch of all files' })).toHaveAttribute('download', 'changes.patch');
  });

  await step(page, 'equal changes of two sessions are each at their own lines, and go with their session', async () => {
    const [near, far] = [await newAgent(verbatim, { cwd }), await newAgent(verbatim, { cwd })];
    await edit(near, 'src/rows.rs', 'let a = 1;\n', 'let a = 2;\n', { start_line: 10 });
    await edit(far, 'src/rows.rs', 'let a = 1;\n', 'let a = 2;\n', { start_line: 700 });
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await open(page, verbatim, `/s/${near.id}/changes`);
    await expect(rows.locator('.run.chg')).toHaveAttribute('style', 'counter-set:o 9 n 9');
    await page.goto(`${verbatim.url}/s/${far.id}/changes`);
    await expect(rows.locator('.run.chg')).toHaveAttribute('style', 'counter-set:o 699 n 699');
    const difference = verbatim.url + await rows.getAttribute('data-load');
    expect((await page.request.get(difference)).status()).toBe(200);
    expect((await page.request.get(difference.replace(far.id, near.id))).status()).toBe(200);
    expect((await page.request.get(difference.replace(far.id, 'no-such-session'))).status()).toBe(404);
    await settled(page);
    expect((await act(page, 'DELETE', `/v1/sessions/${far.id}`)).status).toBe(200);
    expect((await page.request.get(difference)).status()).toBe(404);
    // The page would ask for what is gone.
    await page.goto('about:blank');
  });

  await step(page, 'the panel is as wide as the reader makes it, by pointer and by keys', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}?panel=changes`);
    await expect(page.locator('#panel')).toContainText('sum of 4 edits');
    await expect(page.locator('#panel').getByRole('region', { name: 'Not applied' })).toContainText('gone.rs');
    const edge = page.getByRole('separator', { name: 'Width of the details' });
    const width = () => page.locator('#panel').evaluate((panel) => Math.round(panel.getBoundingClientRect().width));
    const before = await width();
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect(edge).toHaveAttribute('aria-valuenow', String(before + 16));
    expect(await width()).toBe(before + 16);
    const box = await edge.boundingBox();
    await page.mouse.move(box.x + 4, 300);
    await page.mouse.down();
    await page.mouse.move(box.x - 46, 300, { steps: 4 });
    await page.mouse.up();
    const after = await width();
    expect(Math.abs(after - before - 66)).toBeLessThan(6);
    await page.reload();
    expect(await width()).toBe(after);
    await ready(page);
    expect(await width()).toBe(after);
  });
});
