// Every component in the states that the example shows. The window is tall, so that the whole session is in the document;
// before axe looks, all but the last test make it small again, which leaves a tenth of the work.
import { accessible, decidable, expect, test, visit } from '../verbatim.mjs';

test.use({ reads: 'demo', viewport: { width: 1280, height: 9_000 } });

const SESSION = '/s/demo-clock-change?at=1';
const card = (page, id) => page.locator(`article[data-id="demo-clock-change-${id}"]`);
// By key: in so tall a window rows get their height as they come into view, which can move a button between the
// pointer's way down and its way up.
const press = (locator) => locator.press('Enter');
const says = (locator, text) => expect(locator).toHaveText(text, { useInnerText: true });

test.beforeEach(async ({ page, verbatim }) => {
  await visit(page, verbatim, SESSION);
  await expect(card(page, 'call-37~approval~0')).toBeAttached();
});

test.afterEach(async ({ page }, info) => {
  if (!info.title.startsWith('every card')) await page.setViewportSize({ width: 1280, height: 720 });
});

test('messages say what they are', async ({ page }) => {
  await test.step('texts of every voice', async () => {
    await says(card(page, '001'), 'A made-up session: it shows every kind of message that Verbatim knows');
    await expect(card(page, '006').getByRole('heading')).toHaveText('Ines');
    await says(card(page, '009'), /I will look at how a departure gets its time, first in the timetable crate and then on the board\.$/);
    await says(card(page, '040'), 'Run finished 1 min 55 s 14 turns 72k tokens $0.31 1 hidden');
    await says(card(page, '041'), /^Ines\s+Ticked: Note the fix in the changelog\s+\d+ min$/);
    await says(card(page, '058'), 'Ines Interrupted by the user, during a tool call');
    await says(card(page, '060'), /^Ines\s+\/cost\s+\d+ min$/);
    await says(card(page, '061'), 'Command output Total cost: $0.50 Total time: 9 min 41 s, of it 6 min 2 s in requests');
    await says(card(page, '065'), 'Paused by Ines');
    await says(card(page, '087'), 'Retracted');
    await expect(card(page, '088').locator('.msg p')).toHaveText(['The branch is ready to be', 'Ended with an error']);
    await says(card(page, '092'), 'Tool output Done checks passed: 82 tests, 0 warnings');
    await says(card(page, '093'), 'Tool output Exit 2 pier 3 did not answer in time');
  });

  await test.step('markdown: headings, table, tasks, footnote, code, links', async () => {
    const message = card(page, '019');
    await expect(message.getByRole('heading').first()).toHaveText('Why the board is an hour early');
    await expect(message.getByRole('columnheader')).toHaveText(['Printed', 'Meant', 'Shown in summer time', 'Shown that night']);
    await expect(message.getByRole('row').last().getByRole('cell')).toHaveText(['30:30', '06:30', '06:30', '05:30']);
    const tasks = message.getByRole('img');
    expect(await tasks.evaluateAll((all) => all.map((box) => box.ariaLabel))).toEqual(['Done', 'Open', 'Open', 'Open']);
    await expect(message.locator('blockquote')).toHaveText('A timetable promises what the clock at the pier says, not how long you wait.');

    const link = message.getByRole('link', { name: 'https://docs.example/civil' });
    await expect(link).toHaveAttribute('href', 'https://docs.example/civil');
    await expect(link).toHaveAttribute('rel', /noopener/);
    const note = message.locator('sup a').first();
    const target = await note.getAttribute('href');
    await expect(message.locator(target)).toContainText('Some formats count from');

    const code = message.locator('.codeblock').first();
    await expect(code.locator('code span').first()).toBeAttached();
    await press(code.getByRole('button', { name: 'Copy' }));
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(
      [
        '/// The time on the wall that a timetable means: `27:10` on Saturday is 03:10 on Sunday.',
        'fn wall_clock(date: Date, minutes: u16) -> DateTime {',
        '    let day = date.saturating_add(Span::new().days(i64::from(minutes / 1440)));',
        '    let (hour, minute) = (minutes % 1440 / 60, minutes % 60);',
        '    day.at(hour as i8, minute as i8, 0, 0)',
        '}',
      ].join('\n'),
    );
  });

  await test.step('todo lists: superseded ones folded, the latest with its marks', async () => {
    const todos = page.locator('article[data-type=TODO][data-role=assistant]');
    await expect(todos.first()).toHaveText('Plan Added 5 items 0 of 5', { useInnerText: true });
    await expect(todos.nth(1)).toHaveText(/^Plan\s+Done 3 items · Added: Mark the doubled hour .*\s3 of 5, 1 cancelled$/, { useInnerText: true });
    const latest = todos.last();
    await expect(latest.locator('summary').first()).toHaveText(/5 of 7, 1 cancelled/);
    await expect(latest.getByRole('listitem')).toHaveCount(8);
    // Its agent takes ticks.
    await expect(latest.getByRole('checkbox', { checked: true })).toHaveCount(5);
    const done = latest.getByRole('listitem').filter({ has: page.getByRole('checkbox', { checked: true }) }).first();
    // Its mark says that it is done, and the line through it.
    const { textDecorationLine, color } = await done.locator('span').last().evaluate((node) => {
      const { textDecorationLine, color } = getComputedStyle(node);
      return { textDecorationLine, color };
    });
    expect(textDecorationLine).toBe('line-through');
    expect(color).not.toBe(await latest.locator('.is-now > span').first().evaluate((node) => getComputedStyle(node).color));
  });

  await test.step('approvals say how they were decided, the open one can be answered', async () => {
    const approvals = page.locator('article[data-type=APPROVAL]');
    await expect(approvals.locator('summary')).toHaveText(
      [
        /^Answered\s+Two boats have printed times .*\s+by Ines in the browser$/s,
        'Approved Mark the doubled hour by Ines in the terminal',
        'Allowed once Run git push -u origin fix/clock-change by Ines in the browser Medium risk',
        'Answered Release note by Ines in the browser',
      ],
      { useInnerText: true },
    );
    // The words of a refusal are in the open.
    await expect(approvals.locator('.refusal')).toContainText(['These files belong to the harbour office. Mark it in code.']);
    const open = approvals.last();
    await expect(open.locator('.head')).toHaveText(/^Question for you\s*The replay is clean so far\. When shall the piers get the fix\?/);
    await expect(open.getByRole('radio')).toHaveCount(2);
    await expect(open.getByRole('radio', { name: /^Tonight Before the last boat, while somebody is at pier 1/ })).toBeAttached();
    await expect(open.getByRole('textbox')).toHaveCount(1);
    // What tells the agent of a decision is read with dev on.
    await expect(card(page, '091')).toHaveCount(0);
  });

  await test.step('files: pictures are shown, what has no bytes says why', async () => {
    const files = card(page, '007');
    await expect(files.getByRole('listitem')).toHaveText(
      ['board-0210.png PNG · 817 B', 'timetable-autumn.pdf Being processed', "pier-camera.heic Pictures of this kind can't be shown"],
      { useInnerText: true },
    );
    const picture = files.locator('img.thumb');
    await expect.poll(() => picture.evaluate((img) => img.naturalWidth)).toBeGreaterThan(0);
    await expect(files.getByRole('link')).toHaveText(['board-0210.png PNG · 817 B', '', ''], { useInnerText: true });
    await expect(files.getByRole('link', { name: 'Download board-0210.png' })).toHaveAttribute('download', 'board-0210.png');
    await says(card(page, '086').getByRole('listitem'), /replay\.txt\s+Text · 135 B[\s\S]+2031-10-26[\s\S]+Open in the editor/);
    await expect(card(page, '086').getByRole('button', { name: 'Open in the editor' })).toBeVisible();
  });

  await test.step('errors with their frames, and types that nobody knows as data', async () => {
    await says(card(page, '071'), /^Rate limit error\s+The provider asked to wait\s+attempt 2 of 5\s+\d+ min$/);
    const error = card(page, '079');
    await expect(error).toContainText('no such time on the wall: 2031-03-30 02:30');
    await expect(error.getByRole('listitem')).toHaveText(
      [
        'crates/timetable/src/zone.rs:58 in instant_of return Err(TimeError::Gap(local));',
        'crates/timetable/src/departures.rs:41 in Timetable::of_day let at = instant_of(local, zone)?;',
        'crates/replay/src/main.rs:19 in main',
      ],
      { useInnerText: true },
    );
    await press(error.getByText('1 library frame'));
    await says(error.getByRole('listitem').last(), '? in std::rt::lang_start');

    const unknown = card(page, '085');
    await says(unknown.locator('summary').first(), 'Deploy plan: pier 1 first, the others 30 minutes later acme.deploy/plan no component for this type');
    await expect(unknown.locator('.body > * > li, .body li').first()).toHaveText('target: "piers"');
    await press(unknown.locator('.body summary').nth(1));
    await expect(unknown.locator('.body details').nth(1)).toHaveAttribute('open');
  });
});

test('code edits', async ({ page }) => {
  await test.step('added, modified, deleted, moved, with what was done of them', async () => {
    const all = page.locator('article[data-type=CODE_EDIT] > details > summary');
    await expect(all).toHaveText(
      [
        /^A\s*crates\/timetable\/tests\/clock_change\.rs\s*\+21\s*Applied$/,
        /^M\s*crates\/timetable\/src\/departures\.rs\s*\+3\s*−4\s*Applied$/,
        /^M\s*web\/src\/board\.ts\s*\+1\s*−1\s*Failed$/,
        /^M\s*web\/src\/board\.ts\s*\+3\s*−3\s*Applied$/,
        /^M\s*crates\/timetable\/src\/sailing\.rs\s*\+2\s*Applied$/,
        /^A\s*crates\/timetable\/src\/fold\.rs\s*\+18\s*Applied$/,
        /^D\s*web\/src\/legacy\/offset\.ts\s*−2\s*Applied$/,
        /^M\s*CHANGELOG\.md\s*\+1\s*Applied$/,
        /^M\s*web\/src\/feed\.ts\s*\+1\s*Partly applied$/,
        /^M\s*web\/src\/feed\.ts\s*\+1\s*−1\s*Failed$/,
        /^A\s*timetables\/autumn\.txt\s*\+6\s*Denied$/,
        /^M\s*crates\/timetable\/src\/zone\.rs\s*\+2\s*−1\s*Applied$/,
      ],
    );
  });

  await test.step('lines, marked words, and a failure that never looks applied', async () => {
    const applied = page.locator('article[data-type=CODE_EDIT] details').filter({ hasText: 'crates/timetable/src/zone.rs' });
    await expect(applied.locator('del mark').first()).toBeVisible();
    await expect(applied.getByRole('deletion').filter({ hasText: 'Ambiguity' })).toHaveText(/Ambiguity::Gap => return Err\(TimeError::Gap\(local\)\),/);
    await expect(applied.getByRole('insertion').last()).toHaveText(/Ambiguity::Gap => later\(local\),/);
    await expect(applied.locator('del .h-k, del .h-t').first()).toBeAttached();

    const failed = page.locator('article[data-type=CODE_EDIT] details[data-state=failed]').first();
    await expect(failed.locator('summary')).toHaveText(/Failed/);
    await expect(failed.getByText('Not applied: the file is unchanged')).toBeVisible();
    await expect(failed).not.toContainText('Applied');
    const rejected = page.locator('article[data-type=CODE_EDIT] details[data-state=denied]');
    await expect(rejected).not.toHaveAttribute('open');
    await press(rejected.locator('summary'));
    await expect(rejected.getByRole('insertion').first()).toBeVisible();

    await press(applied.getByRole('button', { name: 'Copy path' }));
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('/home/ines/slipway/crates/timetable/src/zone.rs');
    await press(applied.getByRole('button', { name: 'Copy diff' }));
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('diff --git a/crates/timetable/src/zone.rs b/crates/timetable/src/zone.rs\n');
    expect(await copied()).toMatch(/^-.*Ambiguity::Gap => return Err.*\n(.*\n)*\+.*Ambiguity::Gap => later\(local\),\n/m);
  });
});

test('tool calls', async ({ page }) => {
  await test.step('what was called, on what, how it ended and how long it took', async () => {
    const calls = page.locator('.chunk > article[data-type=TOOL_CALL] > details > summary');
    await expect(calls).toHaveText(
      [
        'WebFetch https://blog.example/service-day 15 s Failed',
        'Bash cargo test -p slipway-timetable --test clock_change 1 failed, 1 passed 8.2 s Exit 101',
        /^Read\s+web\/src\/\s*board\.ts$/,
        'Bash cargo test -p slipway-timetable 82 passed 11 s',
        'Task Review the time zone code reviewer Background No end recorded',
        'harbour · sailings 2031-10-26 0.4 s',
        'ToolSearch move file',
        'Move web/src/sound.ts → web/src/announce/sound.ts',
        'Delete web/src/offset.test.ts',
        'Bash ./scripts/replay.sh --nights 2000 --all-islands 12 s Cancelled',
        'Bash npm run dev -- --port 5180 In the background',
        'BashOutput board-1',
        /^WebFetch\s+http:\/\/localhost:5180\/admin\s+Rule `WebFetch\(domain:localhost\)`\s+Denied$/,
        'Skill replay No answer recorded',
        'Bash git push -u origin fix/clock-change 2.9 s',
        'Bash ./scripts/replay.sh --night tonight --piers Running',
      ],
      { useInnerText: true },
    );
    const states = calls.locator('xpath=..');
    expect(await states.evaluateAll((all) => all.map((one) => one.dataset.state))).toEqual([
      'failed', 'failed', 'done', 'done', 'running', 'done', 'done', 'done', 'done', 'idle', 'done', 'done', 'denied', 'lost', 'done', 'running',
    ]);
    // Failures are open: an error is plain to see.
    expect(await states.evaluateAll((all) => all.filter((one) => one.open).map((one) => one.dataset.state))).toEqual(['failed', 'failed']);
  });

  await test.step('output with the colours of the terminal, input as JSON, calls that only looked folded', async () => {
    const failing = page.locator('article[data-type=TOOL_CALL]').filter({ hasText: '--test clock_change' });
    const failed = failing.locator('pre span').filter({ hasText: /^FAILED$/ }).first();
    const colour = (locator) => locator.evaluate((node) => getComputedStyle(node).color);
    expect(await colour(failed)).not.toBe(await colour(failing.locator('pre').last()));
    await expect(failing.locator('pre').last()).not.toContainText('\u001b');

    const explored = page.locator('article.group').first();
    await says(explored, 'Explored 3 files, 2 searches Grep, Glob, Read 0.2 s');
    await press(explored.locator('summary').first());
    await expect(explored.locator('article')).toHaveCount(5);
    const read = explored.locator('article').last();
    await press(read.locator('summary').first());
    await expect(read.locator('details').first()).toHaveAttribute('open');
  });
});

test('every card is accessible, in the light and in the dark', async ({ page }) => {
  test.slow();
  await accessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
});

test("the example's agent answers what is decided and written", async ({ page }) => {
  const open = card(page, 'call-37~approval~0');
  await decidable(open);
  await open.getByRole('radio', { name: /^Tonight/ }).check();
  await open.getByRole('button', { name: 'Send answer' }).click();
  const asked = page.locator('article[data-type=APPROVAL]').filter({ hasText: './scripts/publish.sh' });
  await decidable(asked);
  await asked.getByRole('button', { name: 'Publish' }).click();
  await expect(page.locator('article').filter({ hasText: 'Published: all 12 piers have the fix' })).toBeVisible();
  await page.getByRole('textbox', { name: /^Message/ }).fill('An edit, please');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('article[data-type=CODE_EDIT]').filter({ hasText: 'board.rs' }).last()).toBeVisible();
});
