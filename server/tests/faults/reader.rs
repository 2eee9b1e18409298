//! A reader of the event stream that goes on from its cursor whatever happens.

use crate::http::{Connection, Events};
use crate::town::Town;
use api::events::FeedEvent;
use std::io::Result;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// After a refusal, or an answer that came too soon.
const AGAIN: Duration = Duration::from_millis(50);

/// The whole feed, once nothing more is written.
pub type End = watch::Receiver<Option<Arc<[FeedEvent]>>>;

/// Where a reader is, and how it comes back.
pub struct Reader {
    town: Arc<Town>,
    number: usize,
    /// One session's changes, with the agent's key; all of them, with a person's log-in.
    session: Option<String>,
    /// In a header as browsers do, or in the query.
    by_header: bool,
    cursor: String,
    log: Vec<FeedEvent>,
}

impl Reader {
    /// From the town's cursor on.
    pub fn new(town: Arc<Town>, number: usize) -> Self {
        let session = (number % 2 == 1).then(|| town.sessions[number / 2 % town.sessions.len()].clone());
        let cursor = town.cursor.clone();
        Self { town, number, session, by_header: number % 4 < 2, cursor, log: Vec::new() }
    }

    /// Returns true if the reader sees this change.
    fn sees(&self, event: &FeedEvent) -> bool {
        self.session.as_ref().is_none_or(|session| *session == event.session)
    }

    /// Reads until it is where the feed ended in the end, and then compares what it was told with the feed.
    pub async fn read(mut self, mut end: End) {
        loop {
            let start = *self.town.starts.borrow();
            let connection = Connection::open(self.host()).await;
            let Ok(events) = self.listen(connection).await else {
                tokio::select! {
                    () = self.town.restarted_after(start) => {}
                    // It may be there, and only its store away.
                    () = sleep(AGAIN) => {}
                }
                continue;
            };
            if self.follow(events, &mut end).await {
                return;
            }
        }
    }

    /// Takes nothing of its stream until it `may`, and reads then as the others do.
    pub async fn read_late(mut self, mut end: End, may: CancellationToken) {
        let connection = Connection::narrow(self.host()).await;
        let events = self.listen(connection).await.unwrap();
        may.cancelled().await;
        if !self.follow(events, &mut end).await {
            self.read(end).await;
        }
    }

    /// True if it came to the end; false if the stream broke before.
    async fn follow(&mut self, mut events: Events, end: &mut End) -> bool {
        loop {
            if let Some(feed) = &*end.borrow_and_update() {
                let expected: Vec<&FeedEvent> = feed.iter().filter(|event| self.sees(event)).collect();
                if self.log.len() >= expected.len() {
                    assert_eq!(self.log.iter().collect::<Vec<_>>(), expected, "a reader of {:?}", self.session);
                    return true;
                }
            }
            let event = tokio::select! {
                event = events.next() => event,
                // The stream is asked again from where it was: half an event may be read already.
                Ok(()) = end.changed() => None,
            };
            let Some(event) = event else { return false };
            if event.name == "feed" {
                // The counts are those of the moment at which it was sent.
                self.log.push(FeedEvent { counts: None, ..serde_json::from_str(&event.data).unwrap() });
                self.cursor = event.id;
            }
        }
    }

    fn host(&self) -> &str {
        self.town.host(self.number / 4)
    }

    async fn listen(&self, connection: Result<Connection>) -> Result<Events> {
        let town = &self.town;
        let mut path = "/v1/events?".to_owned();
        let mut headers = if self.session.is_some() { town.agent.clone() } else { town.person.clone() };
        if self.by_header {
            headers = format!("{headers}\r\nLast-Event-ID: {}", self.cursor);
        } else {
            path = format!("{path}after={}&", self.cursor);
        }
        if let Some(session) = &self.session {
            path = format!("{path}session={session}");
        }
        connection?.events(&path, &headers).await
    }
}

/// All that the feed holds now, from the town's cursor on. A server that heard no bell sees within a second what
/// another one wrote: it is asked until it does.
pub async fn feed(town: &Town) -> Vec<FeedEvent> {
    let path = format!("/v1/events?until=now&after={}", town.cursor);
    loop {
        let mut events = Connection::open(town.host(0)).await.unwrap().events(&path, &town.person).await.unwrap();
        let mut feed: Vec<FeedEvent> = Vec::new();
        while let Some(event) = events.next().await {
            if event.name == "feed" {
                feed.push(FeedEvent { counts: None, ..serde_json::from_str(&event.data).unwrap() });
            }
        }
        if feed.last().map_or(0, |last| last.pos) >= town.ledger.pos() {
            return feed;
        }
        sleep(AGAIN).await;
    }
}
