//! Single keys. `j` and `k` walk over the rows of a list or the messages of a transcript.

use crate::islands::page_state::page_state;
use crate::islands::{actions, column, dom, panel};
use leptos::prelude::*;
use std::cell::Cell;
use web_sys::{Element, KeyboardEvent};

/// Milliseconds within which the second key of `g s` and `gg` has to come.
const CHORD: i32 = 1_000;

thread_local! {
    static AFTER_G: Cell<bool> = const { Cell::new(false) };
    /// The latest `g`: the time of an earlier one takes nothing from it.
    static LATEST_G: Cell<u32> = const { Cell::new(0) };
}

pub fn start() {
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "keydown", |event: KeyboardEvent| {
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing()
        {
            return;
        }
        let key = event.key();
        if key == "Escape" {
            escape();
            return;
        }
        if dom::typing() || dialog_is_open() {
            return;
        }
        if press(&key) {
            event.prevent_default();
        }
    });
}

/// Does what a key means. Says whether it means anything.
fn press(key: &str) -> bool {
    let after_g = AFTER_G.replace(false);
    match key {
        "s" if after_g => dom::go_to("/sessions"),
        "g" if after_g => column::to_beginning(),
        "g" => {
            let turn = LATEST_G.get().wrapping_add(1);
            LATEST_G.set(turn);
            AFTER_G.set(true);
            dom::after(CHORD, move || {
                if LATEST_G.get() == turn {
                    AFTER_G.set(false);
                }
            });
        }
        "/" => find(),
        "?" => actions::show_keys(),
        "." => return turn_dev(),
        "j" => return walk(1, false),
        "k" => return walk(-1, false),
        "]" => return walk(1, true),
        "[" => return walk(-1, true),
        "o" => return open(),
        "e" => return unfold(),
        "r" | "i" => return write(),
        "G" | "End" => return column::to_end(),
        "Home" => {
            return column::is_here() && {
                column::to_beginning();
                true
            };
        }
        _ => return false,
    }
    true
}

fn dialog_is_open() -> bool {
    dom::document().and_then(|d| d.query_selector("dialog[open]").ok().flatten()).is_some()
}

fn escape() {
    if panel::close_floating() {
        return;
    }
    if let Some(active) = dom::document().and_then(|d| d.active_element()).filter(|_| dom::typing())
        && let Some(active) = dom::html(&active)
    {
        let _ = active.blur();
    }
}

/// To the composer, where there is one.
fn write() -> bool {
    let field = dom::by_id("say");
    field.as_ref().and_then(dom::html).is_some_and(|field| field.focus().is_ok())
}

/// The field of this page, or the search page.
fn find() {
    match dom::by_id("find").as_ref().and_then(dom::html) {
        Some(field) => {
            let _ = field.focus();
        }
        None => match column::session() {
            Some(session) => dom::go_to(&format!("/search?session={}", api::client::segment(&session))),
            None => dom::go_to("/search"),
        },
    }
}

fn turn_dev() -> bool {
    if dom::by_id("dev").is_none() {
        return false;
    }
    let dev = page_state().dev;
    let on = !dev.get_untracked();
    dom::remember_dev(on);
    dev.set(on);
    true
}

fn current() -> Option<Element> {
    dom::document()?.query_selector("[data-current]").ok().flatten()
}

/// To the next or previous row. Where nothing is current, it begins with what is in view.
fn walk(step: i32, prompts: bool) -> bool {
    if column::is_here() {
        return column::walk(step, prompts);
    }
    let Some(main) = dom::by_id("main") else { return false };
    let rows = dom::find_all(&main, "[data-row]");
    let at = current().and_then(|current| rows.iter().position(|row| *row == current));
    let next = match at {
        Some(at) => at.saturating_add_signed(step as isize).min(rows.len().saturating_sub(1)),
        None => 0,
    };
    let Some(row) = rows.get(next) else { return false };
    mark(row);
    let link = dom::find(row, "a").unwrap_or_else(|| row.clone());
    if let Some(link) = dom::html(&link) {
        let _ = link.focus();
    }
    true
}

/// Makes a row the current one.
pub fn mark(row: &Element) {
    if let Some(before) = current() {
        let _ = before.remove_attribute("data-current");
    }
    let _ = row.set_attribute("data-current", "");
}

fn open() -> bool {
    let Some(row) = current() else { return false };
    let link = if row.has_attribute("href") { Some(row.clone()) } else { dom::find(&row, "a[href], summary") };
    match link.as_ref().and_then(dom::html) {
        Some(link) => {
            link.click();
            true
        }
        None => false,
    }
}

fn unfold() -> bool {
    match current().and_then(|row| dom::find(&row, "details")) {
        Some(details) => details.toggle_attribute("open").is_ok(),
        None => false,
    }
}
