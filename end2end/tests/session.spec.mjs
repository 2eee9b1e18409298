// The page of a session: header, actions, panel, sub-agents.
import { newAgent, typed } from '../agent.mjs';
import { expect, query, ready, step, test, visit } from '../verbatim.mjs';

const MEDLARS = '5e551003-0000-4000-8000-000000000003';
const RIPE = '5e551001-0000-4000-8000-000000000001';
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());
const panel = (page) => page.getByRole('complementary', { name: 'Session details' });

test.describe('a session', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  test('says what it is, and leads on', async ({ page, verbatim }) => {
    await step(page, 'says what it is, and opens at its end', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);

      await expect(page).toHaveTitle('orchard - Ripe means more than warm · Verbatim');
      await expect(page.locator('header.bar .bar-title')).toHaveText(
        'Ripe means more than warm orchard feat/ripeness Claude Code sonnet 4.5',
        { useInnerText: true },
      );
      await expect(page.locator('#session-state')).toHaveText('Idle');
      await expect(page.getByText('581k tokens')).toHaveAttribute('title', /^Input [\d,]+, output [\d,]+, read from the cache [\d,]+, written to it [\d,]+$/);
      await expect(page.locator('article').last()).toBeInViewport();
    });

    await step(page, 'says what it came to, and leads there', async () => {
      await visit(page, verbatim, `/s/${MEDLARS}?panel=closed`);
      const agents = page.locator('#session-head .fact', { hasText: 'sub-agent' });
      await agents.click();
      await expect(panel(page).getByRole('tab', { name: 'Agents' })).toHaveAttribute('aria-selected', 'true');
      expect(query(page)).toEqual({ panel: 'agents' });
      // Beside the open panel its tabs say that.
      await expect(agents).toBeHidden();
      await page.goto(`${verbatim.url}/s/${RIPE}?panel=closed`);
      await ready(page);
      await page.locator('#session-head .fact').getByRole('img', { name: '16 lines added, 7 removed' }).click();
      await expect(page).toHaveURL(/\/changes$/);
    });

    await step(page, 'gives its resume command, its link and its messages to copy', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      const command = `cd -- /home/ada/orchard && claude --resume ${RIPE}`;
      const dock = page.locator('.dock');
      await expect(dock).toContainText('Read from a transcript: its agent is answered in its own terminal');
      await dock.getByRole('button', { name: 'Copy the resume command' }).click();
      await expect.poll(() => copied(page)).toBe(command);
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await page.getByRole('button', { name: 'More' }).click();
      await page.locator('#session-menu').getByRole('button', { name: 'Copy the resume command' }).click();
      await expect.poll(() => copied(page)).toBe(command);
      await page.keyboard.press('Escape');

      const answer = page.locator('article[data-id="dc0757fe-7b25-406c-a476-da87794c2ada"]');
      await answer.hover();
      await answer.getByRole('button', { name: 'Copy as markdown' }).click();
      await expect.poll(() => copied(page)).toBe('Committed as `4f2c1aa`.');
      await expect(page.locator('#announcer')).toHaveText('Copied');
      await answer.getByRole('button', { name: 'Copy link' }).click();
      await expect.poll(() => copied(page)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[0-9a-f-]{36}\?at=64#m64$/);

      await page.goto(await copied(page));
      await ready(page);
      await expect(answer).toBeInViewport();
      await expect(answer).toBeFocused();
    });

    await step(page, 'offers its original file, byte for byte', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      await page.getByRole('button', { name: 'More' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Original file' }).click();
      const { readFile } = await import('node:fs/promises');
      const original = await readFile(`${verbatim.projects}/-home-ada-orchard/${RIPE}.jsonl`);
      expect((await readFile(await (await download).path())).equals(original)).toBe(true);
    });

    await step(page, 'a fork shows what it copied and where it is from', async () => {
      await visit(page, verbatim, '/s/5e551002-0000-4000-8000-000000000002');

      await expect(page.getByRole('link', { name: 'Forked from Ripe means more than warm' })).toBeVisible();
      await expect(page.locator('article[data-type=TEXT][data-role=user]').last()).toContainText('could the plumtwig sensor tell it by the colour?');
    });

    await step(page, 'times are relative, and whole on hover', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      const time = page.locator('article[data-id="dc0757fe-7b25-406c-a476-da87794c2ada"] time');

      await expect(time).toHaveAttribute('datetime', /^2031-\d\d-\d\dT[\d:.]+Z$/);
      await expect(time).toHaveAttribute('title', /2031/);
    });
  });

  test('has a panel', async ({ page, verbatim }) => {
    await step(page, 'leads to its sub-agents, and they lead back', async () => {
      await visit(page, verbatim, `/s/${MEDLARS}`);
      const task = page.locator('article[data-type=TOOL_CALL]').first();
      await task.locator('summary').click();
      await task.getByRole('link').first().click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Read the press code');
      await page.getByRole('link', { name: 'Sub-agent of How long the medlars blet' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('How long the medlars blet');
      await ready(page);
    });

    await step(page, 'panel: its sub-agents, each with the end of its transcript', async () => {
      await visit(page, verbatim, `/s/${MEDLARS}`);
      await panel(page).getByRole('tab', { name: /^Agents/ }).click();
      await expect(panel(page).locator('.panel-line')).toHaveText('2 sub-agents');
      const agents = panel(page).locator('details[data-agent]');
      await expect(agents.locator('summary > .cut')).toHaveText(['Read the press code', 'Read the manual']);

      // The card in the transcript opens its own.
      const task = page.locator('article[data-type=TOOL_CALL]').first();
      await task.locator('summary').click();
      // What it holds is drawn when it unfolds.
      await expect(task.locator('[data-folded]')).toHaveCount(0);
      await task.getByRole('link', { name: 'Open its transcript' }).click();
      await expect(agents.first()).toHaveAttribute('open');
      await expect(agents.first().locator('article').first()).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('How long the medlars blet');
      const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);

      await agents.first().getByRole('link', { name: /^Open the session/ }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Read the press code');
      await ready(page);
    });

    await step(page, 'panel: changed files, whose differences come when they are opened', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      await expect(panel(page).getByRole('tab', { name: 'Changes' })).toHaveAttribute('aria-selected', 'true');
      await expect(panel(page).locator('.panel-line').first()).toHaveText(/^5 files\s*sum of 6 edits\s*\+16\s*−7\s*Review$/);
      await expect(panel(page).getByRole('img', { name: '16 lines added, 7 removed' })).toBeVisible();
      const file = panel(page).locator('details[data-load]').filter({ hasText: 'ripe.go' });
      await expect(file.locator('summary')).toHaveText(/^M\s*ripe\.go ripeness\s*\+5\s*−4$/);
      await expect(file.locator('.edits')).toBeEmpty();

      await file.locator('summary').click();
      await expect(file.getByText('if Warm(day) && day.Brix >= MinBrix {')).toBeVisible();
      await file.getByRole('link', { name: 'Show in transcript' }).last().click();
      await expect(page.locator('article[data-current]')).toHaveAttribute('data-type', 'CODE_EDIT');
      await expect(page.locator('article[data-current]')).toBeInViewport();
    });

    await step(page, 'panel: about, by arrow keys, and closed and open again', async () => {
      await visit(page, verbatim, `/s/${RIPE}`);
      await panel(page).getByRole('tab', { name: 'Changes' }).focus();
      for (const name of ['Context', 'Tools']) {
        await page.keyboard.press('ArrowRight');
        await expect(panel(page).getByRole('tab', { name })).toBeFocused();
      }
      await expect(panel(page).getByRole('columnheader', { name: 'Median' })).toBeVisible();
      for (const name of ['Events', 'Records']) {
        await page.keyboard.press('ArrowRight');
        await expect(panel(page).getByRole('tab', { name })).toBeFocused();
      }
      await page.keyboard.press('ArrowRight');

      const about = panel(page).getByRole('tab', { name: 'About' });
      await expect(about).toBeFocused();
      await expect(about).toHaveAttribute('aria-selected', 'true');
      expect(query(page)).toEqual({ panel: 'about' });
      const fact = (name) => panel(page).locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd').first();
      await expect(fact('Agent')).toHaveText('Claude Code 2.1.205');
      await expect(fact('Project')).toHaveText('/home/ada/orchard');
      await expect(fact('Messages')).toHaveText('47');
      await expect(fact("Agent's own id")).toHaveText(RIPE);
      await expect(fact('File')).toHaveText(`${verbatim.projects}/-home-ada-orchard/${RIPE}.jsonl`);

      await panel(page).getByRole('button', { name: 'Close the details' }).click();
      await expect(panel(page)).toBeHidden();
      await page.reload();
      await ready(page);
      await expect(panel(page)).toBeHidden();
      await page.getByRole('link', { name: 'Details' }).click();
      await expect(panel(page)).toBeVisible();
    });
  });
});

test.describe('todos', () => {
  test.use({ transcripts: ['-home-ada-lighthouse'] });

  test('panel: the list as it stands now', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/s/5e551005-0000-4000-8000-000000000005');

    await expect(panel(page).getByRole('tab', { name: 'Todos 2/3' })).toHaveAttribute('aria-selected', 'true');
    await expect(panel(page).getByRole('tabpanel')).toMatchAriaSnapshot(`
      - tabpanel "Todos 2/3":
        - paragraph:
          - text: 2 of 3 done
          - link "Latest update"
        - list:
          - listitem:
            - img "Done"
            - text: Scrape the rust 5.8 s
          - listitem:
            - img "Done"
            - text: Prime the iron 5.8 s
          - listitem:
            - img "In progress"
            - text: Paint it white In progress
    `);
    await panel(page).getByRole('link', { name: 'Latest update' }).click();
    await expect(page.locator('article[data-current]')).toHaveAttribute('data-type', 'TODO');
  });
});

test.describe('big contents', () => {
  test.use({ transcripts: ['-home-ada-windmill'] });

  test('are cut and shown whole, and pictures are seen', async ({ page, verbatim }) => {
    await step(page, 'are cut, say how much is left, and are shown whole on demand', async () => {
      await visit(page, verbatim, '/s/5e551008-0000-4000-8000-000000000008?at=1');
      const log = page.locator('article').filter({ hasText: './mill log --all' });
      await log.locator('summary').first().click();
      await expect(log).not.toContainText('[01200]');
      await log.getByRole('button', { name: /^Show [\d,]+ / }).click();
      await expect(log).toContainText('[01200]');
      await expect(log.locator('details').first()).toHaveAttribute('open');

      const file = page.locator('article[data-type=CODE_EDIT]');
      await expect(file.locator('summary')).toHaveText('A torque.csv Large +600 Applied', { useInnerText: true });
      await expect(file.locator('details')).not.toHaveAttribute('open');
    });

    await step(page, 'pictures of prompt and result are shown', async () => {
      await visit(page, verbatim, '/s/5e551008-0000-4000-8000-000000000008?at=1');
      const pictures = page.locator('article[data-type=FILE] img.thumb');
      await expect(pictures).toHaveCount(2);
      // What a person pasted has no name.
      await expect(page.locator('article[data-role=user] .filecard .cut')).toHaveText('Pasted image');
      for (const picture of await pictures.all()) {
        await expect.poll(() => picture.evaluate((img) => img.naturalWidth)).toBeGreaterThan(0);
      }
    });
  });
});

test('on paper a plan stands once, and what changed it before is a line', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const plan = (done) => ({ content: '', ...typed('TODO', {
    todos: ['Prune', 'Graft', 'Water'].map((content, n) => ({ id: `${n}`, content, status: n < done ? 'completed' : 'pending' })),
  }) });
  for (let done = 0; done < 3; done += 1) {
    await agent.post(plan(done));
    await agent.post({ content: `Done with ${done}.` });
  }
  await visit(page, verbatim);
  await page.goto(`${verbatim.url}/s/${agent.id}/print`);
  await expect(page.locator('.plan > summary:visible')).toHaveCount(3);
  await expect(page.locator('.todos:visible')).toHaveCount(1);
  await expect(page.locator('.todos:visible')).toHaveText(/Prune.*Graft.*Water/s);
});
