// Large differences of the changes page: text in blocks, of which only what is near is there.
import { newAgent } from '../agent.mjs';
import { cwd, edit, editor, lines, open } from '../review.mjs';
import { expect, logIn, ready, step, test } from '../verbatim.mjs';

// Wide enough for the files beside the differences, and not for two sides of them.
test.use({ viewport: { width: 1084, height: 800 } });

async function large(page, verbatim, count = 5000) {
  const agent = await newAgent(verbatim, { cwd });
  const old = lines(1, count);
  await edit(agent, 'src/large.rs', old, old.replaceAll(/tree(?=\(\d*5\))/g, 'pear'), { scope: 'file' });
  await open(page, verbatim, `/s/${agent.id}/changes`);
  await page.getByRole('button', { name: 'Show anyway' }).click();
  await expect(page.locator('.bk').first()).toBeVisible();
  return agent;
}

// A click on the number of a row, which is counted from the top of its block.
const pressNumber = (page, block, row) => block.locator('.bn').last().click({ position: { x: 20, y: row * 20 + 10 } });

test('a large difference is read', async ({ page, verbatim }) => {
  await step(page, 'a large difference is text in blocks, coloured and findable', async () => {
    await large(page, verbatim);
    await expect(page.locator('.bc:not(:has(.bk))')).toHaveCount(0);
    expect(await page.evaluate(() => document.querySelectorAll('#files *').length)).toBeLessThan(1000);
    expect(await page.evaluate(() => CSS.highlights.get('k').size)).toBeGreaterThan(1000);
    expect(await page.evaluate(() => {
      const line = [...CSS.highlights.get('k')][0].startContainer.parentElement;
      return getComputedStyle(line, '::highlight(k)').color === getComputedStyle(line).color;
    })).toBe(false);
    expect(await page.evaluate(() => window.find('let row_4995 = pear'))).toBe(true);
  });

  await step(page, 'a large difference is split, and its long lines wrap', async () => {
    const agent = await newAgent(verbatim, { cwd });
    const long = (n) => `    let row_${n} = pear(${n}); // ${'a tree that has much to say about itself '.repeat(8)}`;
    const old = lines(1, 300);
    await edit(agent, 'src/long.rs', old, lines(1, 300, { 2: long(2), 4: long(4) }), { scope: 'file' });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const card = page.locator('section.file');
    await card.getByRole('group').or(card.locator('details.drop > summary')).last().click();
    await card.getByRole('button', { name: 'Show all lines' }).click();
    const first = page.locator('.bk').first();
    await expect(page.locator('.bc[data-wrapped]').first()).toBeVisible();
    // A row of a long line is as high as its text: numbers and text end together.
    const heights = () => first.evaluate((block) => [...block.querySelectorAll('pre')].map((pre) => Math.round(pre.scrollHeight / 20)));
    await expect(async () => {
      const [numbers, text] = await heights();
      expect(numbers).toBeGreaterThan(105);
      expect(numbers).toBe(text);
    }).toPass();
    await page.keyboard.press('z');
    await expect(page.locator('.bc[data-wrapped]')).toHaveCount(0);
    await expect(async () => expect((await heights())[0]).toBeLessThan(105)).toPass();
    await page.keyboard.press('z');
    await page.keyboard.press('s');
    await expect(page.locator('.two .bk').first()).toBeVisible();
    // Both sides of every block are as high as each other but for its last row.
    await expect(page.locator('.two .bc[data-wrapped]').first()).toBeVisible();
  });

  await step(page, 'hidden lines of a large difference come in steps, many of them as text in blocks', async () => {
    const agent = await newAgent(verbatim, { cwd });
    const changed = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [3000 + 20 * at, `    let row_${3000 + 20 * at} = pear(${at});`]));
    await edit(agent, 'src/many.rs', lines(1, 5000), lines(1, 5000, changed), { scope: 'file' });
    await edit(agent, 'src/one.rs', lines(1, 4000), lines(1, 4000, { 5: 'a', 3990: 'b' }), { scope: 'file' });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const many = page.locator('section.file', { hasText: 'many.rs' });
    await expect(page.getByRole('button', { name: 'Show anyway' })).toHaveCount(1);
    await many.getByRole('button', { name: 'Show anyway' }).click();
    await expect(many.locator('.bt').first()).toContainText('2996 unchanged lines');
    await many.locator('.bgap').first().getByRole('button', { name: '20', exact: false }).last().click();
    await expect(many.locator('.bt').first()).toContainText('2976 unchanged lines');
    await expect(many.locator('.bt').nth(1)).toContainText('row_2977 =');
    const one = page.locator('section.file', { hasText: 'one.rs' });
    await page.locator('.file-row a', { hasText: 'one.rs' }).click();
    await one.locator('.gap', { hasText: /39\d\d unchanged/ }).getByRole('button', { name: /^Show \d+ unchanged/ }).click();
    await expect(one.locator('.bt', { hasText: 'row_12 =' })).toHaveCount(1);
    expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(1_500);
  });
});

test('a large difference is worked with', async ({ page, context, verbatim }) => {
  await step(page, 'a large difference is walked through, commented and linked like a small one', async () => {
    const agent = await large(page, verbatim);
    await page.keyboard.press('n');
    await expect(page.locator('#review-at')).toHaveText('1 of 500');
    await page.keyboard.press('n');
    await expect(page.locator('#review-at')).toHaveText('2 of 500');
    await expect(page.locator('.bnow')).toHaveCount(1);
    // The eighth row: 1 to 4 as they were, 5 removed, 5 added, 6 and 7.
    await pressNumber(page, page.locator('.bk').first(), 5);
    await expect(page.getByRole('textbox', { name: 'Comment on R5' })).toBeFocused();
    await page.keyboard.type('Why a pear?');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('.note[data-id]')).toContainText('Why a pear?');
    // The address names the line: the difference opens by itself.
    await page.reload();
    await ready(page);
    await expect(page.locator('.bk + .note[data-id]')).toContainText('Why a pear?');
    await page.getByRole('button', { name: 'Send 1 comment' }).click();
    const [message] = await agent.pending();
    expect(message.content).toContain('let row_5 = pear(5);');
    await page.goto(`${page.url().split('#')[0]}#${await page.locator('section.file').getAttribute('id')}:R4015`);
    await page.reload();
    await expect(page.locator('.bat')).toBeInViewport();
    await expect(page).toHaveURL(/:R4015/);
  });

  await step(page, 'copying one side of a large difference leaves out what the side has not', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.setViewportSize({ width: 1600, height: 900 });
    const agent = await newAgent(verbatim, { cwd });
    const old = lines(1, 1000);
    const fewer = old.replace(lines(3, 5), '').replaceAll(/tree(?=\(\d*0\))/g, 'pear');
    await edit(agent, 'src/fewer.rs', old, fewer, { scope: 'file' });
    await open(page, verbatim, `/s/${agent.id}/changes`);
    await page.keyboard.press('s');
    await expect(page.locator('.two .bk').first()).toBeVisible();
    // From within the second line on to the seventh.
    const copied = async (side) => {
      await page.locator('.two .bk').first().evaluate((block, at) => {
        const text = block.querySelectorAll('.bt')[at].firstChild;
        getSelection().setBaseAndExtent(text, text.data.indexOf('row_2 '), text, text.data.indexOf('row_8 '));
      }, side);
      await page.keyboard.press('Control+c');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const told = (text) => `${text.slice(text.indexOf('row_2 '))}    let `;
    await expect.poll(() => copied(0)).toBe(told(lines(2, 7)));
    await expect.poll(() => copied(1)).toBe(told(lines(2, 2) + lines(6, 7)));
  });

  await step(page, 'the editor opens a large file where a line was removed', async () => {
    await large(page, verbatim);
    const opened = await editor(page, verbatim);
    await page.reload();
    await ready(page);
    await page.getByRole('button', { name: 'Show anyway' }).click();
    const rows = page.locator('.bk').first();
    // The removed line 15; the first change is at line 5.
    await expect(rows.locator('.bt')).toContainText('row_15 = tree');
    await pressNumber(page, rows, 15);
    await expect(page.getByRole('textbox', { name: 'Comment on L15' })).toBeFocused();
    await page.getByLabel('More', { exact: true }).click();
    await page.locator('.menu-item', { hasText: 'Open in the editor' }).click();
    await expect.poll(() => opened.pop()).toMatch(/src\/large\.rs:15$/);
  });
});

test.describe('answers that are late, or fail', () => {
  test.use({ serviceWorkers: 'block', tolerated: [/status of 503/] });

  // `plan` says of an address after how many milliseconds, or after what, it is answered, and with what if not by the server. Gives
  // what waits until all that was asked for is answered, and the page is done with it.
  const late = async (page, part, plan) => {
    let asking = 0;
    await page.route(`**/net?*${part}*`, async (route) => {
      asking += 1;
      const [after, answer] = plan(route.request().url());
      await (typeof after === 'number' ? new Promise((resolve) => { setTimeout(resolve, after); }) : after);
      await (answer ? route.fulfill(answer) : route.continue());
      asking -= 1;
    });
    return async () => {
      await expect.poll(() => asking).toBe(0);
      await page.evaluate(() => new Promise((resolve) => { requestIdleCallback(resolve); }));
    };
  };
  const add = async (page, block, row, words) => {
    await pressNumber(page, block, row);
    await page.getByRole('textbox', { name: 'Comment on' }).fill(words);
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('.note[data-id]', { hasText: words })).toBeVisible();
  };
  // The last line before the comment that says these words.
  const above = (page, words) => page.locator('.bk + .note[data-id]', { hasText: words })
    .evaluate((note) => note.previousElementSibling.querySelector('.bt').textContent.trimEnd().split('\n').at(-1));

  test('leave everything at its place', async ({ page, verbatim }) => {
    await step(page, 'a place that is fetched twice has its rows, though the second answer fails', async () => {
      // So high that the second place is near, and asked for because of that too.
      await page.setViewportSize({ width: 1084, height: 1500 });
      const asked = new Map();
      const busy = { status: 503, json: { title: 'Busy', status: 503, code: 'busy' } };
      // Nothing is answered before something was asked for twice, however slow the page is.
      let isTwice;
      const twice = new Promise((resolve) => { isTwice = resolve; });
      const settled = await late(page, 'rows=', (url) => {
        const range = new URL(url).searchParams.get('rows');
        asked.set(range, (asked.get(range) ?? 0) + 1);
        if (asked.get(range) === 1) return [twice];
        isTwice();
        return [900, busy];
      });
      await large(page, verbatim);
      await expect(page.locator('.bc:not(:has(.bk))')).toHaveCount(0);
      expect(Math.max(...asked.values())).toBeGreaterThan(1);
      await settled();
      await expect(page.locator('.bc:not(:has(.bk))')).toHaveCount(0);
      await expect(page.locator('#files')).not.toContainText('Busy');
    });

    await step(page, 'a comment stands below its line, though the rows were asked for before', async () => {
      await large(page, verbatim);
      const later = page.locator('.bk[data-row="220"]');
      await later.scrollIntoViewIfNeeded();
      await add(page, later, 33, 'Why here?');
      const line = await above(page, 'Why here?');
      await late(page, 'find=', () => [300]);
      await late(page, 'rows=', (url) => [url.includes('cut=') ? 0 : 900]);
      // Without the lines in the address, which are fetched by themselves.
      await page.goto(page.url().split('#')[0]);
      await page.reload();
      await page.getByRole('button', { name: 'Show anyway' }).click();
      await expect(page.locator('.bk + .note[data-id]')).toBeAttached();
      expect(await above(page, 'Why here?')).toBe(line);
    });

    await step(page, 'of two clicks the last one opens the field, and names the lines', async () => {
      await large(page, verbatim);
      const block = page.locator('.bk').first();
      const settled = await late(page, 'find=', (url) => [url.includes('find=R5') ? 600 : 200]);
      await pressNumber(page, block, 5);
      await pressNumber(page, block, 7);
      await expect(page.getByRole('textbox', { name: 'Comment on R7' })).toBeFocused();
      await settled();
      await expect(page.locator('.writing-note')).toHaveCount(1);
      await expect(page).toHaveURL(/:R7~/);
    });

    await step(page, 'each comment stands once, however quickly others go and the view changes', async () => {
      await large(page, verbatim);
      const lines_of = { 'One?': 5, 'Two?': 15, 'Three?': 25 };
      // Behind a comment another block begins: from below upwards the first one is still the first.
      for (const [words, row] of Object.entries(lines_of).reverse()) await add(page, page.locator('.bk').first(), row, words);
      const line = await above(page, 'Three?');
      const settled = await late(page, 'find=', () => [150]);
      const remove = (words) => page.locator('.note[data-id]', { hasText: words }).getByRole('button', { name: 'Delete' }).click();
      await remove('One?');
      await expect(page.locator('.note[data-id]')).toHaveCount(2);
      await page.keyboard.press('s');
      await expect(page.locator('.two .bk').first()).toBeVisible();
      await page.keyboard.press('u');
      await expect(page.locator('.blocks:not(.two) .bk').first()).toBeVisible();
      await settled();
      await expect(page.locator('.note[data-id]')).toHaveCount(2);
      expect(await above(page, 'Three?')).toBe(line);
    });

    await step(page, 'lines that could not be asked for are not called changed', async () => {
      await large(page, verbatim);
      await page.route('**/net?*find=*', (route) => route.fulfill({ status: 503, json: { title: 'Busy', status: 503, code: 'busy' } }));
      await page.evaluate(() => { location.hash = `${document.querySelector('section.file').id}:R4015`; });
      await expect(page.locator('#toasts')).toContainText('Busy');
      await expect(page.locator('section.file[data-all]')).toHaveCount(0);
    });
  });
});
