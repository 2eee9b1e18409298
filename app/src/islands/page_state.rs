//! What the islands of a page share: the connection, what came over it, and the dev toggle.
//!
//! What a reader switches for this browser alone is kept in `localStorage`: [`NOTIFY`].

use leptos::prelude::*;

/// Key in `localStorage`: `1` where the reader wants desktop notifications. The browser's own permission comes on top.
pub const NOTIFY: &str = "verbatim.notify";

/// The connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Connecting,
    Live,
    /// Lost; so many attempts since.
    Reconnecting(u32),
    /// The device has no network.
    Offline,
    /// Back, and so many changes behind.
    Replaying(i64),
}

/// What a page reads of a [`FeedEvent`](api::events::FeedEvent).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub pos: i64,
    pub session: String,
    pub from_seq: i64,
    pub to_seq: i64,
}

#[derive(Clone)]
pub struct PageState {
    pub link: ArcRwSignal<Link>,
    /// Events of this page's session that the transcript hasn't taken yet.
    pub feed: ArcRwSignal<Vec<Change>>,
    /// Grows with everything that may change a list of sessions.
    pub changes: ArcRwSignal<u32>,
    /// Grows with everything that may change this page's own session.
    pub own: ArcRwSignal<u32>,
    /// Grows with every word about an import.
    pub imports: ArcRwSignal<u32>,
    pub dev: ArcRwSignal<bool>,
}

thread_local! {
    static PAGE: PageState = PageState {
        link: ArcRwSignal::new(Link::Connecting),
        feed: ArcRwSignal::new(Vec::new()),
        changes: ArcRwSignal::new(0),
        own: ArcRwSignal::new(0),
        imports: ArcRwSignal::new(0),
        dev: ArcRwSignal::new(false),
    };
}

#[cfg(feature = "hydrate")]
impl Change {
    pub fn read(event: &str) -> Option<Self> {
        let event = api::json::Json::read(event)?;
        let number = |name: &str| event.number(name);
        let (pos, from_seq, to_seq) = (number("pos")?, number("from_seq")?, number("to_seq")?);
        Some(Self { pos, session: event.text("session")?, from_seq, to_seq })
    }
}

impl PageState {
    /// Something happened in a session.
    pub fn changed(&self, is_own: bool) {
        let more = |counter: &ArcRwSignal<u32>| counter.update(|n| *n = n.wrapping_add(1));
        if is_own {
            more(&self.own);
        }
        more(&self.changes);
    }
}

/// Calls `react` when a count grew, also if it did before anybody looked: parts of a page come later than what happens.
pub fn whenever(count: impl Fn() -> u32 + 'static, react: impl Fn() + 'static) {
    Effect::new(move |before: Option<u32>| {
        let now = count();
        if now != before.unwrap_or(0) {
            react();
        }
        now
    });
}

/// The same once in so many milliseconds at most, at their end.
#[cfg(feature = "hydrate")]
pub fn now_and_then(pause: i32, count: impl Fn() -> u32 + 'static, react: impl Fn() + 'static) {
    use std::{cell::Cell, rc::Rc};

    let (due, react) = (Rc::new(Cell::new(false)), Rc::new(react));
    whenever(count, move || {
        if !due.replace(true) {
            let (due, react) = (due.clone(), react.clone());
            super::dom::after(pause, move || {
                due.set(false);
                react();
            });
        }
    });
}

/// The state of this page. The browser has one page and one thread.
pub fn page_state() -> PageState {
    PAGE.with(Clone::clone)
}
