// Many tabs of one browser share one event stream, and each of them is current.
import { newAgent, typed } from '../agent.mjs';
import { expect, imported, logIn, ready, step, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');

// The event streams that pages of this browser hold, without the short reads of tabs that came later.
function streams(context) {
  const open = new Set();
  const isStream = (request) => request.url().includes('/v1/events') && !request.url().includes('until=');
  context.on('request', (request) => { if (isStream(request)) open.add(request); });
  for (const over of ['requestfinished', 'requestfailed']) context.on(over, (request) => open.delete(request));
  return open;
}

// Which tab holds the stream.
const leader = (open) => [...open][0].frame().page();

test.describe('logging out', () => {
  test.use({ tolerated: [/status of 401/] });

  test('in one tab ends all', async ({ page, verbatim, context }) => {
    await visit(page, verbatim, '/sessions');
    const other = await context.newPage();
    await other.goto(`${verbatim.url}/sessions`);
    await ready(other);
    await expect(other.locator('#live')).toHaveText('Live');
    expect(await page.evaluate(async () => (await fetch('/v1/logout', { method: 'POST' })).status)).toBe(200);
    await expect(page).toHaveURL(/\/login/);
    await expect(other).toHaveURL(/\/login/);
  });
});

test('without locks each tab that is seen has a stream of its own', async ({ page, verbatim, context }) => {
  const open = streams(context);
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  await expect(page.locator('#live')).toHaveText('Live');
  expect(open.size).toBe(1);
  await agent.post({ content: 'Seen.' });
  await expect(articles(page).last()).toContainText('Seen.');
});

test('tabs share what comes', async ({ page, context, verbatim }) => {
  await step(page, 'what waits stands in the title, in the rail and in a word on the page', async () => {
    const busy = await newAgent(verbatim, { title: 'Prune the quince' });
    await busy.post({ content: 'I look.' });
    const open = await newAgent(verbatim, { title: 'Water the pears' });
    await open.post({ content: 'I pour.' });
    await logIn(page, verbatim);
    await imported(page, verbatim);
    await page.goto(`${verbatim.url}/s/${open.id}`);
    await ready(page);
    await expect(page.locator('#live')).toHaveText('Live');
    await expect(page).toHaveTitle(/^orchard - Water the pears/);
    await busy.post({ content: '', ...typed('APPROVAL', {
      kind: 'permission', title: 'Cut the oldest branch', state: 'open',
      questions: [{ question: 'Cut it?', options: [{ id: 'yes', label: 'Cut', kind: 'allow_once' }] }],
    }) });

    await expect(page).toHaveTitle(/^\(1!\) orchard - Water the pears/);
    await expect(page.locator('#alerter')).toHaveText('Prune the quince needs you');
    await expect(page.locator('.notice')).toContainText('Prune the quince');
    await expect(page.locator('#rail-recent h2').first()).toHaveText('Needs you');
    await expect(page.locator('#rail-recent a').first()).toContainText('Prune the quince');
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', /%23d29922/);
  });

  await step(page, 'a tab that was left and is come back to has what was said meanwhile', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'I start.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const other = await context.newPage();
    await other.goto(`${verbatim.url}/sessions`);
    await ready(other);
    await page.goto(`${verbatim.url}/search`);
    await agent.post({ content: 'While you were away.' });
    await page.goBack();
    await expect(articles(page).last()).toContainText('While you were away.');
    await agent.post({ content: 'And now.' });
    await expect(articles(page).last()).toContainText('And now.');
  });

  // More than the six connections that a browser opens to a server.
  await step(page, 'eight tabs hold one stream, and lose nothing when the one that holds it is closed', async () => {
    const open = streams(context);
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'I start.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const pages = [page];
    for (let n = 1; n < 8; n += 1) {
      const next = await context.newPage();
      await next.goto(page.url());
      await ready(next);
      pages.push(next);
    }
    for (const tab of pages) await expect(tab.locator('#live')).toHaveText('Live');
    expect(open.size).toBe(1);

    await agent.post({ content: 'All see this.' });
    for (const tab of pages) await expect(articles(tab).last()).toContainText('All see this.');

    const first = leader(open);
    const closing = first === page ? pages[1] : first;
    // The page of the test stays; it may be the one with the stream, which it then gives away by leaving.
    if (first === page) await page.goto(`${verbatim.url}/login`);
    else await closing.close();
    await agent.post({ content: 'And this, said in between.' });
    const others = pages.filter((tab) => tab !== page && !tab.isClosed());
    for (const tab of others) await expect(articles(tab).last()).toContainText('And this, said in between.');
    await expect.poll(() => open.size).toBe(1);

    // One that comes back from the browser's memory, or anew, has it too.
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    await expect(articles(page).last()).toContainText('And this, said in between.');
    await agent.post({ content: 'The last word.' });
    for (const tab of [page, ...others]) await expect(articles(tab).last()).toContainText('The last word.');
    expect(open.size).toBe(1);
  });
});
