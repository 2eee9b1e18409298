// Pages under a thumb: what is pressed is 44 px high and wide, on a phone of 360 by 740, and nothing is wider than that.
import { expect, ready, test, visit } from '../verbatim.mjs';

test.use({ transcripts: ['.'], viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

// What is smaller, as `a.chip 31x26: All`. Links within a text are as high as its lines.
const small = (page) => page.evaluate(() => {
  const LEAST = 43.5;
  const pressed = 'a[href], button, input:not([type=hidden]), select, textarea, summary, label.check, label.switch';
  const isSeen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    && !element.closest('.sr, .skip') && element.getBoundingClientRect().width > 0;
  // The label of a box is pressed for it.
  const isPart = (element) => element.matches('label > input, label input[type=checkbox], label input[type=radio]');
  const isText = (element) => element.matches('a') && getComputedStyle(element).display === 'inline';
  const sizes = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const around = getComputedStyle(element, '::after');
    const stands = around.content !== 'none' && around.position === 'absolute';
    return [[width, height], ...(stands ? [[Number.parseFloat(around.width), Number.parseFloat(around.height)]] : [])];
  };
  return [...document.querySelectorAll(pressed)]
    .filter((element) => isSeen(element) && !isPart(element) && !isText(element))
    .filter((element) => !sizes(element).some(([width, height]) => width >= LEAST && height >= LEAST))
    .map((element) => {
      const [[width, height]] = sizes(element);
      const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30);
      return `${[element.localName, ...element.classList].join('.')} ${Math.round(width)}x${Math.round(height)}: ${name}`;
    });
});

test('everything that is pressed is large enough for a finger', async ({ page, verbatim }) => {
  await visit(page, verbatim, '/sessions');
  const session = await page.locator('a[href^="/s/"]').first().getAttribute('href');
  const pages = ['/sessions', '/inbox', session, `${session}/changes`, `${session}/context`, '/settings', '/search?q=the', '/stats', '/files', '/folders', '/schedules', '/memory', '/new'];
  for (const path of pages) {
    await page.goto(verbatim.url + path);
    await ready(page);
    expect.soft(await small(page), path).toEqual([]);
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
  }
});
