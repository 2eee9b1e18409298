// Brings a page to life: loads the WebAssembly named by this script's own tag and hands every island its element.
// A static file, so that the Content-Security-Policy needs no inline script and no nonce.
const { js, wasm } = document.querySelector('script[data-wasm]').dataset;

// The next page's days and times are those of where the reader is: the server reads it from this cookie.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone && !document.cookie.split('; ').includes(`zone=${timeZone}`)) {
  document.cookie = `zone=${timeZone}; Path=/; Max-Age=31536000; SameSite=Strict`;
}

// A link's code, on a page of a browser that is logged in already: the log-in page knows whether it is needed.
if (location.hash.startsWith('#c=')) {
  location.replace(verbatim.at(`/login?next=${encodeURIComponent(location.pathname + location.search)}${location.hash}`));
}

// It stands in the page for the case that this script doesn't come.
document.querySelector('.boot-late')?.remove();

function say(words) {
  let bar = document.querySelector('.boot-failure');
  if (!bar) {
    bar = document.createElement('p');
    bar.className = 'boot-failure';
    bar.setAttribute('role', 'alert');
    document.body.prepend(bar);
    document.body.classList.add('warned');
  }
  // What is said again is read out again.
  if (bar.textContent !== words) bar.textContent = words;
}

function unsay() {
  document.querySelector('.boot-failure')?.remove();
  document.body.classList.remove('warned');
}

const sayThatOnlyReadingWorks = () => say('The interactive part of this page did not load. You can read on; reload the page to try again.');

// What was pressed waits for its part, and is done when that is here.
const missing = new Set();
addEventListener('part-missing', ({ detail }) => {
  missing.add(detail);
  say('A part of this page did not load yet: the server does not answer. What you did is kept here, and done as soon as it does.');
});
addEventListener('part-here', ({ detail }) => {
  if (missing.delete(detail) && missing.size === 0) unsay();
});

// In document order: an island that holds others as children is told just before each of those starts. One that is a
// part of its own is alive when that part has come; the others don't wait for it. A closed dialog comes to life when it
// opens: the focus enters it.
function mountIslands(parts) {
  return Promise.all([...document.querySelectorAll('leptos-island')].map((island) => {
    island.parentElement.closest('leptos-children')?.$$on_hydrate?.();
    const mount = () => parts[island.dataset.component](island);
    if (!island.querySelector(':scope > dialog:not([open])')) return mount();
    return island.addEventListener('focusin', mount, { once: true });
  }));
}

// Why a file can't be had just now: in words, and null where asking again would change nothing.
async function reason(url) {
  try {
    const { ok, status, body } = await fetch(url);
    body?.cancel();
    if (ok) return '';
    return status >= 500 || status === 429 ? `the server answered ${status}` : null;
  } catch {
    return 'the server can not be reached';
  }
}

// The program and its binary. What can't be had for a while is asked for again, less and less often.
async function load() {
  for (let tries = 0, without = 0; ; tries += 1) {
    try {
      // A browser remembers that a module failed: asked for again, it goes by another name.
      const [program, binary] = await Promise.all([import(tries ? `${js}#${tries}` : js), fetch(wasm)]);
      if (binary.ok) return [program, binary];
      throw new Error(`${binary.status}`);
    } catch (error) {
      const reasons = await Promise.all([js, wasm].map(reason));
      const why = reasons.find(Boolean);
      // What isn't there, or can be had and doesn't start, stays so. Once it may have come in between.
      without = why ? 0 : without + 1;
      if (reasons.includes(null) || without > 1) throw error;
      if (!why) continue;
      say(`The interactive part of this page did not load: ${why}. You can read on; it is asked for again.`);
      await new Promise((resolve) => setTimeout(resolve, Math.min(1_000 * 2 ** tries, 30_000)));
    }
  }
}

// Resolves when the next frame was drawn; a page that isn't seen has none.
function drawn() {
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

// The worker keeps what was read, for times without a server. A page that came before there was one has to say that it
// is there.
async function startWorker() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  // One that came with this page may control it by now, and hasn't brought it.
  const isEarly = !performance.getEntriesByType('navigation')[0]?.workerStart;
  try {
    await serviceWorker.register(verbatim.at(`/worker.js?v=${document.documentElement.dataset.build}`), { updateViaCache: 'all' });
    if (isEarly) (await serviceWorker.ready).active.postMessage('keep');
  } catch {
    // Then nothing is kept.
  }
}

// A browser that can install the page as an app: the button for it asks.
addEventListener('beforeinstallprompt', (offer) => {
  const button = document.getElementById('install');
  if (!button) return;
  offer.preventDefault();
  button.hidden = false;
  button.onclick = () => {
    button.hidden = true;
    offer.prompt();
  };
});

// How wide the reader made the panel: known before the page is seen, so that nothing moves.
try {
  const width = localStorage.getItem('panel.width');
  if (width) document.getElementById('app').style.setProperty('--panel', `${Number.parseInt(width, 10)}px`);
} catch {
  // A browser that remembers nothing.
}

// A transcript opens at its end, and not only when the WebAssembly is there.
for (const scroller of document.querySelectorAll('[data-stick=end]')) scroller.scrollTop = scroller.scrollHeight;

try {
  const loaded = load();
  loaded.catch(() => {});
  // Who came to read sees the page before the program starts in it.
  await drawn();
  const [parts, binary] = await loaded;
  await parts.default({ module_or_path: binary });
  unsay();
  await Promise.all([parts.hydrate(), mountIslands(parts)]);
  document.documentElement.dataset.ready = '1';
  // It waits until the page has nothing else to do.
  (self.requestIdleCallback ?? setTimeout)(() => {
    startWorker();
    parts.fetchParts();
  });
} catch (error) {
  console.error('the interface did not start:', error);
  sayThatOnlyReadingWorks();
}
