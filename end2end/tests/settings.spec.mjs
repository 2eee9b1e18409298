// The settings: keys of agents, devices, looks, shortcuts.
import { readFile } from 'node:fs/promises';
import { accessible, act, expect, ready, step, test, visit } from '../verbatim.mjs';

test.describe('settings', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  test('another browser is logged out', async ({ page, verbatim, browser }) => {
    await visit(page, verbatim, '/settings');
    const other = await browser.newContext();
    const fresh = await page.evaluate(() => document.title);
    expect(fresh).toContain('Settings');
    const cookies = await page.context().cookies();
    await other.addCookies(cookies);
    const devices = page.locator('#devices tbody tr');
    await expect(devices).toHaveCount(1);
    await expect(devices).toContainText('This one');
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.waitForURL(`${verbatim.url}/login`);
    expect((await other.request.get(`${verbatim.url}/v1/me`)).status()).toBe(401);
    await other.close();
  });

  test.describe('the audit log', () => {
    test('says who did what, links to sessions, and shows older entries', async ({ page, verbatim }) => {
      await visit(page, verbatim, '/settings');
      const log = page.getByRole('region', { name: 'Audit log' });
      const rows = log.locator('tbody tr');
      await expect(rows).toHaveCount(1);
      await expect(rows).toContainText('You, in Chrome without a window on Linux');
      await expect(rows).toContainText('Logged in');
      const send = async (method, path, data) => {
        const { status, body } = await act(page, method, path, data);
        expect(status, JSON.stringify(body)).toBe(200);
        return body;
      };
      const [session, deleted] = (await send('GET', '/v1/sessions')).sessions;
      for (const { id } of [session, deleted]) await send('DELETE', `/v1/sessions/${id}`, {});
      await send('POST', `/v1/sessions/${session.id}/restore`, {});
      for (let n = 0; n < 24; n += 1) await send('PATCH', '/v1/preferences', { single_keys: n % 2 === 1 });
      await page.reload();
      await ready(page);
      await expect(rows).toHaveCount(20);
      await expect(rows.first()).toContainText('Single-key shortcuts changed from off to on');
      await accessible(page);
      await log.getByRole('button', { name: 'Show older' }).focus();
      await page.keyboard.press('Enter');
      await expect(rows).toHaveCount(28);
      await expect(rows.nth(20)).toBeFocused();
      await expect(log.getByRole('button', { name: 'Show older' })).toHaveCount(0);
      await expect(rows.nth(24)).toContainText('Restored session');
      await expect(rows.nth(24).getByRole('link')).toHaveAttribute('href', `/s/${session.id}`);
      await expect(rows.nth(25)).toContainText(`Deleted session ${deleted.id.slice(0, 12)}`);
      await expect(rows.nth(25).getByRole('link')).toHaveCount(0);
      await accessible(page);

      const download = page.waitForEvent('download');
      await log.getByRole('link', { name: 'Export' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('verbatim-audit.jsonl');
      const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line));
      expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
      expect([lines.length, lines.at(-1).what.kind]).toEqual([29, 'audit_exported']);
    });
  });

  test('keys, looks and shortcuts', async ({ page, verbatim }) => {
    await step(page, 'an address of the editor that could run a script is refused', async () => {
    await visit(page, verbatim, '/settings');
    await page.getByRole('combobox', { name: 'Address of your editor' }).fill('javascript:alert({path})');
    await page.locator('form:has([name=editor])').getByRole('button', { name: 'Save' }).click();
    await expect(page.locator('.toast')).toContainText('`/editor` should be empty, or an address with `{path}` in it');
    }, [/400 \(Bad Request\)/]);

    await step(page, 'a key is made, shown once, works, and is revoked', async () => {
      await visit(page, verbatim, '/settings');
      await page.getByRole('button', { name: 'New agent key' }).click();
      await accessible(page);
      const dialog = page.getByRole('dialog', { name: 'New agent key' });
      await dialog.getByRole('textbox', { name: 'Name' }).fill('ci-nightly');
      await page.getByRole('button', { name: 'Create the key' }).click();
      const made = page.locator('#key-made');
      await expect(made).toContainText('Key “ci-nightly” was made.');
      const key = await made.locator('code').first().innerText();
      expect(key).toMatch(/^vbt_[0-9a-f]{10}_[0-9a-f]{64}_[0-9a-f]{8}$/);
      await expect(made.getByRole('button', { name: 'Copy' })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key);
      await accessible(page);
      const me = () => fetch(`${verbatim.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
      expect((await me()).status).toBe(200);

      await page.reload();
      await ready(page);
      await expect(page.getByText(key)).toHaveCount(0);
      const row = page.getByRole('region', { name: 'Agent keys' }).getByRole('row', { name: /ci-nightly/ });
      await expect(row).toContainText('0 · 0 B');
      await page.getByRole('button', { name: 'Limit what ci-nightly may post' }).click();
      const limit = page.getByRole('dialog', { name: 'What ci-nightly may post' });
      await expect(limit.getByRole('spinbutton', { name: 'Messages', exact: true })).toHaveValue('5000000');
      await expect(limit.getByRole('spinbutton', { name: 'Megabytes, of messages and files' })).toHaveValue('10000');
      await limit.getByRole('spinbutton', { name: 'Messages', exact: true }).fill('1');
      await accessible(page);
      await limit.getByRole('button', { name: 'Save' }).click();
      await expect(limit).toBeHidden();
      const session = await fetch(`${verbatim.url}/v1/sessions`, {
        method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{"agent":"bot","id":"quota-1"}',
      });
      expect(session.status).toBe(201);
      const refused = await fetch(`${verbatim.url}/v1/sessions/quota-1/messages`, {
        method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{"content":"One more"}',
      });
      expect([refused.status, (await refused.json()).code]).toEqual([403, 'quota_reached']);
      await page.reload();
      await ready(page);
      await expect(row).toContainText('limit reached');
      await page.getByRole('button', { name: 'Revoke ci-nightly' }).click();
      await expect(page.getByRole('dialog', { name: 'Revoke ci-nightly?' })).toBeVisible();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await expect(page.getByText('1 expired or revoked')).toBeVisible();
      expect((await me()).status).toBe(401);
    });

    await step(page, 'a command gets another key, a taken one is refused, and single keys can be turned off', async () => {
      await visit(page, verbatim, '/settings');
      const change = page.getByRole('button', { name: /^Change\s*: Keyboard shortcuts/ });
      await change.click();
      await page.keyboard.press('j');
      await expect(page.locator('#keys-say')).toHaveText('j is already used: Next. Press another key');
      // It goes on listening.
      await page.keyboard.press('h');
      await expect(page.getByRole('row', { name: 'Keyboard shortcuts' }).locator('kbd')).toHaveText('h');
      await page.keyboard.press('h');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await expect(sheet).toBeVisible();
      await page.keyboard.press('Escape');
      await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
      await expect.poll(async () => (await (await page.request.get(`${verbatim.url}/v1/preferences`)).json()).single_keys).toBe(false);
      await page.reload();
      await ready(page);
      await page.keyboard.press('h');
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog', { name: 'Search or jump to' })).toBeVisible();
      await expect(sheet).toBeHidden();
      await page.keyboard.press('Escape');
    });

    await step(page, 'looks are chosen, stay, and are drawn by the server', async () => {
      await visit(page, verbatim, '/settings');
      for (const name of ['Dark', 'Compact', 'Blue and orange', 'High']) await page.getByRole('radio', { name, exact: true }).check();
      const html = page.locator('html');
      await expect(html).toHaveAttribute('data-density', 'compact');
      const drawn = await (await page.request.get(`${verbatim.url}/sessions`)).text();
      expect(drawn).toContain('data-theme="dark" data-density="compact" data-cvd="deuteran" data-contrast="more"');
      await page.reload();
      await ready(page);
      await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked();
      await accessible(page);
      await page.getByRole('radio', { name: 'Normal' }).check();
      await expect(html).not.toHaveAttribute('data-density');
    });
  });

  test.describe('in the dark, on a phone', () => {
    test.use({ viewport: { width: 320, height: 640 }, colorScheme: 'dark', hasTouch: true });
    test('nothing is wider than the screen', async ({ page, verbatim }) => {
      await visit(page, verbatim, '/settings');
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    });
  });
});
