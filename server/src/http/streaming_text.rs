//! Texts that grow, on the event stream of a browser: of the sessions that its pages show it carries what is new of
//! them, block by block, and of others that they are complete. Without it, each piece would be a question from each
//! page that shows the text, and a list drawn anew on all others.

use super::Site;
use super::events;
use api::messages::ListMessages;
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use app::appended::{Appended, appended};
use app::fragments::{Growth, growth};
use app::markdown::Settled;
use axum::response::sse::Event;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _};
use hub::Scoped;
use hub::feed::{self, FeedChange};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Between two looks at what has grown.
const PAUSE: Duration = Duration::from_millis(50);
/// Sessions of one stream: more than a person looks at.
const SESSIONS: usize = 64;

/// Instead of sessions: the stream is of pages that show none.
const NONE: &str = "none";

/// A session and a `seq`.
type Key = (String, i64);

/// State of a text: the sent part that can still change, and the part that can't.
type Told = (Option<Growth>, Settled);

pub struct Growing {
    site: Site,
    sessions: HashSet<String>,
    /// Where the feed was when the stream began.
    from: i64,
    /// Everything up to there was told.
    caught_up: bool,
    /// State of each text.
    told: BTreeMap<Key, Told>,
    /// Texts that have grown since.
    waiting: BTreeMap<Key, Arc<FeedChange>>,
    /// When they are looked at.
    next: Instant,
    /// To be sent before anything else.
    ready: VecDeque<Event>,
}

impl Growing {
    /// For a stream that goes on from `pos`. `sessions` are named with commas between them, or [`NONE`].
    pub fn new(site: Site, scoped: &Scoped, sessions: &str, pos: i64) -> Result<Self, Problem> {
        if scoped.caller.key_id().is_some() {
            return Err(Problem::field("growth", "absent: only pages can use it"));
        }
        let sessions: HashSet<String> = sessions.split(',').filter(|id| *id != NONE).map(str::to_owned).collect();
        if sessions.len() > SESSIONS {
            return Err(Problem::field("growth", &format!("at most {SESSIONS} sessions")));
        }
        let from = site.hub.feed.pos();
        Ok(Self {
            site,
            sessions,
            from,
            caught_up: pos >= from,
            told: BTreeMap::new(),
            waiting: BTreeMap::new(),
            next: Instant::now(),
            ready: VecDeque::new(),
        })
    }

    /// Takes a change. What is told of it at once, and of those before it, is ready then.
    async fn take(&mut self, change: Arc<FeedChange>) {
        // A returning client must get everything up to the present position of the feed.
        if change.grows() && self.caught_up {
            if self.sessions.contains(&change.session) {
                self.waiting.insert(key(&change), change);
            }
            return;
        }
        self.caught_up |= change.pos >= self.from;
        // It may be complete, and the page draws all of it.
        let key = key(&change);
        self.waiting.remove(&key);
        self.told.remove(&key);
        // Changes are sent in order.
        self.look().await;
        self.ready.extend(events::told(&change));
    }

    /// Looks at what has grown.
    async fn look(&mut self) {
        let mut waiting: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        waiting.sort_by_key(|(_, change)| change.pos);
        for (key, change) in waiting {
            // Too long to be told so, or no plain text: then it is drawn as anything else.
            let told = self.growth(&key, change.pos).await.or_else(|| events::told(&change));
            self.ready.extend(told);
        }
        self.next = Instant::now() + PAUSE;
    }

    async fn growth(&mut self, key: &Key, pos: i64) -> Option<Event> {
        let (session, seq) = key;
        let one = ListMessages { from: Some(*seq), to: Some(*seq), ..ListMessages::default() };
        let page = self.site.api.list_messages(SessionPath { session: session.clone() }, one).await.ok()?;
        let entry = page.messages.into_iter().next()?;
        let (open, mut settled) = self.told.remove(key).unwrap_or_default();
        let drawing = self.site.draw(move |_| growth(&entry, &mut settled).map(|growth| (growth, settled)));
        let ((growth, still_open), settled) = drawing.await.ok()??;
        let told = match &open {
            // Text that was already sent isn't sent again.
            None => event(pos, &format!("{session} {seq} {}", still_open.from), &still_open.html),
            Some(open) => {
                let more = appended(&open.html, &growth.html).filter(|_| open.from == growth.from);
                if let Some(Appended { after, text }) = more {
                    event(pos, &format!("{session} {seq} {} {after}", growth.blocks.saturating_sub(1)), &text)
                } else {
                    let new = growth.beyond(open);
                    event(pos, &format!("{session} {seq} {}", new.from), &new.html)
                }
            }
        };
        self.told.insert(key.clone(), (Some(still_open), settled));
        Some(told)
    }
}

fn key(change: &FeedChange) -> Key {
    (change.session.clone(), change.from_seq)
}

/// How a text goes on: session, `seq` and number of a block, then the blocks from that one on; or also the length of
/// that block's last text node, then what comes behind that.
fn event(pos: i64, head: &str, content: &str) -> Event {
    // A carriage return ends a line of an event too.
    let content = content.replace("\r\n", "\n");
    Event::default().event("growth").id(feed::cursor(pos)).data(format!("{head}\n{content}"))
}

/// Changes as they go over the wire, with texts that grow.
pub fn told(
    growing: Growing,
    changes: BoxStream<'static, Arc<FeedChange>>,
) -> impl Stream<Item = Option<Event>> + Send {
    stream::unfold((growing, changes), async |(mut growing, mut changes)| {
        loop {
            if let Some(told) = growing.ready.pop_front() {
                return Some((Some(told), (growing, changes)));
            }
            tokio::select! {
                biased;
                change = changes.next() => growing.take(change?).await,
                () = sleep_until(growing.next), if !growing.waiting.is_empty() => growing.look().await,
            }
        }
    })
}
