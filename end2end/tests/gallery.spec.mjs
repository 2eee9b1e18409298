// The gallery: every message type in every state, drawn by the program itself. What is asked here is structure and access,
// not pixels: in the light and in the dark, on a desk and on a phone, folded and unfolded.
import { accessible, expect, step, test, visit } from '../verbatim.mjs';

// The example of a file names bytes that nobody stored.
test.use({ reads: 'demo', tolerated: [/status of 404/] });

const GROUPS = 16;
const rows = (page) => page.locator('.gallery-row');

async function show(page, verbatim, part, more = '') {
  await page.goto(`${verbatim.url}/gallery?part=${part}${more}`);
}

// Nothing is wider than the page, nothing is blank, and each message says its state in words.
async function sound(page) {
  const faults = await rows(page).evaluateAll((all) => all.flatMap((row) => {
    const article = row.querySelector('article');
    const state = row.querySelector('h2').textContent;
    const box = article.getBoundingClientRect();
    const wide = row.closest('.scroll').scrollWidth > row.closest('.scroll').clientWidth;
    const found = [];
    if (!article.getAttribute('aria-label')) found.push('without a label');
    if (box.height < 18) found.push('blank');
    if (wide) found.push('wider than the page');
    if (article.textContent.includes('Could not draw')) found.push('could not be drawn');
    const misfits = article.textContent.includes("its data doesn't fit its type");
    if (misfits !== (state === "data that doesn't fit its type")) found.push(misfits ? 'taken for data that fits no type' : 'fits');
    return found.map((fault) => `${state}: ${fault}`);
  }));
  expect(faults).toEqual([]);
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(1_500);
}

test('every type in every state is drawn, folded and unfolded, and fits a desk and a phone', async ({ page, verbatim }) => {
  test.slow();
  await visit(page, verbatim, '/gallery');
  await expect(page.getByRole('navigation', { name: 'Groups' }).getByRole('link')).toHaveCount(GROUPS + 1);
  for (let part = 0; part < GROUPS; part += 1) {
    for (const more of ['', '&view=verbose&dev=1']) {
      await show(page, verbatim, part, more);
      await expect(rows(page)).not.toHaveCount(0);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await sound(page);
      }
    }
  }
});

test('every type in every state is accessible, in the light and in the dark', async ({ page, verbatim }) => {
  test.slow();
  await visit(page, verbatim, '/gallery');
  for (let part = 0; part <= GROUPS; part += 1) {
    await show(page, verbatim, part, '&view=verbose');
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await accessible(page);
    }
  }
});

test('what messages, and what stands around them, say', async ({ page, verbatim }) => {
  await step(page, 'what stands around messages is there in each state, and fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, verbatim, `/gallery?part=${GROUPS}`);
    const all = page.locator('#gallery');
    await expect(all.locator('.toast')).toHaveText(['Copied', /^Archived: .*Undo$/, /^Not archived: /]);
    await expect(all.locator('.chunk-gap')).toHaveCount(2);
    await expect(all.locator('.note .state')).toHaveText(['Draft', 'Sent', 'Resolved', 'Sent, outdated']);
    await expect(all.locator('.gallery-states .state')).toHaveText(['Connecting', 'Live', 'Reconnecting', 'Offline', 'Catching up']);
    await expect(all.locator('.link-notice')).toHaveCount(4);
    const fits = await page.evaluate(() => [...document.querySelectorAll('#gallery *')].every((one) => one.getBoundingClientRect().right <= innerWidth));
    expect(fits).toBe(true);
  });

  await step(page, 'tool calls say in words what they did, and by what state they are in', async () => {
    await visit(page, verbatim, '/gallery?part=1');
    await expect(rows(page).locator('summary > b').filter({ visible: true })).toHaveText([
      'Read', 'edit_file', 'remove', 'rename', 'Grep', 'Bash', 'Bash', 'plan_route', 'WebFetch', 'WebSearch', 'harbour\u00a0· list_berths',
    ]);
    await show(page, verbatim, 2);
    await expect(rows(page).locator('summary .state')).toHaveText([
      'Running', 'Running', 'Running', 'In the background', 'Exit 101', 'Failed', 'Timed out', 'Denied', 'Cancelled', 'No answer recorded',
    ]);
  });

  await step(page, 'what a reader can not see in a command is shown by its number', async () => {
    await visit(page, verbatim, '/gallery?part=2&view=verbose');
    const row = rows(page).filter({ hasText: 'what hides is shown' });
    await expect(row.locator('summary .ctl')).toHaveText(['U+200B', 'U+202E']);
    await expect(row.locator('.term .ctl')).toHaveText(['U+200B']);
  });

  await step(page, 'a file is read with its line numbers, matches stand by file, links are links', async () => {
    await visit(page, verbatim, '/gallery?part=1&view=verbose');
    const row = (state) => rows(page).filter({ has: page.getByRole('heading', { name: state, exact: true }) });
    await expect(row('read').locator('.nums')).toHaveText('11\n12\n13\n14\n15');
    await expect(row('read').locator('.code .h-k').first()).toHaveText('pub');
    await expect(row('search').locator('.found .path')).toHaveText(['src/board.rs', 'src/tide.rs']);
    await expect(row('search').locator('.found mark')).toHaveText(['height(', 'height(']);
    await expect(row('fetch, a search of the web').getByRole('link')).toHaveText(['Tide tables, explained', 'A format for harbours']);
    await expect(row('other, of an MCP server').getByRole('columnheader')).toHaveText(['berth', 'length_m', 'free']);
    await expect(row('execute').locator('.term')).toContainText('100 %');
    await expect(row('execute').locator('.term')).not.toContainText('60 %');

    const term = row('execute').locator('.term');
    const wraps = () => term.evaluate((node) => getComputedStyle(node).whiteSpace);
    const before = await wraps();
    await row('execute').getByText('Wrap', { exact: true }).click();
    expect(await wraps()).not.toBe(before);
  });
});
