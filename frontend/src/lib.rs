//! What moves in the browser: plain modules that fetch, place, follow and listen. The server draws, so they hold no message and
//! draw almost nothing. What draws from state of its own is an island of `app`.
//!
//! `cargo xtask interface` compiles this crate alone for `wasm32-unknown-unknown` and binds it; `app/assets/boot.js`
//! loads the result and calls [`hydrate`], then hands each island its element. A function that is marked with `#[lazy]` is
//! loaded at its first call; no two of them have the same name.
//!
//! The modules share what they know through `app::browser::page_state`. Nothing here may panic: in the browser one panic
//! ends the app.
//!
//! How to add one: a file here, started in [`hydrate`] if every page has it, else in `start_page`.

mod actions;
mod changes;
mod decisions;
mod dev_toggle;
mod dispatch;
mod events;
mod folders;
mod keyboard;
mod menus;
mod palette;
mod panel;
mod peek;
mod position;
mod reconcile;
mod session_actions;
mod sessions;
mod settings;
mod slip;
mod times;
mod toasts;
mod transcript;
mod unsent;
mod viewer;

use app::browser::dom;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Brings to life what pages open with: each part looks for its element. `boot.js` calls it once, before it walks the page's
/// islands. The promise is fulfilled when the part that only this page has is there, too.
#[wasm_bindgen]
pub fn hydrate() -> Promise {
    console_error_panic_hook::set_once();
    events::start();
    dev_toggle::start();
    transcript::start();
    panel::start();
    actions::start();
    decisions::start();
    session_actions::start();
    menus::start();
    position::start();
    toasts::start();
    keyboard::start();
    times::start();
    wasm_bindgen_futures::future_to_promise(async {
        start_page().await;
        Ok(JsValue::UNDEFINED)
    })
}

/// Starts what few pages have, each a part of its own.
async fn start_page() {
    let has = |id: &str| dom::by_id(id).is_some();
    if has("files") {
        changes::changes().await;
    } else if has("folders") {
        folders::folders().await;
    } else if has("settings") {
        settings::settings().await;
    } else if has("filters") || has("search") || has("stats-filters") {
        sessions::filters().await;
    }
}
