// Brings a page to life: loads the WebAssembly named by this script's own tag and hands every island its element.
// A static file, so that the Content-Security-Policy needs no inline script and no nonce.
const { js, wasm } = document.querySelector('script[data-wasm]').dataset;

// The next page's days and times are those of where the reader is: the server reads it from this cookie.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone && !document.cookie.split('; ').includes(`zone=${timeZone}`)) {
  document.cookie = `zone=${timeZone}; Path=/; Max-Age=31536000; SameSite=Strict`;
}

function say(words) {
  if (document.querySelector('.boot-failure')) return;
  const bar = document.createElement('p');
  bar.className = 'boot-failure';
  bar.setAttribute('role', 'alert');
  bar.textContent = words;
  document.body.prepend(bar);
  document.body.classList.add('warned');
}

const sayThatOnlyReadingWorks = () => say('The interactive part of this page did not load. You can read on; reload the page to try again.');

// What was pressed waits for its part, and is done when that is here.
const missing = new Set();
addEventListener('part-missing', ({ detail }) => {
  missing.add(detail);
  say('A part of this page did not load yet: the server does not answer. What you did is kept here, and done as soon as it does.');
});
addEventListener('part-here', ({ detail }) => {
  if (missing.delete(detail) && missing.size === 0) {
    document.querySelector('.boot-failure')?.remove();
    document.body.classList.remove('warned');
  }
});

// In document order: an island that holds others as children is told just before each of those starts. One that is a
// part of its own is alive when that part has come; the others don't wait for it.
function mountIslands(parts) {
  return Promise.all([...document.querySelectorAll('leptos-island')].map((island) => {
    island.parentElement.closest('leptos-children')?.$$on_hydrate?.();
    return parts[island.dataset.component](island);
  }));
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
    await serviceWorker.register(`/worker.js?v=${document.documentElement.dataset.build}`, { updateViaCache: 'all' });
    if (isEarly) (await serviceWorker.ready).active.postMessage('keep');
  } catch {
    // Then nothing is kept.
  }
}

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
  const binary = fetch(wasm);
  const program = import(js);
  // Who came to read sees the page before the program starts in it.
  await drawn();
  const parts = await program;
  await parts.default({ module_or_path: binary });
  parts.hydrate();
  await mountIslands(parts);
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
