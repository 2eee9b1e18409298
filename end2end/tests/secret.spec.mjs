// Cookies know no ports, so that with a log-in's cookie alone nothing is changed: pages show a second secret too.
import { createServer } from 'node:http';
import { asMachine, newAgent, typed } from '../agent.mjs';
import { accessible, act, AWAY, decidable, expect, logIn, ready, step, test, visit } from '../verbatim.mjs';

const REFUSED = {
  status: 403,
  code: 'secret_missing',
  title: 'This log-in can only read',
  hint: 'Log in again with the link from `verbatim open`',
};

const permission = typed('APPROVAL', {
  kind: 'permission', title: 'Run the frost check', state: 'open',
  questions: [{ question: 'Run it now?', options: [
    { id: 'yes', label: 'Allow once', kind: 'allow_once' },
    { id: 'no', label: 'Deny', kind: 'reject_once' },
  ] }],
});

const bar = (page) => page.locator('#read-only');
const field = (page) => page.getByRole('textbox', { name: 'Message' });
const send = (page) => page.locator('.composer').getByRole('button', { name: /^Send/ });
const contents = (messages) => messages.map((message) => message.content);
const kept = (page) => page.evaluate(() => globalThis.verbatim.secret());

async function asking(verbatim) {
  const agent = await newAgent(verbatim);
  await agent.post({ id: 'ask', ...permission });
  return agent;
}

async function freshLink(verbatim) {
  const { status, body } = await (await asMachine(verbatim))('POST', '/launch-codes', {});
  expect(status).toBe(201);
  return `${verbatim.url}/${new URL(body.url).hash}`;
}

async function clear(page, verbatim) {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Storage.clearDataForOrigin', { origin: verbatim.url, storageTypes: 'indexeddb' });
  await expect.poll(() => kept(page)).toBeUndefined();
}

test('a server on another port gets the cookie and can only read with it', async ({ page, verbatim, context }) => {
  const agent = await asking(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  await expect(page.getByRole('button', { name: 'Allow once' })).toBeVisible();
  const seen = [];
  const other = createServer((request, answer) => {
    seen.push(request.headers.cookie);
    answer.setHeader('content-type', 'text/html');
    answer.end('<!DOCTYPE html><title>Another server</title>');
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const tab = await context.newPage();
    await tab.goto(`http://127.0.0.1:${other.address().port}/`);
    expect(await tab.evaluate(() => indexedDB.databases()), 'what is kept for us is not kept for it').toEqual([]);
  } finally {
    other.closeAllConnections();
    other.close();
  }
  const cookie = seen[0];
  expect(cookie).toContain('verbatim_');

  // It is no browser, and says of itself what it likes.
  const replay = async (method, path, body) => {
    const headers = { cookie, origin: verbatim.url, 'content-type': 'application/json' };
    const answer = await fetch(`${verbatim.url}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await replay('GET', '/me')).toMatchObject({ status: 200, body: { kind: 'owner' } });
  const { body: { entry } } = await replay('GET', `/sessions/${agent.id}/messages/ask`);
  for (const [method, path, body] of [
    ['POST', `/sessions/${agent.id}/messages/ask/decision`, { selected: ['yes'], shown_sha256: entry.shown_sha256 }],
    ['POST', `/sessions/${agent.id}/messages`, { content: 'Go on' }],
    ['DELETE', `/sessions/${agent.id}`, {}],
    ['POST', '/keys', { name: 'mine', scopes: ['post', 'read_all'] }],
    ['PATCH', '/preferences', { editor: 'https://evil.test/{path}' }],
    ['DELETE', '/logins', {}],
  ]) {
    expect(await replay(method, path, body), `${method} ${path}`).toEqual({ status: 403, body: REFUSED });
  }
  expect(await agent.pending(0)).toEqual([]);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect(page.locator('.decided[data-state=allowed]')).toBeVisible();
  expect(contents(await agent.pending())).toEqual(['Selected: Allow once']);
});

test.describe('a browser without the secret', () => {
  test.use({ tolerated: [/status of 403/] });

  for (const [name, viewport] of [['desktop', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]]) {
    test.describe(`on a ${name}`, () => {
      test.use({ viewport });

      test('is told how to go on, loses nothing, and goes on', async ({ page, verbatim, context }) => {
        const agent = await asking(verbatim);
        await visit(page, verbatim, `/s/${agent.id}`);
        await expect(bar(page)).toBeHidden();
        await clear(page, verbatim);

        await page.getByRole('button', { name: 'Allow once' }).click();
        await expect(bar(page)).toHaveText(/^You can read here, but not change anything\. .* Run verbatim open and open its link/);
        await expect(bar(page)).toBeInViewport({ ratio: 1 });
        await expect(page.getByRole('button', { name: 'Allow once' })).toBeEnabled();
        await field(page).fill('Mind the frost');
        await send(page).click();
        await expect(page.locator('.composer .strip')).toHaveText(/^Not sent: This log-in can only read.*Mind the frost/);
        expect(await agent.pending(0)).toEqual([]);
        await accessible(page);
        // It reads on, and so it stays.
        await agent.post({ content: 'I wait.' });
        await expect(page.locator('.chunk > article').last()).toContainText('I wait.');
        await page.reload();
        await ready(page);
        await expect(bar(page)).toBeVisible();
        await expect(page.locator('.composer .strip')).toContainText('Mind the frost');

        const tab = await context.newPage();
        await tab.goto(await freshLink(verbatim));
        await ready(tab);
        expect(tab.url()).toBe(`${verbatim.url}/`);
        await expect(bar(tab)).toBeHidden();
        await tab.close();
        await expect(bar(page)).toBeHidden();
        await page.getByRole('button', { name: 'Send again' }).click();
        await page.getByRole('button', { name: 'Allow once' }).click();
        await expect(page.locator('.decided[data-state=allowed]')).toBeVisible();
        expect(contents(await agent.pending())).toContain('Mind the frost');
      });
    });
  }

  test('logs in again by the link in the banner', async ({ page, verbatim }) => {
    // As one from before there were secrets: the cookie is all that it has.
    await page.request.post(`${verbatim.url}/v1/login`, { data: { code: verbatim.link.split('#c=')[1] } });
    await page.goto(`${verbatim.url}/sessions`);
    await ready(page);
    await expect(bar(page)).toBeVisible();
    const [tab] = await Promise.all([page.waitForEvent('popup'), bar(page).getByRole('link', { name: 'sign in again' }).click()]);
    await tab.getByRole('textbox', { name: 'Sign-in code' }).fill(await freshLink(verbatim));
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await ready(tab);
    await expect(tab).toHaveURL(`${verbatim.url}/sessions`);
    await expect(bar(tab)).toBeHidden();
    await expect(bar(page)).toBeHidden();
    expect((await act(page, 'POST', '/v1/sessions', { agent: 'mine' })).status).toBe(201);
  });
});

test.describe('a log-in that ended while its page is open', () => {
  test.use({ tolerated: [new RegExp(`${AWAY.source}|401 .Unauthorized`)] });

  test('says so in words for people, and leads back to the page', async ({ page, verbatim, context }) => {
    const agent = await asking(verbatim);
    await visit(page, verbatim, `/s/${agent.id}?dev=1`);
    await decidable(page.locator('.approval'));
    await field(page).fill('Mind the frost');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Allow once' }).click();
    const out = page.locator('#signed-out');
    await expect(out).toContainText('You are signed out. Run verbatim open and open its link, or sign in with its code. Then you return to this page. Your text stays here.');
    await expect(page.locator('body')).not.toContainText('Bearer');
    await out.getByRole('link', { name: 'sign in' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    const tab = await context.newPage();
    await tab.goto(await freshLink(verbatim));
    for (const one of [tab, page]) await expect(one).toHaveURL(`${verbatim.url}/s/${agent.id}?dev=1`);
    await expect(field(page)).toHaveValue('Mind the frost');
  });
});

test('tabs and links', async ({ page, context, browser, verbatim }) => {
  await step(page, 'all tabs have it, later ones too', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    const say = async (tab, content) => {
      await field(tab).fill(content);
      await send(tab).click();
      await expect(tab.locator('.chunk > article').last()).toContainText(content);
    };
    await say(page, 'From the first tab');
    const tab = await context.newPage();
    await tab.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(tab);
    await say(tab, 'From another tab');
    await page.reload();
    await ready(page);
    await say(page, 'After a reload');
    expect(contents(await agent.pending())).toEqual(['From the first tab', 'From another tab', 'After a reload']);
    await tab.close();
  });

  await step(page, 'a link that a browser opens which is logged in is not spent, and leaves no code behind', async () => {
    await logIn(page, verbatim);
    const link = await freshLink(verbatim);
    await page.goto(link);
    await expect(page).toHaveURL(`${verbatim.url}/`);
    await ready(page);
    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(link);
    await ready(other);
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Sessions');
    await context.close();
  });

  await step(page, 'knows the secret as it knows the log-in', async () => {
    await visit(page, verbatim);
    await verbatim.stop();
    await verbatim.start();
    await expect(page.locator('#live')).toHaveText('Live', { timeout: 15_000 });
    expect((await act(page, 'POST', '/v1/sessions', { agent: 'mine' })).status).toBe(201);
    await expect(bar(page)).toBeHidden();
  }, [AWAY]);
});

test('logging out deletes it, and the next log-in brings another one', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/settings');
  const before = await kept(page);
  expect(before).toHaveLength(43);
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByRole('textbox', { name: 'Sign-in code' })).toBeVisible();
  await expect.poll(() => kept(page)).toBeUndefined();
  await page.goto(await freshLink(verbatim));
  await ready(page);
  const after = await kept(page);
  expect(after).toHaveLength(43);
  expect(after).not.toBe(before);
  expect((await act(page, 'POST', '/v1/sessions', { agent: 'mine' })).status).toBe(201);
});
