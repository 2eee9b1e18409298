//! The event stream: rows of the feed after a cursor, then live ones.
//!
//! A ring of the doorbell only means that there may be new rows. One pump reads them for all streams; a stream that
//! falls behind reads them itself. So a lost or coalesced ring, or a slow reader, causes delay, but never loses an
//! event.

use crate::basics::problem;
use crate::context::Hub;
use api::events::{FeedCounts, FeedEvent, FeedKind};
use api::{Problem, ProblemCode};
use futures::Stream;
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use store::{FeedEntry, Sight, Workspace};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// Rows per read.
const PAGE: u32 = 500;
/// A store that can't be read is asked again after this.
const AGAIN: Duration = Duration::from_millis(500);
/// Batches that a stream may be behind before it reads by itself.
const BEHIND: usize = 256;

/// An event of a stream. All streams share it.
#[derive(Debug)]
pub struct FeedChange {
    event: FeedEvent,
    grows: bool,
    projects: [Option<String>; 2],
}

impl FeedChange {
    fn of(entry: &FeedEntry) -> Arc<Self> {
        let grows = entry.row.kind == store::FeedKind::Growth;
        Arc::new(Self { event: event(entry), grows, projects: entry.projects.clone() })
    }

    /// Returns whether somebody may see that this changed.
    pub fn is_seen(&self, sight: &Sight) -> bool {
        sight.sees(self.projects.each_ref().map(Option::as_deref))
    }

    /// Returns true if all that changed is that a text, which is still being written, goes on.
    pub fn grows(&self) -> bool {
        self.grows
    }
}

impl Deref for FeedChange {
    type Target = FeedEvent;
    fn deref(&self) -> &FeedEvent {
        &self.event
    }
}

/// Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Feed {
    /// Where the feed is, as far as we know.
    known: watch::Sender<i64>,
    /// Where our own commits brought it.
    own: watch::Sender<i64>,
    /// Where it was when channels were last told anything, or may have been.
    deliveries: watch::Sender<i64>,
    live: broadcast::Sender<Arc<[Arc<FeedChange>]>>,
}

impl Feed {
    pub fn new(pos: i64) -> Self {
        let bell = || watch::Sender::new(pos);
        Self { known: bell(), own: bell(), deliveries: bell(), live: broadcast::Sender::new(BEHIND) }
    }

    /// Rings after a commit of ours that queued no deliveries; otherwise use [`Feed::ring_with`].
    pub fn ring(&self, pos: i64) {
        raise(&self.own, pos);
        raise(&self.known, pos);
    }

    /// Rings after a commit of ours. Wakes channels only if it queued deliveries.
    pub fn ring_with(&self, pos: i64, has_deliveries: bool) {
        self.ring(pos);
        if has_deliveries {
            raise(&self.deliveries, pos);
        }
    }

    /// After somebody else's commit: whether channels are told anything by it isn't known.
    pub(crate) fn heard(&self, pos: i64) {
        raise(&self.known, pos);
        raise(&self.deliveries, pos);
    }

    pub fn pos(&self) -> i64 {
        *self.known.borrow()
    }

    /// Rings with every commit that we hear of.
    pub(crate) fn news(&self) -> watch::Receiver<i64> {
        self.known.subscribe()
    }

    /// Carries what changes from now on, to whoever looks at all of it.
    pub(crate) fn changes(&self) -> broadcast::Receiver<Arc<[Arc<FeedChange>]>> {
        self.live.subscribe()
    }

    /// Rings with the commits by which channels may be told something.
    pub(crate) fn deliveries(&self) -> watch::Receiver<i64> {
        self.deliveries.subscribe()
    }

    /// Rings with our own commits.
    pub(crate) fn own(&self) -> watch::Receiver<i64> {
        self.own.subscribe()
    }

    /// Reads what is new, once for all streams, for as long as there is a hub.
    pub(crate) async fn pump(self, workspace: Workspace) {
        let mut bell = self.known.subscribe();
        let mut pos = *bell.borrow_and_update();
        while bell.changed().await.is_ok() {
            let known = *bell.borrow_and_update();
            // A new listener first reads the rows after its own cursor.
            if self.live.receiver_count() == 0 {
                pos = known;
                continue;
            }
            loop {
                let rows = match workspace.feed_after(pos, PAGE).await {
                    Ok(rows) => rows,
                    Err(error) => {
                        // Whatever rings meanwhile: what was committed must be told.
                        tracing::error!(%error, "the feed can't be read");
                        tokio::time::sleep(AGAIN).await;
                        continue;
                    }
                };
                let Some(last) = rows.last() else { break };
                pos = last.row.pos;
                // Nobody listening is no error.
                let _ = self.live.send(rows.iter().map(FeedChange::of).collect());
            }
        }
    }
}

fn raise(bell: &watch::Sender<i64>, pos: i64) {
    bell.send_if_modified(|known| {
        let newer = pos > *known;
        *known = (*known).max(pos);
        newer
    });
}

/// A cursor as clients see it: opaque, so that it may change.
pub fn cursor(pos: i64) -> String {
    format!("1.{pos:x}")
}

/// The position of a cursor.
pub fn position(cursor: &str) -> Result<i64, Problem> {
    let pos = cursor.strip_prefix("1.").and_then(|hex| i64::from_str_radix(hex, 16).ok()).filter(|pos| *pos >= 0);
    pos.ok_or_else(|| Problem::field("after", "a cursor of an earlier reply"))
}

/// Where a stream goes on that a client followed up to `cursor`.
///
/// Behind the end of the feed lies nothing that was ever told: such a cursor is of a database that was put back to an
/// earlier state, and waiting there would miss all that comes.
pub async fn resume(hub: &Hub, cursor: &str) -> Result<i64, Problem> {
    let pos = position(cursor)?;
    // A higher position can be the commit of another server.
    if pos > hub.feed.pos() && pos > hub.workspace.feed_pos().await.map_err(problem)? {
        let gone = Problem::new(
            ProblemCode::CursorGone,
            "This cursor is beyond the end of the history, for example because a database was restored",
        );
        return Err(Problem {
            field: Some("after".to_owned()),
            ..gone.hint("Read everything again, and continue with the cursor of that reply")
        });
    }
    Ok(pos)
}

/// Where a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// With what is there when it begins.
    Now,
    /// With the hub.
    Shutdown,
}

struct Reader {
    hub: Hub,
    live: broadcast::Receiver<Arc<[Arc<FeedChange>]>>,
    session: Option<String>,
    sight: Sight,
    /// Everything up to here was given.
    pos: i64,
    /// The last position of a stream that ends.
    last: Option<i64>,
    queue: VecDeque<Arc<FeedChange>>,
    behind: bool,
}

/// Changes after `pos` that may be seen, of one session if it is named, each once and in order. It ends early if the
/// store fails: the client comes back with its cursor.
pub fn stream(
    hub: Hub,
    pos: i64,
    session: Option<String>,
    sight: Sight,
    until: Until,
) -> impl Stream<Item = Arc<FeedChange>> + Send {
    // Listens before it reads: what is committed between the two comes twice, and is given once.
    let live = hub.feed.live.subscribe();
    let last = (until == Until::Now).then(|| hub.feed.pos());
    let reader = Reader { hub, live, session, sight, pos, last, queue: VecDeque::new(), behind: true };
    futures::stream::unfold(reader, async |mut reader| reader.next().await.map(|event| (event, reader)))
}

impl Reader {
    async fn next(&mut self) -> Option<Arc<FeedChange>> {
        loop {
            if let Some(change) = self.queue.pop_front() {
                return Some(change);
            }
            if self.last.is_some_and(|last| self.pos >= last) {
                return None;
            }
            if self.behind {
                // In a box, since it is seldom: thousands of waiting streams would each hold the room of a query.
                let rows = Box::pin(self.hub.workspace.feed_after(self.pos, PAGE)).await.map_err(problem).ok()?;
                let changes: Vec<Arc<FeedChange>> = rows.iter().map(FeedChange::of).collect();
                self.behind = !changes.is_empty();
                self.take(&changes);
                // The feed has holes: where it ends, everything up to there was given.
                if !self.behind && self.last.is_some() {
                    return None;
                }
                continue;
            }
            let shutdown = self.hub.shutdown.clone();
            tokio::select! {
                () = shutdown.cancelled() => return None,
                received = self.live.recv() => match received {
                    Ok(changes) => self.take(&changes),
                    Err(RecvError::Lagged(_)) => self.behind = true,
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    fn take(&mut self, changes: &[Arc<FeedChange>]) {
        for change in changes {
            let wanted = change.pos > self.pos && self.last.is_none_or(|last| change.pos <= last);
            if wanted
                && change.is_seen(&self.sight)
                && self.session.as_ref().is_none_or(|session| *session == change.session)
            {
                self.queue.push_back(Arc::clone(change));
            }
            self.pos = self.pos.max(change.pos);
        }
    }
}

fn event(entry: &FeedEntry) -> FeedEvent {
    let row = &entry.row;
    let kind = match row.kind {
        store::FeedKind::Range => FeedKind::Range,
        store::FeedKind::Message | store::FeedKind::Growth => FeedKind::Message,
        store::FeedKind::Session | store::FeedKind::Forgotten => FeedKind::Session,
    };
    FeedEvent {
        pos: row.pos,
        kind,
        session: row.session_id.to_string(),
        from_seq: row.from_seq,
        to_seq: row.to_seq,
        revision: row.revision,
        counts: entry.counts.map(|counts| FeedCounts {
            last_seq: counts.last_seq,
            messages: counts.messages,
            todos_open: counts.todos_open,
            todos_done: counts.todos_done,
            todos_cancelled: counts.todos_cancelled,
            approvals_open: counts.approvals_open,
        }),
    }
}
