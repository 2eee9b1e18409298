//! The WebAssembly entry point: brings what pages open with, and the islands of `app`, to life, nothing else.
//!
//! `cargo xtask interface` compiles this crate alone for `wasm32-unknown-unknown` and binds it; `app/assets/boot.js`
//! loads the result and calls [`hydrate`], then hands each island its element.
//!
//! How to add one: islands live in `app/src/islands`. An island that `app` declares is exported from here by itself.
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `boot.js`, before it walks the page's islands. What isn't one starts here.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    app::islands::start();
}
