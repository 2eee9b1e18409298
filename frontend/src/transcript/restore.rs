//! The reader's place outlives the page and a jump: back and reload lead to the same row, as far below the top of the
//! view.

use super::{Anchor, Column, jump, scroll};
use crate::page_scroll;
use app::browser::dom;
use std::cell::Cell;
use std::rc::Rc;

/// Milliseconds between two places that are kept: browsers refuse more than a few each second.
const PAUSE: i32 = 400;

thread_local! {
    static DUE: Cell<bool> = const { Cell::new(false) };
    /// The way back led to a kept place, so the hash of the address says nothing.
    static BACK: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the place in the entry of the history that is left.
pub fn listen(column: &Rc<Column>) {
    let Some(window) = dom::window() else { return };
    let left = column.clone();
    dom::listen(&window, "pagehide", move |_: web_sys::Event| keep(&left));
    let back = column.clone();
    dom::listen(&window, "popstate", move |_: web_sys::Event| {
        if reopen(&back) {
            BACK.set(true);
            dom::after(0, || BACK.set(false));
            back.soon();
        }
    });
}

/// Returns true once after the reader went back to a scroll position.
pub fn is_back() -> bool {
    BACK.take()
}

/// A jump to another hash leaves the entry before anybody hears of it: the place is kept as it changes.
pub fn moved(column: &Rc<Column>) {
    if !DUE.replace(true) {
        let column = column.clone();
        dom::after(PAUSE, move || {
            DUE.set(false);
            keep(&column);
        });
    }
}

fn keep(column: &Column) {
    let Some(place) = column.scroll.anchor().written() else { return };
    if page_scroll::kept().as_ref() != Some(&place) {
        page_scroll::write(&place);
    }
}

/// Goes where the reader was. Returns true if that is known.
pub fn reopen(column: &Rc<Column>) -> bool {
    match page_scroll::kept().as_deref().and_then(Anchor::read) {
        Some(Anchor::End) => jump::to_end_of(column),
        Some(Anchor::Row { seq, offset }) => {
            jump::aim_back(column, seq, offset);
            jump::reach_goal(column);
            scroll::place(column);
        }
        Some(Anchor::Chunk { .. }) | None => return false,
    }
    true
}
