//! The reader's place: taken when the reader scrolls, put back when anything else moves.

use super::{Anchor, Column, FELL, copying, find};
use app::browser::dom;
use app::shared::window::{View, chunk_of};
use std::cell::Cell;
use std::rc::Rc;
use web_sys::{Element, KeyboardEvent, WheelEvent};

/// Nearer to the end than this, in pixels, the reader is at the end.
const AT_END: i32 = 80;

/// Milliseconds for which browsers animate a scroll of a key or a wheel, and more.
const MOVING: f64 = 1_000.0;

/// The reader's place, and what tells the reader's scrolling from ours.
pub struct Scroll {
    anchor: Cell<Anchor>,
    /// What we wrote into `scrollTop`, until the browser told of it: that scroll event isn't the reader's.
    written: Cell<Option<i32>>,
    /// `scrollTop` for which the anchor holds, and the height of all there was then.
    at: Cell<i32>,
    height: Cell<i32>,
    /// Until when a scroll that the reader began may go on, in milliseconds.
    moving_until: Cell<f64>,
    /// The reader's last move went up.
    upward: Cell<bool>,
    /// Something of the transcript is selected.
    selecting: Cell<bool>,
}

impl Scroll {
    pub fn new(scroller: &Element) -> Self {
        Self {
            anchor: Cell::new(Anchor::End),
            written: Cell::new(None),
            at: Cell::new(scroller.scroll_top()),
            height: Cell::new(scroller.scroll_height()),
            moving_until: Cell::new(0.0),
            upward: Cell::new(false),
            selecting: Cell::new(false),
        }
    }

    pub fn anchor(&self) -> Anchor {
        self.anchor.get()
    }

    pub fn set_anchor(&self, anchor: Anchor) {
        self.anchor.set(anchor);
    }

    pub fn is_at_end(&self) -> bool {
        self.anchor() == Anchor::End
    }

    /// The reader wants the end.
    pub fn go_to_end(&self) {
        self.anchor.set(Anchor::End);
        self.upward.set(false);
    }

    fn is_moving(&self) -> bool {
        js_sys::Date::now() <= self.moving_until.get()
    }
}

/// The only writer of `scrollTop`.
pub fn place(column: &Column) {
    let scroller = &column.scroller;
    let now = scroller.scroll_top();
    if is_leaving(column, now) {
        return;
    }
    let target = match column.place.anchor() {
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
    column.place.at.set(at);
    column.place.height.set(height);
    if at != now {
        column.place.written.set(Some(at));
    }
}

/// A scroll that the browser animates is further than when it was last told of: the place goes with it. Who is on the
/// way up from the end is left alone until the browser tells.
fn is_leaving(column: &Column, now: i32) -> bool {
    let place = &column.place;
    let gone = now - place.at.replace(now);
    if gone == 0 || !place.is_moving() {
        return false;
    }
    place.set_anchor(match place.anchor() {
        Anchor::End => return gone < 0 && place.upward.get(),
        Anchor::Row { seq, offset } => Anchor::Row { seq, offset: offset - f64::from(gone) },
        Anchor::Chunk { chunk, offset } => Anchor::Chunk { chunk, offset: offset + f64::from(gone) },
    });
    false
}

/// Where a chunk is by its computed position, whether it is in the document or not.
fn chunk_target(column: &Column, now: i32) -> Option<i32> {
    let (chunk, offset) = match column.place.anchor() {
        Anchor::End => return None,
        // The very top, with the column's own padding.
        Anchor::Chunk { chunk: 0, offset } if offset <= 0.0 => return Some(0),
        Anchor::Row { seq, offset } => (chunk_of(seq), -offset),
        Anchor::Chunk { chunk, offset } => (chunk, offset),
    };
    let first = column.feed.first_element_child()?;
    let start = first.get_bounding_client_rect().top() - top_of(&column.scroller);
    Some(moved(now, start + column.chunks.heights(|window| window.top(chunk)) + offset))
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
    column.chunks.numbers_where(|section| {
        let at = section.get_bounding_client_rect();
        at.bottom() > view.top() && at.top() < view.bottom()
    })
}

/// The row with a `seq`: the message itself, or the marker or group that stands for it, which may begin in an earlier
/// chunk. None as long as that chunk isn't there.
pub fn row(column: &Column, seq: i64) -> Option<Element> {
    let chunk = chunk_of(seq);
    let section = &column.chunks.section(chunk)?;
    if let Some(row) = itself(section, seq) {
        return Some(row);
    }
    let begins = begins(section).unwrap_or_else(|| chunk.saturating_sub(1));
    let mounted = column.chunks.mounted();
    let earlier = || mounted.iter().rev().filter(|(n, _)| (begins..chunk).contains(n)).map(|(_, section)| section);
    if let Some(row) = earlier().find_map(|section| itself(section, seq)) {
        return Some(row);
    }
    if !column.chunks.is_mounted(begins) {
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
    let elsewhere = column.chunks.section(chunk).filter(|section| itself(section, seq).is_none());
    let begins = elsewhere.map(|section| begins(&section).unwrap_or_else(|| chunk.saturating_sub(1)));
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
    let holds = copying::is_selecting() || column.place.upward.get() && to_end > 0;
    let anchor = if to_end <= AT_END && !holds { Anchor::End } else { in_view(column) };
    column.place.set_anchor(anchor);
    column.place.at.set(scroller.scroll_top());
    column.place.height.set(scroller.scroll_height());
    if anchor == Anchor::End {
        column.arrivals.see_all();
        column.seen_all();
    }
}

/// Who selects at the end stays there, whatever comes, until nothing is selected any more.
pub fn hold_selection(column: &Column) {
    let selecting = copying::is_selecting();
    let before = column.place.selecting.replace(selecting);
    if selecting && column.place.is_at_end() || before && !selecting {
        capture(column);
    }
}

/// Who came to where nothing was drawn holds a row as soon as one is there.
pub fn hold_row(column: &Column) {
    let (anchor, at_top) = (column.place.anchor(), Anchor::Chunk { chunk: 0, offset: 0.0 });
    if matches!(anchor, Anchor::Chunk { .. }) && anchor != at_top && column.goal.seq().is_none() {
        column.place.set_anchor(in_view(column));
    }
}

/// The first row in view.
pub fn in_view(column: &Column) -> Anchor {
    let view = view(column);
    let top = top_of(&column.scroller);
    let (chunk, offset) = column.chunks.heights(|window| window.at(view.top));
    for (_, section) in column.chunks.mounted().into_iter().filter(|(mounted, _)| *mounted >= chunk) {
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
        let ours = scrolled.place.written.take() == Some(at);
        if !ours && is_pushed(&scrolled) {
            place(&scrolled);
        } else if !ours && !is_known(&scrolled, at) {
            scrolled.goal.give_up();
            find::let_go(&scrolled);
            let place = &scrolled.place;
            // The scroll bar has no key and no wheel.
            place.upward.set(place.upward.get() || at < place.at.get());
            // A fling goes on for as long as it likes.
            if place.is_moving() {
                place.moving_until.set(js_sys::Date::now() + MOVING);
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
                keys.place.upward.set(false);
                return;
            }
        };
        starts(&keys, upward);
    });
}

/// Did what came, and not the reader, move the end away? Nobody pressed anything, and the height isn't what it was.
fn is_pushed(column: &Column) -> bool {
    let height = column.scroller.scroll_height();
    let place = &column.place;
    place.is_at_end() && !place.upward.get() && place.height.get() != height && !place.is_moving()
}

/// Was the place put right since this scroll, which the browser tells of late? What folds up is lower with each frame, and
/// the page goes along.
fn is_known(column: &Column, at: i32) -> bool {
    column.place.at.get() == at && !column.place.is_moving()
}

/// The reader starts to scroll.
fn starts(column: &Column, upward: bool) {
    column.place.upward.set(upward);
    column.place.moving_until.set(js_sys::Date::now() + MOVING);
}
