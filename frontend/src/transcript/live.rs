//! Changes while the page is open: new messages, changed ones, a changed dev toggle.

use super::{Column, find, loader, outline, reading, rows, scroll, streaming};
use crate::reconcile;
use app::browser::page_state::page_state;
use app::browser::{dom, focus};
use app::figures;
use app::shared::arrivals::{Look, first_sentence};
use app::shared::attr;
use app::shared::events::Link;
use app::shared::sorted::Set;
use app::shared::window::{chunk_of, chunks};
use std::cell::Cell;
use std::rc::Rc;

/// Milliseconds until a look at what came is made up for.
const PAUSE: i32 = 100;
/// Longest sentence that is said, in characters.
const SENTENCE: usize = 240;

pub fn start(column: &Rc<Column>) {
    let page = page_state();
    let (feed, follower) = (page.feed, column.clone());
    feed.clone().follow(move || {
        if !feed.with(Vec::is_empty) {
            look(&follower);
        }
    });
    // The first connection of a page is no return: what was refused before it is refused after it.
    let (link, returned, was_lost) = (page.link, column.clone(), Cell::new(false));
    link.clone().follow(move || match link.get() {
        Link::Reconnecting(_) | Link::Offline => was_lost.set(true),
        Link::Connecting | Link::Replaying(_) => {}
        Link::Live => {
            if was_lost.take() {
                loader::resume(&returned);
                rows::resume(&returned);
                outline::resume(&returned);
                reading::resume(&returned);
                streaming::catch_up(&returned);
                find::changed(&returned);
                returned.soon();
            }
        }
    });
    let (dev, turned) = (page.dev, column.clone());
    dev.clone().follow(move || rows::redraw(&turned, dev.get()));
}

/// Takes what came, unless the reader lets it wait: then it is only counted.
pub fn look(column: &Rc<Column>) {
    if column.paused.get() {
        let last = page_state().feed.with(|feed| feed.iter().map(|event| event.to_seq).max());
        if let Some(last) = last.filter(|seq| *seq > 0) {
            outline::load(column, last);
        }
        return;
    }
    match column.arrivals.look() {
        Look::Later => return,
        Look::NowAndRecover => recover(column.clone()),
        Look::Now => {}
    }
    let events = page_state().feed.take();
    let (own, others): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| event.session == column.session);
    let own: Vec<_> = own.into_iter().map(|event| (event.from_seq, event.to_seq)).collect();
    let children: Set<_> = others.into_iter().map(|event| event.session).collect();
    take(column, &own);
    let moved =
        |section: &web_sys::Element| children.iter().any(|child| reconcile::shows_child(section, child.as_str()));
    for chunk in column.chunks.numbers_where(moved) {
        loader::load(column, chunk);
    }
}

/// Makes up for one look after the other.
fn recover(column: Rc<Column>) {
    dom::after(PAUSE, move || {
        if column.arrivals.recover() {
            recover(column.clone());
        }
        if !page_state().feed.with(Vec::is_empty) {
            look(&column);
        }
    });
}

/// Chunks that changed are asked for if they are in the document; new ones come when they are near.
fn take(column: &Rc<Column>, ranges: &[(i64, i64)]) {
    if ranges.is_empty() {
        return;
    }
    // That the agent got what waited for it is told of the session, not of the message.
    let waits = |section: &web_sys::Element| dom::find(section, "[data-delivery=waiting]").is_some();
    let mut changed: Set<usize> = column.chunks.numbers_where(waits).into_iter().collect();
    for (from, to) in ranges {
        let Some((messages, these)) = column.arrivals.extend(*from, *to) else { continue };
        column.loads.expect(messages);
        column.chunks.fill(&these);
        // Also of a chunk that isn't there yet: its answer may have been drawn before.
        for chunk in these.clone() {
            column.loads.outdate(chunk);
        }
        changed.extend(column.chunks.numbers().into_iter().filter(|chunk| these.contains(chunk)));
    }
    let last_seq = column.arrivals.last_seq();
    column.chunks.grow(chunks(last_seq));
    // Also rows that don't change are of a longer list now.
    for (_, section) in column.chunks.mounted() {
        for row in dom::find_all(&section, ":scope > [aria-setsize]") {
            let _ = row.set_attribute("aria-setsize", &last_seq.to_string());
        }
    }
    for chunk in changed {
        loader::load(column, chunk);
    }
    column.arrange();
    column.count_new();
    column.soon();
    if let Some(from) = ranges.iter().map(|(from, _)| *from).filter(|from| *from > 0).min() {
        outline::load(column, from);
    }
    find::changed(column);
}

/// The session works, or doesn't any more: so its calls run that have no result, or were left behind.
pub fn state_changed(column: &Rc<Column>) {
    if column.paused.get() {
        return;
    }
    let calls = ".tool:is([data-state=running],[data-state=lost])";
    for chunk in column.chunks.numbers_where(|section| dom::find(section, calls).is_some()) {
        loader::load(column, chunk);
    }
}

/// Announces the first sentence of the agent's completed text once, for screen readers.
pub fn say_completed(column: &Column, writing: Vec<web_sys::Element>) {
    if !column.scroll.is_at_end() {
        return;
    }
    let done = writing.into_iter().filter_map(|row| dom::by_id(&row.id()));
    for row in done.filter(|row| dom::find(row, ":scope > .writing").is_none()) {
        let first = dom::find(&row, ".msg > :not(.acts)").and_then(|block| block.text_content()).unwrap_or_default();
        dom::announce(&first_sentence(&first, SENTENCE));
    }
}

impl Column {
    /// Counts new messages, if the reader is at the end, and announces them. Otherwise the server counts, see
    /// [`Column::found_new`].
    pub(super) fn count_new(&self) {
        let (seen, last) = (self.arrivals.seen_seq(), self.arrivals.last_seq());
        // As long as the last one isn't there, it isn't seen.
        if last <= seen || !self.scroll.is_at_end() || !self.chunks.is_mounted(chunk_of(last)) {
            return;
        }
        let is_new = |row: &web_sys::Element| {
            row.get_attribute(attr::SEQ).and_then(|seq| seq.parse::<i64>().ok()).is_some_and(|seq| seq > seen)
        };
        let near = self.chunks.mounted().into_iter().filter(|(chunk, _)| *chunk >= chunk_of(seen + 1));
        let rows = near.flat_map(|(_, section)| dom::find_all(&section, ":scope > article:not(.hid)"));
        let rows: Vec<_> = rows.filter(is_new).collect();
        let Some(newest) = rows.last() else { return };
        self.arrivals.see_all();
        if dom::find(newest, ":scope > .writing").is_some() {
            dom::announce("The agent is writing");
        } else {
            dom::announce(&figures::counted(i64::try_from(rows.len()).unwrap_or(0), "new message"));
        }
    }

    /// Nothing waits to be seen: the pill goes, and what it had of the keys is the transcript's.
    pub(super) fn seen_all(&self) {
        if dom::active().is_some_and(|active| active.id() == "new-messages") {
            focus::put(&self.scroller);
        }
        self.set_new(0);
    }

    /// The server says how many messages after `seen` are shown; rows that aren't in the document can't be counted
    /// here.
    pub(super) fn found_new(&self, seen: i64, count: i64) {
        // Rows that became lower may have brought the end into view.
        let extent = scroll::extent(&self.scroller);
        if extent.end() <= extent.top {
            scroll::capture(self);
        }
        if self.arrivals.seen_seq() == seen && self.is_elsewhere() {
            self.set_new(count);
        }
    }

    /// Is there anything below that the reader doesn't see come? Who reads the end has seen what is there.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.paused.get() || !self.scroll.is_at_end()
    }
}
