//! The reader's place: taken when the reader scrolls, put back when anything else moves.

use super::{Anchor, Column, FELL, copying};
use app::browser::dom;
use app::shared::window::{View, chunk_of};
use std::rc::Rc;
use web_sys::{Element, KeyboardEvent, WheelEvent};

/// Nearer to the end than this, in pixels, the reader is at the end.
const AT_END: i32 = 80;

/// Milliseconds for which browsers animate a scroll of a key or a wheel, and more.
const MOVING: f64 = 1_000.0;

/// The only writer of `scrollTop`.
pub fn place(column: &Column) {
    let scroller = &column.scroller;
    let now = scroller.scroll_top();
    if is_leaving(column, now) {
        return;
    }
    let target = match column.state.borrow().anchor {
        Anchor::End => Some(scroller.scroll_height() - scroller.client_height()),
        Anchor::Row { seq, offset } => row(column, seq).map(|row| {
            let distance = row.get_bounding_client_rect().top() - top_of(scroller) - offset;
            moved(now, distance)
        }),
        Anchor::Chunk { .. } => None,
    };
    let target = target.or_else(|| chunk_target(column, now)).unwrap_or(now).max(0);
    if target != now {
        scroller.set_scroll_top(target);
    }
    let (at, height) = (scroller.scroll_top(), scroller.scroll_height());
    let mut state = column.state.borrow_mut();
    (state.at, state.height) = (at, height);
    if at != now {
        state.written = Some(at);
    }
}

/// A scroll that the browser animates is further than when it was last told of: the place goes with it. Who is on the
/// way up from the end is left alone until the browser tells.
fn is_leaving(column: &Column, now: i32) -> bool {
    let state = &mut *column.state.borrow_mut();
    let gone = now - std::mem::replace(&mut state.at, now);
    if gone == 0 || js_sys::Date::now() > state.moving_until {
        return false;
    }
    match &mut state.anchor {
        Anchor::End => return gone < 0 && state.upward,
        Anchor::Row { offset, .. } => *offset -= f64::from(gone),
        Anchor::Chunk { offset, .. } => *offset += f64::from(gone),
    }
    false
}

/// Where a chunk is by its computed position, whether it is in the document or not.
fn chunk_target(column: &Column, now: i32) -> Option<i32> {
    let state = column.state.borrow();
    let (chunk, offset) = match state.anchor {
        Anchor::End => return None,
        // The very top, with the column's own padding.
        Anchor::Chunk { chunk: 0, offset } if offset <= 0.0 => return Some(0),
        Anchor::Row { seq, offset } => (chunk_of(seq), -offset),
        Anchor::Chunk { chunk, offset } => (chunk, offset),
    };
    let first = column.feed.first_element_child()?;
    let start = first.get_bounding_client_rect().top() - top_of(&column.scroller);
    Some(moved(now, start + state.window.top(chunk) + offset))
}

/// Rows stand between pixels, the scroll position doesn't: less than one of them is no way to go.
fn moved(now: i32, distance: f64) -> i32 {
    if distance.abs() < 1.0 { now } else { now + distance.round() as i32 }
}

fn top_of(scroller: &Element) -> f64 {
    scroller.get_bounding_client_rect().top()
}

/// What the reader sees of the chunks.
pub fn view(column: &Column) -> View {
    let height = f64::from(column.scroller.client_height());
    let first = column.feed.first_element_child();
    let top = first.map_or(0.0, |first| top_of(&column.scroller) - first.get_bounding_client_rect().top());
    View { top, height }
}

/// The chunks that stand in the view now.
pub fn seen(column: &Column) -> Vec<usize> {
    let view = column.scroller.get_bounding_client_rect();
    let state = column.state.borrow();
    let sections = state.mounted.iter().map(|(chunk, section)| (*chunk, section.get_bounding_client_rect()));
    sections.filter(|(_, at)| at.bottom() > view.top() && at.top() < view.bottom()).map(|(chunk, _)| chunk).collect()
}

/// The row with a `seq`: the message itself, or the marker or group that stands for it, which may begin in an earlier
/// chunk. None as long as that chunk isn't there.
pub fn row(column: &Column, seq: i64) -> Option<Element> {
    let state = column.state.borrow();
    let chunk = chunk_of(seq);
    let section = state.mounted.get(&chunk)?;
    if let Some(row) = itself(section, seq) {
        return Some(row);
    }
    let begins = begins(section).unwrap_or_else(|| chunk.saturating_sub(1));
    let earlier = || state.mounted.range(begins..chunk).rev().map(|(_, section)| section);
    if let Some(row) = earlier().find_map(|section| itself(section, seq)) {
        return Some(row);
    }
    if !state.mounted.contains_key(&begins) {
        return None;
    }
    let nearest = |section: &Element| {
        let is_before = |row: &Element| number(row, "data-seq").is_some_and(|at| at <= seq);
        dom::find_all(section, ":scope > article[data-seq]").into_iter().rfind(is_before)
    };
    nearest(section).or_else(|| earlier().find_map(nearest)).or_else(|| dom::find(section, "article"))
}

/// The message itself, also within a group, which has the number of its first one; or what stands for it.
pub fn message(column: &Column, seq: i64) -> Option<Element> {
    let itself = dom::by_id(&format!("m{seq}")).filter(|row| column.feed.contains(Some(row)));
    itself.or_else(|| row(column, seq))
}

/// The chunk where the row begins that runs on into this one.
pub fn begins(section: &Element) -> Option<usize> {
    number(&dom::find(section, ":scope > [data-runs-on]")?, "data-runs-on").map(chunk_of)
}

/// The chunks that the row of a `seq` needs, as far as is known: its own, and the one where it begins.
pub fn chunks_of(column: &Column, seq: i64) -> impl Iterator<Item = usize> + use<> {
    let chunk = chunk_of(seq);
    let state = column.state.borrow();
    let elsewhere = state.mounted.get(&chunk).filter(|section| itself(section, seq).is_none());
    let begins = elsewhere.map(|section| begins(section).unwrap_or_else(|| chunk.saturating_sub(1)));
    [chunk].into_iter().chain(begins)
}

/// The row of a message in a chunk, the marker that counts it, or the step of an unfolded turn.
pub fn itself(section: &Element, seq: i64) -> Option<Element> {
    let step = format!("details[open] > .explore > .steps > li[data-seq='{seq}']");
    dom::find(section, &format!("article[data-seq='{seq}'],article[data-holds~='{seq}'],{step}"))
}

/// The last `seq` that the rows of a chunk stand for.
pub fn reach(section: &Element) -> i64 {
    let last = |row: &Element| number(row, "data-last");
    dom::find_all(section, ":scope > article[data-last]").iter().filter_map(last).max().unwrap_or(0)
}

fn number(row: &Element, name: &str) -> Option<i64> {
    row.get_attribute(name)?.parse().ok()
}

/// Takes the reader's place from what is in view.
pub fn capture(column: &Column) {
    let scroller = &column.scroller;
    let to_end = scroller.scroll_height() - scroller.client_height() - scroller.scroll_top();
    let upward = column.state.borrow().upward;
    let holds = copying::is_selecting() || upward && to_end > 0;
    let anchor = if to_end <= AT_END && !holds { Anchor::End } else { in_view(column) };
    let at = scroller.scroll_top();
    let mut state = column.state.borrow_mut();
    (state.anchor, state.at, state.height) = (anchor, at, scroller.scroll_height());
    if anchor == Anchor::End {
        state.seen_seq = state.last_seq;
        drop(state);
        column.seen_all();
    }
}

/// Who selects at the end stays there, whatever comes, until nothing is selected any more.
pub fn hold_selection(column: &Column) {
    let selecting = copying::is_selecting();
    let before = std::mem::replace(&mut column.state.borrow_mut().selecting, selecting);
    let at_end = column.state.borrow().anchor == Anchor::End;
    if selecting && at_end || before && !selecting {
        capture(column);
    }
}

/// Who came to where nothing was drawn holds a row as soon as one is there.
pub fn hold_row(column: &Column) {
    let waits = {
        let state = column.state.borrow();
        let at_top = Anchor::Chunk { chunk: 0, offset: 0.0 };
        matches!(state.anchor, Anchor::Chunk { .. }) && state.anchor != at_top && state.goal.is_none()
    };
    if waits {
        let anchor = in_view(column);
        column.state.borrow_mut().anchor = anchor;
    }
}

/// The first row in view.
pub fn in_view(column: &Column) -> Anchor {
    let view = view(column);
    let top = top_of(&column.scroller);
    let state = column.state.borrow();
    let (chunk, offset) = state.window.at(view.top);
    for section in state.mounted.range(chunk..).map(|(_, section)| section) {
        // What is part of an earlier row has no height.
        if section.get_bounding_client_rect().top() >= top + view.height {
            break;
        }
        let mut row = section.first_element_child();
        while let Some(article) = row {
            let rect = article.get_bounding_client_rect();
            if rect.bottom() > top + 1.0
                && rect.top() < top + view.height
                && let Some(seq) = article.get_attribute("data-seq").and_then(|text| text.parse().ok())
            {
                return Anchor::Row { seq, offset: rect.top() - top };
            }
            row = article.next_element_sibling();
        }
    }
    Anchor::Chunk { chunk, offset }
}

pub fn listen(column: &Rc<Column>) {
    let scrolled = column.clone();
    dom::listen(&column.scroller, "scroll", move |_: web_sys::Event| {
        let at = scrolled.scroller.scroll_top();
        let ours = scrolled.state.borrow_mut().written.take() == Some(at);
        if !ours && is_pushed(&scrolled) {
            place(&scrolled);
        } else if !ours && !is_known(&scrolled, at) {
            {
                let mut state = scrolled.state.borrow_mut();
                (state.goal, state.back) = (None, None);
                state.finding.let_go();
                // The scroll bar has no key and no wheel.
                state.upward |= at < state.at;
                // A fling goes on for as long as it likes.
                if js_sys::Date::now() < state.moving_until {
                    state.moving_until = js_sys::Date::now() + MOVING;
                }
            }
            capture(&scrolled);
        }
        scrolled.soon();
    });
    let wheel = column.clone();
    dom::listen_capturing(&column.scroller, "wheel", move |event: WheelEvent| {
        starts(&wheel, event.delta_y() < 0.0);
    });
    let touch = column.clone();
    // A finger on the page holds it.
    dom::listen_capturing(&column.scroller, "touchstart", move |_: web_sys::Event| starts(&touch, true));
    let lifted = column.clone();
    dom::listen_capturing(&column.scroller, "touchend", move |_: web_sys::Event| starts(&lifted, false));
    let keys = column.clone();
    dom::listen(&column.scroller, "keydown", move |event: KeyboardEvent| {
        let _ = keys.scroller.remove_attribute(FELL);
        let upward = match event.key().as_str() {
            "PageUp" | "ArrowUp" | "Home" => true,
            " " => event.shift_key(),
            "PageDown" | "ArrowDown" | "End" => false,
            _ => {
                keys.state.borrow_mut().upward = false;
                return;
            }
        };
        starts(&keys, upward);
    });
}

/// Did what came, and not the reader, move the end away? Nobody pressed anything, and the height isn't what it was.
fn is_pushed(column: &Column) -> bool {
    let height = column.scroller.scroll_height();
    let state = column.state.borrow();
    state.anchor == Anchor::End && !state.upward && state.height != height && js_sys::Date::now() > state.moving_until
}

/// Was the place put right since this scroll, which the browser tells of late? What folds up is lower with each frame, and
/// the page goes along.
fn is_known(column: &Column, at: i32) -> bool {
    let state = column.state.borrow();
    state.at == at && js_sys::Date::now() > state.moving_until
}

/// The reader starts to scroll.
fn starts(column: &Column, upward: bool) {
    let mut state = column.state.borrow_mut();
    (state.upward, state.moving_until) = (upward, js_sys::Date::now() + MOVING);
}
