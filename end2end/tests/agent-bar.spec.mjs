// Sessions that are started from the page, and the bar of their agent. A script stands in for Claude Code.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible, expect, ready, step, test, visit } from '../verbatim.mjs';

// A turn ends at once, unless its prompt says `slow`. One that says `warn` gives a notice.
const CLAUDE = `#!/bin/sh
while read -r line; do
  case "$line" in
    *'"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"verbatim-1","response":{"models":[]}}}' ;;
    *'"interrupt"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"verbatim-2"}}'
      echo '{"type":"result","is_error":true,"subtype":"error_during_execution"}' ;;
    *'"type":"user"'*)
      rest=\${line#*'"uuid":"'}; id=\${rest%%'"'*}
      echo '{"type":"user","isReplay":true,"uuid":"'"$id"'","message":{"role":"user","content":""}}'
      case "$line" in
        *slow*) ;;
        *warn*)
          echo 'Old settings'
          echo '{"type":"result","is_error":false}' ;;
        *) echo '{"type":"result","is_error":false}' ;;
      esac ;;
  esac
done
`;
const NOTICE = "A line of the agent isn't JSON: Old settings";

async function start(page, verbatim, prompt) {
  const folder = join(verbatim.folder, 'orchard');
  for (const name of ['bin', 'orchard']) await mkdir(join(verbatim.folder, name), { recursive: true });
  await writeFile(join(verbatim.folder, 'bin/claude'), CLAUDE, { mode: 0o755 });
  await visit(page, verbatim, '/new');
  await page.getByLabel('Folder', { exact: true }).fill(folder);
  await page.getByLabel('Prompt').fill(prompt);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(/\/s\//);
  return page.getByRole('region', { name: 'The agent' });
}

async function say(page, text) {
  await page.locator('#say').fill(text);
  await page.locator('#say').press('Control+Enter');
}

test('a notice has an age, ends with its turn, can be dismissed and stays in the list', async ({ page, verbatim }) => {
  await page.clock.install();
  const bar = await start(page, verbatim, 'Please warn');
  const shown = bar.locator('.said');
  await expect(shown).toContainText(NOTICE);
  const time = shown.locator('time');
  await expect(time).toHaveText('now');
  await page.clock.fastForward('03:30');
  await expect(time).toHaveText('3 min ago');
  await expect(time).toHaveAttribute('title', /\d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d/);

  await say(page, 'Go on');
  await expect(shown).toHaveText('');
  await bar.getByText('1 notice', { exact: true }).click();
  await expect(bar.locator('.notices li')).toHaveText([new RegExp(`^${NOTICE} `)]);

  await say(page, 'Please warn again');
  await expect(shown).toContainText(NOTICE);
  await accessible(page);
  await shown.getByRole('button', { name: 'Dismiss' }).click();
  await expect(shown).toHaveText('');
  await expect(bar.getByText('2 notices', { exact: true })).toBeVisible();
  await expect(bar.locator('.notices li')).toHaveCount(2);
  await page.reload();
  await expect(bar.getByText('2 notices', { exact: true })).toBeVisible();
  await expect(shown).toHaveText('');
});

test('an interrupted turn is no work any more, in the page and in the list', async ({ page, verbatim }) => {
  const bar = await start(page, verbatim, 'Be slow');
  await expect(bar.locator('.state')).toHaveText('Works');
  await expect(page.locator('header .state').first()).toHaveText('Working');
  await bar.getByRole('button', { name: 'Interrupt' }).click();
  await expect(bar.locator('.state')).toHaveText('Waits for your prompt');
  await expect(page.getByText('Working', { exact: true })).toHaveCount(0);
});

test('the form goes back and keeps what was written', async ({ page, verbatim }) => {
  for (const width of [1280, 360]) {
    await step(page, `at ${width} px`, async () => {
      await page.setViewportSize({ width, height: 800 });
      await visit(page, verbatim, '/sessions');
      await page.goto(`${verbatim.url}/new`);
      await ready(page);
      await page.getByLabel('Prompt').fill('Fix the parser');
      await page.keyboard.press('Escape');
      await page.waitForURL(/\/sessions/);
      await page.goto(`${verbatim.url}/new`);
      await ready(page);
      await expect(page.getByLabel('Prompt')).toHaveValue('Fix the parser');
      const cancel = page.getByRole('button', { name: 'Cancel' });
      await expect(cancel).toBeInViewport({ ratio: 1 });
      await cancel.click();
      await page.waitForURL(/\/sessions/);
    });
  }
});
