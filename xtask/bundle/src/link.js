// Parts of the program that are loaded when they are first called. A file holds modules one after the other: what only this
// part needs, and what it shares with other parts. Nothing starts twice.
const files = {};
const modules = {};
const known = [];
// Milliseconds until a part that didn't come is asked for again, at first and at most.
const [FIRST, LAST] = [1_000, 15_000];
// And until all parts are fetched.
const REST = 2_000;
// Of a page that is left, Firefox ends what it loads. A download begins the same way, but leaves the page where it is.
const LEAVING = 3_000;
let left = -LEAVING;
addEventListener('beforeunload', () => { left = performance.now(); });

async function load(file, sizes) {
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  let at = 0;
  for (const [name, size] of Object.entries(sizes)) {
    modules[name] ??= WebAssembly.instantiate(new Uint8Array(bytes, at, size), { __wasm_split: initSync() });
    at += size;
  }
  await Promise.all(Object.keys(sizes).map((name) => modules[name]));
}

// What waits for a part that can't be loaded waits on, until it can: a call without its function would end the program.
function loader(file, sizes) {
  known.push(file);
  return async (callback, data) => {
    for (let pause = FIRST; ; pause = Math.min(2 * pause, LAST)) {
      try {
        await (files[file] ??= load(file, sizes));
        break;
      } catch (error) {
        delete files[file];
        if (performance.now() - left < LEAVING) return;
        if (pause === FIRST) console.error('a part of the interface did not load:', error);
        dispatchEvent(new CustomEvent('part-missing', { detail: file }));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
    dispatchEvent(new CustomEvent('part-here', { detail: file }));
    initSync().__indirect_function_table.get(callback)(data, 1);
  };
}

// Once a page has nothing else to do, the browser's cache gets all parts: who answers while the server is away shouldn't
// find out then that the part for it never came.
export async function fetchParts() {
  if (navigator.connection?.saveData) return;
  await new Promise((resolve) => setTimeout(resolve, REST));
  for (const file of known) {
    await fetch(new URL(file, import.meta.url), { priority: 'low' }).then((answer) => answer.arrayBuffer(), () => {});
  }
}
