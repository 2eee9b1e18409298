// What an agent that is started here asks, on the pages where it is decided.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible, act, decidable, expect, test, visit } from '../verbatim.mjs';

// Speaks as Gemini CLI does: its request has all changes in its content, and no input.
const GEMINI = `#!/bin/sh
while read -r line; do
  rest=\${line#*'"id":'}; id=\${rest%%[,\\}]*}
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":1}}' ;;
    *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"sessionId":"gemini-1"}}' ;;
    *'"session/prompt"'*) prompt=$id; cat "$HOME/request" ;;
    *'"id":70'*)
      printf '%s\\n' "$line" >> "$HOME/answers"
      echo '{"jsonrpc":"2.0","id":'"$prompt"',"result":{"stopReason":"end_turn"}}' ;;
  esac
done
`;

const options = [
  { optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
];
const lines = (word) => Array.from({ length: 30 }, (_, n) => `${word} ${n}\n`).join('');
const diff = (path, oldText, newText) => ({ type: 'diff', path, oldText, newText });

// Starts the agent, which asks for leave for this call; returns its session.
async function asks(page, verbatim, toolCall) {
  const { folder } = verbatim;
  for (const name of ['bin', 'work']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'bin/gemini'), GEMINI);
  await chmod(join(folder, 'bin/gemini'), 0o755);
  const params = { sessionId: 'gemini-1', options, toolCall: { toolCallId: 'call-1', status: 'pending', ...toolCall } };
  await writeFile(join(folder, 'request'), `${JSON.stringify({ jsonrpc: '2.0', id: 70, method: 'session/request_permission', params })}\n`);
  await visit(page, verbatim);
  const started = await act(page, 'POST', '/v1/agents/sessions', { agent: 'gemini', folder: join(folder, 'work'), prompt: 'Rename the fish' });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  return started.body.session;
}

// What the agent was told.
async function told({ folder }) {
  const text = await readFile(join(folder, 'answers'), 'utf8').catch(() => '');
  return text.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line).result);
}
const chosen = (optionId) => [{ outcome: { outcome: 'selected', optionId } }];

for (const [name, viewport] of [['desktop', { width: 1280, height: 800 }], ['phone', { width: 360, height: 740 }]]) {
  test.describe(`on a ${name}`, () => {
    test.use({ viewport, reads: 'found' });

    test('all changes of a request are read before it is allowed', async ({ page, verbatim }) => {
      const session = await asks(page, verbatim, {
        title: 'Writing to note.txt', kind: 'edit', locations: [{ path: '/work/lake.txt' }],
        content: [diff('/work/note.txt', 'carp\n', 'koi\n'), diff('/work/long.txt', lines('old'), lines('new')), diff('/work/new.txt', null, 'born\n')],
      });
      for (const path of [`/s/${session}`, '/inbox']) {
        await visit(page, verbatim, path);
        const card = page.locator('.approval');
        await expect(card.locator('.proposed .path')).toHaveText(['/work/note.txt', '/work/long.txt', '/work/new.txt']);
        await expect(card).toContainText(/carp.*koi/s);
        await expect(card).toContainText(/old 29.*new 29/s);
        await expect(card).toContainText('born');
        await expect(card).toContainText('/work/lake.txt');
        const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(sizes[0]).toBeLessThanOrEqual(sizes[1]);
        await accessible(page);
      }
      const card = page.locator('.approval');
      await decidable(card);
      await card.getByRole('button', { name: 'Allow', exact: true }).click();
      await expect(card.locator('form')).toHaveCount(0);
      await expect.poll(() => told(verbatim)).toEqual(chosen('proceed_once'));
    });

    test('an edit that shows no change can only be denied', async ({ page, verbatim }) => {
      const session = await asks(page, verbatim, { title: 'Writing to note.txt', kind: 'edit', content: [], locations: [{ path: '/work/note.txt' }] });
      await visit(page, verbatim, `/s/${session}`);
      const card = page.locator('.approval');
      await expect(card).toContainText("It doesn't show the change or the command, so it can't be allowed here");
      await expect(card.getByRole('button')).toHaveText(['Deny', 'Dismiss']);
      await accessible(page);
      await decidable(card);
      await card.getByRole('button', { name: 'Deny' }).click();
      await expect.poll(() => told(verbatim)).toEqual(chosen('cancel'));
    });
  });
}
