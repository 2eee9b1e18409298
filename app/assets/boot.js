// Brings a page to life: loads the WebAssembly named by this script's own tag and hands every island its element.
// A static file, so that the Content-Security-Policy needs no inline script and no nonce.
const { js, wasm } = document.querySelector('script[data-wasm]').dataset;

function sayThatOnlyReadingWorks() {
  const bar = document.createElement('p');
  bar.className = 'boot-failure';
  bar.setAttribute('role', 'alert');
  bar.textContent = 'The interactive part of this page did not load. You can read on; reload the page to try again.';
  document.body.prepend(bar);
}

// In document order: an island that holds others as children is told just before each of those starts.
function mountIslands(parts) {
  for (const island of document.querySelectorAll('leptos-island')) {
    island.parentElement.closest('leptos-children')?.$$on_hydrate?.();
    parts[island.dataset.component](island);
  }
}

// A transcript opens at its end, and not only when the WebAssembly is there.
for (const scroller of document.querySelectorAll('[data-stick=end]')) scroller.scrollTop = scroller.scrollHeight;

try {
  const binary = fetch(wasm);
  const parts = await import(js);
  await parts.default({ module_or_path: binary });
  parts.hydrate();
  mountIslands(parts);
  document.documentElement.dataset.ready = '1';
} catch (error) {
  console.error('the interface did not start:', error);
  sayThatOnlyReadingWorks();
}
