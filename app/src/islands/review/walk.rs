//! From change to change, from file to file; which of them is before the reader's eyes.

use super::cards;
use crate::islands::dom;
use std::cell::RefCell;
use web_sys::Element;

/// Below the sticky head of a card.
const HEAD: f64 = 52.0;

thread_local! {
    static AT: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Every change, in order. A file that isn't fetched or is drawn as blocks counts as one.
fn changes() -> Vec<Element> {
    let shown = cards::all().into_iter().filter(|card| !card.has_attribute("hidden"));
    shown
        .flat_map(|card| {
            let runs = if cards::is_folded(&card) { Vec::new() } else { dom::find_all(&card, ".run.chg") };
            if runs.is_empty() { vec![card] } else { runs }
        })
        .collect()
}

/// How far an element is below the top of the scroller.
fn top(element: &Element) -> f64 {
    let top = dom::by_id("files").map_or(0.0, |files| files.get_bounding_client_rect().top());
    element.get_bounding_client_rect().top() - top
}

pub fn to(element: &Element) {
    let Some(files) = dom::by_id("files") else { return };
    let space = if element.class_list().contains("file") { 8.0 } else { HEAD + 60.0 };
    files.set_scroll_top((f64::from(files.scroll_top()) + top(element) - space) as i32);
}

/// To the next or the previous change.
pub fn step(forward: bool) {
    let changes = changes();
    let at = AT.with_borrow(|at| at.as_ref().and_then(|at| changes.iter().position(|change| change == at)));
    let next = match (at, forward) {
        (Some(at), true) => at + 1,
        (Some(at), false) => match at.checked_sub(1) {
            Some(before) => before,
            None => return,
        },
        (None, true) => changes.iter().position(|change| top(change) >= 0.0).unwrap_or(0),
        (None, false) => changes.iter().rposition(|change| top(change) < 0.0).unwrap_or(0),
    };
    let Some(change) = changes.get(next) else { return };
    mark(change);
    to(change);
    count();
}

fn mark(change: &Element) {
    AT.with_borrow_mut(|at| {
        if let Some(before) = at.take() {
            let _ = before.remove_attribute("data-at");
        }
        let _ = change.set_attribute("data-at", "");
        *at = Some(change.clone());
    });
}

/// `3 of 9` in the header.
pub fn count() {
    let changes = changes();
    let at = AT.with_borrow(|at| at.as_ref().and_then(|at| changes.iter().position(|change| change == at)));
    let words = match at {
        Some(at) => format!("{} of {}", at + 1, changes.len()),
        None => format!("{} change{}", changes.len(), if changes.len() == 1 { "" } else { "s" }),
    };
    if let Some(place) = dom::by_id("review-at") {
        place.set_text_content(Some(&words));
    }
}

/// The file under the top edge.
pub fn current_file() -> Option<Element> {
    let shown = || cards::all().into_iter().filter(|card| !card.has_attribute("hidden"));
    let at = AT.with_borrow(Clone::clone).and_then(|at| cards::of(&at)).filter(|card| {
        let (top, rect) = (top(card), card.get_bounding_client_rect());
        top < 400.0 && top + rect.height() > HEAD
    });
    at.or_else(|| shown().find(|card| top(card) + card.get_bounding_client_rect().height() > HEAD))
        .or_else(|| shown().last())
}

pub fn file(forward: bool) {
    let cards: Vec<Element> = cards::all().into_iter().filter(|card| !card.has_attribute("hidden")).collect();
    let at = current_file().and_then(|current| cards.iter().position(|card| *card == current));
    let next = match (at, forward) {
        (Some(at), true) => at + 1,
        (Some(at), false) => at.saturating_sub(1),
        (None, _) => 0,
    };
    if let Some(card) = cards.get(next) {
        mark(card);
        to(card);
        follow();
        count();
    }
}

/// The tree marks the file that is before the eyes.
pub fn follow() {
    let (Some(side), Some(card)) = (dom::by_id("review-side"), current_file()) else { return };
    let id = card.id();
    for row in dom::find_all(&side, ".file-row") {
        let is_here = row.get_attribute("data-file").as_deref() == Some(&id);
        if is_here {
            let _ = row.set_attribute("aria-current", "true");
        } else {
            let _ = row.remove_attribute("aria-current");
        }
    }
}
