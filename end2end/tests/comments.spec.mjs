// Comments on lines of the changes page: collected, sent to the agent as one message, known to every browser.
import { newAgent } from '../agent.mjs';
import { cwd, edit, lines, open, session } from '../review.mjs';
import { expect, ready, step, test, twin } from '../verbatim.mjs';

// Wide enough for the files beside the differences, and not for two sides of them.
test.use({ viewport: { width: 1084, height: 800 } });

test('comments are kept, sent and resolved', async ({ page, verbatim }) => {
  await step(page, 'comments on lines are collected and sent to the agent as one message', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
    await page.getByRole('textbox', { name: 'Comment on R30' }).fill('Why a quince?');
    await page.getByRole('button', { name: 'Add comment' }).click();
    const note = rows.locator('.note[data-id]');
    await expect(note).toContainText('Why a quince?');
    // A change that is given up leaves the comment where it was.
    for (const giveUp of [() => page.getByRole('button', { name: 'Cancel' }).click(), () => page.keyboard.press('Escape')]) {
      await note.getByRole('button', { name: 'Edit' }).click();
      await expect(page.getByRole('textbox', { name: 'Comment on R30' })).toBeFocused();
      await expect(note).toBeHidden();
      await giveUp();
      await expect(rows.locator('.writing-note')).toHaveCount(0);
      await expect(note).toBeVisible();
      await expect(note).toContainText('Why a quince?');
    }
    await page.reload();
    await ready(page);
    await expect(rows.locator('.note')).toContainText('Draft');
    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    await expect(rows.locator('.note')).toContainText('Sent');
    await expect(note).toHaveCount(1);
    const [message] = await agent.pending();
    expect(message.metadata.comments).toEqual([
      { file_path: `${cwd}/src/rows.rs`, side: 'new', start_line: 30, end_line: 30, quote: '    let row_30 = quince(30);', body: 'Why a quince?' },
    ]);
    expect(message.content).toContain(`\`${cwd}/src/rows.rs:30\``);
    expect(message.content).toContain('let row_30 = quince(30);');
    expect(message.content).toContain('Why a quince?');
  });

  await step(page, 'a comment whose answer was lost on its way is no draft any more', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    const note = rows.locator('.note[data-id]');
    await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
    await page.keyboard.type('Why a quince?');
    await page.keyboard.press('Control+Enter');
    await expect(note).toContainText('Draft');
    const draft = await page.evaluate(() => ({ ...localStorage }));
    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    await expect(note).toContainText('Sent');
    await page.evaluate((kept) => Object.assign(localStorage, kept), draft);
    await page.reload();
    await ready(page);
    await expect(note).toContainText('Sent');
    await expect(note).toHaveCount(1);
    await expect(page.getByRole('button', { name: /Send .* comment/ })).toHaveCount(0);
  });

  await step(page, 'a comment keeps the focus, and pressing twice where it is resolved deletes nothing', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    const note = rows.locator('.note[data-id]');
    const button = (name) => note.getByRole('button', { name });
    await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
    await page.keyboard.type('Why a quince?');
    await page.keyboard.press('Control+Enter');
    await expect(button('Edit')).toBeFocused();
    const sending = page.getByRole('button', { name: 'Send 1 comment' });
    await sending.press('Enter');
    await expect(note).toContainText('Sent');
    await expect(page.locator('body')).not.toBeFocused();
    await button('Resolve').dblclick();
    await expect(button('Reopen')).toBeVisible();
    await expect(note).toContainText('Why a quince?');
    await button('Reopen').press('Enter');
    await expect(button('Resolve')).toBeFocused();
    await expect(note).toContainText('Why a quince?');
    await expect(note.locator('button:focus')).toHaveCount(1);
  });

  await step(page, 'on two sides a comment stands right below its line, over both, and pairs stay side by side', async () => {
    await page.setViewportSize({ width: 1600, height: 1200 });
    const agent = await newAgent(verbatim, { cwd });
    const old = lines(1, 12);
    const change = { 4: '    let row_4 = pear(4);', 5: '    let row_5 = plum(5);\n    let more = fig();', 6: '    let row_6 = fig(6);' };
    await edit(agent, 'src/rows.rs', old, lines(1, 12, change), { start_line: 1 });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await page.keyboard.press('s');
    const file = page.locator('section.file', { hasText: 'rows.rs' });
    const unchanged = (side) => file.locator(`.run.ctx ${side === 'L' ? '> .o > .l' : '> .l'}`);
    const at = async (line) => (await line.boundingBox()).y;
    const number = (line) => line.click({ position: { x: 6, y: 8 } });
    const note = file.locator('.writing-note');
    const below = async (line) => {
      await number(line);
      await expect(note).toBeVisible();
      const [box, above, whole] = [await note.boundingBox(), await line.boundingBox(), await file.locator('.run').first().boundingBox()];
      expect(Math.abs(above.height - 20)).toBeLessThan(2);
      expect(box.y - (above.y + above.height)).toBeGreaterThanOrEqual(0);
      expect(box.y - (above.y + above.height)).toBeLessThan(16);
      expect(box.width).toBeGreaterThan(whole.width - 40);
    };
    for (const side of ['L', 'R']) {
      await below(unchanged(side).nth(1));
      for (const row of [0, 1, 2]) {
        expect(await at(unchanged('L').nth(row))).toBeCloseTo(await at(unchanged('R').nth(row)), 0);
      }
      expect(await at(unchanged('L').nth(2))).toBeGreaterThan(await at(note));
    }
    for (const line of [file.locator('del.l').nth(1), file.locator('ins.l').nth(0), file.locator('ins.l').nth(2)]) {
      await below(line);
      const [gone, come] = [file.locator('del.l'), file.locator('ins.l')];
      expect(await at(gone.nth(0))).toBeCloseTo(await at(come.nth(0)), 0);
      expect(await at(gone.nth(2))).toBeCloseTo(await at(come.nth(3)), 0);
    }
    // Two at a time, and one side alone.
    await number(unchanged('L').nth(0));
    await note.getByRole('textbox').fill('Which tree?');
    await note.getByRole('button', { name: 'Add comment' }).click();
    await below(unchanged('R').nth(1));
    expect(await at(unchanged('L').nth(1))).toBeCloseTo(await at(unchanged('R').nth(1)), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    const kept = file.locator('.note[data-id]');
    await expect(file.locator('.split')).toHaveCount(0);
    await expect(kept).toBeVisible();
    await expect(kept).not.toContainText('outdated');
    const first = await file.locator('.run.ctx > .l').first().boundingBox();
    expect((await kept.boundingBox()).y - (first.y + first.height)).toBeLessThan(16);
  });
});

test('what was sent, and what became of it, is known to every browser, and stands once', async ({ page, browser, verbatim }) => {
  const agent = await session(verbatim);
  await open(page, verbatim, `/s/${agent.id}/changes`);
  const notes = (of) => of.locator('section.file', { hasText: 'rows.rs' }).locator('.note[data-id]');
  const comment = async (of, line, words) => {
    await of.locator('section.file', { hasText: 'rows.rs' }).locator('ins.l').nth(line).click({ position: { x: 12, y: 8 } });
    await of.keyboard.type(words);
    await of.keyboard.press('Control+Enter');
  };
  await comment(page, 0, 'Why a quince?');
  await comment(page, 1, 'And a plum?');
  await page.getByRole('button', { name: 'Send 2 comments' }).click();
  await expect(notes(page)).toContainText([/^Sent.*quince/s, /^Sent.*plum/s]);
  await comment(page, 0, 'A draft stays here');

  const context = await twin(browser, page);
  const other = await context.newPage();
  await other.goto(page.url());
  await ready(other);
  await expect(notes(other)).toContainText([/^Sent.*quince/s, /^Sent.*plum/s]);
  await expect(notes(other)).toHaveCount(2);
  // Below its line, as where it was written.
  await expect(other.locator('ins.l:has-text("quince") + .note')).toContainText('Why a quince?');
  await notes(other).first().getByRole('button', { name: 'Resolve' }).click();
  await expect(notes(other).first()).toContainText('Resolved');
  await expect(notes(other).first().getByRole('button', { name: 'Reopen' })).toBeFocused();

  await page.reload();
  await ready(page);
  await expect(notes(page)).toContainText([/^Draft.*stays here|^Resolved.*quince/s, /^Resolved.*quince|^Draft.*stays here/s, /^Sent.*plum/s]);
  await expect(notes(page)).toHaveCount(3);
  // The agent is told no second time, and reads in the message what became of it.
  const [message, ...more] = await agent.pending();
  expect(more).toEqual([]);
  expect(message.metadata.comments.map(({ body, resolved }) => [body, resolved])).toEqual([['Why a quince?', true], ['And a plum?', undefined]]);
  await notes(page).filter({ hasText: 'Resolved' }).getByRole('button', { name: 'Reopen' }).click();
  await expect(notes(page).filter({ hasText: 'quince' })).toContainText('Sent');
  await other.reload();
  await ready(other);
  await expect(notes(other)).toContainText([/^Sent.*quince/s, /^Sent.*plum/s]);
  await context.close();
});
