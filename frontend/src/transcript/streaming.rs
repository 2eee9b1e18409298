//! A text that is being written: what is new of it comes block by block. Blocks that are complete stay as they are,
//! only the open one is drawn again.
//!
//! The event stream brings it. Where it doesn't lead on from what stands here, as after a pause, the page asks once.

use super::{Column, column, loader};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::sorted::Map;
use app::shared::window::chunk_of;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{CharacterData, Element, Node};

/// Texts that are being written and asked for; whether they grew since.
#[derive(Default)]
pub struct Growing(RefCell<Map<i64, bool>>);

impl Growing {
    /// Notes that a message grew. Returns true if its text is requested already.
    fn note(&self, seq: i64) -> bool {
        self.0.borrow_mut().get_mut(&seq).map(|more| *more = true).is_some()
    }

    fn begin(&self, seq: i64) {
        self.0.borrow_mut().insert(seq, false);
    }

    /// Notes that the answer is here. Returns true if the message grew since.
    fn end(&self, seq: i64) -> bool {
        self.0.borrow_mut().remove(&seq) == Some(true)
    }
}

/// The stream says how a text goes on: its session, its `seq` and the number of a block, then the blocks from that one
/// on; or also the length of that block's last text node, then what comes behind that.
pub fn told(told: &str) {
    let (Some(column), Some((head, content))) = (column(), told.split_once('\n')) else { return };
    let mut head = head.split(' ');
    let session = head.next().unwrap_or_default();
    let (Some(seq), Some(from)) = (number(head.next()), number(head.next())) else { return };
    if session != column.session || column.paused.get() {
        return;
    }
    column.loads.outdate(chunk_of(seq));
    if column.growing.note(seq) {
        return;
    }
    let Some(body) = body(&column, seq) else { return };
    let leads_on = match number(head.next()) {
        Some(after) => append(&body, from, after, content),
        None => put(&body, from, content, Base::Same),
    };
    if !leads_on {
        ask(column, seq);
    }
}

/// Asks for all that has grown: nothing was heard for a while.
pub fn catch_up(column: &Rc<Column>) {
    for body in dom::find_all(&column.feed, "article[data-seq] > .writing") {
        if let Some(seq) = number(body.parent_element().and_then(|row| row.get_attribute(attr::SEQ)).as_deref()) {
            ask(column.clone(), seq);
        }
    }
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

fn body(column: &Column, seq: i64) -> Option<Element> {
    let row = dom::by_id(&format!("m{seq}")).filter(|row| column.feed.contains(Some(row)))?;
    dom::find(&row, ":scope > .writing")
}

/// The first child holds the buttons, the others are blocks.
const BUTTONS: u32 = 1;

fn blocks(body: &Element) -> u32 {
    body.child_element_count().saturating_sub(BUTTONS)
}

/// Asks for what a text has grown by.
fn ask(column: Rc<Column>, seq: i64) {
    if column.growing.note(seq) {
        return;
    }
    column.growing.begin(seq);
    // The last block may go on.
    let from = body(&column, seq).map_or(0, |body| blocks(&body).saturating_sub(1));
    let path = format!("{}/messages/{seq}/growth?block={from}", column.base);
    let was_paused = column.paused.get();
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await.unwrap_or_default();
        dom::next_frame(move || {
            let body = body(&column, seq).filter(|_| !answer.is_empty());
            let more = column.growing.end(seq);
            // Resuming the output asks again.
            if !was_paused && column.paused.get() {
                return;
            }
            if let Some(body) = body {
                put(&body, from, &answer, Base::Any);
                if more {
                    ask(column, seq);
                }
            } else {
                // It is complete, or too long to be told so: the row is drawn whole.
                loader::load(&column, chunk_of(seq));
            }
        });
    });
}

/// More text at the end of the last block, which stays, with what is selected in it. Returns true if the text goes on
/// from what stands there.
fn append(body: &Element, from: u32, after: u32, more: &str) -> bool {
    let mut last = body.last_element_child().filter(|_| blocks(body) == from + 1).map(Node::from);
    while let Some(inner) = last.as_ref().and_then(Node::last_child) {
        last = Some(inner);
    }
    let text = last.and_then(|last| last.dyn_into::<CharacterData>().ok()).filter(|text| text.length() == after);
    text.is_some_and(|text| text.append_data(more).is_ok())
}

/// The state of the blocks before the new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// Those that the new ones go on from: of an open one that isn't the first of these, the end may be missing.
    Same,
    Any,
}

/// Blocks from one on take the place of those that stand there. Should it be higher now, the observer of sizes keeps
/// the reader's place before the next paint. Returns true if they go on from what stands there.
fn put(body: &Element, from: u32, html: &str, base: Base) -> bool {
    let count = blocks(body);
    if from > count || base == Base::Same && from == count && count > 0 {
        return false;
    }
    let Some(fresh) = fragment::parse(html) else { return true };
    for _ in from..count {
        if let Some(block) = body.last_element_child() {
            block.remove();
        }
    }
    while let Some(block) = fresh.first_element_child() {
        let _ = body.append_child(&block);
    }
    true
}
