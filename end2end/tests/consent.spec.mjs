// Folders that were only found: nothing is read before somebody says so, and everything can be taken back.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeLong } from '../make-long.mjs';
import { newSession } from '../transcript.mjs';
import { accessible, expect, imported, open, step, test, visit } from '../verbatim.mjs';

const found = (page) => page.locator('#folders .pagehead h2');
const rows = (page) => page.locator('#folders tbody tr');
const titles = (page) => page.locator('#sessions .title a');
const row = (page, name) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

test.describe('folders that were found', () => {
  test.use({ transcripts: ['.'], reads: 'found' });

  test('are listed, and read after one click', async ({ page, verbatim }) => {
    await step(page, 'are listed with their sizes, and not read', async () => {
      await open(page, verbatim);
      await expect(page.locator('#sessions')).toHaveText(
        /Nothing imported yet\s*Sessions of your agents were found on this machine\. Nothing is read without your consent\.\s*Choose what to import/,
      );
      await page.getByRole('link', { name: 'Choose what to import' }).click();

      await expect(found(page)).toHaveText('3 folders with agent sessions are on this machine');
      await expect(rows(page)).toHaveText(
        ['home-ada-lighthouse Claude Code 3 40 KB', 'home-ada-orchard Claude Code 5 138 KB', 'home-ada-windmill Claude Code 2 270 KB'],
        { useInnerText: true },
      );
      await expect(page.locator('#consent .actions')).toHaveText('Import all 3 10 files, 447 KB', { useInnerText: true });
      expect(await sessions(page, verbatim)).toEqual([]);
    });

    await step(page, 'are read after one click, and their sessions appear', async () => {
      await visit(page, verbatim, '/folders');
      await page.getByRole('button', { name: 'Import all 3' }).click();

      await expect(found(page)).toHaveCount(0);
      await expect(rows(page)).toHaveText([/lighthouse.*Followed.*3/s, /orchard.*Followed.*3/s, /windmill.*Followed.*2/s]);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Sessions/ }).click();
      await expect(titles(page)).toHaveCount(8);
    });
  });

  test('can be left out, and excluded for good', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/folders');
    await page.getByRole('checkbox', { name: 'All folders' }).uncheck();
    await expect(page.getByRole('button', { name: 'Import nothing' })).toBeDisabled();
    await page.getByRole('checkbox', { name: 'Import home-ada-windmill' }).check();
    await page.getByRole('button', { name: 'Import 1 folder' }).click();

    await expect(row(page, 'windmill')).toHaveText(/Followed/);
    await expect(found(page)).toHaveText('2 folders with agent sessions are on this machine');
    await page.getByRole('checkbox', { name: 'All folders' }).uncheck();
    await page.getByRole('button', { name: 'Never read the others' }).click();

    await expect(found(page)).toHaveCount(0);
    await expect(rows(page)).toHaveText([/windmill.*Followed/s, /lighthouse.*Excluded/s, /orchard.*Excluded/s]);
    await imported(page, verbatim);
    expect((await sessions(page, verbatim)).map(({ project }) => project)).toEqual(['/home/ada/windmill', '/home/ada/windmill']);
  });

  test('are announced on the sessions page beside what was imported', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/folders');
    await page.getByRole('checkbox', { name: 'Import home-ada-orchard' }).uncheck();
    await page.getByRole('button', { name: 'Import 2 folders' }).click();
    await expect(row(page, 'windmill')).toHaveText(/Followed/);
    await visit(page, verbatim, '/sessions');

    await expect(page.locator('#sessions .banner')).toHaveText('1 folder with sessions found, 138 KB, not read yet Choose what to import', { useInnerText: true });
  });
});

test.describe('a folder that is a link', () => {
  test.use({ transcripts: ['-home-ada-windmill', '-home-ada-orchard'], tolerated: [/status of 400/] });

  test('is read after agreement to where it leads, which can be taken back', async ({ page, verbatim }) => {
    const link = join(verbatim.projects, '-home-ada-quarry');
    const [first, second] = ['elsewhere', 'other'].map((name) => join(verbatim.folder, name));
    await rename(join(verbatim.projects, '-home-ada-windmill'), first);
    await symlink(first, link);
    await visit(page, verbatim, '/folders');

    const links = page.locator('#links');
    await expect(links.locator('tbody tr')).toHaveText(`home-ada-quarry Claude Code Leads to ${first} 2 270 KB Follow Exclude`, { useInnerText: true });
    await expect(page.locator('#consent')).toHaveCount(0);
    await accessible(page);
    // It leads elsewhere by the time of the click: that isn't what was agreed to.
    await rm(link);
    await symlink(second, link);
    await rename(first, second);
    await links.getByRole('button', { name: 'Follow home-ada-quarry' }).click();
    await expect(page.locator('#folders-problem')).toContainText('/links');
    await page.reload();
    await expect(links.locator('tbody tr')).toContainText(`Leads to ${second}`);
    await links.getByRole('button', { name: 'Follow home-ada-quarry' }).click();

    const windmill = row(page, 'windmill');
    await expect(windmill).toHaveText(`/home/ada/windmill Claude Code Leads to ${second} Followed 2 270 KB Pause Exclude Take back Forget`, { useInnerText: true });
    expect((await sessions(page, verbatim)).map(({ project }) => project)).toContain('/home/ada/windmill');
    await windmill.getByRole('button', { name: 'Take back' }).click();
    await expect(links.locator('tbody tr')).toContainText(`Leads to ${second}`);
  });
});

test.describe('a folder with more than files', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  test('says what of it is passed over', async ({ page, verbatim }) => {
    const folder = join(verbatim.projects, '-home-ada-orchard');
    execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
    await symlink('/etc/passwd', join(folder, 'out.jsonl'));
    await visit(page, verbatim, '/folders');

    const skipped = page.locator('details.failures');
    await expect(skipped.locator('summary')).toHaveText('2 files of these folders are passed over');
    await skipped.locator('summary').click();
    await expect(skipped.locator('p, li')).toHaveText([
      'is a named pipe', join(folder, 'pipe.jsonl'), 'leads out of the folders that are read', join(folder, 'out.jsonl'),
    ]);
  });
});

test.describe('a folder that is read', () => {
  test.use({ transcripts: ['-home-ada-windmill', '-home-ada-orchard'] });

  test('is paused and followed again', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/folders');
    await page.getByRole('button', { name: 'Pause /home/ada/windmill' }).click();
    await expect(row(page, 'windmill')).toHaveText(/Paused/);
    const session = await newSession(verbatim, { cwd: '/home/ada/windmill' });
    await session.prompt('Which way does the wind blow?');
    // Something that is read later, so that the paused folder had its chance.
    const other = await newSession(verbatim, { cwd: '/home/ada/orchard' });
    await other.prompt('Are the plums ripe?');
    await page.goto(`${verbatim.url}/sessions`);
    await expect(page.getByRole('link', { name: 'Are the plums ripe?' })).toBeVisible();
    await expect(titles(page)).toHaveCount(6);

    await page.goto(`${verbatim.url}/folders`);
    await page.getByRole('button', { name: 'Follow /home/ada/windmill' }).click();
    await expect(row(page, 'windmill')).toHaveText(/Followed/);
    await page.goto(`${verbatim.url}/sessions`);
    await expect(page.getByRole('link', { name: 'Which way does the wind blow?' })).toBeVisible();
    await expect(titles(page)).toHaveCount(7);
  });

  test('is forgotten after a question: the store loses it, the disk keeps it', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/folders');
    const button = page.getByRole('button', { name: 'Forget /home/ada/windmill' });
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Forget this folder?' });
    await expect(dialog.getByRole('paragraph')).toHaveText(
      "Everything that was imported from /home/ada/windmill is deleted from Verbatim's store, and the folder is not read again. The agent's own files stay as they are.",
    );
    await accessible(page);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await expect(dialog).toBeHidden();
    expect(await sessions(page, verbatim)).toHaveLength(5);

    await button.click();
    await dialog.getByRole('button', { name: 'Delete and exclude' }).click();

    await expect(row(page, 'windmill')).toHaveText('home-ada-windmill Claude Code Excluded 0 270 KB Follow', { useInnerText: true });
    expect((await sessions(page, verbatim)).map(({ project }) => project)).toEqual(Array(3).fill('/home/ada/orchard'));
    expect(existsSync(join(verbatim.projects, '-home-ada-windmill/5e551007-0000-4000-8000-000000000007.jsonl'))).toBe(true);
    await page.goto(`${verbatim.url}/search?q=millstone`);
    await expect(page.locator('#results')).toContainText('Nothing found for “millstone”');
  });
});

test.describe('a long import', () => {
  test.use({ reads: 'found' });

  test('ends with the whole session, and its progress goes away', async ({ page, verbatim }) => {
    await makeLong(verbatim.projects, { messages: 3_000 });
    await visit(page, verbatim, '/folders');
    await page.getByRole('button', { name: 'Import this folder' }).click();
    await page.goto(`${verbatim.url}/sessions`);

    await expect(page.locator('.srow .msgs')).toHaveText('3,000 messages');
    await expect(page.getByRole('progressbar')).toBeHidden();
  });
});

test.describe('a machine without transcripts', () => {
  test.use({ reads: 'found' });

  test('says where it looked and what can be done', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/folders');

    await expect(page.locator('#folders')).toHaveText(
      [
        'No sessions yet Sessions of your agents are listed here as soon as one starts. Verbatim found none in 22 folders yet, and follows these folders.',
        'Read the transcripts of another folder verbatim serve --claude-dir ~/.claude Copy',
        'Or import files, once verbatim import ~/backup/claude/projects Copy',
        'Or look at an example first verbatim serve --demo Copy',
        'Watching 22 folders Show the folders',
      ].join(' '),
      { useInnerText: true },
    );
    await page.getByRole('button', { name: 'Copy' }).last().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('verbatim serve --demo');
    await page.getByText('Show the folders').click();
    await expect(page.locator('#folders details li').filter({ hasText: verbatim.projects })).toHaveCount(1);
  });
});

test.describe('the example', () => {
  test.use({ reads: 'demo', transcripts: ['.'] });

  test('stands alone: nothing of this machine is read', async ({ page, verbatim }) => {
    await open(page, verbatim);

    await expect(titles(page)).toHaveText([
      'Fix the board on the night the clocks change', 'Call a stop a pier everywhere', "Read the balloon's pressure twice a second",
    ]);
    await expect(page).toHaveTitle('(1!) Sessions · Verbatim');
    await expect(page.locator('#sessions h2').first()).toHaveText(/^Needs you/);
  });
});

async function sessions(page, verbatim) {
  return (await (await page.request.get(`${verbatim.url}/v1/sessions`)).json()).sessions;
}
