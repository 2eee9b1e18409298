// Parts of the program that are loaded when they are first called. `PARTS` says which file holds which.
const loading = {};

function load(file) {
  loading[file] ??= WebAssembly.instantiateStreaming(
    fetch(new URL(file, import.meta.url)),
    { __wasm_split: initSync() },
  ).catch((error) => {
    delete loading[file];
    throw error;
  });
  return loading[file];
}

// What waits for a part that can't be loaded waits on: a call without its function would end the program.
function loader(...files) {
  return async (callback, data) => {
    try {
      await Promise.all(files.map(load));
    } catch (error) {
      console.error('a part of the interface did not load:', error);
      dispatchEvent(new Event('part-missing'));
      return;
    }
    initSync().__indirect_function_table.get(callback)(data, 1);
  };
}
