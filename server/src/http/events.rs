//! The event stream: what changed, never content.

use super::Shared;
use super::extract::Asked;
use super::guard::Credential;
use super::long_requests::{LongRequests, Permit};
use super::streaming_text::{self, Growing};
use api::ProblemCode;
use api::driving::DrivenEvent;
use api::events::BuildEvent;
use api::imports::ImportJob;
use api::people::PersonRole;
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _, stream};
use hub::driving::Driving;
use hub::feed::{self, FeedChange, Until};
use hub::imports::Jobs;
use hub::{Caller, Hub, Scoped, clock};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::time::Duration;
use store::Sight;

/// Streams that broke come back within this time, not all at once.
const RETRY: std::ops::Range<u64> = 1000..3000;
/// A stream says this often that it lives.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Progress of imports is shown so often at most.
const PROGRESS: Duration = Duration::from_millis(250);
/// Texts of agents grow so often at most.
const GROWTH: Duration = Duration::from_millis(100);
/// How long after its beginning a stream looks once more whether its credential holds.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Streams of one log-in: a browser has one.
const STREAMS: usize = 32;
/// Streams of one key: a program may follow many sessions.
const STREAMS_OF_KEY: usize = 256;

/// State of the handler. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Events {
    site: Shared,
    /// Streams of each log-in and key.
    open: LongRequests,
}

impl Events {
    pub fn new(site: Shared) -> Self {
        Self { site, open: LongRequests::default() }
    }

    /// A place for one more stream. This machine's own commands have as many as there are connections.
    fn place(&self, credential: &Credential) -> Result<Option<Permit>, Problem> {
        let (whose, most) = match credential {
            Credential::LogIn(token, ..) => (hub::account::login::id(token), STREAMS),
            Credential::Key(id) => (id.clone(), STREAMS_OF_KEY),
            Credential::Machine => return Ok(None),
        };
        self.open.take(&whose, most, ProblemCode::TooManyStreams, "event streams").map(Some)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// A cursor; `Last-Event-ID` wins. Without one, from now on.
    after: Option<String>,
    /// Events of this session only. An agent's key must name one of its own.
    session: Option<String>,
    /// `now`: ends with what is there.
    until: Option<String>,
    /// Sessions with commas between them, or `none`: see [`streaming_text`].
    growth: Option<String>,
}

pub async fn events(
    State(events): State<Events>,
    Extension(scoped): Extension<Scoped>,
    Extension(credential): Extension<Credential>,
    Asked(query): Asked<EventsQuery>,
    headers: HeaderMap,
) -> Response {
    match open(&events, &scoped, credential, query, &headers).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn open(
    events: &Events,
    scoped: &Scoped,
    credential: Credential,
    query: EventsQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    // A browser that reconnects says where it was.
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).map(str::to_owned);
    let site = events.site.of(scoped);
    let hub = site.hub.clone();
    let pos = match last.or(query.after).filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => feed::resume(&hub, &cursor).await?,
        None => hub.feed.pos(),
    };
    let until = match query.until.as_deref() {
        None => Until::Shutdown,
        Some("now") => Until::Now,
        Some(_) => return Err(Problem::field("until", "`now`")),
    };
    let session = followed(scoped, query.session).await?;
    let growing = query.growth.map(|named| Growing::new(site.clone(), scoped, &named, pos)).transpose()?;
    let build = event("build", &BuildEvent { build: site.build.clone(), pos: hub.feed.pos() }).map(retried);
    let (named, changes) = (session.clone(), feed::stream(hub.clone(), pos, session, scoped.caller.sight(), until));
    let changes = match growing {
        None => changes.map(|change| told(&change)).left_stream(),
        Some(growing) => streaming_text::told(growing, changes.boxed()).right_stream(),
    };
    let both = match (until, &scoped.caller) {
        (Until::Now, _) | (_, Caller::Agent(_)) => changes.boxed(),
        (Until::Shutdown, Caller::User(_) | Caller::Local) => {
            let imports = if site.role() == PersonRole::Owner {
                progress(hub.clone()).boxed()
            } else {
                stream::pending().boxed()
            };
            let imports = imports.map(|job| event("import", &job));
            let agents =
                seen(driven(hub.clone()), scoped.clone()).map(|session| event("agent", &DrivenEvent { session }));
            stream::select(changes, stream::select(imports, agents)).boxed()
        }
    };
    let place = events.place(&credential)?;
    let span = tracing::error_span!("stream", session = named);
    let mut open = (until == Until::Shutdown).then(|| site.hub.metrics.stream(span.clone()));
    let over = async move {
        over(hub, credential).await;
        if let Some(open) = &mut open {
            open.end();
        }
        drop((place, open));
    };
    let events = stream::iter([build]).chain(both).filter_map(async |event| event).take_until(over);
    // The client comes back by itself, to whoever answers then.
    let bye = stream::once(async { event("bye", &Nothing {}).map(retried) }).filter_map(async |event| event);
    let mut events = events.chain(bye).map(Ok::<_, Infallible>).boxed();
    let events = stream::poll_fn(move |context| span.in_scope(|| events.poll_next_unpin(context)));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

/// The session that a stream follows. None: all of them, which a key may follow with the scope `read_all` alone.
async fn followed(scoped: &Scoped, named: Option<String>) -> Result<Option<String>, Problem> {
    match named {
        Some(session) => {
            let detail = scoped.get_session(SessionPath { session }, Nothing {}).await?;
            Ok(Some(detail.session.id.to_string()))
        }
        None if scoped.caller.sight().key().is_some() => {
            Err(Problem::field("session", "one of the key's own sessions")
                .hint("Name one of them; a key with the scope `read_all` follows all sessions"))
        }
        None => Ok(None),
    }
}

/// A change as an event.
pub(super) fn told(change: &FeedChange) -> Option<Event> {
    let event = event("feed", &**change)?;
    Some(event.id(feed::cursor(change.pos)))
}

/// Says when a client is to come back.
fn retried(event: Event) -> Event {
    let spread = RETRY.end - RETRY.start;
    event.retry(Duration::from_millis(RETRY.start + hub::random(spread)))
}

/// Ends when the server does, or when the credential doesn't hold any more: revoked or expired.
pub(super) async fn over(hub: Hub, credential: Credential) {
    let mut revoked = hub.revoked.subscribe();
    let mut known = None;
    // Another server may have revoked a new credential before this one saw it, so a new stream checks once more.
    let (again, mut is_new) = (tokio::time::Instant::now() + LOOK_AGAIN, true);
    loop {
        // In boxes, since it is seldom: thousands of streams would each hold the room of a query.
        let holds = match &credential {
            Credential::LogIn(token, ..) => Box::pin(hub.login_holds_until(token)).await.map(|held| {
                let (until, user) = held?;
                // Whoever may see something else begins anew.
                let is_same = known.as_ref().is_none_or(|known| *known == user);
                known = Some(user);
                is_same.then_some(until)
            }),
            Credential::Key(id) => Box::pin(hub.key_holds_until(id)).await,
            Credential::Machine => Ok(Some(clock::NEVER)),
        };
        let Ok(Some(until)) = holds else { return };
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            changed = revoked.changed() => if changed.is_err() { return },
            () = clock::until(until) => {}
            () = tokio::time::sleep_until(again), if is_new => is_new = false,
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let event = Event::default().event(name).json_data(data);
    event.inspect_err(|error| tracing::error!(%error, "an event can't be written")).ok()
}

/// The sessions of agents that were started here and of which something changed, each not more often than [`GROWTH`].
fn driven(hub: Hub) -> impl Stream<Item = String> + Send {
    let changes = hub.state::<Driving>().changes();
    let seen = *changes.borrow();
    let changed = stream::unfold((hub, changes, seen), async |(hub, mut changes, seen)| {
        changes.changed().await.ok()?;
        tokio::time::sleep(GROWTH).await;
        changes.borrow_and_update();
        let (sessions, now) = hub.state::<Driving>().changed_since(seen);
        let sessions: Vec<String> = sessions.iter().map(ToString::to_string).collect();
        Some((stream::iter(sessions), (hub, changes, now)))
    });
    changed.flatten()
}

/// Those of the sessions that the caller may see.
fn seen(sessions: impl Stream<Item = String> + Send, scoped: Scoped) -> impl Stream<Item = String> + Send {
    let is_limited = matches!(scoped.caller.sight(), Sight::Without(_));
    sessions.filter_map(move |session| {
        let scoped = scoped.clone();
        async move {
            let path = SessionPath { session: session.clone() };
            let is_seen = !is_limited || scoped.session_without_cost(&path).await.is_ok();
            is_seen.then_some(session)
        }
    })
}

/// The newest state of each import that changed, not more often than [`PROGRESS`].
fn progress(hub: Hub) -> impl Stream<Item = ImportJob> + Send {
    let changes = hub.state::<Jobs>().subscribe();
    let seen: Vec<ImportJob> = Vec::new();
    let changed = stream::unfold((hub, changes, seen, true), async |(hub, mut changes, seen, first)| {
        if !first {
            changes.changed().await.ok()?;
            tokio::time::sleep(PROGRESS).await;
        }
        changes.borrow_and_update();
        let jobs = hub.state::<Jobs>().list();
        // Jobs that were done before the page came aren't news.
        let news = |job: &&ImportJob| !(seen.contains(job) || first && job.done);
        let changed: Vec<ImportJob> = jobs.iter().filter(news).cloned().collect();
        Some((stream::iter(changed), (hub, changes, jobs, false)))
    });
    changed.flatten()
}
