//! Menus by keys: one that opens has the focus, arrows walk through it, and Escape gives the focus back.

use app::browser::{dom, focus};
use web_sys::{Element, Event, KeyboardEvent};

/// Menus of commands: what holds fields is a form, and its arrows are the fields' own.
const MENU: &str = ".menu[popover]:popover-open:not(:has(input, select))";

pub fn start() {
    let Some(document) = dom::document() else { return };
    dom::listen_capturing(&document, "toggle", |event: Event| {
        let opened = dom::closest(&event, MENU).filter(|menu| dom::focus_in(menu).is_none());
        if let Some(first) = opened.and_then(|menu| items(&menu).into_iter().next()) {
            focus::put(&first);
        }
    });
    dom::listen(&document, "keydown", |event: KeyboardEvent| {
        let with_other = event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented();
        if !with_other
            && let Some(menu) = dom::closest(&event, MENU)
            && press(&menu, &event.key())
        {
            event.prevent_default();
        }
    });
}

/// Handles a key in a menu. Returns true if the key means anything there.
fn press(menu: &Element, key: &str) -> bool {
    if key == "Escape" {
        // The browser gives the focus back to what had it before.
        return dom::html(menu).is_some_and(|menu| menu.hide_popover().is_ok());
    }
    let items = items(menu);
    let Some(last) = items.len().checked_sub(1) else { return false };
    let at = dom::active().and_then(|active| items.iter().position(|item| *item == active));
    let next = match (key, at) {
        ("ArrowDown", Some(at)) if at < last => at + 1,
        ("ArrowUp", Some(at)) if at > 0 => at - 1,
        ("ArrowDown" | "Home", _) => 0,
        ("ArrowUp" | "End", _) => last,
        _ => return false,
    };
    if let Some(item) = items.get(next).and_then(dom::html) {
        let _ = item.focus();
    }
    true
}

/// Returns the visible items: of a pair like pin and unpin, one is hidden.
fn items(menu: &Element) -> Vec<Element> {
    let is_shown = |item: &Element| dom::html(item).is_some_and(|item| item.offset_parent().is_some());
    dom::find_all(menu, "a[href], button:enabled").into_iter().filter(is_shown).collect()
}
