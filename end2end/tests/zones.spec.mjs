// Days and times are those of where the reader is, on every page and from the first one on.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newSession } from '../transcript.mjs';
import { expect, open, query, ready, test } from '../verbatim.mjs';

const NOON = Date.parse('2026-02-01T12:00:00Z');

// The browser isn't logged in yet.
async function imported(verbatim) {
  const { key } = JSON.parse(await readFile(join(verbatim.folder, 'data/server.json'), 'utf8'));
  const sessions = async () => (await fetch(`${verbatim.url}/v1/sessions`, { headers: { authorization: `Bearer ${key}` } })).json();
  await expect.poll(async () => (await sessions()).sessions[0]?.message_count).toBe(1);
}

for (const [timezoneId, day, other] of [
  ['Pacific/Kiritimati', '2026-02-02', '2026-02-01'],
  ['Pacific/Honolulu', '2026-02-01', '2026-02-02'],
]) {
  test.describe(timezoneId, () => {
    test.use({ timezoneId });

    test('the first page after the log-in, the search and the statistics agree', async ({ page, verbatim }) => {
      const session = await newSession(verbatim, { at: NOON });
      await session.prompt('Prune the quince');
      await imported(verbatim);
      await open(page, verbatim);
      const cookies = await page.context().cookies();
      expect(cookies.find(({ name }) => name === 'zone')).toMatchObject({ value: timezoneId, sameSite: 'Strict', path: '/' });
      await expect(page.locator('#sessions time').first()).toHaveText(`${Number(day.slice(-1))} Feb`);
      await page.goto(`${verbatim.url}/search?q=quince&since=${day}&until=${day}`);
      await ready(page);
      await expect(page.locator('#results')).toContainText('quince');
      await page.goto(`${verbatim.url}/search?q=quince&since=${other}&until=${other}`);
      await ready(page);
      await expect(page.locator('#results')).toContainText('Nothing found');
      await page.goto(`${verbatim.url}/sessions?since=${day}&until=${day}`);
      await ready(page);
      await expect(page.locator('#sessions [data-row]')).toHaveCount(1);
      await page.goto(`${verbatim.url}/stats?from=${day}&to=${day}`);
      await ready(page);
      await expect(page.locator('.tiles')).toContainText('Messages');
      // A link says nothing of where its reader is.
      await page.getByRole('link', { name: '1 year' }).click();
      expect(query(page)).not.toHaveProperty('zone');
      await ready(page);
    });
  });
}
