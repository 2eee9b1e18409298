// A link by which somebody without a log-in reads a session.
import { accessible, act, expect, test, visit } from '../verbatim.mjs';

test.use({ transcripts: ['-home-ada-orchard'], tolerated: [/400 \(Bad Request\)/] });

test('a person makes a link, somebody without a log-in reads it, and it ends when it is revoked', async ({ page, verbatim, browser }) => {
  await visit(page, verbatim);
  const { sessions } = (await act(page, 'GET', '/v1/sessions?limit=1')).body;
  const [session] = sessions;
  await page.goto(`${verbatim.url}/s/${session.id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('link', { name: 'Share a read-only link…' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Share a read-only link' })).toBeVisible();
  await expect(page.getByText('The link opens on this machine only.')).toBeVisible();
  await accessible(page);
  await page.getByLabel('Expires').selectOption('In 1 day');
  await page.getByLabel('Note').fill('For Grace');
  await page.getByText('Only a part', { exact: true }).click();
  await page.getByLabel('To message').fill('99999999');
  await page.locator('#share form').evaluate((form) => (form.noValidate = true));
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByText('This should be a `seq` from 1 to')).toBeVisible();
  await page.getByLabel('To message').fill('3');
  await page.getByRole('button', { name: 'Create link' }).press('Enter');
  const ready = page.getByRole('status').filter({ hasText: 'The link is ready.' });
  await expect(ready).toBeVisible();
  await expect(ready.getByRole('button', { name: 'Copy' })).toBeFocused();
  const url = await ready.locator('code').textContent();
  await accessible(page);

  const context = await browser.newContext({ javaScriptEnabled: false });
  const reader = await context.newPage();
  const faults = [];
  reader.on('console', (message) => faults.push(message.text()));
  expect((await reader.goto(url)).status()).toBe(200);
  await expect(reader.getByText('Shared by the owner of this server')).toBeVisible();
  await expect(reader.getByText('Secrets are masked')).toBeVisible();
  await expect(reader.getByRole('heading', { level: 1, name: session.title })).toBeVisible();
  expect(faults).toEqual([]);

  await page.goto(`${verbatim.url}/settings#shares`);
  const section = page.getByRole('region', { name: 'Shared links' });
  await expect(section.getByRole('row', { name: 'For Grace' })).toContainText('1 time');
  await accessible(page);
  await section.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(section.getByText('No links yet.')).toBeVisible();
  expect((await reader.goto(url)).status()).toBe(410);
  await expect(reader.getByText('Ask the person who sent it for a new one.')).toBeVisible();
  await context.close();
});
