//! Interactive parts of pages: plain modules that fetch, place, follow and listen. The server renders, so that they
//! have no messages and draw almost nothing. Components with state of their own are islands of `app`.
//!
//! `cargo xtask interface` compiles this crate alone for `wasm32-unknown-unknown` and binds it; `app/assets/boot.js`
//! loads the result and calls [`hydrate`], then hands each island its element. A function that is marked with `#[lazy]`
//! is loaded at its first call; no two of them have the same name.
//!
//! The modules share what they know through `app::browser::page_state`. Nothing here may panic: in the browser one
//! panic ends the app.
//!
//! A tour, bottom-up:
//! - `readiness`: which requests take a decision yet; `arrival`: a page that another site opened asks first.
//! - `cursor`: the current row; `targets`: what commands act on.
//! - `filter`: the chips above a transcript; `desktop`: notifications of an open page; `push`: those that the server sends.
//! - `unread`, `times`, `toasts`, `reconcile` (new rows take the place of old ones), `page_scroll` (back and reload
//!   lead to where the reader was).
//! - `transcript`: the window of a session's rows; `changes`: the changes page.
//! - `events`: the event stream, shared by all tabs; `session_actions`: rename, pin, archive, delete; `palette` opens it.
//! - `forms`: forms and buttons that send themselves; `sessions`: the lists and their filters; `panel`: the panel at
//!   the right; `actions`: buttons that every page has.
//! - `keyboard`: what keys do; `decisions`: answers to requests of agents; `held`: one that waits for the server.
//! - `action_runner`: runs the actions that `app::browser::dispatch` queues; `settings`, `folders`, `inbox`, `form_pages`: pages of their own.
//!
//! How to add one: a file here, started in [`hydrate`] if every page has it, else in `start_page`.

// Each group imports only from the groups below it; `cargo xtask tidy` proves it.
mod action_runner;
mod folders;
mod form_pages;
mod inbox;
mod settings;

mod decisions;
mod keyboard;

mod actions;
mod panel;
mod sessions;

mod events;
mod forms;
mod palette;
mod session_actions;

mod changes;
mod transcript;

mod desktop;
mod filter;
mod page_scroll;
mod reconcile;
mod times;
mod toasts;

mod arrival;
mod cursor;
mod dev_toggle;
mod held;
mod image_viewer;
mod menus;
mod message_text;
mod push;
mod readiness;
mod swap;
mod targets;
mod toast_stack;
mod unread;
mod unsent;

mod service_worker;

use app::browser::dom;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Brings to life what pages open with: each part looks for its element. `boot.js` calls it once, before it walks the
/// page's islands. The promise is fulfilled when the part that only this page has is there, too.
#[wasm_bindgen]
pub fn hydrate() -> Promise {
    console_error_panic_hook::set_once();
    arrival::start();
    readiness::start();
    action_runner::start();
    events::start();
    dev_toggle::start();
    transcript::start();
    panel::start();
    actions::start();
    filter::start();
    decisions::start();
    session_actions::start();
    menus::start();
    page_scroll::start();
    toasts::start();
    keyboard::start();
    times::start();
    desktop::start();
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
    } else if has("asks") {
        inbox::inbox().await;
    } else if has("folders") {
        folders::folders().await;
    } else if has("memories") || has("erase") || has("share") {
        form_pages::form_pages().await;
    } else if has("settings") {
        settings::settings().await;
    } else if has("filters") || has("search") || has("stats-filters") || has("files-filters") {
        sessions::filters().await;
    }
}
