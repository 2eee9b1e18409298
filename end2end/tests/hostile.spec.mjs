// Messages that are too much: the page stays quick, says what it cut, and gives the rest when asked.
import { newAgent, typed } from '../agent.mjs';
import { expect, logIn, ready, step, test } from '../verbatim.mjs';

test.use({ transcripts: [] });

const article = (page, id) => page.locator(`article[data-id="${id}"]`);
const elements = (page) => page.evaluate(() => document.querySelectorAll('*').length);
const whole = (page, address) => page.evaluate(async (path) => (await fetch(path)).text(), address);

// A command that printed so many lines.
const log = (lines, exit_code) => typed('TOOL_CALL', {
  tool_name: 'Bash',
  input: { command: './ring --all' },
  output: Array.from({ length: lines }, (_, n) => `\u001b[3${n % 7}mline ${n + 1}\u001b[0m`).join('\n'),
  exit_code,
});

async function show(page, verbatim, agent, ...messages) {
  await logIn(page, verbatim);
  for (const message of messages) await agent.post(message);
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
}

test('what is long stays within a page', async ({ page, verbatim }) => {
  await step(page, 'a list of 1,500 todos, a table of 100 KB and quotes a thousand deep stay within a page', async () => {
    const agent = await newAgent(verbatim);
    const todos = Array.from({ length: 1_500 }, (_, n) => ({ id: `${n}`, content: `Ring bell ${n}`, status: 'pending' }));
    const table = `| a | b |\n|---|---|\n${Array.from({ length: 9_000 }, (_, n) => `| ${n} | x |`).join('\n')}`;
    await show(
      page, verbatim, agent,
      { id: 'table', content: table },
      { id: 'deep', content: `${'> '.repeat(1_000)}bottom` },
      { id: 'list', content: '', ...typed('TODO', { todos }) },
    );
    await expect(article(page, 'list').getByRole('listitem')).toHaveCount(60);
    await expect(article(page, 'list').locator('summary')).toContainText('0 of 1500');
    await expect(article(page, 'deep')).toContainText('bottom');
    expect(await elements(page)).toBeLessThanOrEqual(1_500);
    await article(page, 'list').getByRole('button', { name: 'Show 1440 more' }).click();
    await expect(article(page, 'list').getByRole('listitem')).toHaveCount(1_500);
    await page.reload();
    await ready(page);
    await article(page, 'table').scrollIntoViewIfNeeded();
    await article(page, 'table').getByRole('button', { name: 'Show all' }).click();
    await expect(article(page, 'table').getByRole('row')).toHaveCount(9_001);
    // As it comes: axe takes minutes for 27,000 cells.
    await page.reload();
    await ready(page);
  });

  await step(page, '5,000 lines of output: the last ones at once, all of them when asked, and as plain text', async () => {
    const agent = await newAgent(verbatim);
    await show(page, verbatim, agent, { id: 'log', content: '', ...log(5_000, 0) });
    const card = article(page, 'log');
    await card.locator('summary').click();
    await expect(card.getByRole('button', { name: 'Show 4,940 hidden lines' })).toBeVisible();
    await expect(card.locator('.term')).toContainText('line 5000');

    await card.getByRole('button', { name: /hidden lines/ }).click();
    await expect(card.locator('.blk')).toHaveCount(25);
    await expect(card.locator('.term')).toContainText('line 2500');
    expect(await elements(page)).toBeLessThanOrEqual(1_500);

    const address = await card.getByRole('link', { name: 'Open full' }).getAttribute('href');
    const text = await whole(page, address);
    expect(text.startsWith('$ ./ring --all\n\nline 1\nline 2\n')).toBe(true);
    expect(text.endsWith('line 5000')).toBe(true);
  });

  await step(page, 'a message of more than 256 KiB is drawn by its beginning, as a card of its type, and whole when asked', async () => {
    const agent = await newAgent(verbatim);
    const todos = Array.from({ length: 5_000 }, (_, n) => ({ id: `${n}`, content: `Ring bell ${n}`, status: 'pending' }));
    const input = { name: 'bells.txt', content: 'ding dong '.repeat(100_000) };
    await show(
      page, verbatim, agent,
      { id: 'log', content: '', ...log(50_000, 1) },
      { id: 'big', content: '', ...typed('TOOL_CALL', { tool_name: 'Write', kind: 'other', input, output: 'ok', state: 'denied' }) },
      { id: 'list', content: '', ...typed('TODO', { todos }) },
    );
    await expect(article(page, 'log').locator('summary')).toHaveText('Bash ./ring --all Exit 1', { useInnerText: true });
    await expect(article(page, 'big').locator('summary')).toHaveText(/^Write\s.*\sDenied$/s, { useInnerText: true });
    await expect(article(page, 'list').getByRole('listitem')).toHaveCount(60);
    await expect(article(page, 'list').locator('summary')).toContainText('0 of 5000');
    await expect(article(page, 'list').getByRole('button', { name: 'Show 4940 more' })).toBeVisible();
    expect(await elements(page)).toBeLessThanOrEqual(1_500);

    await article(page, 'log').getByRole('button', { name: /^Show all \(/ }).click();
    await expect(article(page, 'log').locator('.term')).toContainText('line 50000');
    const all = article(page, 'big').getByRole('button', { name: /^Show all \(/ });
    await all.click();
    await expect(all).toHaveCount(0);
    await expect(article(page, 'big').locator('details').first()).toHaveAttribute('open', '');
    expect((await article(page, 'big').locator('dd').first().textContent()).trim()).toBe(input.content.trim());
    expect((await whole(page, `/fragments/sessions/${agent.id}/text/2`)).length).toBeGreaterThan(1_000_000);
  });

  await step(page, 'every level of detail counts what it does not show, and is remembered', async () => {
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
      'Thought hidden', 'Agent orchard: I look at the bell.', 'Agent orchard: Bash: look bell', 'Agent orchard: Bash: ring bell',
      'Agent orchard: It is cracked.',
    ]);
    const level = async (name) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page).toHaveURL(new RegExp(`view=${name.toLowerCase()}`));
      await ready(page);
    };
    await level('Thinking');
    expect((await shown())[0]).toBe('Reasoning: The bell is cracked.');
    await level('Summary');
    expect(await shown()).toEqual(['Worked 2 commands, 1 note, 1 thought', 'Agent orchard: It is cracked.']);
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    expect((await shown())[0]).toBe('Worked 2 commands, 1 note, 1 thought');
    await level('Verbose');
    await expect(article(page, 'one').locator('details')).toHaveAttribute('open', '');
    await level('Normal');
    expect(await shown()).toHaveLength(5);
  });
});
