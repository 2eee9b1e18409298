// Notifications that the server sends: subscribed in the settings, shown by the worker while no page is seen, closed when the
// request is decided.
import { newAgent, typed } from '../agent.mjs';
import { pushService } from '../push-service.mjs';
import { accessible, act, expect, ready, test, visit } from '../verbatim.mjs';

test.use({ args: ['--channel-host', '127.0.0.1'], permissions: ['notifications'] });

// A browser whose maker's push service is the one of the test: this one has none.
async function subscribable(page, subscription) {
  await page.addInitScript((given) => {
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

// What the push service brings to the browser's worker.
async function deliver(page, verbatim, message) {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ isDeleted }) => !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const origin = new URL(verbatim.url).origin;
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data: JSON.stringify(message) });
  await session.detach();
}

const shown = (page) => page.evaluate(async () => {
  const all = await (await navigator.serviceWorker.ready).getNotifications();
  return all.map(({ title, body, tag, data }) => ({ title, body, tag, href: data.href }));
});

test('a request is told to the browser, its click leads to the card, and it goes when the request is decided', async ({ page, verbatim }) => {
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
  await deliver(page, verbatim, service.came.pop());
  await expect.poll(() => shown(page)).toMatchObject([{ tag: 'test', title: 'Notifications reach this device' }]);

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
  // Who looks at a page is told there.
  await page.bringToFront();
  const away = await page.context().newPage();
  await away.goto('about:blank');
  await deliver(page, verbatim, told);
  await expect.poll(() => shown(page)).toContainEqual({ title: 'Frost needs you', body: told.body, tag: told.tag, href });

  const [worker] = page.context().serviceWorkers();
  await worker.evaluate(async (tag) => {
    const [notification] = await registration.getNotifications({ tag });
    dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  }, told.tag);
  await page.waitForURL(`${verbatim.url}${href}`);
  await ready(page);
  await expect(page.locator(`#m${seq}`)).toBeInViewport();

  await deliver(page, verbatim, told);
  await act(page, 'POST', `/v1/sessions/${agent.id}/messages/ask/decision`, { state: 'denied' });
  await expect.poll(() => service.came.length).toBe(2);
  expect(service.came[1]).toMatchObject({ tag: told.tag, close: true, waiting: 0 });
  await deliver(page, verbatim, service.came[1]);
  await expect.poll(async () => (await shown(page)).map(({ tag }) => tag)).not.toContain(told.tag);

  await visit(page, verbatim, '/settings');
  await on.click();
  await expect(form).toHaveCount(0);
  await expect(on).not.toBeChecked();
  await away.close();
  await service.stop();
});

test('a browser that takes nothing from servers is told while a page is open', async ({ page, verbatim }) => {
  await page.addInitScript(() => {
    PushManager.prototype.subscribe = async () => { throw new DOMException('Registration failed', 'AbortError'); };
  });
  await visit(page, verbatim, '/settings');
  await page.evaluate(() => navigator.serviceWorker.ready);
  const part = page.locator('#notifications');
  await part.getByRole('switch').click();
  await expect(part).toContainText('its browser takes none from the server');
  await expect(part.getByRole('form')).toHaveCount(0);
});
