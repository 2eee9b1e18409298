// The browser that is measured: Chromium, or with VERBATIM_BROWSER=firefox the Firefox at FIREFOX, as its makers build it.
import { chromium, firefox } from '@playwright/test';
import settings from '../playwright.config.mjs';

export const isFirefox = process.env.VERBATIM_BROWSER === 'firefox';

export async function launch() {
  if (!isFirefox) return chromium.launch({ ...settings.use.launchOptions, headless: true });
  const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, headless: true });
  // Debian's Firefox doesn't know this command yet, and Playwright makes no context without it: a theme that nobody asks for.
  const session = browser._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = async (method, ...rest) => (method === 'emulation.setMediaFeaturesOverride' ? {} : send(method, ...rest));
  return browser;
}

// What a context looks like. Firefox takes no theme from the tests.
export function looks() {
  const { viewport, colorScheme } = settings.use;
  return { viewport, colorScheme: isFirefox ? null : colorScheme };
}

// Follows the link of a server: what a browser holds that is logged in there, to begin others with.
export async function logIn(browser, { link }) {
  const context = await browser.newContext(looks());
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  const { cookies, origins } = await context.storageState({ indexedDB: true });
  await context.close();
  return {
    cookies: cookies.filter(({ name }) => name.startsWith('verbatim_')),
    origins: origins.map((origin) => ({ ...origin, localStorage: [] })),
  };
}

// Megabytes of JavaScript and WebAssembly, and of the latter alone. Firefox tells of no heap.
export async function memory(page) {
  const wasm = await page.evaluate(async () => {
    const { default: start } = await import(document.querySelector('script[data-wasm]').dataset.js);
    return (await start()).memory.buffer.byteLength;
  });
  if (isFirefox) return { all: null, wasm: wasm / 1e6 };
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('HeapProfiler.enable');
  await protocol.send('HeapProfiler.collectGarbage');
  const { usedSize } = await protocol.send('Runtime.getHeapUsage');
  return { all: (usedSize + wasm) / 1e6, wasm: wasm / 1e6 };
}

// Counts bytes as they come over the wire from now on, with their headers: `read()` gives those of all and of the page.
export async function counted(page) {
  if (isFirefox) return { read: () => page.evaluate(transferred) };
  const bytes = { total: 0, html: 0 };
  const documents = new Set();
  const protocol = await page.context().newCDPSession(page);
  protocol.on('Network.responseReceived', ({ requestId, type }) => type === 'Document' && documents.add(requestId));
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.total += encodedDataLength;
    if (documents.has(requestId)) bytes.html += encodedDataLength;
  });
  await protocol.send('Network.enable');
  return { read: async () => bytes };
}

// Runs in the page: what it was told of the same.
function transferred() {
  const sum = (type) => performance.getEntriesByType(type).reduce((all, { transferSize }) => all + transferSize, 0);
  return { total: sum('navigation') + sum('resource'), html: sum('navigation') };
}
