// Who is asked sees all that is asked: nothing of a request is cut, at any width, wherever it is answered.
import { askAll, askByHook, TEXTS, unseen } from '../requests.mjs';
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, step, test, visit } from '../verbatim.mjs';

const CARDS = ':is(.approval, .files > li, .code-review, .declared, [data-question] .msg, .request, form.asks)';

const SIZES = { 'on a desktop': { width: 1280, height: 800 }, 'on a phone': { width: 360, height: 780 } };

// A step for each size, which begins with the size of the window.
async function eachSize(page, body) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    await step(page, name, async () => {
      await page.setViewportSize(viewport);
      await body();
    });
  }
}

test('a question that is drawn as a form is not written a second time as JSON', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const questions = (more) => [{
    question: 'Which tree first?', header: 'Tree', multiSelect: false,
    options: [{ label: 'The pear', description: 'It is old', ...more }, { label: 'The quince', description: 'It is young' }],
  }];
  const shown = [{ question: 'Which tree first?', header: 'Tree', multi_select: false, options: [
    { id: 'a', label: 'The pear', description: 'It is old' }, { id: 'b', label: 'The quince', description: 'It is young' },
  ] }];
  for (const [id, more] of [['plain', {}], ['more', { preview: 'rm -rf pears' }]]) {
    await agent.post({ id: `${id}-call`, call_id: id, ...typed('TOOL_CALL', { tool_name: 'AskUserQuestion', state: 'pending', input: { questions: questions(more) } }) });
    await agent.post({ id, call_id: id, ...typed('APPROVAL', { kind: 'question', title: 'Which tree first?', state: 'open', questions: shown }) });
  }
  await eachSize(page, async () => {
    for (const path of [`/s/${agent.id}`, '/inbox']) {
      await visit(page, verbatim, path);
      const card = (id) => page.locator(`article[data-id="${id}"] .approval`);
      await expect(card('plain').locator('pre')).toHaveCount(0);
      await expect(card('plain')).toContainText('AskUserQuestion');
      await expect(card('plain').getByText('It is young')).toBeVisible();
      // What the form doesn't draw is still read.
      await expect(card('more').locator('pre')).toContainText('"preview": "rm -rf pears"');
      await accessible(page);
    }
  });
});

for (const [kind, text] of Object.entries(TEXTS)) {
  test(`requests of every kind are whole: ${kind}`, async ({ page, verbatim }) => {
    const agent = await askAll(verbatim, text);
    await askByHook(verbatim, 'Bash', { command: text, description: text });
    await eachSize(page, async () => {
      const cut = {};
      for (const [path, least] of [[`/s/${agent.id}`, 12], ['/inbox', 9], ['/sessions', 1]]) {
        await visit(page, verbatim, path);
        const cards = page.locator(CARDS);
        expect(await cards.count()).toBeGreaterThanOrEqual(least);
        for (const card of await cards.all()) {
          const id = await card.evaluate((it) => it.closest('[data-id]')?.dataset.id ?? it.querySelector('[data-id]')?.dataset.id ?? it.className);
          const found = await card.evaluate(unseen);
          if (found.length > 0) cut[`${path.split('/')[1]} ${id}`] = found;
        }
      }
      expect(cut).toEqual({});
    });
  });
}
