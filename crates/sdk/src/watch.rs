//! The event stream, which resumes itself.

use crate::retry::{asked, passes, pauses};
use crate::{Error, Verbatim};
use api::Route as _;
use api::client::unreadable;
use api::contract::Events;
use api::endpoint::segment;
use api::events::FeedEvent;
use api::sessions::ListSessions;
use api::transport::reqwest::{lost, whole};
use backon::{BackoffBuilder as _, ExponentialBackoff};
use eventsource_stream::{Event as RawEvent, Eventsource as _};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A stream without a sign of life for so long is dead: the server sends one every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// The status of a cursor of another history.
const GONE: u16 = 410;

/// One change, and the cursor behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Cursor of the stream after this change. Keep it to go on from here later.
    pub cursor: String,
    /// What changed: read it with [`Session::messages`](crate::Session::messages).
    pub change: FeedEvent,
}

/// A stream of every change, once and in order, across lost connections and restarts of the server.
///
/// It ends after an error that won't pass, as when the key was revoked. If the server's database was put back to an
/// earlier state, it yields the error `cursor_gone` once: read anew what you follow. Then it goes on from that moment.
///
/// ```no_run
/// # async fn run(session: sdk::Session) -> Result<(), sdk::Error> {
/// use futures::StreamExt as _;
///
/// let mut watch = session.watch(None);
/// while let Some(event) = watch.next().await {
///     println!("message {} changed", event?.change.from_seq);
/// }
/// # Ok(()) }
/// ```
pub struct Watch(BoxStream<'static, Result<Event, Error>>);

impl Stream for Watch {
    type Item = Result<Event, Error>;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl Verbatim {
    /// Watches what changes after a cursor, in one session, as an agent's key must, or in all. Without a cursor it begins where the
    /// stream is polled first: to miss nothing, take the cursor of what was read, as that of [`Session::messages`](crate::Session::messages).
    pub fn watch(&self, session: Option<&str>, after: Option<String>) -> Watch {
        watch(self.clone(), session.map(str::to_owned), after)
    }
}

fn watch(verbatim: Verbatim, session: Option<String>, after: Option<String>) -> Watch {
    let watcher = Watcher {
        verbatim,
        session,
        cursor: after,
        live: None,
        retry: Duration::ZERO,
        pauses: pauses().build(),
        over: false,
    };
    Watch(stream::unfold(watcher, async |mut watcher| watcher.next().await.map(|event| (event, watcher))).boxed())
}

type Live = BoxStream<'static, Option<RawEvent>>;

struct Watcher {
    verbatim: Verbatim,
    session: Option<String>,
    /// Everything up to here was given.
    cursor: Option<String>,
    live: Option<Live>,
    /// The server's wish: how long to wait before coming back.
    retry: Duration,
    /// Beside that, our own: longer each time that nothing came.
    pauses: ExponentialBackoff,
    over: bool,
}

impl Watcher {
    async fn next(&mut self) -> Option<Result<Event, Error>> {
        if self.over {
            return None;
        }
        loop {
            let mut live = match self.live.take() {
                Some(live) => live,
                None => match self.open().await {
                    Ok(live) => live,
                    Err(error) => {
                        // The cursor belongs to a history that is gone: report it once, so that the caller reads anew, then go on from now.
                        let gone = error.problem().is_some_and(|problem| problem.status == GONE);
                        self.over = !(gone && self.begin_again().await);
                        return Some(Err(error));
                    }
                },
            };
            // Silence, the end of the stream and a broken event are treated alike: reconnect at the cursor.
            let Some(Some(event)) = live.next().await else {
                self.pause(self.retry).await;
                continue;
            };
            self.live = Some(live);
            self.pauses = pauses().build();
            self.retry = event.retry.unwrap_or(self.retry);
            if event.event == "feed" {
                let change = match serde_json::from_str(&event.data) {
                    Ok(change) => change,
                    Err(error) => {
                        self.over = true;
                        return Some(Err(unreadable(&error.to_string()).into()));
                    }
                };
                self.cursor = Some(event.id.clone());
                return Some(Ok(Event { cursor: event.id, change }));
            }
        }
    }

    /// Opens the stream where it was, and tries for as long as that may help.
    async fn open(&mut self) -> Result<Live, Error> {
        loop {
            let problem = match self.try_open().await {
                Err(error) => match error.problem() {
                    Some(problem) if passes(problem) => problem.clone(),
                    _ => return Err(error),
                },
                Ok(live) => return Ok(live),
            };
            self.pause(asked(&problem)).await;
        }
    }

    /// As long as the server wants, and a little longer.
    async fn pause(&mut self, wished: Duration) {
        sleep(wished + self.pauses.next().unwrap_or_default()).await;
    }

    /// Takes now as the place to go on from, before whoever listens reads anew: nothing lies between the two.
    async fn begin_again(&mut self) -> bool {
        self.cursor = self.now().await.ok();
        self.cursor.is_some()
    }

    async fn try_open(&mut self) -> Result<Live, Error> {
        let after = match self.cursor.clone() {
            Some(cursor) => cursor,
            None => self.now().await?,
        };
        // From now on, even if the connection breaks before the first event.
        self.cursor = Some(after.clone());
        let transport = self.verbatim.transport();
        let transport = transport.ok_or_else(|| Error::Setup("The event stream requires a server".to_owned()))?;
        let mut target = format!("{}{}?after={}", transport.base, Events::PATH, segment(&after));
        if let Some(session) = &self.session {
            target = format!("{target}&session={}", segment(session));
        }
        let request = transport.authorized(transport.http.get(target));
        let lost = |error: reqwest::Error| Error::from(lost(&transport.base, &error));
        let response = timeout(SILENCE, request).await.map_err(|_| silent(&transport.base))?.map_err(lost)?;
        if response.status().as_u16() != 200 {
            return Err(whole(response, &transport.base).await?.problem().into());
        }
        Ok(unless_silent(response.bytes_stream(), SILENCE).eventsource().map(Result::ok).boxed())
    }

    async fn now(&mut self) -> Result<String, Error> {
        if let Some(session) = &self.session {
            return self.verbatim.cursor_of(session).await;
        }
        let one = ListSessions { limit: Some(1), ..ListSessions::default() };
        Ok(self.verbatim.sessions(one).await?.cursor)
    }
}

/// Ends a stream after so long without a byte. A sign of life is a comment, which is no event.
fn unless_silent<T>(bytes: impl Stream<Item = T> + Send, silence: Duration) -> impl Stream<Item = T> + Send
where
    T: Send,
{
    stream::unfold(Box::pin(bytes), move |mut bytes| async move {
        let next = timeout(silence, bytes.next()).await.ok()??;
        Some((next, bytes))
    })
}

fn silent(base: &str) -> Error {
    api::Problem::transport(format!("{base} can't be reached: timeout")).into()
}

#[cfg(test)]
mod tests {
    use super::unless_silent;
    use futures::{StreamExt as _, stream};
    use std::time::Duration;

    /// Whatever comes keeps it open, and where nothing comes it ends.
    #[tokio::test]
    async fn silence_ends_a_stream() {
        let alive = stream::iter([": alive", ": still alive"]).chain(stream::pending());
        assert_eq!(unless_silent(alive, Duration::ZERO).collect::<Vec<_>>().await, [": alive", ": still alive"]);
    }
}
