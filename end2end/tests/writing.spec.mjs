// What people write and read in other scripts, and on phones whose keyboard takes most of the page.
import { newAgent } from '../agent.mjs';
import { expect, logIn, ready, test } from '../verbatim.mjs';

const field = (page) => page.getByLabel('Message', { exact: true });
const send = (page) => page.locator('.composer').getByRole('button', { name: 'Send' });
const style = (locator, name) => locator.evaluate((element, name) => getComputedStyle(element)[name], name);

async function show(page, verbatim, agent, ...messages) {
  await logIn(page, verbatim);
  for (const message of messages) await agent.post(message);
  await page.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(page);
}

// All of it is within the page, in front of everything else, once the page has taken its new size.
async function inFull(page, locator) {
  const { width, height } = page.viewportSize();
  const place = () => locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isWithin = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return { width: innerWidth, height: innerHeight, isWithin, isInFront: element.contains(found) };
  });
  await expect.poll(place).toEqual({ width, height, isWithin: true, isInFront: true });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('the field, the button and the name stay in view above a keyboard', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim, { title: 'Prune the apple trees' });
    await show(page, verbatim, agent, ...Array.from({ length: 30 }, (_, n) => ({ id: `m${n}`, content: `Tree ${n}` })));
    await expect(page.locator('meta[name=viewport]')).toHaveAttribute('content', /interactive-widget=resizes-content/);
    // Nothing opens the keyboard but a tap.
    expect(await page.evaluate(() => document.activeElement?.matches('input, textarea'))).toBe(false);
    expect(parseFloat(await style(field(page), 'fontSize'))).toBeGreaterThanOrEqual(16);

    await page.setViewportSize({ width: 390, height: 330 });
    const name = page.locator('#session-head h1');
    for (const part of [field(page), send(page), name]) await inFull(page, part);
    await field(page).tap();
    await field(page).fill('Start with the oldest one');
    for (const part of [field(page), send(page), name]) await inFull(page, part);

    await field(page).fill(Array.from({ length: 12 }, (_, n) => `Line ${n + 1}`).join('\n'));
    for (const part of [field(page), send(page), name]) await inFull(page, part);
    await field(page).blur();
    await inFull(page, send(page));
    await page.setViewportSize({ width: 390, height: 844 });
    for (const part of [field(page), send(page), name]) await inFull(page, part);
  });
});

test('each paragraph, title and draft runs in the direction of its script, and code from left to right', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim, { title: 'تقليم أشجار التفاح' });
  const content = 'هذا `userName` يخزن\n\nEnglish with מילה.\n\n- בדיקה: v1\n- second\n\n```js\nconst x = "שלום"; // تعليق\n```';
  await show(page, verbatim, agent, { id: 'a', content });
  const prose = page.locator('article[data-id=a] .prose');
  const paragraph = (text) => prose.locator('p, li').filter({ hasText: text });
  for (const [text, direction] of [['userName', 'rtl'], ['English', 'ltr'], ['בדיקה', 'rtl'], ['second', 'ltr']]) {
    expect(await style(paragraph(text), 'direction'), text).toBe(direction);
  }
  expect(await style(paragraph('userName').locator('code'), 'direction')).toBe('ltr');
  // Its words end at the right edge, and a list's mark has its place there.
  const right = async (locator) => locator.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const box = await paragraph('userName').boundingBox();
  expect(Math.abs(await right(paragraph('userName')) - (box.x + box.width))).toBeLessThan(2);
  const item = await paragraph('בדיקה').boundingBox();
  const list = await prose.locator('ul').boundingBox();
  expect(list.x + list.width - (item.x + item.width)).toBeGreaterThan(10);
  // A comment stays behind the string, though both are written from right to left.
  const [string, comment] = await Promise.all([prose.locator('.h-s'), prose.locator('.h-c')].map((token) => token.boundingBox()));
  expect(comment.x).toBeGreaterThan(string.x);
  // The head may be drawn anew just now.
  await expect(page.locator('#session-head h1')).toHaveCSS('direction', 'rtl');
  await field(page).fill('مرحبا');
  expect(await style(field(page), 'direction')).toBe('rtl');
});
