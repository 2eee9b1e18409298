//! The browser kit: what islands and the modules of `frontend` need of the page. It knows neither of them.
//!
//! HTML enters the page through [`fragment`] alone. Nothing here may panic: in the browser one panic ends the app.

pub mod clipboard;
pub mod dispatch;
pub mod dom;
pub mod editor;
pub mod focus;
pub mod fragment;
pub mod page_state;
pub mod session_pick;
pub mod storage;
pub mod toast;

use std::cell::Cell;

thread_local! {
    static AWAKE: Cell<bool> = const { Cell::new(false) };
}

/// Starts what signals and views of islands need, once for a page.
pub fn wake() {
    if !AWAKE.replace(true) {
        leptos::mount::hydrate_islands();
    }
}
