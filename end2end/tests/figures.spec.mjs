// The statistics page and the API reference: drawn by the server, filtered by their addresses, readable without script.
import { accessible, expect, query, ready, step, test, visit } from '../verbatim.mjs';

const MONTH = '/stats?from=2031-05-01&to=2031-07-31';

test.use({ transcripts: ['.'] });

// Removes the endpoints of the reference that have no element that differs from all before in its tag, its classes or its parent's. The
// page has 28,000 elements, and axe takes a minute for them.
const shorten = (page) => page.evaluate(() => {
  const seen = new Set();
  for (const endpoint of document.querySelectorAll('article.endpoint')) {
    const kinds = [...endpoint.querySelectorAll('*')].map((it) => `${it.parentElement.localName}.${it.parentElement.className} ${it.localName}.${it.className}`);
    if (kinds.every((kind) => seen.has(kind))) endpoint.remove();
    kinds.forEach((kind) => seen.add(kind));
  }
});

test('statistics', async ({ page, verbatim }) => {
  await step(page, 'statistics of days to come say that there are none', async () => {
    await visit(page, verbatim, '/stats?from=2090-01-01');
    await expect(page.getByRole('heading', { name: 'No figures' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'All days' })).toBeVisible();
  });

  await step(page, 'statistics: figures, filters in the address, tables under the charts', async () => {
    await visit(page, verbatim, MONTH);
    await expect(page.getByRole('heading', { name: 'Statistics' })).toBeVisible();
    const sessions = page.locator('.tiles > div').first().locator('.num');
    await expect(sessions).not.toHaveText('0');
    const chart = page.getByRole('figure', { name: 'Messages' });
    await chart.getByText('As a table').click();
    await expect(chart.getByRole('row').nth(1)).toBeVisible();
    await expect(page.getByRole('columnheader', { name: 'Cost' }).first()).toBeVisible();
    await accessible(page);
    const project = page.locator('select[name=project]');
    await project.selectOption({ index: 1 });
    await expect(page).toHaveURL(/project=/);
    await ready(page);
    await page.getByRole('button', { name: 'Dates' }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('2031-05-02');
    await page.locator('#dates').getByRole('button', { name: 'Show' }).click();
    expect(query(page)).toMatchObject({ from: '2031-05-02', to: '2031-07-31' });
    expect(query(page).project).toBeTruthy();
    await expect(page.getByRole('link', { name: 'Clear' })).toBeVisible();
  });

  await step(page, 'statistics of days without anything lead to those with something', async () => {
    await visit(page, verbatim, '/stats?from=2001-01-01&to=2001-01-31');
    await expect(page.getByRole('heading', { name: 'No figures' })).toBeVisible();
    await page.getByRole('link', { name: 'All days' }).click();
    await ready(page);
    expect(query(page).to).not.toBe('2001-01-31');
  });

  await step(page, 'the reference: found from the sheet of keys, linked and complete', async () => {
    await visit(page, verbatim);
    await page.keyboard.press('?');
    await page.getByRole('link', { name: 'API reference' }).click();
    await expect(page.getByRole('heading', { name: 'HTTP API' })).toBeVisible();
    const { paths } = await (await page.request.get(`${verbatim.url}/v1/openapi.json`)).json();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    await expect(page.locator('article.endpoint')).toHaveCount(operations.length);
    await page.locator('#rail').getByRole('link', { name: 'Posts a message POST', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#post_message');
    const endpoint = page.locator('#post_message');
    await expect(endpoint).toBeInViewport();
    await expect(endpoint.locator('.curl')).toContainText('curl "$VERBATIM_URL/v1/sessions/$SESSION/messages"');
    const dead = await page.evaluate(() =>
      [...document.querySelectorAll('.reference a[href^="#"]')].map((a) => a.getAttribute('href')).filter((href) => !document.getElementById(href.slice(1))));
    expect(dead, 'links that lead nowhere').toEqual([]);
    await shorten(page);
  });
});

test.describe('narrow', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('both pages fit a phone', async ({ page, verbatim }) => {
    for (const path of ['/docs/api', MONTH]) {
      await visit(page, verbatim, path);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, path).toBeLessThanOrEqual(390);
      const cut = await page.locator('.figures > .table-wrap').evaluateAll((all) => all.filter((it) => it.scrollWidth > it.clientWidth).length);
      expect(cut, 'tables that need more room').toBe(0);
      await shorten(page);
      await accessible(page);
    }
  });
});

test.describe('without script', () => {
  test('both pages say what they say', async ({ browser, verbatim }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const code = verbatim.link.split('#c=')[1];
    await page.request.post(`${verbatim.url}/v1/login`, { data: { code } });
    await page.goto(`${verbatim.url}/docs/api`);
    await expect(page.locator('#post_message .curl')).toBeVisible();
    await page.goto(verbatim.url + MONTH);
    await expect(page.getByRole('button', { name: 'Show' })).toBeVisible();
    await context.close();
  });
});
