// Another machine sends its sessions: named in the list and the session, filtered by it, and listed in the settings.
import { execFileSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible, expect, program, test, visit } from '../verbatim.mjs';

test.use({ actionTimeout: 20_000, transcripts: ['-home-ada-orchard'] });

test('sessions of a laptop are named, filtered and kept when it is removed', async ({ page, verbatim }) => {
  const run = (...words) => execFileSync(program, words, { env: { HOME: join(verbatim.folder, 'laptop') }, encoding: 'utf8' });
  const data = ['--data-dir', join(verbatim.folder, 'data')];
  const key = join(verbatim.folder, 'laptop.key');
  run('machine', 'add', 'laptop', '--key-file', key, ...data);
  const projects = join(verbatim.folder, 'laptop/.claude/projects');
  await mkdir(projects, { recursive: true });
  await cp(new URL('../../fixtures/transcripts/claude/conversation.jsonl', import.meta.url), join(projects, '-home-ada-mill/conversation.jsonl'));
  expect(run('forward', '--to', verbatim.url, '--key', key, '--once')).toContain('all hashes agree');

  await visit(page, verbatim);
  const row = page.locator('.srow').filter({ has: page.getByRole('link', { name: 'Water mill' }) });
  await expect(row).toContainText('laptop');
  await page.getByRole('combobox', { name: 'Machine' }).selectOption('local');
  await expect(row).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Machine' }).selectOption('laptop');
  await expect(row).toHaveCount(1);
  await expect(page).toHaveURL(/machine=laptop/);
  await expect(page.getByRole('combobox', { name: 'Sort by' })).toBeInViewport({ ratio: 1 });
  await accessible(page);

  await row.getByRole('link', { name: 'Water mill' }).click();
  await expect(page.locator('#session-head')).toContainText('laptop');

  await page.goto(`${verbatim.url}/settings#machines`);
  const section = page.getByRole('region', { name: 'Machines' });
  await expect(section.getByRole('row', { name: 'laptop' })).toContainText('Online');
  await accessible(page);
  await section.getByRole('button', { name: 'Remove laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(section).toContainText('No other machines yet.');
  await page.goto(`${verbatim.url}/sessions?machine=laptop`);
  await expect(row).toHaveCount(1);
});
