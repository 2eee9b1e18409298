// An agent's review: its card, the same comments on the changes page, and what a person answers.
import { typed } from '../agent.mjs';
import { cwd, edit, lines, open, session } from '../review.mjs';
import { accessible, decidable, expect, ready, test, twin } from '../verbatim.mjs';

test.use({ viewport: { width: 1084, height: 800 } });

const comments = [
  { side: 'new', start_line: 50, severity: 'nit', body: 'A plum is <b>no</b> tree' },
  {
    side: 'new',
    start_line: 29,
    end_line: 30,
    severity: 'blocker',
    body: 'Quinces need **two** rows',
    suggestion: '    let row_29 = tree(29);\n    let row_30 = quinces(30, 2);',
  },
];

test('a review is answered in its card, for everybody and for the agent, and taken back', async ({ page, browser, verbatim }) => {
  const agent = await session(verbatim);
  // The folder that the agent works in may be left out.
  await agent.post({ id: 'review', ...typed('CODE_REVIEW', { file_path: 'src/rows.rs', comments, summary: 'One bug' }) });
  await open(page, verbatim, `/s/${agent.id}`);
  const findings = (of) => of.locator('.code-review .finding');
  await expect(page.locator('.code-review > summary')).toContainText(/Review.*rows\.rs.*1 blocker.*1 nit/s);
  await expect(findings(page)).toHaveText([/^\s*Blocker.*Lines 29-30.*two rows/s, /^\s*Nit.*Line 50.*A plum is no tree/s]);
  await expect(findings(page).first().locator('del.l')).toContainText(['quince(30)']);
  await expect(findings(page).first().locator('ins.l')).toContainText(['quinces(30, 2)']);
  await accessible(page);

  const other = await (await twin(browser, page)).newPage();
  await other.goto(page.url());
  await ready(other);
  await findings(page).first().getByRole('button', { name: 'Accept suggestion' }).click();
  for (const one of [page, other]) {
    await expect(findings(one).first()).toContainText('Accepted');
    await expect(one.locator('.code-review > summary')).toContainText('1 open');
  }
  const [told] = await agent.pending();
  expect(told.metadata.payload).toMatchObject({ reply_to: 'review', selected: ['Accept suggestion'], values: { comment: 1, lines: 'src/rows.rs:29-30' } });
  await findings(other).first().getByRole('button', { name: 'Reopen' }).click();
  await expect(findings(page).first().getByRole('button')).toHaveText(['Accept suggestion', 'Resolve']);
  await findings(page).nth(1).getByRole('button', { name: 'Resolve' }).focus();
  await decidable(findings(page).nth(1));
  await page.keyboard.press('Enter');
  await expect(findings(page).nth(1)).toContainText('Resolved');
  await page.reload();
  await ready(page);
  await expect(findings(page).nth(1)).toContainText('Resolved');
  await page.setViewportSize({ width: 390, height: 844 });
  const fits = await page.locator('.code-review').evaluate((it) => it.scrollWidth <= it.clientWidth);
  expect(fits).toBe(true);
});

test('comments of a review stand under their lines, beside a person\'s, and are outdated by a later edit', async ({ page, verbatim }) => {
  const agent = await session(verbatim);
  const path = `${cwd}/src/rows.rs`;
  await agent.post({ id: 'review', ...typed('CODE_REVIEW', { file_path: path, comments }) });
  await open(page, verbatim, `/s/${agent.id}`);
  await page.locator('.code-review .finding a', { hasText: 'Lines 29-30' }).click();
  const rows = page.locator('section.file', { hasText: 'rows.rs' });
  const notes = rows.locator('.note[data-id]');
  await expect(notes).toHaveText([/^Blocker.*R29-30.*two.*Suggestion.*quinces/s, /^Nit.*R50/s]);
  await expect(page.locator('ins.l:has-text("quince") + .note')).toContainText('Quinces need');
  await rows.locator('ins.l').first().click({ position: { x: 12, y: 8 } });
  await page.keyboard.type('Why a quince?');
  await page.keyboard.press('Control+Enter');
  await expect(notes).toHaveCount(3);
  await notes.filter({ hasText: 'A plum' }).scrollIntoViewIfNeeded();
  await notes.filter({ hasText: 'A plum' }).getByRole('button', { name: 'Resolve' }).click();
  await expect(notes.filter({ hasText: 'A plum' })).toContainText('Resolved');
  const [told] = await agent.pending();
  expect(told.metadata.payload).toMatchObject({ reply_to: 'review', selected: ['Resolve'], values: { comment: 0 } });
  await accessible(page);

  await edit(agent, 'src/rows.rs', lines(30, 30, { 30: '    let row_30 = quince(30);' }), lines(30, 30, { 30: '    let row_30 = medlar(30);' }), { start_line: 30 });
  await page.reload();
  await ready(page);
  const old = notes.filter({ hasText: 'Quinces need' });
  await expect(old).toContainText('Blocker, outdated');
  await expect(old.getByRole('button')).toHaveText(['Resolve', 'Copy']);
  await expect(notes.filter({ hasText: 'A plum' })).toContainText('Resolved');
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
  await expect(page.locator('.code-review .finding').first()).toContainText('Outdated');
});
