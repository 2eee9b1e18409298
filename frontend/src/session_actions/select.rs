//! Which rows are selected. The rows are drawn anew while the list changes: what is selected is kept here.

use crate::cursor;
use app::browser::{dom, focus};
use app::shared::attr;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

thread_local! {
    static SELECTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// Where a range begins.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

pub fn select(row: &Element) {
    if let Some(id) = row_of(row) {
        toggle(&id);
    }
}

/// With all rows from the last one on.
pub fn select_to(row: &Element) {
    if let Some(id) = row_of(row) {
        range_to(&id);
    }
}

fn row_of(element: &Element) -> Option<String> {
    element.closest("[data-row]").ok().flatten()?.get_attribute(attr::ROW)
}

pub fn selected() -> Vec<String> {
    SELECTED.with_borrow(Clone::clone)
}

pub fn toggle(id: &str) {
    SELECTED.with_borrow_mut(|all| match all.iter().position(|known| known == id) {
        Some(at) => drop(all.remove(at)),
        None => all.push(id.to_owned()),
    });
    LAST.set(Some(id.to_owned()));
    paint();
}

/// By a key: the current row, or all rows up to it.
pub fn select_current(range: bool) -> bool {
    let row = cursor::current().filter(|row| dom::find(row, "input[data-select]").is_some());
    let Some(id) = row.as_ref().and_then(row_of) else { return false };
    if range {
        range_to(&id);
    } else {
        toggle(&id);
    }
    true
}

fn rows() -> Vec<Element> {
    dom::by_id("sessions").map(|list| dom::find_all(&list, ".srow[data-row]")).unwrap_or_default()
}

fn range_to(id: &str) {
    let ids: Vec<String> = rows().iter().filter_map(row_of).collect();
    let place = |wanted: &str| ids.iter().position(|id| id == wanted);
    let from = LAST.with_borrow(|last| last.as_deref().and_then(place));
    let Some(to) = place(id) else { return };
    let from = from.unwrap_or(to);
    let range = ids.get(from.min(to)..=from.max(to)).unwrap_or_default();
    SELECTED.with_borrow_mut(|all| {
        for id in range {
            if !all.contains(id) {
                all.push(id.clone());
            }
        }
    });
    LAST.set(Some(id.to_owned()));
    paint();
}

pub fn all() {
    SELECTED.set(rows().iter().filter_map(row_of).collect());
    paint();
}

/// Clears the selection. Returns true if anything was selected.
pub fn clear() -> bool {
    let some = !SELECTED.take().is_empty();
    if some {
        paint();
    }
    some
}

/// Shows in the rows and in the bar what is selected. What left the list is no longer selected.
pub fn paint() {
    let rows = rows();
    let there: Vec<String> = rows.iter().filter_map(row_of).collect();
    SELECTED.with_borrow_mut(|all| all.retain(|id| there.contains(id)));
    let selected = SELECTED.with_borrow(Clone::clone);
    for row in &rows {
        let on = row_of(row).is_some_and(|id| selected.contains(&id));
        let _ = row.class_list().toggle_with_force("sel", on);
        if let Some(tick) = dom::find(row, "input[data-select]").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
            tick.set_checked(on);
        }
    }
    let some = !selected.is_empty();
    if let Some(list) = dom::by_id("sessions") {
        let _ = list.class_list().toggle_with_force("selecting", some);
    }
    if let Some(bar) = dom::by_id("selection") {
        // The bar goes, and the keys it had are the list's.
        let row = || cursor::current().or_else(|| rows.first().cloned()).and_then(|row| dom::find(&row, "a"));
        if !some
            && dom::focus_in(&bar).is_some()
            && let Some(link) = row().or_else(|| dom::by_id("sessions"))
        {
            focus::put(&link);
        }
        let _ = bar.toggle_attribute_with_force("hidden", !some);
        if let Some(count) = dom::find(&bar, "[data-count]") {
            count.set_text_content(Some(&format!("{} selected", selected.len())));
        }
    }
}
