// Parts of the program that are loaded when they are first called. A file holds modules one after the other: what only this
// part needs, and what it shares with other parts. Nothing starts twice.
const files = {};
const modules = {};
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

// What waits for a part that can't be loaded waits on: a call without its function would end the program.
function loader(file, sizes) {
  return async (callback, data) => {
    try {
      await (files[file] ??= load(file, sizes));
    } catch (error) {
      delete files[file];
      if (performance.now() - left < LEAVING) return;
      console.error('a part of the interface did not load:', error);
      dispatchEvent(new Event('part-missing'));
      return;
    }
    initSync().__indirect_function_table.get(callback)(data, 1);
  };
}
