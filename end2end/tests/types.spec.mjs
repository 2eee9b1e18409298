// Types that others declare: their cards, answers to their buttons, hostile values, and the settings that list them.
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, test, visit } from '../verbatim.mjs';

const HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
const RUN = {
  type: 'acme.release/run',
  version: 1,
  title: 'Release',
  icon: 'branch',
  summary: 'Release {/name}: {/state}',
  view: [
    { component: 'badge', text: '{/state}', role: { value: '/state', map: { failed: 'bad' } } },
    { component: 'progress', label: 'Steps', value: '/done', max: 4 },
    { component: 'table', rows: '/steps', columns: [{ title: 'Step', value: '{./name}' }, { title: 'Took', value: '{./seconds|duration}' }] },
    { component: 'text', text: '{/name}', markdown: true },
    { component: 'link', href: '{/url}' },
    { component: 'input', name: 'reason', label: 'Reason' },
    { component: 'button', label: 'Roll back', value: 'rollback', role: 'bad' },
  ],
};
const payload = {
  name: HOSTILE, state: 'failed', done: 3, url: 'javascript:window.hit=1', steps: [{ name: HOSTILE, seconds: 252 }, { name: 'Test', seconds: 3 }],
};

for (const [name, viewport] of [['desktop', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]]) {
  test.describe(`on a ${name}`, () => {
    test.use({ viewport });

    test('a declared type is drawn, answered, removed and restored', async ({ page, verbatim }) => {
      const agent = await newAgent(verbatim);
      await agent.post({ id: 'before', ...typed('acme.other', { name: 'Unknown', rows: [{ a: 1 }] }) });
      const declared = await agent.call('PUT', '/types/acme.release%2Frun', RUN);
      expect(declared.status, JSON.stringify(declared.body)).toBe(200);
      await agent.post({ id: 'run', ...typed('acme.release/run', payload) });
      await visit(page, verbatim, `/s/${agent.id}`);
      const card = page.locator('article[data-id=run] .declared');
      await expect(card.locator('.chip[data-state=failed]')).toHaveText('failed');
      await expect(card.getByRole('row').last()).toHaveText(/Test\s*3\.0 s/);
      await expect(card).toContainText('Not drawn (link)');
      expect(await page.evaluate(() => window.hit)).toBeUndefined();
      const width = await card.evaluate((it) => [it.scrollWidth, it.clientWidth]);
      expect(width[0]).toBeLessThanOrEqual(width[1]);
      await accessible(page);

      await card.getByRole('textbox', { name: 'Reason' }).fill('slow');
      await page.keyboard.press('Enter');
      await card.getByRole('button', { name: 'Roll back' }).click();
      const [answer] = await agent.pending();
      expect(answer.metadata.payload).toEqual({ reply_to: 'run', selected: ['rollback'], values: { reason: 'slow' } });
      expect(await agent.pending(0)).toEqual([]);

      // A first document, made from a message of a type that nothing knows.
      const template = page.locator('article[data-id=before]').getByRole('link', { name: 'Make a template from this' });
      const document = await page.evaluate(async (path) => (await fetch(path)).text(), await template.getAttribute('href'));
      expect(JSON.parse(document).type).toBe('acme.other');

      await visit(page, verbatim, '/settings');
      const types = page.locator('#message-types');
      await expect(types.getByRole('row')).toHaveCount(2);
      await expect(types).toContainText('orchard');
      await types.locator('summary').click();
      await types.getByRole('textbox').fill(document);
      await types.getByRole('button', { name: 'Save as type' }).click();
      await expect(types.getByRole('row')).toHaveCount(3);
      await accessible(page);
      await types.getByRole('button', { name: 'Remove Release' }).click();
      await expect(types.getByRole('row')).toHaveCount(2);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await expect(types.getByRole('row')).toHaveCount(3);
    });
  });
}
