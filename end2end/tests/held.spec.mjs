// An answer whose server can't be reached waits in its card, and is sent once, or not at all.
import { newAgent, typed } from '../agent.mjs';
import { AWAY, decidable, expect, ready, step, test, visit } from '../verbatim.mjs';

// A request that changed is refused with 412.
const TOLERATED = new RegExp(`${AWAY.source}|status of 412`);
test.use({ tolerated: [TOLERATED] });

const ask = (title) => typed('APPROVAL', { kind: 'permission', title, state: 'open', questions: [] });

test('an answer waits for the server, can be taken back, and is not sent to a request that changed', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { title: 'Frost' });
  for (const id of ['one', 'two', 'three']) await agent.post({ id, role: 'assistant', content: 'May I?', ...ask(`Grind ${id}`) });
  const state = async (id) => (await agent.call('GET', `/sessions/${agent.id}/messages/${id}`)).body.entry.metadata.payload.state;
  // What sends an answer is loaded when the page has nothing else to do.
  const here = page.waitForResponse(/part_decide/).then((answer) => answer.finished());
  await visit(page, verbatim, `/s/${agent.id}`);
  await here;
  const card = (id) => page.locator('article', { hasText: `Grind ${id}` });
  const press = async (id, name) => {
    await decidable(card(id));
    await card(id).getByRole('button', { name }).click();
  };

  await step(page, 'it is sent once when the server answers', async () => {
    await verbatim.stop();
    await press('one', 'Deny');
    await expect(card('one').getByRole('alert')).toContainText("The server can't be reached. Your answer waits here");
    await verbatim.start();
    await expect(card('one')).toContainText('Denied');
    expect(await state('one')).toBe('denied');
  });

  await step(page, 'a second press takes it back', async () => {
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    let sent = 0;
    await page.route(/decision$/, (route) => { sent += 1; return route.abort('connectionrefused'); });
    await verbatim.stop();
    await press('two', 'Deny');
    await expect(card('two').getByRole('alert')).toContainText('Your answer waits here');
    await card('two').getByRole('button', { name: 'Deny' }).click();
    await expect(card('two').getByRole('alert')).toBeHidden();
    const before = sent;
    await verbatim.start();
    await expect(page.locator('html')).toHaveAttribute('data-ready', '1');
    await expect(card('two').getByRole('button', { name: 'Deny' })).toBeVisible();
    expect(await state('two')).toBe('open');
    expect(sent).toBe(before);
    await page.unroute(/decision$/);
  });

  await step(page, 'a request that changed meanwhile is shown anew', async () => {
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    await page.context().setOffline(true);
    await press('three', 'Deny');
    await expect(card('three').getByRole('alert')).toContainText('Your answer waits here');
    await agent.update('three', ask('Grind three bags'));
    await page.context().setOffline(false);
    await expect(card('three bags')).toBeVisible();
    await expect(page.locator('#toasts')).toContainText(/changed/);
    expect(await state('three')).toBe('open');
  });
});
