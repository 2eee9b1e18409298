//! A selection over rows that aren't all in the document: they are fetched while it stands, and what is missing from a
//! copy is said.

use super::{Column, chunk_at, scroll};
use app::browser::dom;
use app::browser::toast::{self, Then};
use app::figures;
use app::shared::window::CHUNK;
use std::rc::Rc;
use web_sys::Event;

/// The first and the last chunk of what is selected. A caret is the beginning of what may be selected next.
pub fn selected() -> Option<(usize, usize)> {
    let selection = dom::document()?.get_selection().ok().flatten()?;
    let ends = [selection.anchor_node()?, selection.focus_node()?];
    let [from, to] = ends.map(|node| node.parent_element().and_then(chunk_at));
    // One end outside of the transcript: what is selected of it goes to its edge, which stays as it is.
    let (from, to) = (from.or(to)?, to.or(from)?);
    Some((from.min(to), from.max(to)))
}

/// Is any of the transcript selected? Then nothing that comes moves it.
pub fn is_selecting() -> bool {
    let selection = dom::document().and_then(|d| d.get_selection().ok().flatten());
    selection.is_some_and(|selection| !selection.is_collapsed()) && selected().is_some()
}

pub fn listen(column: &Rc<Column>) {
    let Some(document) = dom::document() else { return };
    let changed = column.clone();
    dom::listen(&document, "selectionchange", move |_: Event| {
        scroll::hold_selection(&changed);
        if selected().is_some_and(|(from, to)| to > from + 1) {
            changed.soon();
        }
    });
    let copied = column.clone();
    dom::listen(&document, "copy", move |_: Event| {
        let missing =
            selected().map_or(0, |(from, to)| (from..=to).filter(|chunk| !copied.chunks.is_mounted(*chunk)).count());
        if missing > 0 {
            let messages = figures::counted(missing as i64 * CHUNK, "message");
            let words = format!(
                "About {messages} in between aren't loaded, and missing from the copy. Use an export in the session's menu for all of them."
            );
            toast::show(&words, Then::Nothing);
        }
    });
}
