//! Files far from the view leave the document when it grows too large. Each leaves an empty place of its height; what it held
//! is kept, so that it comes back as it was.

use super::{blocks, cards, lines, notes, paint};
use crate::islands::dom;
use std::cell::RefCell;
use web_sys::{DocumentFragment, Element};

/// Elements of the document from which on files leave it.
const MANY: u32 = 1_100;

thread_local! {
    /// Cards with their content.
    static SHELVED: RefCell<Vec<(Element, DocumentFragment)>> = const { RefCell::new(Vec::new()) };
}

pub fn is_shelved(card: &Element) -> bool {
    card.has_attribute("data-shelved")
}

/// Takes cards that are far away out of the document until it is small enough, the last ones first.
pub fn thin_out() {
    let Some(document) = dom::document() else { return };
    let all = document.get_elements_by_tag_name("*");
    if all.length() <= MANY {
        return;
    }
    for card in cards::all().into_iter().rev() {
        if all.length() <= MANY {
            return;
        }
        // What is written into, or has the keyboard, stays.
        let is_used = dom::find(&card, ".writing-note").is_some() || dom::focus_in(&card).is_some();
        if !card.has_attribute("data-near") && !card.has_attribute("hidden") && !is_shelved(&card) && !is_used {
            shelve(&card);
        }
    }
}

fn shelve(card: &Element) {
    let Some(content) = dom::document().map(|document| document.create_document_fragment()) else { return };
    let height = card.get_bounding_client_rect().height().round() as u32;
    paint::release(card);
    let _ = card.set_attribute("style", &format!("height:{height}px"));
    let _ = card.set_attribute("data-shelved", "");
    if !cards::is_folded(card) {
        let runs = dom::find_all(card, ".run.chg").len() as u32;
        let large: u32 = blocks::all(card).iter().filter_map(|blocks| blocks::number(blocks, "data-changes")).sum();
        let _ = card.set_attribute("data-changes", &(runs + large).max(1).to_string());
    }
    while let Some(child) = card.first_child() {
        let _ = content.append_child(&child);
    }
    SHELVED.with_borrow_mut(|all| all.push((card.clone(), content)));
}

/// Puts a card back.
pub fn restore(card: &Element) {
    let found = SHELVED.with_borrow_mut(|all| {
        let at = all.iter().position(|(shelved, _)| shelved == card)?;
        Some(all.swap_remove(at).1)
    });
    let Some(content) = found else { return };
    let _ = card.append_child(&content);
    for name in ["data-shelved", "data-changes"] {
        let _ = card.remove_attribute(name);
    }
    let _ = card.remove_attribute("style");
    paint::paint(card);
    cards::show_viewed(card);
    if card.has_attribute("data-stale") {
        let _ = card.remove_attribute("data-stale");
        cards::load(card.clone());
    } else {
        notes::place(card);
        blocks::wake(card);
        lines::show_chosen(card);
    }
}
