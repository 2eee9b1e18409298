//! What moves in the browser. Islands are small: they hold no message and draw almost nothing; the server draws, they fetch,
//! place, follow and listen. What pages open with isn't even an island: `start` brings it to life. They share what they know
//! through `page_state`, never by context, which leaks to later siblings. HTML enters the page through `fragment` alone.
//!
//! Nothing here may panic: in the browser one panic ends the app.

pub mod composer;
pub mod filters;
pub mod folders;
pub mod keys;
pub mod review;
pub mod settings;
pub mod sorted;
pub mod window;

#[cfg(feature = "hydrate")]
mod actions;
#[cfg(feature = "hydrate")]
mod column;
#[cfg(feature = "hydrate")]
mod decisions;
#[cfg(feature = "hydrate")]
mod deeds;
#[cfg(feature = "hydrate")]
mod dev_toggle;
#[cfg(feature = "hydrate")]
mod device;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod focus;
#[cfg(feature = "hydrate")]
mod fragment;
#[cfg(feature = "hydrate")]
mod live;
#[cfg(feature = "hydrate")]
mod manage;
#[cfg(feature = "hydrate")]
mod menus;
#[cfg(feature = "hydrate")]
mod merge;
#[cfg(feature = "hydrate")]
mod page_state;
#[cfg(feature = "hydrate")]
mod palette;
#[cfg(feature = "hydrate")]
mod panel;
#[cfg(feature = "hydrate")]
mod peek;
#[cfg(feature = "hydrate")]
mod position;
#[cfg(feature = "hydrate")]
mod slip;
#[cfg(feature = "hydrate")]
mod times;
#[cfg(feature = "hydrate")]
mod toast;
#[cfg(feature = "hydrate")]
mod unsent;
#[cfg(feature = "hydrate")]
mod viewer;

/// Brings to life what pages open with: each part looks for its element. Neither signals nor views are in it, only in the
/// islands, which are loaded where they stand.
#[cfg(feature = "hydrate")]
pub fn start() {
    live::start();
    dev_toggle::start();
    column::start();
    panel::start();
    keys::start();
    times::start();
}

/// What signals and views of an island need, once for a page.
#[cfg(feature = "hydrate")]
fn wake() {
    use std::cell::Cell;

    thread_local! {
        static AWAKE: Cell<bool> = const { Cell::new(false) };
    }
    if !AWAKE.replace(true) {
        leptos::mount::hydrate_islands();
    }
}
