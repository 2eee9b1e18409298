// Notifications that the server sends: subscribed in the settings, shown and closed by the worker.
import { runInNewContext } from 'node:vm';
import { newAgent, typed } from '../agent.mjs';
import { pushService } from '../push-service.mjs';
import { accessible, act, expect, ready, test, visit } from '../verbatim.mjs';

test.use({ args: ['--channel-host', '127.0.0.1'], tolerated: [/status of 400/] });

// A browser that allows notifications, whose maker's push service is the one of the test: the one of the tests has neither.
async function subscribable(page, subscription) {
  await page.addInitScript((given) => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    if (!given) return;
    const made = () => sessionStorage.getItem('subscribed') && {
      endpoint: given.endpoint,
      toJSON: () => given,
      unsubscribe: async () => sessionStorage.removeItem('subscribed'),
    };
    PushManager.prototype.getSubscription = async () => made() || null;
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError('not a subscription of a server');
      sessionStorage.setItem('subscribed', '1');
      return made();
    };
  }, subscription);
}

// The worker's script, with notifications that can be seen here: the browser of the tests shows none. `{ shown, deliver, click }`.
async function worker(verbatim, { focused = false, agent = 'Chrome' } = {}) {
  const source = await (await fetch(`${verbatim.url}/worker.js`)).text();
  const seen = { shown: [], badge: 0, opened: [], handlers: {} };
  const notification = (title, { tag, body, data, renotify = false, silent = false }) => {
    const close = () => { seen.shown = seen.shown.filter((other) => other.tag !== tag); };
    return { title, tag, body, data, renotify, silent, close };
  };
  runInNewContext(source, {
    URL,
    location: new URL(`${verbatim.url}/worker.js?v=test`),
    addEventListener: (name, handler) => { seen.handlers[name] = handler; },
    navigator: {
      userAgent: `Mozilla/5.0 AppleWebKit/537.36 ${agent}/1`,
      setAppBadge: async (count) => { seen.badge = count; },
      clearAppBadge: async () => { seen.badge = 0; },
    },
    clients: {
      matchAll: async () => (focused ? [{ focused }] : []),
      openWindow: async (href) => seen.opened.push(href),
    },
    registration: {
      getNotifications: async ({ tag }) => seen.shown.filter((one) => one.tag === tag),
      showNotification: async (title, options) => {
        const made = notification(title, options);
        made.close();
        seen.shown.push(made);
      },
    },
  });
  const dispatch = async (name, event) => {
    let done;
    seen.handlers[name]({ ...event, waitUntil: (work) => { done = work; } });
    await done;
  };
  seen.deliver = (message) => dispatch('push', { data: { json: () => message } });
  seen.click = (tag) => dispatch('notificationclick', { notification: seen.shown.find((one) => one.tag === tag) });
  return seen;
}

test('a browser subscribes, is told what it wants to be told, and that a request is decided', async ({ page, verbatim }) => {
  const service = await pushService();
  await subscribable(page, service.subscription);
  await visit(page, verbatim, '/settings');
  await page.evaluate(() => navigator.serviceWorker.ready);
  const part = page.locator('#notifications');
  const on = part.getByRole('switch', { name: 'Notify me when something needs me' });
  await expect(on).not.toBeChecked();
  await on.click();
  const form = part.getByRole('form', { name: 'What this device is told' });
  await expect(form).toBeVisible();
  await expect(on).toBeChecked();
  await expect(part).toContainText('also while no page of Verbatim is open');
  await accessible(page);
  await expect(page.locator('#devices').getByRole('row', { name: 'This one' })).toContainText('Notifications');

  await form.getByRole('button', { name: 'Send one to try it' }).click();
  await expect.poll(() => service.came).toEqual([
    { tag: 'test', title: 'Notifications reach this device', body: 'This one was sent to try it.', href: '/settings#notifications', waiting: 0, renotify: true },
  ]);
  service.came.pop();

  // Half a time is none.
  await form.getByLabel('Quiet from').fill('22:00');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert').filter({ hasText: 'a time of day' })).toBeVisible();
  await form.getByLabel('Quiet from').fill('');
  await form.getByLabel('Turns that are over').check();
  await form.getByLabel('Show what a request is about').check();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.reload();
  await ready(page);
  await expect(form.getByLabel('Turns that are over')).toBeChecked();
  await expect(on).toBeChecked();

  const agent = await newAgent(verbatim, { title: 'Frost', project: '/srv/mill' });
  const payload = { kind: 'permission', title: 'Grind the grain', state: 'open', questions: [] };
  await agent.post({ id: 'ask', role: 'assistant', content: 'May I?', ...typed('APPROVAL', payload) });
  await expect.poll(() => service.came.length).toBe(1);
  const [told] = service.came;
  const seq = Number(told.tag.split('/')[1]);
  const href = `/s/${agent.id}?at=${seq}#m${seq}`;
  expect(told).toEqual({ tag: `${agent.id}/${seq}`, title: 'Frost needs you', body: expect.stringMatching(/^mill: .*Grind the grain/), href, waiting: 1, renotify: true });
  await act(page, 'POST', `/v1/sessions/${agent.id}/messages/ask/decision`, { state: 'denied' });
  await expect.poll(() => service.came.length).toBe(2);
  expect(service.came[1]).toMatchObject({ tag: told.tag, close: true, waiting: 0 });

  await visit(page, verbatim, '/settings');
  await on.click();
  await expect(form).toHaveCount(0);
  await expect(on).not.toBeChecked();
  await service.stop();
});

test('the worker shows what comes, closes what is decided, and opens the card', async ({ verbatim }) => {
  const told = { tag: 's1/4', title: 'Frost needs you', body: 'mill', href: '/s/s1?at=4#m4', waiting: 2, renotify: true };
  const closed = { tag: 's1/4', title: 'A request was settled', body: '', href: '/inbox', waiting: 1, close: true };
  const away = await worker(verbatim);
  await away.deliver(told);
  await away.deliver({ ...told, tag: 'other', renotify: false });
  expect(away.badge).toBe(2);
  expect(away.shown).toMatchObject([
    { title: 'Frost needs you', body: 'mill', tag: 's1/4', data: { href: told.href }, renotify: false, silent: false },
    { tag: 'other' },
  ]);
  // One that is there already says again that it is.
  await away.deliver(told);
  expect(away.shown.map(({ tag, renotify }) => [tag, renotify])).toEqual([['other', false], ['s1/4', true]]);
  await away.deliver(closed);
  expect(away.shown.map(({ tag }) => tag)).toEqual(['other']);
  expect(away.badge).toBe(1);
  await away.deliver(told);
  await away.click('s1/4');
  expect(away.opened).toEqual([told.href]);
  expect(away.shown.map(({ tag }) => tag)).toEqual(['other']);

  // Who looks at a page is told there; one that was sent to try it is always shown.
  const here = await worker(verbatim, { focused: true });
  await here.deliver(told);
  await here.deliver({ ...told, tag: 'test' });
  expect(here.shown.map(({ tag }) => tag)).toEqual(['test']);

  // Safari has to show something for each message.
  const safari = await worker(verbatim, { focused: true, agent: 'Safari' });
  await safari.deliver(told);
  await safari.deliver(closed);
  expect(safari.shown).toMatchObject([{ title: 'A request was settled', tag: 's1/4', silent: true }]);
});

test.describe('without a push service', () => {
  test.use({ tolerated: [/Push API/] });

  test('the browser is told while a page is open', async ({ page, verbatim }) => {
    await subscribable(page);
    await visit(page, verbatim, '/settings');
    await page.evaluate(() => navigator.serviceWorker.ready);
    const part = page.locator('#notifications');
    await part.getByRole('switch').click();
    await expect(part).toContainText('its browser takes none from the server');
    await expect(part.getByRole('form')).toHaveCount(0);
  });
});
