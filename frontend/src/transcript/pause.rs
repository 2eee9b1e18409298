//! Output that waits until the reader lets it come.

use super::{Column, column, live, loader, streaming};
use app::browser::dom;
use app::shared::page_action::PageAction;
use std::rc::Rc;

/// Pauses the output, or lets it go on. Returns true if this page has any.
pub fn toggle() -> bool {
    let Some(column) = column() else { return false };
    if column.paused.get() {
        resume(&column);
    } else {
        turn(&column, true);
        dom::announce("Output is paused");
    }
    true
}

pub fn resume(column: &Rc<Column>) {
    if column.paused.get() {
        turn(column, false);
        dom::announce("Output resumed");
        live::look(column);
        let held = column.loads.take_held();
        for chunk in held {
            loader::load(column, chunk);
        }
        streaming::catch_up(column);
    }
}

fn turn(column: &Column, paused: bool) {
    column.set_paused(paused);
    if !paused {
        column.seen_all();
    }
    let item = dom::by_id("session-menu").and_then(|menu| dom::find(&menu, &PageAction::PauseOutput.selector()));
    if let Some(item) = item {
        let _ = item.set_attribute("aria-pressed", if paused { "true" } else { "false" });
    }
}
