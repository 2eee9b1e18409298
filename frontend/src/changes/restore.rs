//! Back and reload lead to the same place of the same file.

use super::{cards, file_lists};
use crate::page_scroll;
use app::browser::dom;
use std::cell::RefCell;
use web_sys::{Element, Event};

thread_local! {
    /// The file that the reader had before the eyes, and how far below the top of the view it began. What is above it
    /// comes later and changes its height: until the reader does something, the place is put right.
    static HELD: RefCell<Option<(Element, f64)>> = const { RefCell::new(None) };
}

/// Goes where the reader was, if that is known.
pub fn start() {
    let (Some(window), Some(files)) = (dom::window(), dom::by_id("files")) else { return };
    for name in ["wheel", "touchstart", "pointerdown", "keydown"] {
        dom::listen_capturing(&window, name, |_: Event| HELD.set(None));
    }
    let place = page_scroll::kept();
    let place = place.as_deref().and_then(|place| place.split_once(' '));
    if let Some((Ok(top), Some(card))) = place.map(|(top, id)| (top.parse::<i64>(), cards::by_id(id))) {
        HELD.set(Some((card, top as f64)));
        hold();
    }
    page_scroll::follow(&files, keep);
}

/// Puts the file where it was. Nothing moves once the reader did something.
pub fn hold() {
    let (Some((card, wanted)), Some(files)) = (HELD.with_borrow(Clone::clone), dom::by_id("files")) else { return };
    file_lists::bring(&card);
    let way = top(&card, &files) - wanted;
    if way.abs() >= 1.0 {
        files.set_scroll_top((f64::from(files.scroll_top()) + way).round() as i32);
        file_lists::draw_soon();
    }
}

fn top(card: &Element, files: &Element) -> f64 {
    card.get_bounding_client_rect().top() - files.get_bounding_client_rect().top()
}

/// `-1200 d-1a2b3c4d`: the file at the top of the view.
fn keep(files: &Element) {
    let in_view = |card: &Element| {
        let is_shown = card.is_connected() && !card.has_attribute("hidden");
        is_shown && top(card, files) + card.get_bounding_client_rect().height() > 0.0
    };
    if let Some(card) = cards::all().into_iter().find(in_view) {
        page_scroll::write(&format!("{} {}", top(&card, files).round() as i64, card.id()));
    }
}
