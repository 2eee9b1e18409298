//! The two long lists of the page, the files and their rows in the tree: see [`VirtualList`].

use super::store::Viewed;
use super::virtual_list::{Moved, VirtualList};
use super::{blocks, cards, change_steps, highlights, lines, notes};
use app::browser::dom;
use app::shared::attr;
use std::cell::{Cell, RefCell};
use web_sys::Element;

/// Pixels of a row of the tree, and of a file without its difference, until they are seen.
const ROW: f64 = 32.0;
const HEAD: f64 = 62.0;

thread_local! {
    static FILES: RefCell<Option<VirtualList>> = const { RefCell::new(None) };
    static ROWS: RefCell<Option<VirtualList>> = const { RefCell::new(None) };
    static DUE: Cell<bool> = const { Cell::new(false) };
}

/// Takes over what the server has drawn.
pub fn start(viewed: &Viewed) {
    let guess = |card: &Element| {
        let height = card.get_attribute(attr::ROWS).and_then(|rows| rows.parse::<f64>().ok()).unwrap_or(0.0) * 20.0;
        HEAD + if viewed.has(card) { 0.0 } else { height }
    };
    if let Some(files) = dom::by_id("files") {
        FILES.set(VirtualList::new(files.clone(), &files, "more-files", "id", guess));
    }
    if let (Some(side), Some(tree)) = (dom::by_id("review-side"), dom::by_id("review-tree")) {
        ROWS.set(VirtualList::new(side, &tree, "more-rows", attr::FILE, |_| ROW));
    }
}

fn of_files<T: Default>(ask: impl FnOnce(&mut VirtualList) -> T) -> T {
    FILES.with_borrow_mut(|files| files.as_mut().map(ask)).unwrap_or_default()
}

fn of_rows<T: Default>(ask: impl FnOnce(&mut VirtualList) -> T) -> T {
    ROWS.with_borrow_mut(|rows| rows.as_mut().map(ask)).unwrap_or_default()
}

/// All files, also those that aren't in the document.
pub fn files() -> Vec<Element> {
    of_files(|files| files.all())
}

/// The file with this id.
pub fn file(id: &str) -> Option<Element> {
    of_files(|files| files.by_key(id))
}

/// The rows of the tree, folders among them.
pub fn rows() -> Vec<Element> {
    of_rows(|rows| rows.all())
}

/// The row of the file with this id.
pub fn row(id: &str) -> Option<Element> {
    of_rows(|rows| rows.by_key(id))
}

/// Hides the file with this id, or shows it.
pub fn hide_file(id: &str, is_hidden: bool) {
    of_files(|files| files.hide(id, is_hidden));
}

pub fn hide_row(id: &str, is_hidden: bool) {
    of_rows(|rows| rows.hide(id, is_hidden));
}

/// How far a file is below the upper edge of the view, also if it isn't in the document.
pub fn top(card: &Element) -> f64 {
    of_files(|files| files.top(card)).unwrap_or_default()
}

/// Soon, once for all that happens until then.
pub fn draw_soon() {
    if !DUE.replace(true) {
        dom::next_frame(|| {
            DUE.set(false);
            draw();
            draw_rows();
            change_steps::follow();
        });
    }
}

/// Returns true for a card with the focus or an open field, which must stay.
fn is_used(card: &Element) -> bool {
    dom::find(card, ".writing-note").is_some() || dom::focus_in(card).is_some()
}

pub fn draw() {
    let Moved { near, came, left } = of_files(|files| files.draw(is_used));
    left.iter().for_each(highlights::release);
    came.iter().for_each(come);
    for card in near.into_iter().filter(|card| !card.has_attribute(attr::LOADED)) {
        cards::load(card);
    }
    blocks::thin_out();
}

pub fn draw_rows() {
    of_rows(|rows| rows.draw(|row| dom::focus_in(row).is_some()));
}

/// Keeps the content of a card, and then applies later changes.
fn come(card: &Element) {
    if card.has_attribute(attr::STALE) {
        let _ = card.remove_attribute(attr::STALE);
        cards::load(card.clone());
    } else if card.has_attribute(attr::LOADED) {
        highlights::paint(card);
        notes::place_soon(card);
        blocks::wake(card);
        lines::show_chosen(card);
    }
}

/// Brings a file into the document, and into view.
pub fn bring(card: &Element) {
    let Some(files) = dom::by_id("files").filter(|_| !card.is_connected()) else { return };
    files.set_scroll_top((f64::from(files.scroll_top()) + top(card)) as i32);
    draw();
}
