//! A text that is being written: what is new of it comes block by block. Blocks that are complete stay as they are, only
//! the open one is drawn again, once a frame at most.

use super::{Column, load};
use crate::islands::window::chunk_of;
use crate::islands::{dom, fragment, page_state::page_state};
use leptos::prelude::GetUntracked;
use std::rc::Rc;
use web_sys::Element;

/// Asks for what a message has grown by. Says whether it is one that grows, and stands in the document.
pub fn grow(column: &Rc<Column>, seq: i64) -> bool {
    if body(column, seq).is_none() {
        return false;
    }
    let waits = column.state.borrow_mut().growing.insert(seq, true).is_some();
    if !waits {
        ask(column.clone(), seq);
    }
    true
}

/// Is this message's text being written, and drawn as it grows? Neither a page that is paused nor one that can't be seen
/// draws anything, so that it wouldn't notice the end.
pub fn is_growing(seq: i64) -> bool {
    let draws = |column: &Column| dom::visible() && !column.paused.get_untracked();
    super::column().is_some_and(|column| draws(&column) && body(&column, seq).is_some())
}

fn body(column: &Column, seq: i64) -> Option<Element> {
    dom::find(&column.feed, &format!("#m{seq} > .writing"))
}

fn blocks(body: &Element) -> Vec<Element> {
    dom::find_all(body, ":scope > :not(.acts)")
}

fn ask(column: Rc<Column>, seq: i64) {
    column.state.borrow_mut().growing.insert(seq, false);
    // The last block may go on.
    let from = body(&column, seq).map_or(0, |body| blocks(&body).len().saturating_sub(1));
    let path = format!("{}/messages/{seq}/growth?block={from}", column.base);
    leptos::task::spawn_local(async move {
        let answer = fragment::fetch(&path).await.unwrap_or_default();
        dom::next_frame(move || {
            let body = body(&column, seq).filter(|_| !answer.is_empty());
            let fresh = fragment::parse(&answer);
            let more = column.state.borrow_mut().growing.remove(&seq) == Some(true);
            if let Some((body, fresh)) = body.zip(fresh) {
                // Should it be higher now, the observer of sizes keeps the reader's place before the next paint.
                put(&body, from, &fresh);
                if more {
                    grow(&column, seq);
                }
            } else {
                // It is complete, or too long to be told so: the row is drawn whole.
                load::load(&column, chunk_of(seq));
                page_state().changed(true);
            }
        });
    });
}

fn put(body: &Element, from: usize, fresh: &Element) {
    for block in blocks(body).into_iter().skip(from) {
        block.remove();
    }
    while let Some(block) = fresh.first_element_child() {
        let _ = body.append_child(&block);
    }
}
