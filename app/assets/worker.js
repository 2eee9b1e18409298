// The service worker: keeps the sessions that were read last, so that they can be read where the server doesn't answer.
// Pages and their pieces come from the server as ever; what is kept of them is the second choice. Files below /assets never
// change under one address: there it is the first. Everything else passes by: what is sent, events, downloads, the API.
//
// One cache for each session, in the order in which they were read: its page, then the pieces that it loaded. A page is
// kept where the server names it by `content-location`. When the log-in ends, they are all deleted.
//
// It shows notifications, too, those that pages ask for and those that the server sends: a click leads to the request.
//
// Each build gives the worker another address, so that it is installed anew, and has a cache for its files, which stays
// as long as a page of that build is kept: no page meets files of another build.
const BUILD = new URL(location.href).searchParams.get('v');
// The path of the public URL, which the worker is right below. Paths are named without it, but for what is asked for.
const BASE = new URL('.', location.href).pathname.slice(0, -1);
const own = (url) => {
  const { pathname } = new URL(url, location.origin);
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
};
const based = (path) => (path.startsWith(`${BASE}/`) ? path : BASE + path);
// To be counted up when what is kept takes another form.
const FORMAT = `verbatim 2${BASE} `;
const FILES = `${FORMAT}files `;
const SESSION = `${FORMAT}session `;
// Where no page is kept, and where no piece is.
const NO_PAGE = '/offline';
const NOT_KEPT = { status: 504, code: 'not_kept', title: "The server can't be reached, and this isn't kept" };
// A text that is being written is drawn many times a second: `growth` passes by. So does what a session went on by since
// its landmarks were asked for.
const PIECE = /^\/fragments\/sessions\/.*(?<!\/growth)$|^\/v1\/sessions\/[^/]+\/outline$/;

const MOST_SESSIONS = 20;
const MOST_BYTES = 4 * 1024 * 1024;
const ICON = `${BASE}/apple-touch-icon.png`;
// Milliseconds. A log-in that isn't used ends after a week, and so does what it read.
const LIFE = 7 * 24 * 60 * 60 * 1000;
// Until a server that says nothing counts as away, or an answer that stops as given up: what comes after it in turn would wait for
// ever. Until a piece is written, which may come anew before.
const PATIENCE = 10_000;
const PAUSE = 1_000;

const late = () => new Promise((_, refuse) => { setTimeout(refuse, PATIENCE); });
const inTime = (answer) => Promise.race([answer, late()]);
const ask = (url, how) => fetch(url, { ...how, signal: AbortSignal.timeout(PATIENCE) });

// Pieces to be written, by their address.
const fresh = new Map();
// Grows when all is deleted.
let turn = 0;
let work = Promise.resolve();
// One after the other: a page is kept before what it loads. What was asked for before all was deleted isn't kept any more.
const inTurn = (job, since = turn) => (work = work.then(job).catch(() => {}).then(() => since === turn || dropAll()));
const names = async () => (await caches.keys()).filter((name) => name.startsWith(SESSION));

// A browser that knows routes neither asks the worker about what passes by, nor waits for it where the server, or the
// browser's own cache, answers first.
const at = (pathname, requestMethod = 'GET') => ({ urlPattern: new URLPattern({ pathname: BASE + pathname }), requestMethod });
const routes = () => {
  const first = [at('/assets/*'), at('/fragments/sessions/*'), at('/v1/sessions/:id/outline')];
  const seen = [
    { requestMode: 'navigate' }, at(`${NO_PAGE}/sessions`), at('/v1/login'), at('/v1/logout', 'POST'),
    at('/v1/projects/forget', 'POST'), at('/v1/sessions', 'PATCH'),
  ];
  return [
    { condition: at('/fragments/sessions/:id/messages/:seq/growth'), source: 'network' },
    { condition: { or: first }, source: 'race-network-and-fetch-handler' },
    { condition: { not: { or: seen } }, source: 'network' },
  ];
};

addEventListener('install', (event) => event.waitUntil(install(event)));
addEventListener('activate', (event) => event.waitUntil(begin()));
// A page that the worker didn't bring.
addEventListener('message', (event) => {
  const { url } = event.source;
  const path = own(url);
  if (path.startsWith('/s/')) event.waitUntil(inTurn(async () => keepPage(await ask(url), path)));
});
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, searchParams } = new URL(request.url);
  if (origin !== location.origin) return;
  const pathname = own(request.url);
  const path = `${request.method} ${pathname}`;
  if (request.mode === 'navigate' && request.method === 'GET') event.respondWith(page(event, pathname));
  else if (path.startsWith('GET /assets/')) event.respondWith(file(event));
  else if (request.method === 'GET' && PIECE.test(pathname) && !searchParams.has('after')) event.respondWith(piece(event, pathname));
  else if (path === `GET ${NO_PAGE}/sessions`) event.respondWith(list());
  else if (path === 'GET /v1/login') event.respondWith(ending(event, async (said) => !(await said.json()).logged_in));
  else if (/^POST \/v1\/(logout|projects\/forget)$/.test(path)) event.respondWith(ending(event, (said) => said.ok));
  else if (path === 'PATCH /v1/sessions') event.respondWith(changing(event));
});
// What the server sends while no page is open: crates/hub/src/push/text.rs writes it.
addEventListener('push', (event) => event.waitUntil(pushed(event.data.json())));
// A page of Verbatim that shows the request already, else any, else a new one.
addEventListener('notificationclick', (event) => event.waitUntil(openRequest(event.notification)));

// Safari takes away the right to show notifications from who gets a message and shows none.
const MUST_SHOW = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent);

async function pushed({ tag, title, body, href, waiting, renotify = false, close = false }) {
  await (waiting ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.());
  const shown = await registration.getNotifications({ tag });
  if (close && !MUST_SHOW) return shown.forEach((notification) => notification.close());
  // Who looks at a page is told there.
  const pages = await clients.matchAll({ type: 'window' });
  if (pages.some(({ focused }) => focused) && !MUST_SHOW && tag !== 'test') return;
  // Two that only differ in their sound can't be silent and renotify.
  const sound = close ? { silent: true } : { renotify: renotify && shown.length > 0 };
  await registration.showNotification(title, { tag, body, data: { href }, icon: ICON, ...sound });
}

async function openRequest(notification) {
  notification.close();
  const href = based(notification.data.href);
  const pages = await clients.matchAll({ type: 'window' });
  const page = pages.find(({ url }) => new URL(url).pathname === href.split('?')[0]) ?? pages[0];
  if (!page) return clients.openWindow(href);
  await page.focus();
  return page.navigate(href);
}

async function install(event) {
  skipWaiting();
  try {
    await event.addRoutes?.(routes());
  } catch {
    // One that knows others than these asks about everything.
  }
  const answer = await fetch(BASE + NO_PAGE);
  await keepFiles(answer, BUILD);
  await (await caches.open(FILES + BUILD)).put(NO_PAGE, copy(answer, await answer.text()));
}

async function begin() {
  // The browser asks for a page while it starts the worker.
  await registration.navigationPreload?.enable();
  await clients.claim();
  const builds = [BUILD, ...(await entries()).map(({ build }) => build)];
  for (const name of await caches.keys()) {
    // Another server of this host has its own.
    const isOurs = name.match(/^verbatim \d+(\S*) /)?.[1] === BASE;
    if (isOurs && !name.startsWith(SESSION) && !builds.includes(name.slice(FILES.length))) await caches.delete(name);
  }
}

// The server's answer, or an error where it can't be had: a proxy answers for a server that it doesn't reach.
async function reached(answer, isPatient = true) {
  const response = await (isPatient ? answer : inTime(answer));
  if (response.status === 502 || response.status === 504) throw new Error(`${response.status}`);
  return response;
}

async function page(event, path) {
  const since = turn;
  const answer = Promise.resolve(event.preloadResponse).then((early) => early ?? fetch(event.request));
  if (path.startsWith('/v1/')) return answer;
  try {
    // Who reloads has a page to look at meanwhile.
    const response = await reached(answer, event.request.cache !== 'default');
    const again = response.headers.has('content-location') && response.clone();
    if (again) event.waitUntil(inTurn(() => keepPage(again, path), since));
    if (response.status === 404) event.waitUntil(inTurn(() => caches.delete(SESSION + path)));
    return response;
  } catch {
    return await keptPage(path) ?? await caches.match(NO_PAGE, { cacheName: FILES + BUILD }) ?? Response.error();
  }
}

async function piece(event, path) {
  const since = turn;
  const { url } = event.request;
  const name = `${SESSION}/s/${path.split('/')[3]}`;
  try {
    const response = await reached(fetch(event.request));
    if (response.status === 401) event.waitUntil(end());
    if (response.status === 200) {
      // Read at once: where the browser's own request was answered first, the rest of this answer may be let go.
      const text = inTime(response.clone().text()).catch(() => textOf(url));
      // What fails is only not kept.
      text.catch(() => {});
      event.waitUntil(keepSoon(url, { name, since, answer: response, text }));
    }
    return response;
  } catch {
    const kept = await caches.match(url, { cacheName: name });
    // The page asks again for what is only what was.
    return kept ? offline(kept, { status: 203 }) : Response.json(NOT_KEPT, NOT_KEPT);
  }
}

async function textOf(url) {
  const response = await ask(url);
  if (response.status !== 200) throw new Error(`${response.status}`);
  return response.text();
}

async function file(event) {
  const kept = await caches.match(event.request);
  const response = kept ?? await fetch(event.request);
  if (!kept && response.status === 200) event.waitUntil((await caches.open(FILES + BUILD)).put(event.request, response.clone()));
  return response;
}

function copy(answer, body, more = {}) {
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length', 'vary']) headers.delete(name);
  for (const [name, value] of Object.entries(more)) headers.set(`kept-${name}`, value);
  return new Response(body, { headers });
}

// The files that the server names beside a page. The page itself holds other people's words.
async function keepFiles(answer, build) {
  const cache = await caches.open(FILES + build);
  for (const name of answer.headers.get('verbatim-files')?.split(' ') ?? []) {
    const { href, origin } = new URL(name, location.origin);
    const isFile = origin === location.origin && own(href).startsWith('/assets/');
    if (isFile && !(await cache.match(href))) await cache.add(href);
  }
}

async function keepPage(answer, asked) {
  const [place, html] = [answer.headers.get('content-location'), await inTime(answer.text())];
  if (!place) return;
  const path = own(place);
  const build = answer.headers.get('verbatim-build') ?? BUILD;
  const title = encodeURIComponent(html.match(/<title>(.*?)</s)?.[1] ?? path);
  const bytes = new Blob([html]).size;
  await keepFiles(answer, build);
  // What an earlier visit loaded may say something else by now.
  await caches.delete(SESSION + path);
  if (bytes > MOST_BYTES) return;
  await (await caches.open(SESSION + path)).put(path, copy(answer, html, { at: Date.now(), asked, build, bytes, title }));
  for (const name of (await names()).slice(0, -MOST_SESSIONS)) await caches.delete(name);
}

async function keepSoon(url, piece) {
  fresh.set(url, piece);
  if (fresh.size > 1) return;
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  const all = [...fresh];
  fresh.clear();
  for (const [url, piece] of all) await inTurn(() => keepPiece(url, piece), piece.since);
}

async function keepPiece(url, { name, answer, text }) {
  const body = await text;
  if (!(await caches.has(name))) return;
  const cache = await caches.open(name);
  await cache.put(url, copy(answer, body, { bytes: new Blob([body]).size }));
  // The page stays, the oldest pieces go.
  const [page, ...pieces] = await cache.keys();
  const bytes = async (request) => Number((await cache.match(request)).headers.get('kept-bytes'));
  let room = MOST_BYTES - await bytes(page);
  for (const piece of pieces.reverse()) {
    room -= await bytes(piece);
    if (room < 0) await cache.delete(piece);
  }
}

// The sessions that can be read, in the order in which they were.
async function entries() {
  const all = [];
  for (const name of await names()) {
    const path = name.slice(SESSION.length);
    const kept = await caches.match(path, { cacheName: name });
    const [at, asked, build, title] = ['at', 'asked', 'build', 'title'].map((what) => kept?.headers.get(`kept-${what}`));
    if (Number(at) > Date.now() - LIFE) all.push({ path, kept, at: Number(at), asked, build, title: decodeURIComponent(title) });
    else await caches.delete(name);
  }
  return all;
}

// A session may have been asked for by another name than it has.
async function keptPage(path) {
  const found = (await entries()).find((entry) => [entry.path, entry.asked].includes(path));
  return found && offline(found.kept, { html: `<html data-kept="${found.at}" ` });
}

const list = async () => Response.json((await entries()).reverse().map(({ path, at, title }) => ({ path: BASE + path, at, title })));

// Says when the page was read, and switches off what asks the server.
async function offline(kept, { html = '<html ', status = 200 }) {
  const text = (await kept.text()).replace('<html ', html).replaceAll('<fieldset data-asks', '<fieldset disabled data-asks');
  const { headers } = copy(kept, text);
  return new Response(text, { status, headers });
}

// An answer that may say that nothing is to be kept any more.
async function ending(event, ends) {
  const response = await fetch(event.request);
  if (await ends(response.clone())) await end();
  return response;
}

function end() {
  turn += 1;
  return dropAll();
}

async function dropAll() {
  for (const name of await names()) await caches.delete(name);
}

// Sessions may be deleted, and with them those of their sub-agents.
async function changing(event) {
  const { deleted } = await event.request.clone().json();
  const response = await fetch(event.request);
  if (deleted && response.ok) event.waitUntil(inTurn(dropMissing));
  return response;
}

async function dropMissing() {
  await Promise.all((await names()).map(async (name) => {
    const { status } = await ask(BASE + name.slice(SESSION.length).replace('/s/', '/v1/sessions/'), { method: 'HEAD' });
    if (status === 404) await caches.delete(name);
  }));
}
