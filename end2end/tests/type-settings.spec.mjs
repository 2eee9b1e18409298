// The way back from message types: drawn as text, and stored unchecked, while an agent posts.
import { newAgent, typed } from '../agent.mjs';
import { act, accessible, expect, ready, test, visit } from '../verbatim.mjs';

const part = (page) => page.getByRole('region', { name: 'Cards and checks' });
const todo = (content, status = 'pending') => typed('TODO', { todos: [{ id: '1', content, status }] });

test('both switches take effect at once, and back', async ({ page, verbatim, context }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ ...todo('Prune'), id: 'first' });
  await visit(page, verbatim, `/s/${agent.id}`);
  const reader = page;
  await expect(reader.locator('article[data-id=first] .plan')).toBeVisible();

  const settings = await context.newPage();
  await settings.goto(`${verbatim.url}/settings`);
  await ready(settings);
  await accessible(settings);
  await part(settings).getByRole('switch', { name: 'Draw messages as cards' }).uncheck();
  await expect(settings.locator('#announcer')).toHaveText('Saved');
  await agent.post({ ...todo('Water'), id: 'second' });
  const second = reader.locator('article[data-id=second]');
  await expect(second).toContainText('Water');
  await expect(second.locator('.plan')).toHaveCount(0);
  await reader.reload();
  await ready(reader);
  await expect(reader.locator('.plan:not(.panel *)')).toHaveCount(0);

  await part(settings).getByRole('switch', { name: 'Draw messages as cards' }).check();
  await expect.poll(async () => (await settings.request.get(`${verbatim.url}/v1/settings/types`)).json()).toEqual({ plain: [], unvalidated: [] });
  await agent.post({ ...todo('Mow'), id: 'third' });
  await expect(reader.locator('article[data-id=third] .plan')).toBeVisible();

  const parked = () => agent.call('POST', `/sessions/${agent.id}/messages`, todo('Rest', 'parked'));
  expect((await parked()).status).toBe(400);
  await part(settings).getByText('By type').nth(1).click();
  await part(settings).getByRole('group', { name: 'Check the data of' }).getByRole('switch', { name: 'Todo' }).uncheck();
  await expect.poll(async () => (await settings.request.get(`${verbatim.url}/v1/settings/types`)).json()).toEqual({ plain: [], unvalidated: ['TODO'] });
  const stored = await parked();
  expect([stored.status, stored.body.metadata.unvalidated]).toEqual([201, true]);
  await expect(reader.getByText("its data doesn't fit its type")).toBeVisible();

  // Back again, nothing that is stored has changed.
  await act(settings, 'PATCH', '/v1/settings/types', { unvalidated: [] });
  expect((await parked()).status).toBe(400);
  await reader.reload();
  await ready(reader);
  await expect(reader.getByText("its data doesn't fit its type")).toBeVisible();
  await expect(reader.locator('article[data-id=first]')).toContainText('Prune');
});
