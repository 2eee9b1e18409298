// Back and reload lead where the reader was, on the pages that aren't a transcript.
import { newAgent, typed } from '../agent.mjs';
import { expect, ready, step, test, visit } from '../verbatim.mjs';

const top = (page) => page.locator('#main .scroll').first().evaluate((scroller) => scroller.scrollTop);
const scrollTo = (page, at) => page.locator('#main .scroll').first().evaluate((scroller, at) => { scroller.scrollTop = at; }, at);

test.use({ viewport: { width: 1280, height: 500 } });

test('lists and statistics are where they were', async ({ page, verbatim }) => {
  await step(page, 'the list is where it was, and the opened row has the focus', async () => {
    const agent = await newAgent(verbatim);
    for (let n = 0; n < 30; n += 1) {
      expect((await agent.call('POST', '/sessions', { agent: 'orchard-bot', title: `Tree ${n}` })).status).toBe(201);
    }
    await visit(page, verbatim);
    await scrollTo(page, 400);
    const link = page.locator('#sessions .title a', { hasText: 'Tree 12' });
    await expect(link).toBeInViewport();
    await link.click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tree 12');

    await page.goBack();
    await ready(page);
    await expect(link).toBeFocused();
    expect(await top(page)).toBe(400);
    await page.keyboard.press('j');
    await expect(page.locator('#sessions .title a', { hasText: 'Tree 11' })).toBeFocused();

    await scrollTo(page, 300);
    await expect.poll(() => page.evaluate(() => history.state)).toMatch(/^300 /);
    await page.reload();
    await ready(page);
    await expect.poll(() => top(page)).toBe(300);
  });

  await step(page, 'the list of changes is at the same line, before and after a reload', async () => {
    const agent = await newAgent(verbatim);
    const body = (name) => Array.from({ length: 60 }, (_, n) => `line ${n} of ${name}`).join('\n');
    for (let n = 0; n < 8; n += 1) {
      const edits = [{ file_path: `tree-${n}.txt`, old_content: '', new_content: body(`tree ${n}`) }];
      await agent.post(typed('CODE_EDIT', { edits }));
    }
    await visit(page, verbatim, `/s/${agent.id}/changes`);
    const line = page.locator('#files .file').nth(3).getByText('line 30 of tree 3');
    await page.locator('#files').evaluate((files) => { files.scrollTop = 3 * 1260; });
    await expect(page.locator('#files .file[id]', { hasText: 'tree-3.txt' })).toContainText('line 30 of tree 3');
    const place = () => page.locator('#files').evaluate((files) => {
      const card = [...files.querySelectorAll('.file')].find((one) => one.getBoundingClientRect().bottom > files.getBoundingClientRect().top);
      return `${card.id} ${Math.round(card.getBoundingClientRect().top - files.getBoundingClientRect().top)}`;
    });
    await page.locator('#files').evaluate((files) => { files.scrollTop += 333; });
    await expect(line).toBeAttached();
    const before = await place();

    await page.goto(`${verbatim.url}/stats`);
    await ready(page);
    await page.goBack();
    await ready(page);
    await expect.poll(place).toBe(before);
    await page.reload();
    await ready(page);
    await expect.poll(place).toBe(before);
  });

  await step(page, 'statistics are where they were', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'A tree' });
    await visit(page, verbatim, '/stats');
    await scrollTo(page, 200);
    await expect.poll(() => top(page)).toBe(200);
    await page.goto(`${verbatim.url}/settings`);
    await ready(page);
    await page.goBack();
    await ready(page);
    await expect.poll(() => top(page)).toBe(200);
  });
});
