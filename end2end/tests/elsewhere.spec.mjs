// Clicks and keys that were meant for another page, another window or another request decide nothing.
import { createServer } from 'node:http';
import { asMachine, newAgent, typed } from '../agent.mjs';
import { accessible, expect, logIn, ready, test, visit } from '../verbatim.mjs';

const ASKED = 6;
const approval = (title) => typed('APPROVAL', { kind: 'permission', title, state: 'open' });
const dialog = (page) => page.getByRole('dialog', { name: 'You came here from another page' });
const go = (page) => dialog(page).getByRole('button', { name: 'Continue' });

async function asks(verbatim) {
  const agent = await newAgent(verbatim, { title: 'Frost' });
  for (let n = 1; n <= ASKED; n += 1) await agent.post({ id: `a${n}`, ...approval(`Check row ${n}`) });
  return agent;
}

const open = async (verbatim) => (await (await asMachine(verbatim))('GET', '/asks?each=1&limit=50')).body.asks.length;

// A site that leads to a page of Verbatim at the first key or press: `{ url, close }`.
async function evil(target, host) {
  const lead = `() => { location.href = ${JSON.stringify(target)}; }`;
  const body = `<!doctype html><title>Game</title><h1>Type ninja</h1><script>
    for (const name of ['keydown', 'mousedown']) addEventListener(name, ${lead}, { once: true });</script>`;
  const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(body));
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://${host}:${server.address().port}/`, close: () => server.close() };
}

// The pauses are what is tried here: nobody waits for anything.
const type = (page, words, delay) => page.keyboard.type(words, { delay });
const press = (page, { x, y }, clickCount) => page.mouse.click(x, y, { delay: 125, clickCount });

const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
const allow = (page, n) => page.locator(`article[data-id=a${n}]`).getByRole('button', { name: 'Allow once' });
const form = (page, n) => page.locator(`article[data-id=a${n}] form[data-decide]`);

for (const [site, host] of [['another site', 'evil.localhost'], ['another port', '127.0.0.1']]) {
  test(`a page of ${site} makes nobody decide`, async ({ page, verbatim }) => {
    const agent = await asks(verbatim);
    for (const path of ['/inbox', `/s/${agent.id}`]) {
      await visit(page, verbatim, path);
      const place = middle(await allow(page, path === '/inbox' ? 1 : ASKED).boundingBox());
      const game = await evil(verbatim.url + path, host);
      for (const [words, delay] of [['ninjaninjaninja', 80], ['jajajajajajajaja', 300]]) {
        await page.goto(game.url);
        await type(page, words, delay);
        await expect(dialog(page)).toBeVisible();
        expect(await open(verbatim)).toBe(ASKED);
      }
      await page.goto(game.url);
      await press(page, place, 16);
      await expect(dialog(page)).toBeVisible();
      // Where the one button of the question is, too.
      const button = middle(await go(page).boundingBox());
      await page.goto(game.url);
      await press(page, button, 16);
      await expect(dialog(page)).toBeVisible();
      expect(await open(verbatim)).toBe(ASKED);
      await expect(page).not.toHaveURL(game.url);
      game.close();
    }
  });

  test(`who comes from ${site} is asked once`, async ({ page, verbatim }) => {
    const agent = await asks(verbatim);
    await visit(page, verbatim, '/inbox');
    // From now on the worker brings the pages.
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await ready(page);
    const game = await evil(`${verbatim.url}/login?next=${encodeURIComponent('/inbox?limit=20')}`, host);
    await page.goto(game.url);
    await page.keyboard.press('n');
    await page.waitForURL(`${verbatim.url}/inbox?limit=20&outside=1`);
    await expect(dialog(page)).toBeVisible();
    await accessible(page);
    // Neither Esc, a reload, nor another page of the tab takes it away.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeVisible();
    await page.reload();
    await expect(dialog(page)).toBeVisible();
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await expect(dialog(page)).toBeVisible();
    await page.goto(`${verbatim.url}/sessions?outside=0`);
    await expect(dialog(page)).toBeVisible();
    await page.goto(game.url);
    await page.keyboard.press('n');
    await page.waitForURL(/outside=1/);
    await go(page).click();
    await expect(dialog(page)).toBeHidden();
    await expect(page).toHaveURL(`${verbatim.url}/inbox?limit=20`);
    await page.reload();
    await ready(page);
    await expect(dialog(page)).toBeHidden();
    await allow(page, 1).click();
    await expect(page.locator('[data-settled]')).toHaveCount(1);
    expect(await open(verbatim)).toBe(ASKED - 1);
    game.close();
  });
}

test('a typed address and the printed link ask nothing', async ({ page, verbatim }) => {
  await page.goto(verbatim.link);
  await page.waitForURL(`${verbatim.url}/`);
  await ready(page);
  await expect(dialog(page)).toBeHidden();
  await page.goto(`${verbatim.url}/inbox`);
  await ready(page);
  await expect(dialog(page)).toBeHidden();
});

test('a request takes a decision after a second in view, without a press meanwhile', async ({ page, verbatim }) => {
  const agent = await asks(verbatim);
  await logIn(page, verbatim);
  await page.goto(`${verbatim.url}/inbox`);
  await ready(page);
  // At once, and again and again.
  const place = middle(await allow(page, 1).boundingBox());
  await press(page, place, 8);
  expect(await open(verbatim)).toBe(ASKED);
  await type(page, 'jajajaja', 250);
  expect(await open(verbatim)).toBe(ASKED);
  await expect(page.locator('#announcer')).toHaveText('Wait a second: this just appeared or moved');
  // Loaded again, it would be where it was.
  await page.goto(`${verbatim.url}/sessions`);
  await page.goto(`${verbatim.url}/inbox`);
  await expect(allow(page, 1)).toHaveAttribute('aria-disabled', 'true');
  await expect(form(page, 1)).toHaveAttribute('data-ready', '');
  await expect(allow(page, 1)).not.toHaveAttribute('aria-disabled');
  await accessible(page);

  // A key that is held down, on the next request.
  await page.keyboard.press('j');
  await expect(form(page, 1)).toHaveAttribute('data-ready', '');
  await page.keyboard.down('a');
  await expect(page.locator('[data-settled]')).toHaveCount(1);
  await page.locator('article.request').nth(1).focus();
  await expect(form(page, 2)).toHaveAttribute('data-ready', '');
  for (let n = 0; n < 5; n += 1) await page.keyboard.down('a');
  await page.keyboard.up('a');
  await allow(page, 2).focus();
  await page.keyboard.down('x');
  for (let n = 0; n < 3; n += 1) await page.keyboard.down('Enter');
  await expect(page.locator('[data-settled]')).toHaveCount(2);
  expect(await open(verbatim)).toBe(ASKED - 2);
  await page.keyboard.up('Enter');
  await page.keyboard.up('x');

  // The press that brings the window to the front.
  await expect(form(page, 3)).toHaveAttribute('data-ready', '');
  await page.evaluate(() => {
    document.hasFocus = () => false;
    dispatchEvent(new FocusEvent('blur'));
  });
  await expect(form(page, 3)).not.toHaveAttribute('data-ready');
  await page.evaluate(() => {
    document.hasFocus = () => true;
    dispatchEvent(new FocusEvent('focus'));
  });
  await page.mouse.click(...Object.values(middle(await allow(page, 3).boundingBox())));
  expect(await open(verbatim)).toBe(ASKED - 2);
  await expect(form(page, 3)).toHaveAttribute('data-ready', '');
  await allow(page, 3).click();
  await expect(page.locator('[data-settled]')).toHaveCount(3);
  expect(await agent.pending()).toHaveLength(3);
});

test('a request that moves under the pointer takes no press', async ({ page, verbatim }) => {
  const agent = await asks(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  const announcer = page.locator('#announcer');
  let number = ASKED;
  // A machine that takes more than the second between move and press has decided, rightly: the next one is tried.
  await expect(async () => {
    await expect(form(page, number)).toHaveAttribute('data-ready', '');
    const before = await allow(page, number).boundingBox();
    await agent.post({ content: 'And one more row.' });
    await expect.poll(async () => (await allow(page, number).boundingBox()).y).toBeLessThan(before.y - 10);
    await page.mouse.click(...Object.values(middle(await allow(page, number).boundingBox())));
    await expect(announcer).toHaveText(/^Wait a second|^Sent/);
    if (/^Sent/.test(await announcer.textContent())) number -= 1;
    expect(await announcer.textContent()).toMatch(/^Wait a second/);
  }).toPass();
  // What a script of the page moves, without a word.
  await expect(form(page, number)).toHaveAttribute('data-ready', '');
  await page.evaluate(() => { document.querySelector('#transcript').style.translate = '0 -40px'; });
  await page.mouse.click(...Object.values(middle(await allow(page, number).boundingBox())));
  expect(await open(verbatim)).toBe(number);
  await expect(form(page, number)).toHaveAttribute('data-ready', '');
  await allow(page, number).click();
  await expect(form(page, number)).toHaveCount(0);
  expect(await open(verbatim)).toBe(number - 1);
});
