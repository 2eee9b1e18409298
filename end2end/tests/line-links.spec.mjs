// Addresses of lines on the changes page.
import { edit, lines, open, session } from '../review.mjs';
import { expect, ready, step, test } from '../verbatim.mjs';

// Wide enough for the files beside the differences, and not for two sides of them.
test.use({ viewport: { width: 1084, height: 800 } });

test('links lead to lines', async ({ page, verbatim }) => {
  await step(page, 'a link leads to its lines, also after they moved', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    await rows.locator('ins.l').nth(1).click({ position: { x: 12, y: 8 } });
    const link = page.url();
    expect(link).toMatch(/#d-[0-9a-f]{8}:R50~[0-9a-f]{8}$/);
    await edit(agent, 'src/rows.rs', lines(12, 12), `    // planted\n${lines(12, 12)}`, { start_line: 12 });
    await page.goto('about:blank');
    await page.goto(link);
    await ready(page);
    await expect(rows.locator('.l.at')).toHaveText('    let row_50 = plum(50);');
  });

  await step(page, 'a link by numbers alone opens what hides its lines', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const rows = page.locator('section.file', { hasText: 'rows.rs' });
    const file = await rows.getAttribute('id');
    const to = async (numbers) => {
      await page.goto('about:blank');
      await page.goto(`${verbatim.url}/s/${agent.id}/changes#${file}:${numbers}`);
      await ready(page);
    };
    await to('R40');
    await expect(rows.locator('.l.at')).toHaveText('    let row_40 = tree(40);');
    await expect(page).toHaveURL(/:R40~[0-9a-f]{8}$/);
    // Some of them are in a gap.
    await to('R44-48');
    await expect(rows.locator('.l.at')).toHaveCount(5);
    // A line that isn't there isn't another one.
    await to('R400');
    await expect(page.locator('.toast')).toHaveText("The linked lines aren't in this file: R400");
    await expect(rows.locator('.l.at')).toHaveCount(0);
  });

  await step(page, 'a line of a file that is folded has an address without its text', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes`);
    const lock = page.locator('section.file', { hasText: 'Cargo.lock' });
    await expect(lock).toContainText('Lock file');
    await lock.getByLabel('More', { exact: true }).click();
    await lock.locator('.menu-item', { hasText: 'The file in words' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy link: L1' }).click();
    await expect(page).toHaveURL(/#d-[0-9a-f]{8}:L1@\d+\.0$/);
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await ready(page);
    await expect(lock.locator('.l.at')).toHaveText('a');
    await expect(page.locator('.toast')).toHaveCount(0);
  });

  await step(page, 'a link that leads nowhere says so, by name', async () => {
    const agent = await session(verbatim);
    await open(page, verbatim, `/s/${agent.id}/changes#d-0a1b2c3d:R12`);
    const toast = page.locator('.toast');
    await expect(toast).toHaveText("The linked file isn't among these changes: d-0a1b2c3d");
    // So do lines that are others by now.
    const file = await page.locator('section.file', { hasText: 'rows.rs' }).getAttribute('id');
    await page.evaluate((id) => { location.hash = `${id}:R50~00000000`; }, file);
    await expect(toast.last()).toHaveText('The linked lines have changed since the link was created: R50');
  });
});
