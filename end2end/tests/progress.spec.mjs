// Progress that moves on in place, and charts with their numbers.
import { readFile } from 'node:fs/promises';
import { newAgent } from '../agent.mjs';
import { accessible, expect, step, test, visit } from '../verbatim.mjs';

const progress = (payload) => ({
  message_metadata: { message_type: 'PROGRESS', payload: { label: 'Upload', state: 'running', ...payload } },
});
const chart = (payload) => ({ message_metadata: { message_type: 'CHART', payload } });
const card = (page, id) => page.locator(`article[data-id="${id}"]`);
const state = (page, id) => card(page, id).locator('.head > .state').filter({ visible: true });

test('progress and charts', async ({ page, verbatim }) => {
  await step(page, 'progress moves on in place, several at once', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await agent.post({ id: 'up', ...progress({ current: 0, total: 210, unit: 'files' }) });
    await agent.post({ id: 'index', ...progress({ label: 'Index' }) });
    const bar = card(page, 'up').getByRole('progressbar', { name: 'Upload' });
    await expect(bar).toHaveAttribute('aria-valuetext', '0 of 210 files, 0 %');
    await expect(card(page, 'index').getByRole('progressbar', { name: 'Index' })).not.toHaveAttribute('aria-valuenow');
    await agent.update('up', progress({ current: 105, total: 210, unit: 'files', eta_seconds: 90 }));
    await expect(bar).toHaveAttribute('aria-valuenow', '50');
    await expect(card(page, 'up').locator('.facts')).toContainText(/files\/s.*about 1 min left/s);
    await accessible(page);
    await agent.update('up', progress({ current: 210, total: 210, unit: 'files', state: 'done' }));
    await expect(state(page, 'up')).toHaveText('Done');
    await agent.update('index', progress({ label: 'Index', state: 'failed' }));
    await expect(state(page, 'index')).toHaveText('Failed');
    await expect(page.locator('article[data-type=PROGRESS]')).toHaveCount(2);
  });

  await step(page, 'a chart has its numbers as a table and as a file', async () => {
    const agent = await newAgent(verbatim);
    const series = [{ name: 'Before', points: [51, 54] }, { name: 'After', points: [0, null] }];
    await agent.post({ id: 'boats', ...chart({ chart: 'bar', title: 'Boats, by year', x: ['2028', '2029'], series, unit: 'boats' }) });
    await visit(page, verbatim, `/s/${agent.id}`);
    const figure = page.getByRole('figure', { name: 'Boats, by year' });
    await expect(figure.getByRole('img')).toHaveAccessibleName('Bar chart, 2 series, 4 points, from 0 boats to 54 boats');
    await expect(figure.locator('.legend > li')).toHaveText(['Before', 'After']);
    await figure.getByText('As a table').click();
    await expect(figure.getByRole('row')).toHaveText(['CategoryBeforeAfter', '2028510', '202954']);
    await accessible(page);
    const saved = page.waitForEvent('download');
    await figure.getByRole('link', { name: 'Download CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('boats-by-year.csv');
    expect(await readFile(await file.path(), 'utf8')).toBe('Category,Before,After\r\n2028,51,0\r\n2029,54,\r\n');
  });
});

test('what runs is stalled after 30 seconds without an update, without a reload', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ id: 'up', ...progress({ current: 1, total: 3 }) });
  await page.clock.install();
  await visit(page, verbatim, `/s/${agent.id}`);
  await expect(state(page, 'up')).toHaveText('Running');
  await page.clock.fastForward(31_000);
  await expect(state(page, 'up')).toHaveText('Stalled');
  await accessible(page);
  await agent.update('up', progress({ current: 2, total: 3 }));
  await expect(state(page, 'up')).toHaveText('Running');
});
