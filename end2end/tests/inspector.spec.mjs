// The tabs of the panel about what a session is made of: times of requests, events, records.
import { newSession } from '../transcript.mjs';
import { accessible, expect, query, ready, step, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';
const panel = (page) => page.getByRole('complementary', { name: 'Session details' });
const tab = (page, name) => panel(page).getByRole('tab', { name });

test.use({ transcripts: ['-home-ada-orchard'] });

test('requests, events and records', async ({ page, verbatim }) => {
  await step(page, 'requests have bars with dev on, and the same as a table', async () => {
    await visit(page, verbatim, `/s/${RIPE}?panel=context&dev=0`);
    await expect(panel(page).getByText('Request 1', { exact: true })).toBeVisible();
    await expect(panel(page).locator('.wf')).toHaveCount(0);
    await page.keyboard.press('.');
    await expect(panel(page).locator('.wf').first()).toBeVisible();
    await expect(panel(page).locator('.wf > [data-span=tool]').first()).toHaveAttribute('title', /^Tools \w+: /);
    await panel(page).getByText('Times as a table').click();
    await expect(panel(page).getByRole('columnheader', { name: 'Idle' })).toBeVisible();
    const requests = await panel(page).locator('.requests > li').count();
    const times = panel(page).locator('.wf-table').filter({ hasText: 'Times as a table' });
    await expect(times.locator('tbody tr')).toHaveCount(requests);
    await accessible(page);
  });

  await step(page, 'events lead to their messages', async () => {
    await visit(page, verbatim, `/s/${RIPE}?panel=tools`);
    await tab(page, 'Tools').focus();
    await page.keyboard.press('ArrowRight');
    await expect(tab(page, 'Events')).toBeFocused();
    expect(query(page).panel).toBe('events');
    await expect(panel(page).getByText('Session began')).toBeVisible();
    const first = panel(page).locator('.events a[data-seq]').last();
    const seq = await first.getAttribute('data-seq');
    await first.click();
    await expect(page.locator(`article[data-seq="${seq}"]`)).toBeInViewport();
    await accessible(page);
  });

  await step(page, 'earlier events stay open while new ones come', async () => {
    const session = await newSession(verbatim);
    for (let n = 1; n <= 205; n += 1) await session.prompt(`Loaf ${n}`);
    await visit(page, verbatim, `/s/${session.id}?panel=events`);
    const list = panel(page).locator('.events');
    await expect(list.first().getByText('Loaf 205', { exact: true })).toBeVisible();
    await panel(page).getByText('Earlier events').click();
    await expect(list.nth(1).getByText('Loaf 100', { exact: true })).toBeVisible();
    await session.prompt('Loaf 206');
    await expect(list.first().getByText('Loaf 206', { exact: true })).toBeVisible();
    await expect(list.nth(1).getByText('Loaf 100', { exact: true })).toBeVisible();
    const shown = await panel(page).locator('.events a[data-seq]').allTextContents();
    expect(shown).toEqual(Array.from({ length: 206 }, (_, n) => `Loaf ${206 - n}`));
  });

  await step(page, 'records are shown raw and readable, from the record of a message on', async () => {
    await visit(page, verbatim, `/s/${RIPE}?panel=records&at=3`);
    await expect(panel(page).getByText('From the record of message 3 on')).toBeVisible();
    const record = panel(page).locator('details.record').first();
    await record.locator('summary').click();
    await expect(record.locator('pre.pretty')).toContainText('  "type": ');
    await expect(record.locator('pre.raw')).toBeHidden();
    await record.getByLabel('Raw').check();
    await expect(record.locator('pre.raw')).toContainText('"type":"');
    await expect(record.locator('pre.pretty')).toBeHidden();
    await record.getByRole('button', { name: 'Copy' }).click();
    const raw = await record.locator('pre.raw').textContent();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(raw);
    await accessible(page);
  });
});

test.describe('narrow', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });

  test('all tabs are reached by keys on a phone', async ({ page, verbatim }) => {
    await visit(page, verbatim, `/s/${RIPE}?panel=changes&dev=1`);
    await tab(page, /^Changes/).focus();
    await page.keyboard.press('End');
    await expect(tab(page, 'About')).toBeFocused();
    await expect(tab(page, 'About')).toBeInViewport({ ratio: 1 });
    for (const name of ['Records', 'Events', 'Tools', 'Context']) {
      await page.keyboard.press('ArrowLeft');
      await expect(tab(page, name)).toBeFocused();
      await expect(tab(page, name)).toBeInViewport({ ratio: 1 });
      await accessible(page);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await page.reload();
    await ready(page);
    await expect(tab(page, 'Context')).toBeInViewport({ ratio: 1 });
  });
});
