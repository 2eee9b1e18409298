// Ways to log in besides links: a password, a passkey, a provider of single sign-on.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { act, expect, logIn, ready, test } from '../verbatim.mjs';

const PASSWORD = 'seven quinces in a row';

// The provider's own pages load a font from elsewhere.
test.use({ tolerated: [/status of 40[0139]|ERR_NAME_NOT_RESOLVED/] });

// Logs out as a person does, and waits for the log-in page.
async function logOut(page) {
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await expect(page).toHaveURL(/\/login/);
}

async function settings(page, url) {
  await page.goto(`${url}/settings`);
  await ready(page);
  return page.locator('#login-methods');
}

test('a password is set in the settings, and logs in', async ({ page, verbatim }) => {
  await logIn(page, verbatim);
  // Nobody alone needs it: with another person the settings have it.
  expect((await act(page, 'POST', '/v1/users', { name: 'Ines', role: 'member' })).status).toBe(201);
  const methods = await settings(page, verbatim.url);
  await methods.getByText('Set a password').click();
  await methods.getByLabel('New password').fill('ababababababab');
  await methods.getByRole('button', { name: 'Save' }).click();
  await expect(methods.getByRole('alert')).toContainText("isn't easily guessed");
  await methods.getByLabel('New password').fill(PASSWORD);
  await methods.getByRole('button', { name: 'Save' }).click();
  await expect(methods.getByRole('row', { name: /^Password/ })).toBeVisible();

  await logOut(page);
  await page.getByLabel('Name').fill('owner');
  await page.getByLabel('Password').fill('seven quinces in a heap');
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await expect(page.locator('#login-state')).toContainText('The name or the password is wrong');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Password').press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
  await settings(page, verbatim.url);
  await methods.getByRole('button', { name: 'Remove Password' }).click();
  await expect(methods.getByText('You log in by links alone')).toBeVisible();
});

test('a passkey is added, and logs in without a name', async ({ page, verbatim, context }) => {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options: {
    protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true,
  } });
  // Browsers create passkeys for names, not for addresses.
  const url = verbatim.url.replace('127.0.0.1', 'localhost');
  await page.goto(verbatim.link.replace('127.0.0.1', 'localhost'));
  await ready(page);
  expect((await act(page, 'POST', '/v1/users', { name: 'Ines', role: 'member' })).status).toBe(201);
  const methods = await settings(page, url);
  await methods.getByText('Add a passkey').click();
  await methods.getByLabel('Name').fill('Orchard laptop');
  await methods.getByRole('button', { name: 'Add the passkey' }).click();
  await expect(methods.getByRole('row', { name: /Passkey: Orchard laptop/ })).toContainText('never');

  await logOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sessions');
  await settings(page, url);
  await expect(methods.getByRole('row', { name: /Passkey: Orchard laptop/ })).not.toContainText('never');
  // The same authenticator has one already.
  await methods.getByText('Add a passkey').click();
  await methods.getByRole('button', { name: 'Add the passkey' }).click();
  await expect(page.getByText('This device has a passkey of yours already')).toBeVisible();

  await methods.getByRole('button', { name: 'Remove Passkey: Orchard laptop' }).click();
  await expect(methods.getByText('You log in by links alone')).toBeVisible();
  await logOut(page);
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toHaveCount(0);
});

// The provider's address has to be known before the server starts, and the server's before the provider does.
const server = createServer((request, response) => provider(request, response));
let provider;
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

test.afterAll(() => server.close());

test.describe('by a provider', () => {
  test.use({ args: ['--oidc-issuer', issuer, '--oidc-client-id', 'verbatim', '--oidc-client-secret', 'sesame', '--oidc-name', 'Orchard ID',
    '--oidc-people', 'groups=agents:member', '--oidc-people', 'groups=chiefs:owner'] });

  // Of each account its groups and its name.
  const accounts = { ines: [['agents'], 'Ines'], bo: [['garden'], 'Bo'], ada: [[], 'Ada'] };

  test.beforeEach(({ verbatim }) => {
    const oidc = new Provider(issuer, {
      clients: [{ client_id: 'verbatim', client_secret: 'sesame', redirect_uris: [`${verbatim.url}/login/callback`] }],
      claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email'] },
      cookies: { keys: ['orchard'] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, groups: accounts[sub][0], name: accounts[sub][1] }) }),
    });
    provider = oidc.callback();
  });

  // What the provider's own pages ask.
  async function atProvider(page, account) {
    await page.getByPlaceholder('Enter any login').fill(account);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function by(page, account) {
    await page.getByRole('link', { name: 'Sign in with Orchard ID' }).click();
    await atProvider(page, account);
  }

  test('who belongs to a group is let in as somebody', async ({ page, verbatim, context }) => {
    await page.goto(`${verbatim.url}/inbox`);
    await by(page, 'ines');
    await expect(page).toHaveURL(`${verbatim.url}/inbox`);
    await ready(page);
    expect((await act(page, 'GET', '/v1/me')).body).toEqual({ kind: 'owner', name: 'Ines', workspace: 'default', role: 'member' });

    // Back with what the provider sent before: it was used.
    await context.clearCookies();
    await page.goto(verbatim.url);
    await by(page, 'bo');
    await expect(page.locator('#login-state')).toHaveText("Your account at Orchard ID isn't let in here. Ask an owner of this server to let you in");
    await page.goto(`${verbatim.url}/login/callback?code=x&state=y`);
    await expect(page.locator('#login-state')).toContainText('begun in another browser');

    // With another role in the groups, the next log-in has it.
    accounts.ines[0] = ['agents', 'chiefs'];
    await context.clearCookies();
    await page.goto(verbatim.url);
    await by(page, 'ines');
    await ready(page);
    expect((await act(page, 'GET', '/v1/me')).body.role).toBe('owner');
    expect((await act(page, 'GET', '/v1/users')).body.people.map(({ name }) => name)).toEqual(['Owner', 'Ines']);

    // Who is logged in may log in again, even as somebody else: the provider is asked anew.
    accounts.bo[0] = ['agents'];
    await context.clearCookies({ name: /^(?!verbatim_)/ });
    await page.goto(`${verbatim.url}/login#again`);
    await by(page, 'bo');
    await ready(page);
    expect((await act(page, 'GET', '/v1/me')).body.name).toBe('Bo');
  });

  test('the owner adds an account to themselves', async ({ page, verbatim, context }) => {
    await logIn(page, verbatim);
    await act(page, 'POST', '/v1/users', { name: 'Ines', role: 'member' });
    const methods = await settings(page, verbatim.url);
    await methods.getByRole('button', { name: 'Add your account at Orchard ID' }).click();
    await atProvider(page, 'ada');
    await expect(page).toHaveURL(`${verbatim.url}/settings#login-methods`);
    await ready(page);
    await expect(methods.getByRole('row', { name: /Account at Orchard ID/ })).toBeVisible();

    await context.clearCookies();
    await page.goto(verbatim.url);
    await by(page, 'ada');
    await ready(page);
    expect((await act(page, 'GET', '/v1/me')).body.role).toBe('owner');
    expect((await act(page, 'GET', '/v1/users')).body.people.map(({ id }) => id)).toHaveLength(2);
  });
});
