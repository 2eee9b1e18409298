//! What the event stream carries: rows of the feed from a cursor on, then live.
//!
//! The doorbell only says that there is something to read. Delivery always reads the feed, so a lost or coalesced ring
//! costs nothing.

use crate::{Hub, problem};
use api::Problem;
use api::events::{FeedEvent, FeedKind};
use futures::Stream;
use tokio::sync::watch;

/// Rings after each commit. Clones are one.
#[derive(Clone)]
pub struct Feed(watch::Sender<i64>);

impl Feed {
    pub fn new(pos: i64) -> Self {
        Self(watch::Sender::new(pos))
    }

    pub fn ring(&self, pos: i64) {
        self.0.send_if_modified(|known| {
            let newer = pos > *known;
            if newer {
                *known = pos;
            }
            newer
        });
    }

    pub fn pos(&self) -> i64 {
        *self.0.borrow()
    }
}

/// A cursor as clients see it: opaque, so that it may change.
pub fn cursor(pos: i64) -> String {
    format!("1.{pos:x}")
}

/// The position of a cursor.
pub fn position(cursor: &str) -> Result<i64, Problem> {
    let pos = cursor.strip_prefix("1.").and_then(|hex| i64::from_str_radix(hex, 16).ok());
    pos.ok_or_else(|| Problem::field("after", "a cursor of an earlier answer"))
}

const PAGE: u32 = 500;

/// Changes after `pos`, of one session if it is named; ends when the hub shuts down or the store fails.
pub fn stream(hub: Hub, pos: i64, session: Option<String>) -> impl Stream<Item = FeedEvent> + Send {
    let doorbell = hub.feed.0.subscribe();
    let state = (hub, doorbell, pos, std::collections::VecDeque::new());
    futures::stream::unfold(state, move |(hub, mut doorbell, mut pos, mut queue)| {
        let session = session.clone();
        async move {
            loop {
                if let Some(event) = queue.pop_front() {
                    return Some((event, (hub, doorbell, pos, queue)));
                }
                // Seen before the read: a commit between the two rings again.
                doorbell.borrow_and_update();
                let rows = hub.workspace.feed_after(pos, PAGE).await.map_err(problem).ok()?;
                if let Some(last) = rows.last() {
                    pos = last.pos;
                    queue.extend(rows.iter().map(event).filter(|e| session.as_ref().is_none_or(|s| *s == e.session)));
                    continue;
                }
                tokio::select! {
                    () = hub.shutdown.cancelled() => return None,
                    rung = doorbell.changed() => rung.ok()?,
                }
            }
        }
    })
}

fn event(row: &store::FeedRow) -> FeedEvent {
    let kind = match row.kind {
        store::FeedKind::Range => FeedKind::Range,
        store::FeedKind::Message => FeedKind::Message,
        store::FeedKind::Session | store::FeedKind::Forgotten => FeedKind::Session,
    };
    FeedEvent {
        pos: row.pos,
        kind,
        session: row.session_id.to_string(),
        from_seq: row.from_seq,
        to_seq: row.to_seq,
        revision: row.revision,
    }
}
