// Two servers on one database: whoever looks at either sees the same, at once.
import { newAgent, typed } from '../agent.mjs';
import { AWAY, another, expect, ready, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const told = (page) => articles(page).evaluateAll((rows) => rows.map((row) => `${row.dataset.seq} ${row.dataset.id} ${row.dataset.revision} ${row.getAttribute('aria-label')}`));

const permission = typed('APPROVAL', {
  kind: 'permission', title: 'Open the sluice', state: 'open', risk: 'high',
  questions: [{ question: 'Open it?', options: [
    { id: 'yes', label: 'Allow once', kind: 'allow_once' },
    { id: 'no', label: 'Deny', kind: 'reject_once' },
  ] }],
});

test('a session is the same on both, live, and is answered from either', async ({ page, verbatim, browser }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ content: 'The mill pond is full.' });
  await visit(page, verbatim, `/s/${agent.id}`);
  const second = await another(verbatim);
  const context = await browser.newContext();
  try {
    const there = await context.newPage();
    await visit(there, second, `/s/${agent.id}`);
    for (const side of [page, there]) await expect(side.locator('#live')).toHaveText('Live');

    await agent.post({ id: 'sluice', ...permission, requires_user_input: true });
    await expect(there.locator('article[data-id=sluice]')).toContainText('Open the sluice');
    await there.getByRole('button', { name: 'Allow once' }).click();
    await expect(page.locator('article[data-id=sluice]')).toContainText('Allowed once');

    await page.getByRole('textbox', { name: 'Message' }).fill('Slowly, please');
    await page.getByRole('textbox', { name: 'Message' }).press('Control+Enter');
    await expect(articles(there).last()).toContainText('Slowly, please');
    expect((await agent.pending()).map(({ content }) => content)).toContain('Slowly, please');

    await agent.post({ id: 'done', content: 'It is **open**.' });
    for (const side of [page, there]) await expect(side.locator('article[data-id=done] strong')).toHaveText('open');
    await expect.poll(() => told(there)).toEqual(await told(page));

    // The other server ends: this one goes on alone.
    await second.stop();
    await agent.post({ content: 'The wheel turns.' });
    await expect(articles(page).last()).toContainText('The wheel turns.');
  } finally {
    await context.close();
    await second.stop();
  }
});

test('a page that was open while its server was away catches up', async ({ page, verbatim, browser }) => {
  const second = await another(verbatim);
  const context = await browser.newContext();
  try {
    const agent = await newAgent(second);
    const there = await context.newPage();
    await agent.post({ content: 'Before.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    await verbatim.stop();
    await agent.post({ content: 'Meanwhile.' });
    await verbatim.start();
    await expect(articles(page).last()).toContainText('Meanwhile.');
    await visit(there, second, `/s/${agent.id}`);
    await ready(there);
    expect(await told(page)).toEqual(await told(there));
  } finally {
    await context.close();
    await second.stop();
  }
});

// A part that is asked for while the server is away is asked for again.
test.use({ tolerated: [AWAY] });
