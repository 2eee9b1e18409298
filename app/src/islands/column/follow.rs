//! What comes while the page is open: new messages, changed ones, a turned dev toggle.

use super::{Anchor, Column, find, growth, landmarks, load, rows};
use crate::figures;
use crate::islands::page_state::page_state;
use crate::islands::window::{CHUNK, chunk_of, chunks};
use crate::islands::{dom, merge};
use leptos::prelude::*;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Milliseconds between two looks at what came: the first of it is shown at once, what comes on its heels together.
const PAUSE: i32 = 100;

/// How what comes is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pace {
    #[default]
    AtOnce,
    /// Something came a moment ago: with what else comes in it.
    Together,
}

pub fn start(column: &Rc<Column>) {
    let page = page_state();
    let (feed, follower) = (page.feed, send_wrapper::SendWrapper::new(column.clone()));
    Effect::new(move |_| {
        if !feed.with(Vec::is_empty) {
            look(&follower);
        }
    });
    let (dev, turned) = (page.dev, send_wrapper::SendWrapper::new(column.clone()));
    Effect::new(move |_| rows::redraw(&turned, dev.get()));
}

fn look(column: &Rc<Column>) {
    if std::mem::replace(&mut column.state.borrow_mut().pace, Pace::Together) == Pace::Together {
        return;
    }
    let events = page_state().feed.try_update_untracked(std::mem::take).unwrap_or_default();
    let (own, others): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| event.session == column.session);
    let own: Vec<_> = own.into_iter().map(|event| (event.from_seq, event.to_seq)).collect();
    let children: BTreeSet<_> = others.into_iter().map(|event| event.session).collect();
    take(column, &own);
    let moved = |section: &web_sys::Element| children.iter().any(|child| merge::shows_child(section, child.as_str()));
    let moved: Vec<usize> = {
        let state = column.state.borrow();
        state.mounted.iter().filter(|(_, section)| moved(section)).map(|(chunk, _)| *chunk).collect()
    };
    for chunk in moved {
        load::load(column, chunk);
    }
    let column = column.clone();
    dom::after(PAUSE, move || {
        column.state.borrow_mut().pace = Pace::AtOnce;
        if !page_state().feed.with_untracked(Vec::is_empty) {
            look(&column);
        }
    });
}

/// Chunks that changed are asked for if they are in the document; new ones come when they are near.
fn take(column: &Rc<Column>, ranges: &[(i64, i64)]) {
    let mut changed = BTreeSet::new();
    let ranges: Vec<_> = ranges.iter().filter(|(from, to)| from != to || !growth::grow(column, *from)).collect();
    {
        let mut state = column.state.borrow_mut();
        // That the agent got what waited for it is told of the session, not of the message.
        let waits = |section: &web_sys::Element| dom::find(section, "[data-delivery=waiting]").is_some();
        changed.extend(state.mounted.iter().filter(|(_, section)| waits(section)).map(|(chunk, _)| *chunk));
        for (from, to) in ranges.iter().filter(|(from, _)| *from > 0) {
            state.last_seq = state.last_seq.max(*to);
            // Of a long stretch the end tells: the rest is drawn anew anyway.
            state.came.extend((*to - CHUNK).max(*from)..=*to);
            let last = chunk_of(*to);
            changed.extend(state.mounted.keys().copied().filter(|chunk| (chunk_of(*from)..=last).contains(chunk)));
        }
        let all = chunks(state.last_seq);
        state.window.grow(all);
        // Also rows that don't change are of a longer list now.
        let size = state.last_seq.to_string();
        for row in state.mounted.values().flat_map(|section| dom::find_all(section, ":scope > [aria-setsize]")) {
            let _ = row.set_attribute("aria-setsize", &size);
        }
    }
    for chunk in changed {
        load::load(column, chunk);
    }
    column.arrange();
    column.count_new();
    column.soon();
    if let Some(from) = ranges.iter().map(|(from, _)| *from).filter(|from| *from > 0).min() {
        landmarks::load(column, from);
    }
    find::changed(column);
}

impl Column {
    /// How many rows came below while the reader was elsewhere. At the end they are read, and said aloud.
    pub(super) fn count_new(&self) {
        let (anchor, seen, last) = {
            let state = self.state.borrow();
            (state.anchor, state.seen_seq, state.last_seq)
        };
        if last <= seen {
            return;
        }
        let loaded = self.state.borrow().mounted.get(&chunk_of(last)).cloned();
        let rows = match loaded {
            Some(section) => {
                let after = |row: &web_sys::Element| {
                    row.get_attribute("data-seq").and_then(|seq| seq.parse::<i64>().ok()).is_some_and(|seq| seq > seen)
                };
                let rows = dom::find_all(&section, ":scope > article").iter().filter(|row| after(row)).count();
                i64::try_from(rows).unwrap_or(0)
            }
            None => last - seen,
        };
        if rows == 0 {
            return;
        }
        if anchor == Anchor::End {
            self.state.borrow_mut().seen_seq = last;
            dom::announce(&figures::counted(rows, "new message"));
        } else {
            self.new.set(rows);
        }
    }
}
