//! The event stream. It reconnects by itself.

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

/// Timeout of a silent stream; the server sends a keep-alive every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// Status of a cursor of another history.
const GONE: u16 = 410;

/// A change, with the cursor after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Cursor of the stream after this change. Store it to continue from here later.
    pub cursor: String,
    /// The change. [`Session::messages`](crate::Session::messages) returns the messages.
    pub change: FeedEvent,
}

/// A stream of all changes, each once and in order, across lost connections and restarts of the server.
///
/// It ends after a permanent error, for example if the key was revoked. If the server's database was restored to an
/// earlier state, it yields the error `cursor_gone` once: read everything again. Then the stream continues from that
/// moment.
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
    /// Watches changes after a cursor, in one session, which an agent's key requires, or in all sessions. Without a
    /// cursor it begins when the stream is first polled. To miss nothing, use the cursor of what was read, for example
    /// from [`Session::messages`](crate::Session::messages).
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
    /// Cursor of the last yielded event.
    cursor: Option<String>,
    live: Option<Live>,
    /// Pause before reconnecting, as the server requests.
    retry: Duration,
    /// The client's own backoff, which grows while no event arrives.
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
                        // The cursor belongs to a history that is gone: report it once, so that the caller reads anew,
                        // then go on from now.
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

    /// Opens the stream at its cursor, and retries temporary failures.
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

    /// Pauses as long as the server requests, plus the backoff.
    async fn pause(&mut self, wished: Duration) {
        sleep(wished + self.pauses.next().unwrap_or_default()).await;
    }

    /// Sets the cursor to now, before the caller reads everything again, so that no change is missed.
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

/// Ends a stream after this time without a byte. Keep-alives are comments, not events.
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

    /// Any data keeps the stream open; silence ends it.
    #[tokio::test]
    async fn silence_ends_a_stream() {
        let alive = stream::iter([": alive", ": still alive"]).chain(stream::pending());
        assert_eq!(unless_silent(alive, Duration::ZERO).collect::<Vec<_>>().await, [": alive", ": still alive"]);
    }
}
