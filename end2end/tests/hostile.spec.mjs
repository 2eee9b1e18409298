// Messages that are too much: the page stays quick, says what it cut, and gives the rest when asked.
import { newAgent, typed } from '../agent.mjs';
import { expect, ready, logIn, test } from '../verbatim.mjs';

test.use({ transcripts: [] });

const article = (page, id) => page.locator(`article[data-id="${id}"]`);
const elements = (page) => page.evaluate(() => document.querySelectorAll('*').length);
const whole = (page, address) => page.evaluate(async (path) => (await fetch(path)).text(), address);

async function show(page, verbatim, agent, ...messages) {
  await logIn(page, verbatim);
  for (const message of messages) await agent.post(message);
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
}

test('a list of 5,000 todos, a table of 100 KB and quotes a thousand deep stay within a page', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const todos = Array.from({ length: 5_000 }, (_, n) => ({ id: `${n}`, content: `Ring bell ${n}`, status: 'pending' }));
  const table = `| a | b |\n|---|---|\n${Array.from({ length: 9_000 }, (_, n) => `| ${n} | x |`).join('\n')}`;
  await show(
    page, verbatim, agent,
    { id: 'table', content: table },
    { id: 'deep', content: `${'> '.repeat(1_000)}bottom` },
    { id: 'list', content: '', ...typed('TODO', { todos }) },
  );
  await expect(article(page, 'list').getByRole('listitem')).toHaveCount(60);
  await expect(article(page, 'deep')).toContainText('bottom');
  expect(await elements(page)).toBeLessThanOrEqual(1_500);
  await article(page, 'list').getByRole('button', { name: 'Show 4940 more' }).click();
  await expect(article(page, 'list').getByRole('listitem')).toHaveCount(5_000);
  await page.reload();
  await ready(page);
  await article(page, 'table').scrollIntoViewIfNeeded();
  await article(page, 'table').getByRole('button', { name: 'Show all' }).click();
  await expect(article(page, 'table').getByRole('row')).toHaveCount(9_001);
  // As it comes: axe takes minutes for 27,000 cells.
  await page.reload();
  await ready(page);
});

test('50,000 lines of output: the last ones at once, all of them when asked, and as plain text', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const output = Array.from({ length: 50_000 }, (_, n) => `\u001b[3${n % 7}mline ${n + 1}\u001b[0m`).join('\n');
  await show(page, verbatim, agent, {
    id: 'log', content: '', ...typed('TOOL_CALL', { tool_name: 'Bash', input: { command: './ring --all' }, output, exit_code: 0 }),
  });
  const log = article(page, 'log');
  await log.locator('summary').click();
  await expect(log.getByRole('button', { name: 'Show 49,940 hidden lines' })).toBeVisible();
  await expect(log.locator('.term')).toContainText('line 50000');

  await log.getByRole('button', { name: /hidden lines/ }).click();
  await expect(log.locator('.blk')).toHaveCount(250);
  await expect(log.locator('.term')).toContainText('line 25000');
  expect(await elements(page)).toBeLessThanOrEqual(1_500);

  const address = await log.getByRole('link', { name: 'Open full' }).getAttribute('href');
  const text = await whole(page, address);
  expect(text.startsWith('$ ./ring --all\n\nline 1\nline 2\n')).toBe(true);
  expect(text.endsWith('line 50000')).toBe(true);
});

test('an input of a megabyte is cut, counted, and whole in the full text', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const words = 'ding dong '.repeat(100_000);
  await show(page, verbatim, agent, {
    id: 'big', content: '', ...typed('TOOL_CALL', { tool_name: 'Write', kind: 'other', input: { name: 'bells.txt', content: words }, output: 'ok' }),
  });
  const big = article(page, 'big');
  await big.locator('summary').click();
  await expect(big.locator('.more')).toHaveText('… 995,999 more characters');
  const address = `/fragments/sessions/${agent.id}/text/1`;
  expect((await whole(page, address)).length).toBeGreaterThan(1_000_000);
});

test('every level of detail counts what it does not show, and is remembered', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const call = (id, input) => ({ id, content: '', ...typed('TOOL_CALL', { tool_name: 'Bash', input, output: 'ok' }) });
  await show(
    page, verbatim, agent,
    { id: 'think', role: 'model', content: 'The bell is cracked.' },
    { id: 'note', content: 'I look at the bell.' },
    call('one', { command: 'look bell' }),
    call('two', { command: 'ring bell' }),
    { id: 'answer', content: 'It is cracked.' },
  );
  const shown = () => page.locator('.chunk > article').evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(await shown()).toEqual([
    'Thought, hidden', 'orchard: I look at the bell.', 'orchard: Bash: look bell', 'orchard: Bash: ring bell', 'orchard: It is cracked.',
  ]);
  const level = async (name) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`view=${name.toLowerCase()}`));
    await ready(page);
  };
  await level('Thinking');
  expect((await shown())[0]).toBe('orchard: The bell is cracked.');
  await level('Summary');
  expect(await shown()).toEqual(['Worked 2 commands, 1 note, 1 thought', 'orchard: It is cracked.']);
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
  expect((await shown())[0]).toBe('Worked 2 commands, 1 note, 1 thought');
  await level('Verbose');
  await expect(article(page, 'one').locator('details')).toHaveAttribute('open', '');
  await level('Normal');
  expect(await shown()).toHaveLength(5);
});
