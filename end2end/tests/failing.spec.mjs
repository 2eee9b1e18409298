// Answers that are late, or don't come: nothing is lost, somebody says so, and nobody asks without end.
import { newAgent, typed } from '../agent.mjs';
import { accessible, expect, logIn, ready, step, test, visit } from '../verbatim.mjs';

// What the worker fetches for a page passes by the routes of a test.
test.use({ tolerated: [/status of (4|5)\d\d|a part of the interface did not load/], serviceWorkers: 'block' });

const articles = (page) => page.locator('.chunk > article');

async function long(verbatim, count = 160) {
  const agent = await newAgent(verbatim);
  const messages = Array.from({ length: count }, (_, n) => ({ content: `Tree ${n + 1} stands.\n\nIts bark is dry.` }));
  expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
  return agent;
}

test('what is typed or pressed before the program is there', async ({ page, verbatim }) => {
  await step(page, 'what is typed before the composer is alive stays', async () => {
    const agent = await newAgent(verbatim);
    await logIn(page, verbatim);
    let go;
    const held = new Promise((resolve) => { go = resolve; });
    await page.route(/\.wasm/, async (route) => { await held; await route.continue(); });
    await page.goto(`${verbatim.url}/s/${agent.id}`, { waitUntil: 'commit' });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('hello early');
    go();
    await ready(page);
    await expect(page.getByRole('button', { name: 'Send' })).toBeEnabled();
    await expect(field).toHaveValue('hello early');
  });

  // A part of the program is loaded when it is first called.
  await step(page, 'what is pressed while the server is away is done when it is back', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('TODO', { todos: [{ id: '1', content: 'Oil the hinge', status: 'pending' }] }));
    await logIn(page, verbatim);
    let away = true;
    await page.route(/part_send_tick/, (route) => (away ? route.fulfill({ status: 503 }) : route.continue()));
    await page.goto(`${verbatim.url}/s/${agent.id}?panel=todos`);
    await ready(page);
    const bar = page.locator('.boot-failure');
    await page.locator('#panel').getByRole('checkbox', { name: 'Oil the hinge' }).check();
    await expect(bar).toContainText('What you did is kept here, and done as soon as it does.');
    // The box doesn't look as if it were ticked already.
    const tick = page.locator('#panel').getByRole('checkbox', { name: 'Oil the hinge' });
    await expect(tick).toHaveAttribute('aria-busy', 'true');
    await expect(tick).toHaveCSS('border-top-style', 'dashed');
    // One notice says it, not two.
    await page.locator('#link-notice').evaluate((notice) => { notice.hidden = false; });
    await expect(page.locator('#link-notice')).toBeHidden();
    away = false;
    await expect(bar).toHaveCount(0);
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Ticked: Oil the hinge']);
    await expect(tick).not.toHaveAttribute('aria-busy');
    await expect(tick).toBeChecked();
  });

  await step(page, 'where not even the first script comes, the page says so by itself', async () => {
    const agent = await newAgent(verbatim);
    await logIn(page, verbatim);
    let away = true;
    await page.route(/\/boot\.js/, (route) => (away ? route.fulfill({ status: 503 }) : route.continue()));
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    const bar = page.locator('.boot-late');
    await expect(bar).toBeVisible();
    await expect(bar).toContainText("The interactive part of this page didn't load from the server.");
    await accessible(page);
    away = false;
    await bar.getByRole('link', { name: 'Try again' }).click();
    await ready(page);
    await expect(bar).toHaveCount(0);
  });
});

test('what is needed first does not come', async ({ page, verbatim }) => {
  for (const [what, pattern] of [['program', /\/frontend\.js/], ['binary', /\.wasm/]]) {
    await step(page, `a ${what} that is refused for a while is asked for again, and the page says why it waits`, async () => {
      const agent = await newAgent(verbatim);
      await logIn(page, verbatim);
      let away = true;
      await page.route(pattern, (route) => (away ? route.fulfill({ status: 503 }) : route.continue()));
      await page.goto(`${verbatim.url}/s/${agent.id}`);
      const bar = page.locator('.boot-failure');
      await expect(bar).toHaveText('The interactive part of this page did not load: the server answered 503. You can read on; it is asked for again.');
      await page.getByRole('textbox', { name: 'Message' }).fill('Written meanwhile');
      await accessible(page);
      away = false;
      await ready(page);
      await expect(bar).toHaveCount(0);
      await expect(page.locator('body')).not.toHaveClass(/warned/);
      await expect(page.locator('#live')).toHaveText('Live');
      await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Written meanwhile');
    });
  }
});

test('what was asked for, or loads late', async ({ page, verbatim }) => {
  await step(page, 'all parts are there before they are called, for times without a server', async () => {
    const parts = new Set();
    page.on('response', (answer) => parts.add(answer.url().match(/part_\w+/)?.[0]));
    await visit(page, verbatim, '/sessions');
    await expect.poll(() => ['part_decide', 'part_send_tick', 'part_changes', 'part_run_in_changes'].filter((name) => !parts.has(name))).toEqual([]);
  });

  await step(page, 'what was asked for by hand says that it failed', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('TOOL_CALL', { tool_name: 'Bash', input: { command: 'ls' }, state: 'completed', output: 'tree '.repeat(9_000) }));
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.route('**/fragments/**', (route) => route.fulfill({ status: 500, json: { status: 500, code: 'internal', title: 'The barn is on fire' } }));
    await articles(page).first().locator('summary').click();
    await expect(page.locator('#toasts')).toContainText('The barn is on fire');
    await page.keyboard.press('Control+k');
    await expect(page.locator('#toasts .toast')).toHaveCount(2);
    await page.keyboard.press('Escape');

    await page.unroute('**/fragments/**');
    await page.goto(`${verbatim.url}/sessions`);
    await ready(page);
    await page.route('**/fragments/sessions?*', (route) => route.fulfill({ status: 500, json: { status: 500, code: 'internal', title: 'The barn is on fire' } }));
    await page.locator('#find').fill('quince');
    await expect(page.locator('#sessions')).toContainText("The list couldn't be loaded: The barn is on fire");
    await expect(page.locator('#sessions [data-row]')).toHaveCount(0);
    await page.unroute('**/fragments/sessions?*');
    await page.locator('#find').fill('');
    await page.getByRole('button', { name: 'Try again' }).or(page.locator('#sessions [data-row]')).first().waitFor();
    await expect(page.locator('#sessions [data-row]')).toHaveCount(1);
  });

  await step(page, 'a part of the transcript that is refused says so, and is asked for by hand', async () => {
    const agent = await long(verbatim);
    let refused = true;
    const asked = [];
    await logIn(page, verbatim);
    await page.route(/\/chunks\/[01]\?/, async (route) => {
      asked.push(route.request().url());
      await (refused ? route.fulfill({ status: 403, json: { status: 403, code: 'forbidden', title: 'Not for you' } }) : route.continue());
    });
    await page.route(/\/read$|\/outline/, async (route) => {
      asked.push(route.request().url());
      await route.fulfill({ status: 403, json: { status: 403, code: 'forbidden', title: 'Not for you' } });
    });
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    await page.keyboard.press('Home');
    const failed = page.locator('.chunk-gap .failed');
    await expect(failed).toContainText("This part couldn't be loaded: Not for you");
    await expect(failed.getByRole('button')).toBeInViewport();
    const ofFirst = () => asked.filter((url) => url.includes('/chunks/0?')).length;
    expect(ofFirst()).toBe(1);
    expect(asked.filter((url) => url.endsWith('/read')).length).toBeLessThanOrEqual(1);
    refused = false;
    await failed.getByRole('button', { name: 'Try again' }).click();
    await expect(articles(page).first()).toContainText('Tree 1 stands');
    await expect(failed).toHaveCount(0);
  });

  await step(page, 'Enter in the palette chooses from the answer to what was typed', async () => {
    await newAgent(verbatim, { title: 'Graft the plums' });
    await visit(page, verbatim);
    await page.route('**/fragments/palette?*', async (route) => {
      await new Promise((resolve) => { setTimeout(resolve, 300); });
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await expect(page.locator('#palette-list [role=option]').first()).toBeVisible();
    await page.keyboard.type('>folders');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/folders$/);
  });
});
