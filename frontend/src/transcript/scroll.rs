//! The reader's place: taken when the reader scrolls, put back when anything else moves.

use super::{Anchor, Column, copying, find};
use app::browser::dom;
use app::shared::attr;
use app::shared::scroll::{Extent, Scrolled, moved};
use app::shared::window::{View, chunk_of};
use std::rc::Rc;
use web_sys::{Element, KeyboardEvent, WheelEvent};

pub fn extent(scroller: &Element) -> Extent {
    Extent { top: scroller.scroll_top(), height: scroller.scroll_height(), view: scroller.client_height() }
}

/// The only writer of `scrollTop`.
pub fn place(column: &Column) {
    let scroller = &column.scroller;
    let before = extent(scroller);
    let now = before.top;
    if column.scroll.is_leaving(now, js_sys::Date::now()) {
        return;
    }
    let target = match column.scroll.anchor() {
        Anchor::End => Some(before.end()),
        Anchor::Row { seq, offset } => row(column, seq).map(|row| {
            let distance = row.get_bounding_client_rect().top() - top_of(scroller) - offset;
            moved(now, distance)
        }),
        Anchor::Chunk { .. } => None,
    };
    let target = target.or_else(|| computed_target(column, now)).unwrap_or(now).max(0);
    if target != now {
        scroller.set_scroll_top(target);
    }
    column.scroll.placed(now, extent(scroller));
}

/// Where a chunk is by its computed position, whether it is in the document or not.
fn computed_target(column: &Column, now: i32) -> Option<i32> {
    let first = column.feed.first_element_child()?;
    let start = first.get_bounding_client_rect().top() - top_of(&column.scroller);
    column.chunks.heights(|window| column.scroll.anchor().computed_target(window, start, now))
}

fn top_of(scroller: &Element) -> f64 {
    scroller.get_bounding_client_rect().top()
}

/// Returns the visible part of the chunks.
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
        let is_before = |row: &Element| number(row, attr::SEQ).is_some_and(|at| at <= seq);
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
    number(&dom::find(section, ":scope > [data-runs-on]")?, attr::RUNS_ON).map(chunk_of)
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
    let last = |row: &Element| number(row, attr::LAST);
    dom::find_all(section, ":scope > article[data-last]").iter().filter_map(last).max().unwrap_or(0)
}

fn number(row: &Element, name: &str) -> Option<i64> {
    row.get_attribute(name)?.parse().ok()
}

/// Takes the reader's place from what is in view.
pub fn capture(column: &Column) {
    if column.scroll.capture(extent(&column.scroller), copying::is_selecting(), || in_view(column)) {
        column.arrivals.see_all();
        column.seen_all();
    }
}

pub fn hold_selection(column: &Column) {
    if column.scroll.select(copying::is_selecting()) {
        capture(column);
    }
}

/// Anchors to a row as soon as one is drawn at the position.
pub fn hold_row(column: &Column) {
    if column.scroll.lacks_row() && column.goal.seq().is_none() {
        column.scroll.set_anchor(in_view(column));
    }
}

/// The first row in view.
pub fn in_view(column: &Column) -> Anchor {
    let view = view(column);
    let top = top_of(&column.scroller);
    let (chunk, offset) = column.chunks.heights(|window| window.at(view.top));
    for (_, section) in column.chunks.mounted().into_iter().filter(|(mounted, _)| *mounted >= chunk) {
        // A part of an earlier row has no height.
        if section.get_bounding_client_rect().top() >= top + view.height {
            break;
        }
        let mut row = section.first_element_child();
        while let Some(article) = row {
            let rect = article.get_bounding_client_rect();
            if rect.bottom() > top + 1.0
                && rect.top() < top + view.height
                && let Some(seq) = article.get_attribute(attr::SEQ).and_then(|text| text.parse().ok())
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
        match scrolled.scroll.scrolled(extent(&scrolled.scroller), js_sys::Date::now()) {
            Scrolled::Known => {}
            Scrolled::Pushed => place(&scrolled),
            Scrolled::ByReader => {
                scrolled.goal.give_up();
                find::let_go(&scrolled);
                capture(&scrolled);
            }
        }
        scrolled.soon();
    });
    let wheel = column.clone();
    dom::listen_capturing(&column.scroller, "wheel", move |event: WheelEvent| {
        wheel.scroll.start(event.delta_y() < 0.0, js_sys::Date::now());
    });
    // A finger on the page holds it.
    for (name, holds) in [("touchstart", true), ("touchend", false)] {
        let touched = column.clone();
        dom::listen_capturing(&column.scroller, name, move |_: web_sys::Event| {
            touched.scroll.start(holds, js_sys::Date::now());
        });
    }
    let keys = column.clone();
    dom::listen(&column.scroller, "keydown", move |event: KeyboardEvent| {
        let _ = keys.scroller.remove_attribute(attr::FELL);
        keys.scroll.press(&event.key(), event.shift_key(), js_sys::Date::now());
    });
}
