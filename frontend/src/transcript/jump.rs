//! Jumps: to the end, the beginning, a message, the next row.

use super::{Anchor, Column, column, loader, pause, restore, rows, scroll};
use crate::{cursor, message_text};
use app::browser::{dom, focus};
use app::shared::attr;
use app::shared::scroll::{HashTarget, seq_beyond, step_offset};
use app::shared::window::chunk_of;
use std::rc::Rc;
use web_sys::Element;

/// Milliseconds for which a message that was jumped to is outlined.
const FLASH: i32 = 1_200;

/// Returns true if this page has a transcript.
pub fn is_here() -> bool {
    column().is_some()
}

pub fn to_end() -> bool {
    let Some(column) = column() else { return false };
    to_end_of(&column);
    // Going to the end resumes paused output.
    pause::resume(&column);
    true
}

pub(super) fn to_end_of(column: &Rc<Column>) {
    column.goal.give_up();
    column.scroll.go_to_end();
    column.arrivals.see_all();
    let on_pill = dom::active().is_some_and(|active| active.id() == "new-messages");
    column.seen_all();
    scroll::place(column);
    // The pill is gone: who pressed it has the keys at what is new.
    if on_pill && let Some(row) = last_row(column) {
        let newest = column.arrivals.last_seq();
        column.goal.wait_for_newest(column.loads.awaits(newest).then_some(newest));
        choose(&row);
    }
    column.soon();
}

/// Rows came: who went to the end before they were there has the keys at what is new.
pub(super) fn arrived(column: &Column, came: &[i64]) {
    let has_keys = || dom::active().is_some_and(|active| column.scroller.contains(Some(&active)));
    if column.goal.take_newest(came)
        && column.scroll.is_at_end()
        && has_keys()
        && let Some(row) = last_row(column)
    {
        choose(&row);
    }
}

/// The end's row, if it is there.
fn last_row(column: &Column) -> Option<Element> {
    let _ = column.chunks.section(chunk_of(column.arrivals.last_seq()))?;
    let mounted = column.chunks.mounted();
    mounted.iter().rev().find_map(|(_, section)| dom::find_all(section, ":scope > article").pop())
}

pub fn to_beginning() {
    let Some(column) = column() else { return };
    column.scroll.set_anchor(Anchor::TOP);
    column.goal.forget();
    scroll::place(&column);
    column.soon();
}

/// The row that the reader is at, if that isn't the end.
pub fn here() -> Option<i64> {
    column()?.scroll.anchor().row()
}

/// Shows a message and outlines it for a moment.
pub fn go_to_seq(seq: Option<i64>) {
    let (Some(column), Some(seq)) = (column(), seq) else { return };
    aim(&column, seq);
    reach_goal(&column);
    scroll::place(&column);
    column.soon();
}

/// The place with which a page opens: its hash, then `at`, then the end.
pub fn open_at(column: &Rc<Column>, at: Option<i64>) {
    if restore::reopen(column) {
        return;
    }
    if let Some(seq) = at.filter(|_| !dom::hash().starts_with('m')) {
        aim(column, seq);
        reach_goal(column);
    } else {
        at_hash(column);
    }
}

/// An address of a message that is entered while the page is open.
pub fn listen(column: &Rc<Column>) {
    let Some(window) = dom::window() else { return };
    let column = column.clone();
    dom::listen(&window, "hashchange", move |_: web_sys::Event| {
        if !restore::is_back() {
            at_hash(&column);
        }
    });
}

/// To the message that the address names: `#m42` by its `seq`, `#m=...` by its id.
fn at_hash(column: &Rc<Column>) {
    match HashTarget::read(&dom::hash()) {
        Some(HashTarget::Seq(seq)) => {
            aim(column, seq);
            reach_goal(column);
            scroll::place(column);
            column.soon();
        }
        Some(HashTarget::Id(id)) => {
            let column = column.clone();
            wasm_bindgen_futures::spawn_local(async move {
                match message_text::read(&column.session, &id).await {
                    Ok(message) => go_to_seq(Some(message.seq)),
                    Err(problem) => dom::announce(&problem.title),
                }
                column.soon();
            });
        }
        None => {}
    }
}

pub(super) fn aim(column: &Column, seq: i64) {
    column.scroll.set_anchor(column.goal.aim(seq, column.arrivals.last_seq()));
}

/// The reader comes back to a message, so far below the top of the view.
pub(super) fn aim_back(column: &Column, seq: i64, offset: f64) {
    aim(column, seq);
    column.goal.come_back(offset);
}

/// Returns true if it is known that the filter doesn't take a message.
fn is_left_out(column: &Column, seq: i64) -> bool {
    let chunk = chunk_of(seq);
    let is_absent = |section: Element| scroll::itself(&section, seq).is_none();
    !column.filter.is_empty() && column.chunks.section(chunk).map_or(column.chunks.is_empty(chunk), is_absent)
}

/// Shows the row that the reader wants, as soon as it is there.
pub fn reach_goal(column: &Rc<Column>) {
    let Some(seq) = column.goal.seq() else { return };
    if is_left_out(column, seq) {
        column.goal.give_up();
        let Ok(all) = web_sys::UrlSearchParams::new_with_str(&dom::query()) else { return };
        for name in ["type", "role", "filter"] {
            all.delete(name);
        }
        all.set("at", &seq.to_string());
        let query = String::from(all.to_string());
        return dom::go_to(&format!("{}?{query}#m{seq}", app::shared::session_href(&column.session)));
    }
    let Some(row) = scroll::row(column, seq) else {
        for chunk in scroll::chunks_of(column, seq) {
            if !column.chunks.is_mounted(chunk) {
                loader::load(column, chunk);
            }
        }
        return;
    };
    let Some((anchor, is_chosen)) = column.goal.reach() else { return };
    column.scroll.set_anchor(anchor);
    if !is_chosen {
        return;
    }
    let row = unfold_step(column, &row, seq).or_else(|| scroll::message(column, seq)).unwrap_or(row);
    // A message inside a folded group: the group unfolds.
    if let Some(group) = row.parent_element().and_then(|parent| parent.closest("details").ok().flatten()) {
        let _ = group.set_attribute("open", "");
    }
    choose(&row);
    let _ = row.class_list().add_1("flash");
    dom::after(FLASH, move || {
        let _ = row.class_list().remove_1("flash");
    });
}

/// Unfolds the step in a turn that is shown as one line, and returns its message below.
fn unfold_step(column: &Column, row: &Element, seq: i64) -> Option<Element> {
    let turn = row.closest("article.group").ok().flatten()?;
    let step = dom::find(&turn, &format!(".steps > li[data-seq='{seq}']"))?;
    let _ = dom::find(&turn, "details")?.set_attribute("open", "");
    rows::show_step(column, &step, seq);
    Some(step)
}

/// The row becomes the current one. Who is typing goes on typing, and the find bar keeps its buttons.
pub fn choose(row: &Element) {
    cursor::mark(row);
    let in_bar = |active: Element| active.closest("#find-bar").ok().flatten().is_some();
    if dom::typing() || dom::active().is_some_and(in_bar) {
        return;
    }
    focus::put(row);
}

/// The current row stays where it is, whatever unfolds around it.
pub fn hold_current() {
    let Some(column) = column() else { return };
    let row =
        dom::active().and_then(|active| active.closest(".chunk > article").ok().flatten()).or_else(cursor::current);
    let Some(row) = row.filter(|row| column.feed.contains(Some(row))) else { return };
    let (view, rect) = (column.scroller.get_bounding_client_rect(), row.get_bounding_client_rect());
    let in_view = rect.bottom() > view.top() && rect.top() < view.bottom();
    if let Some(seq) = row.get_attribute(attr::SEQ).and_then(|seq| seq.parse().ok()).filter(|_| in_view) {
        rows::hold(&column, &row, seq);
    }
}

/// To the next or previous row.
pub fn walk(step: i32) -> bool {
    let Some(column) = column() else { return false };
    let rows = dom::find_all(&column.feed, ".chunk > article");
    let top = column.scroller.get_bounding_client_rect().top();
    let current = rows.iter().position(|row| row.has_attribute(attr::CURRENT));
    let next = match current {
        Some(at) => rows.get(at.wrapping_add_signed(step as isize)),
        None => rows.iter().find(|row| row.get_bounding_client_rect().bottom() > top + 1.0),
    };
    match next {
        Some(row) => show(&column, row),
        // Further than what is loaded: the window goes that way.
        None => beyond(&column, &rows, step),
    }
    true
}

/// Further than what is loaded: the window goes there.
fn beyond(column: &Column, rows: &[Element], step: i32) {
    let edge = if step > 0 { rows.last() } else { rows.first() };
    let Some(section) = edge.and_then(|row| row.parent_element()) else { return };
    let Some(chunk) = section.get_attribute(attr::CHUNK).and_then(|n| n.parse::<i64>().ok()) else { return };
    let reaches = edge.and_then(|row| row.get_attribute(attr::LAST)?.parse().ok()).unwrap_or(0);
    go_to_seq(seq_beyond(chunk, reaches, step > 0, column.arrivals.last_seq()));
}

fn show(column: &Rc<Column>, row: &Element) {
    let Some(seq) = row.get_attribute(attr::SEQ).and_then(|seq| seq.parse().ok()) else { return };
    let (view, rect) = (column.scroller.get_bounding_client_rect(), row.get_bounding_client_rect());
    let offset = step_offset(rect.top() - view.top(), rect.bottom() - view.top(), view.height());
    column.scroll.set_anchor(Anchor::Row { seq, offset });
    choose(row);
    scroll::place(column);
    column.soon();
}
