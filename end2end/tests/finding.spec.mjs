// Finding one's way in a long session: words, landmarks, and the prompt of the turn.
import { newAgent, typed } from '../agent.mjs';
import { act, expect, ready, step, test, visit } from '../verbatim.mjs';

const bar = (page) => page.getByRole('search', { name: 'Find in this session' });
const field = (page) => bar(page).getByRole('searchbox');
const count = (page) => page.locator('#find-count');
const current = (page) => page.locator('[data-current]');
const prompt = (page) => page.locator('#sticky-prompt');
// What a highlight marks for the eye, by its text.
const marked = (page, name) =>
  page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map((range) => {
    const { backgroundColor } = getComputedStyle(range.startContainer.parentElement, `::highlight(${name})`);
    if (backgroundColor === 'rgba(0, 0, 0, 0)') return 'has no colour';
    const live = document.createRange();
    live.setStart(range.startContainer, range.startOffset);
    live.setEnd(range.endContainer, range.endOffset);
    return live.toString();
  }), name);

// Six turns of thirty messages; the third has an edit, the fourth a call that failed.
async function orchard(page, verbatim) {
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  const say = async (content) => (await act(page, 'POST', `/v1/sessions/${agent.id}/messages`, { content })).status;
  for (let turn = 1; turn <= 6; turn += 1) {
    expect(await say(`Prune row ${turn}`)).toBe(201);
    const messages = Array.from({ length: 29 }, (_, n) => ({ content: `Tree ${turn}.${n + 1} stands well.\n\nIts **bark is dry**.` }));
    if (turn === 3) Object.assign(messages[9], typed('CODE_EDIT', { edits: [{ file_path: 'rows.txt', old_content: 'a\n', new_content: 'b\n' }] }), { content: '' });
    if (turn === 4) Object.assign(messages[4], typed('TOOL_CALL', { tool_name: 'Bash', input: { command: 'ladder --raise quincetree' }, state: 'failed', error: 'no ladder' }), { content: '' });
    const { status } = await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages });
    expect(status).toBe(201);
  }
  // Whoever reads the end stays there, however much comes at once.
  await expect(page.locator('#transcript')).toContainText('Tree 6.29 stands well');
  expect(await page.locator('#transcript').evaluate((feed) => {
    const scroller = feed.closest('.scroll');
    return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
  })).toBeLessThan(2);
  return agent;
}

async function read(page, verbatim, agent) {
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
}

test('words and places of a long session', async ({ page, verbatim }) => {
  const agent = await orchard(page, verbatim);
  await step(page, 'the find bar leads through all messages that hold the words', async () => {
    await read(page, verbatim, agent);
    await page.keyboard.press('Control+f');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('TREE 4.');

    await expect(count(page)).toHaveText('1 of 28 messages');
    await expect(field(page)).toBeFocused();
    await expect(current(page)).toContainText('Tree 4.1 stands well');
    await expect(current(page)).toBeInViewport();
    await expect.poll(() => marked(page, 'find-now')).toEqual(['Tree 4.']);
    expect(new Set(await marked(page, 'find'))).toEqual(new Set(['Tree 4.']));

    await page.keyboard.press('Enter');
    await expect(count(page)).toHaveText('2 of 28 messages');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await expect(count(page)).toHaveText('28 of 28 messages');
    await expect(current(page)).toContainText('Tree 4.29');

    await field(page).fill('bark is dry');
    await expect(count(page)).toHaveText(/^\d+ of 172 messages$/);
    await expect.poll(() => marked(page, 'find-now')).toEqual(['bark is dry']);

    await field(page).fill('quincetree');
    await expect(count(page)).toHaveText('1 of 1 message');
    await expect(current(page).getByText('ladder --raise quincetree').last()).toBeVisible();

    await field(page).fill('no such words');
    await expect(count(page)).toHaveText('Nothing found');
    await page.keyboard.press('Escape');
    await expect(bar(page)).toBeHidden();
    expect(await marked(page, 'find')).toEqual([]);
  });

  await step(page, 'what is looked for is in the address, for a reload and for others', async () => {
    await read(page, verbatim, agent);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('quincetree & row');
    await expect(count(page)).toHaveText('Nothing found');
    await field(page).fill('row');
    await expect(count(page)).toHaveText(/^\d of \d messages$/);
    await bar(page).getByRole('button', { name: /^Text/ }).click();
    await expect(count(page)).toHaveText('1 of 6 messages');
    await expect(page).toHaveURL(`${verbatim.url}/s/${agent.id}?find=row&find-type=TEXT`);

    await page.reload();
    await expect(bar(page)).toBeVisible();
    await expect(field(page)).toHaveValue('row');
    await expect(count(page)).toHaveText('6 messages');
    await expect(bar(page).getByRole('button', { name: /^Text/ })).toHaveAttribute('aria-pressed', 'true');

    // Somebody who opens the link is led to the first place.
    const other = await page.context().newPage();
    await other.goto(`${verbatim.url}/s/${agent.id}?find=Tree+4.`);
    await expect(count(other)).toHaveText('1 of 28 messages');
    await expect(current(other)).toContainText('Tree 4.1 stands well');
    await expect(current(other)).toBeInViewport();
    await field(other).press('Escape');
    await expect(bar(other)).toBeHidden();
    await expect(other).toHaveURL(`${verbatim.url}/s/${agent.id}`);
    await other.close();
  });

  await step(page, 'a type narrows what is found, and the way to all history keeps the words', async () => {
    await read(page, verbatim, agent);
    await page.getByRole('link', { name: 'Find in this session' }).click();
    await page.keyboard.type('ro');
    const types = page.getByRole('group', { name: 'Types' }).getByRole('button');
    await expect(types).toHaveText(['Text 6', 'Code edit 1']);
    await types.last().click();

    await expect(count(page)).toHaveText('1 of 1 message');
    await expect(types.last()).toHaveAttribute('aria-pressed', 'true');
    await expect(current(page)).toContainText('rows.txt');
    await expect(bar(page).getByRole('link', { name: 'Search by words' })).toHaveAttribute('href', `/search?session=${agent.id}&q=ro`);
  });

  await step(page, 'n and p go from one trouble to the next, brackets from prompt to prompt', async () => {
    await read(page, verbatim, agent);
    await page.locator('#transcript').focus();
    await page.keyboard.press('p');
    await expect(current(page)).toContainText('ladder --raise quincetree');
    await expect(current(page)).toBeInViewport();
    await page.keyboard.press('p');
    await expect(page.locator('#announcer')).toHaveText('No earlier error or approval');

    await page.keyboard.press('[');
    await expect(current(page)).toHaveText(/Prune row 4/);
    await expect(current(page)).toBeFocused();
    await page.keyboard.press('[');
    await expect(current(page)).toHaveText(/Prune row 3/);
    await page.keyboard.press(']');
    await expect(current(page)).toHaveText(/Prune row 4/);
    await page.keyboard.press('n');
    await expect(current(page)).toContainText('ladder --raise quincetree');
  });

  await step(page, 'the prompt of the turn stays in view, and leads back to itself', async () => {
    await read(page, verbatim, agent);
    await expect(prompt(page)).toHaveText('Prompt of this turn: Prune row 6');
    await prompt(page).getByRole('button').click();

    await expect(current(page)).toHaveText(/Prune row 6/);
    await expect(current(page)).toBeInViewport();
    await expect(prompt(page)).toHaveText('Prompt of this turn: Prune row 5');
  });

  await step(page, 'the minimap shows all landmarks, and a click leads there', async () => {
    await read(page, verbatim, agent);
    const map = page.locator('#minimap');
    await expect(map).toBeVisible();
    const lines = (kind) => map.locator(`[data-kind=${kind}]`).evaluate((path) => path.getAttribute('d').split('M').length - 1);
    await expect.poll(() => lines('prompt')).toBe(6);
    expect([await lines('edit'), await lines('approval'), await lines('error')]).toEqual([1, 0, 1]);

    const at = await map.locator('[data-kind=error]').evaluate((path) => Number(path.getAttribute('d').match(/^M0 (\d+)/)[1]));
    const box = await map.boundingBox();
    await page.mouse.move(box.x + 5, box.y + (box.height * at) / 1000);
    await expect(map).toHaveAttribute('title', 'Error');
    await page.mouse.down();
    await page.mouse.up();
    await expect(current(page)).toContainText('ladder --raise quincetree');
    await expect(current(page)).toBeInViewport();
  });

  await step(page, 'an address of another message jumps there while the page is open', async () => {
    await read(page, verbatim, agent);
    await page.evaluate(() => { window.same = true; location.hash = '#m62'; });
    await expect(current(page)).toContainText('Tree 3.1 stands well');
    await expect(current(page)).toBeInViewport();
    expect(await page.evaluate(() => window.same)).toBe(true);
  });

  await step(page, 'the find bar keeps the focus where it was pressed', async () => {
    await read(page, verbatim, agent);
    await page.keyboard.press('Control+f');
    await field(page).fill('tree');
    await expect(count(page)).toHaveText(/of /);
    const next = bar(page).getByRole('button', { name: 'Next' });
    await next.focus();
    const before = await count(page).textContent();
    await page.keyboard.press('Enter');
    await expect(count(page)).not.toHaveText(before);
    await page.keyboard.press('Enter');
    await expect(next).toBeFocused();
    const chip = bar(page).locator('[data-type=TOOL_CALL]');
    await chip.focus();
    await page.keyboard.press('Enter');
    await expect(chip).toHaveAttribute('aria-pressed', 'true');
    await expect(chip).toBeFocused();
  });

  await step(page, 'rows are looked through once, not with each frame', async () => {
    await read(page, verbatim, agent);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('tree');
    await expect.poll(() => marked(page, 'find')).not.toEqual([]);
    const walks = () => page.evaluate(() => window.walks);
    await page.evaluate(() => {
      window.walks = 0;
      const walk = document.createTreeWalker.bind(document);
      document.createTreeWalker = (...args) => { window.walks += 1; return walk(...args); };
    });
    const scroller = page.locator('#transcript');
    for (let n = 0; n < 10; n += 1) {
      await scroller.evaluate((feed, n) => { feed.closest('.scroll').scrollTop += n % 2 ? 3 : -3; }, n);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    expect(await walks()).toBe(0);
  });
});

test('a jump to a row within a group comes to rest', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const read = (n) => typed('TOOL_CALL', { tool_name: 'Read', input: { file_path: `/home/ada/orchard/row_${n}.txt` }, state: 'done', output: 'dry' });
  const tall = (n) => ({ content: Array.from({ length: 40 }, (_, line) => `Tree ${n}.${line}`).join('\n\n') });
  const messages = Array.from({ length: 160 }, (_, n) => (n % 40 >= 12 && n % 40 < 36 ? read(n) : tall(n)));
  for (let at = 0; at < 160; at += 40) await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: messages.slice(at, at + 40) });
  let asked = 0;
  page.on('request', (request) => { asked += /\/chunks\//.test(request.url()) ? 1 : 0; });
  for (const at of [34, 62, 75, 116]) {
    await visit(page, verbatim, `/s/${agent.id}?at=${at}`);
    await expect(current(page)).toBeInViewport();
    await page.waitForLoadState('networkidle');
    asked = 0;
    // As many frames as a loop would need to ask again, and again.
    await page.evaluate(async () => { for (let n = 0; n < 90; n += 1) await new Promise(requestAnimationFrame); });
    expect(asked, `after the jump to ${at}`).toBe(0);
  }
});

const texts = (n, word) => Array.from({ length: n }, (_, line) => `Line ${line}${line === n - 5 ? ` of the ${word}` : ''}`);
// Where the current place stands in the transcript, below what covers its top.
const inView = (page) => page.evaluate(() => {
  const [range] = CSS.highlights.get('find-now') ?? [];
  if (!range) return 'no place';
  const live = document.createRange();
  live.setStart(range.startContainer, range.startOffset);
  live.setEnd(range.endContainer, range.endOffset);
  const scroller = document.getElementById('transcript');
  const [rect, view] = [live.getClientRects()[0], scroller.getBoundingClientRect()];
  const top = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
  const shown = top?.contains(range.startContainer) || range.startContainer.parentElement.contains(top);
  const covered = scroller.scrollTop > 0 ? 40 : 0;
  if (rect.top < view.top + covered || rect.bottom > view.bottom) return `at ${rect.top} of ${view.top} to ${view.bottom}`;
  return shown ? 'in view' : `below ${top?.outerHTML.slice(0, 80)}`;
});

test.describe('a place', () => {
  const tall = texts(120, 'quince').join('\n\n');
  const code = (word) => `${texts(60, word).join('\n')}\n`;
  const PLACES = {
    'far down in an answer': [{ content: tall }, 'of the quince'],
    'in a clamped text': [{ content: tall, role: 'user' }, 'of the quince'],
    'in cut output': [typed('TOOL_CALL', { tool_name: 'Bash', input: { command: 'prune' }, state: 'done', output: texts(900, 'quince').reverse().join('\n') }), 'of the quince'],
    'in hidden lines of a new file': [typed('CODE_EDIT', { edits: [{ file_path: 'rows.txt', new_content: code('quince') }] }), 'of the quince'],
    'in unchanged lines': [typed('CODE_EDIT', { edits: [{ file_path: 'rows.txt', old_content: code('quince'), new_content: code('quince').replace('Line 1\n', 'Line one\n') }] }), 'of the quince'],
    'in a removed line': [typed('CODE_EDIT', { edits: [{ file_path: 'rows.txt', old_content: code('quince'), new_content: '' }] }), 'of the quince'],
    'in coloured output': [typed('TOOL_CALL', { tool_name: 'Bash', input: { command: 'prune' }, state: 'done', output: `${texts(80, 'pear').join('\n')}\n\u001b[31mqu\u001b[1mince\u001b[0m tree` }), 'quince tree'],
  };
  test('is unfolded, marked and in view', async ({ page, verbatim }) => {
    for (const [where, [message, words]] of Object.entries(PLACES)) {
      await step(page, where, async () => {
        const agent = await newAgent(verbatim);
        await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: [{ content: '', ...message }] });
        await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: Array.from({ length: 40 }, (_, n) => ({ content: `Tree ${n}` })) });
        await visit(page, verbatim, `/s/${agent.id}`);
        await page.keyboard.press('Control+f');
        await page.keyboard.type(words);
        await expect(count(page)).toHaveText('1 of 1 message');
        await expect.poll(() => marked(page, 'find-now')).toEqual([words]);
        await expect.poll(() => inView(page)).toBe('in view');
      });
    }
  });
});

test('the bar leads from place to place within a message, then on', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const three = Array.from({ length: 90 }, (_, n) => (n % 40 === 5 ? `A quince, ${n}.` : `A pear, ${n}.`)).join('\n\n');
  await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: [{ content: 'One quince.' }, { content: three }, { content: 'The last quince.' }] });
  await visit(page, verbatim, `/s/${agent.id}`);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('quince');
  // Fewer letters have the same three messages, and Enter leads to the first again until all are looked for.
  await expect.poll(() => marked(page, 'find-now')).toEqual(['quince']);
  await expect(count(page)).toHaveText(/ of 3 messages/);
  const said = [];
  for (let n = 0; n < 5; n += 1) {
    said.push(await count(page).textContent());
    await expect.poll(() => inView(page)).toBe('in view');
    await page.keyboard.press('Enter');
    await expect(count(page)).not.toHaveText(said.at(-1));
  }
  const turn = ['1 of 3 messages', ...[1, 2, 3].map((n) => `2 of 3 messages, place ${n} of 3`), '3 of 3 messages'];
  expect([...said].sort()).toEqual([...turn].sort());
  expect(turn.map((_, n) => said[(said.indexOf(turn[0]) + n) % 5])).toEqual(turn);
  // Backwards a message is entered at its end.
  while (await count(page).textContent() !== '3 of 3 messages') {
    const before = await count(page).textContent();
    await page.keyboard.press('Enter');
    await expect(count(page)).not.toHaveText(before);
  }
  await page.keyboard.press('Shift+Enter');
  await expect(count(page)).toHaveText('2 of 3 messages, place 3 of 3');
});
