//! The WebAssembly entry point: brings the islands of `app` to life, nothing else.
use app as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `boot.js`, before it walks the page's islands.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
