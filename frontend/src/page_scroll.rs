//! Where the reader is on a page that scrolls as a whole: back and reload lead there again, and the row that was opened
//! has the focus. The transcript and the page of changes have places of their own.

use crate::cursor;
use app::browser::{dom, focus};
use std::cell::Cell;
use wasm_bindgen::JsValue;
use web_sys::Element;

/// Milliseconds between two places that are kept: browsers refuse more than a few each second.
const PAUSE: i32 = 400;

thread_local! {
    static DUE: Cell<bool> = const { Cell::new(false) };
}

pub fn start() {
    let Some(main) = dom::by_id("main") else { return };
    let Some(scroller) = dom::find(&main, ".scroll:not(#transcript, #files)") else { return };
    restore(&scroller);
    follow(&scroller, keep);
}

/// Keeps the place when the page is left, and as the reader scrolls: of a page that is loaded again, nothing is kept
/// that is written as it goes.
pub fn follow(scroller: &Element, keep: fn(&Element)) {
    let Some(window) = dom::window() else { return };
    let left = scroller.clone();
    dom::listen(&window, "pagehide", move |_: web_sys::Event| keep(&left));
    let scrolled = scroller.clone();
    dom::listen_capturing(scroller, "scroll", move |_: web_sys::Event| {
        if !DUE.replace(true) {
            let scroller = scrolled.clone();
            dom::after(PAUSE, move || {
                DUE.set(false);
                keep(&scroller);
            });
        }
    });
}

/// Returns the state of the page in its history entry.
pub fn kept() -> Option<String> {
    dom::window()?.history().ok()?.state().ok()?.as_string()
}

pub fn write(place: &str) {
    if let Some(history) = dom::window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state(&JsValue::from_str(place), "");
    }
}

/// `900 /s/0b1c2d3e`: pixels above the view, and where the link leads that has the focus.
fn keep(scroller: &Element) {
    let row = dom::focus_in(scroller).and_then(|active| active.closest("a[href], [data-row]").ok().flatten());
    let link = row.and_then(|row| if row.has_attribute("href") { Some(row) } else { dom::find(&row, "a[href]") });
    let href = link.and_then(|link| link.get_attribute("href")).unwrap_or_default();
    write(&format!("{} {href}", scroller.scroll_top()));
}

fn restore(scroller: &Element) {
    let Some(place) = kept() else { return };
    let Some((top, href)) = place.split_once(' ') else { return };
    let Ok(top) = top.parse() else { return };
    scroller.set_scroll_top(top);
    let named = |link: &Element| link.get_attribute("href").as_deref() == Some(href);
    let Some(link) = dom::find_all(scroller, "a[href]").into_iter().find(named) else { return };
    if let Ok(Some(row)) = link.closest("[data-row]") {
        cursor::mark(&row);
    }
    focus::put(&link);
}
