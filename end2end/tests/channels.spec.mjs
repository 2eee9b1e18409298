// Channels and their rooms: added, tested, what they refuse, which session a room shows, and what a message says of them.
import { homeserver, receiver } from '../other-side.mjs';
import { accessible, act, expect, idOf, ready, test, visit } from '../verbatim.mjs';

const RIPE = '5e551001-0000-4000-8000-000000000001';

test.use({ transcripts: ['-home-ada-orchard'], args: ['--channel-host', '127.0.0.1'] });

const channels = (page) => page.getByRole('region', { name: 'Channels' });
const rooms = (page) => page.getByRole('region', { name: 'Rooms' });

// Posts as the owner, and gives the message's place.
async function say(page, content) {
  const { status, body } = await act(page, 'POST', `/v1/sessions/${RIPE}/messages`, { content });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.seq;
}

// Reads the API until it says what is wanted, and draws the page anew.
async function until(page, path, wanted) {
  await expect.poll(async () => wanted((await act(page, 'GET', path)).body)).toBe(true);
  await page.reload();
  await ready(page);
}

test.describe('a webhook', () => {
  test.use({ tolerated: [/400 \(Bad Request\)/] });

  test('is added, tested, refuses a message, is paused and removed', async ({ page, verbatim }) => {
    const side = await receiver();
    await visit(page, verbatim, '/settings');
    await expect(channels(page)).toContainText('No channels yet. Add one to read and answer sessions in a chat room or in your own program.');
    await page.getByText('Add Webhook', { exact: true }).click();
    const form = page.locator('form#add-webhook');
    await form.getByLabel('Name', { exact: true }).fill('Hooks');
    await form.getByLabel(/^Address/).fill('http://10.0.0.1/hook');
    await form.getByRole('button', { name: 'Add the channel' }).click();
    await expect(form.getByRole('alert')).toContainText('`/settings/url` should be');
    await form.getByLabel(/^Address/).fill(`${side.url}/hook`);
    await form.getByRole('button', { name: 'Add the channel' }).click();
    await expect(page.locator('#channel-secret code')).toHaveText(/^whsec_/);
    const row = channels(page).getByRole('row', { name: /Hooks/ });
    await expect(row).toContainText('Every session');
    await expect(row).toContainText('Nothing sent yet');
    await accessible(page);

    await row.getByRole('button', { name: 'Send a test to Hooks' }).click();
    await expect.poll(() => side.came.length).toBe(1);
    side.answers.push(410);
    const seq = await say(page, 'Pick the ripe ones');
    const list = (await act(page, 'GET', '/v1/channels')).body.channels;
    await until(page, '/v1/channels', ({ channels: [hooks] }) => hooks.dead === 1);
    const refused = channels(page).locator('.callout', { hasText: 'Hooks refused 1 message.' });
    await expect(refused.getByRole('link', { name: 'Pick the ripe ones' })).toHaveAttribute('href', `/s/${await idOf(page, RIPE)}?at=${seq}#m${seq}`);
    await expect(refused).toContainText('410 Gone');
    await accessible(page);
    await refused.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => side.came.at(-1).text).toContain('Pick the ripe ones');
    await until(page, `/v1/channels/${list[0].id}/deliveries`, ({ deliveries }) => deliveries[0].state === 'sent');
    await expect(refused).toHaveCount(0);

    await row.getByRole('button', { name: 'Pause Hooks' }).click();
    await expect(row).toContainText('Paused');
    await row.getByRole('button', { name: 'Resume Hooks' }).focus();
    await page.keyboard.press('Enter');
    await expect(row.getByRole('button', { name: 'Pause Hooks' })).toBeVisible();
    await row.getByRole('button', { name: 'Remove Hooks' }).click();
    await expect(row).toHaveCount(0);
    await page.locator('#channel-removed').getByRole('button', { name: 'Undo' }).click();
    await expect(row).toContainText('Sent');
    await side.stop();
  });
});

test('a message says by which channel it came and what became of it in the others', async ({ page, verbatim }) => {
  const side = await receiver();
  await visit(page, verbatim, '/settings');
  const add = async (kind, name, path) => {
    const settings = { url: `${side.url}/${path}` };
    const { status, body } = await act(page, 'POST', '/v1/channels', { kind, name, settings, every_session: true });
    expect(status, JSON.stringify(body)).toBe(201);
  };
  await add('slack', 'Slack of the farm', 'slack');
  side.answers.push(403);
  const first = await say(page, 'Water the trees');
  await until(page, '/v1/channels', ({ channels: [slack] }) => slack.dead === 1);
  await add('discord', 'Discord of the farm', 'discord');
  const second = await say(page, 'Prune them');
  const told = async (seq) => (await act(page, 'GET', `/v1/sessions/${RIPE}/messages/${seq}/deliveries`)).body.deliveries;
  await expect.poll(async () => (await told(second)).map(({ delivery }) => delivery.state)).toEqual(['sent', 'sent']);
  await page.goto(`${verbatim.url}/s/${RIPE}?dev=1&at=${second}#m${second}`);
  await ready(page);
  const raw = async (seq) => {
    const message = page.locator(`article[data-seq="${seq}"]`);
    await message.locator('.dev button').click();
    return message.locator('.told');
  };
  const refused = await raw(first);
  await expect(refused.locator('tbody tr')).toHaveText(['Slack of the farmRefused: 403 Forbidden']);
  await expect(refused.getByRole('link', { name: 'Settings of channels' })).toHaveAttribute('href', '/settings#channels');
  const sent = await raw(second);
  await expect(sent.locator('tbody tr')).toHaveText([/^(Slack|Discord) of the farmSent /, /^(Slack|Discord) of the farmSent /]);
  await accessible(page);
  await side.stop();
});

test('a room is listed, registered for a session, heard, and given back', async ({ page, verbatim }) => {
  const matrix = await homeserver();
  await visit(page, verbatim, '/settings');
  await expect(rooms(page)).toContainText('No rooms yet. Invite the channel\'s bot to a room');
  const settings = { homeserver: matrix.url, access_token: 'token' };
  const people = { '@ada:test': 'Ada' };
  const { status, body } = await act(page, 'POST', '/v1/channels', { kind: 'matrix', name: 'Chat', settings, people });
  expect(status, JSON.stringify(body)).toBe(201);
  await expect.poll(() => matrix.isHeard()).toBe(true);
  matrix.write('!kitchen:test', '@eve:test', 'A stranger');
  await expect.poll(() => matrix.isHeard()).toBe(true);
  expect((await act(page, 'GET', '/v1/rooms')).body).toEqual({ rooms: [] });
  matrix.write('!kitchen:test', '@ada:test', 'Is anybody here?');
  await until(page, '/v1/rooms', ({ rooms: found }) => found.length === 1);

  const row = rooms(page).getByRole('row', { name: /!kitchen:test/ });
  await expect(row).toContainText('Chat');
  await accessible(page);
  const ripe = await idOf(page, RIPE);
  // Each field of the page finds its own, also where another one is written in before the answer is there.
  await page.getByText('Add Webhook', { exact: true }).click();
  const other = page.locator('form#add-webhook .session-pick');
  await other.getByRole('searchbox').fill('ripe means');
  // Of all sessions, by a word of its title and with the keys alone.
  await row.getByRole('searchbox', { name: 'Find: Session for !kitchen:test' }).pressSequentially('ripe means');
  const list = row.getByRole('combobox', { name: 'Session for !kitchen:test' });
  await expect(list).toHaveValue(ripe);
  await expect(list.getByRole('option')).toHaveCount(2);
  await expect(other.getByRole('combobox')).toHaveValue(ripe);
  await page.keyboard.press('Enter');
  await expect(list).toBeFocused();
  await row.getByRole('button', { name: /^Register ?!kitchen:test$/ }).focus();
  await page.keyboard.press('Enter');
  const registered = page.locator('#rooms-registered tbody tr');
  await expect(registered).toHaveCount(1);
  await expect(registered.getByRole('link')).toHaveAttribute('href', `/s/${ripe}`);
  await accessible(page);

  await expect.poll(() => matrix.isHeard()).toBe(true);
  matrix.write('!kitchen:test', '@ada:test', 'Which tree is next?');
  await page.goto(`${verbatim.url}/s/${RIPE}?dev=1`);
  await ready(page);
  const message = page.locator('article', { hasText: 'Which tree is next?' });
  await expect(message.locator('.by')).toHaveText('Ada From Chat');
  await message.locator('.dev button').click();
  await expect(message.locator('.told')).toContainText('Came from Chat (matrix), written by matrix:@ada:test');
  await say(page, 'The old one');
  await expect.poll(() => matrix.sent.map(({ room, text }) => [room, text.replace(/^\[.*?\] /, '')])).toEqual([['!kitchen:test', 'The old one']]);

  await page.goto(`${verbatim.url}/settings#rooms`);
  await ready(page);
  await rooms(page).getByRole('button', { name: /^Unregister ?!kitchen:test$/ }).click();
  await expect(registered).toHaveCount(0);
  await matrix.stop();
});

test('who invites the bot is let in, or waits for the owner', async ({ page, verbatim }) => {
  const matrix = await homeserver();
  await visit(page, verbatim, '/settings');
  const settings = { homeserver: matrix.url, access_token: 'token' };
  const people = { '@ada:test': 'Ada' };
  const { status, body } = await act(page, 'POST', '/v1/channels', { kind: 'matrix', name: 'Chat', settings, people });
  expect(status, JSON.stringify(body)).toBe(201);
  await expect.poll(() => matrix.isHeard()).toBe(true);
  matrix.invite('!barn:test', '@ada:test', 'The barn');
  await expect.poll(() => matrix.entered).toEqual(['join !barn:test']);
  await expect.poll(() => matrix.isHeard()).toBe(true);
  matrix.invite('!den:test', '@eve:test', 'The den');
  await until(page, '/v1/rooms', ({ rooms: found }) => found.length === 2);
  expect(matrix.entered).toEqual(['join !barn:test']);

  await page.reload();
  await ready(page);
  const barn = rooms(page).getByRole('row', { name: /The barn/ });
  const den = rooms(page).getByRole('row', { name: /The den/ });
  await expect(barn).toContainText('@ada:test invited the bot');
  await expect(den).toContainText("@eve:test invites the bot, and isn't one of the channel's people");
  await accessible(page);
  await den.getByRole('button', { name: /^Decline/ }).click();
  await expect(den).toHaveCount(0);
  expect(matrix.entered).toEqual(['join !barn:test', 'leave !den:test']);

  // Asked again, the owner lets the bot in, for a session.
  await expect.poll(() => matrix.isHeard()).toBe(true);
  matrix.invite('!den:test', '@eve:test', 'The den');
  await until(page, '/v1/rooms', ({ rooms: found }) => found.length === 2);
  await page.reload();
  await ready(page);
  const ripe = await idOf(page, RIPE);
  await den.getByRole('combobox').selectOption(ripe);
  await den.getByRole('button', { name: /^Register/ }).click();
  await expect(page.locator('#rooms-registered tbody tr')).toHaveCount(1);
  expect(matrix.entered.at(-1)).toBe('join !den:test');
  await say(page, 'Pick it');
  await expect.poll(() => matrix.sent.map(({ room }) => room)).toEqual(['!den:test']);
  await matrix.stop();
});

test.describe('in the dark, on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true });

  test('a session is shown in a channel, and hidden again, from its menu', async ({ page, verbatim }) => {
    const side = await receiver();
    await visit(page, verbatim, `/s/${RIPE}`);
    const settings = { url: `${side.url}/slack` };
    const { body } = await act(page, 'POST', '/v1/channels', { kind: 'slack', settings });
    await page.locator('[popovertarget="session-menu"]').click();
    await page.getByRole('link', { name: 'Routing and channels' }).click();
    await page.waitForURL(/\/s\/[^/]+\/routing$/);
    await ready(page);
    const row = channels(page).getByRole('row', { name: /Slack/ });
    await expect(row).toContainText('Not shown');
    await row.getByRole('button', { name: /^Show here ?: Slack$/ }).click();
    await expect(row.getByRole('cell').first()).toHaveText('Shown');
    const shown = async () => (await act(page, 'GET', '/v1/channels')).body.channels[0].sessions.map(({ session }) => session);
    expect([body.channel.kind, await shown()]).toEqual(['slack', [await idOf(page, RIPE)]]);
    await accessible(page);
    await row.getByRole('button', { name: /^Hide ?: Slack$/ }).click();
    await expect(row).toContainText('Not shown');
    expect(await shown()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await side.stop();
  });
});
