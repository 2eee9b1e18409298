//! The event stream: what changed, never content.

use super::Site;
use super::asked::Asked;
use super::guard::Credential;
use super::stream::Long;
use api::events::{BuildEvent, FeedEvent};
use api::imports::ImportJob;
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _, stream};
use hub::feed::{self, Until};
use hub::{Caller, Hub, Scoped};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::time::Duration;

/// Streams that broke come back within this time, not all at once.
const RETRY: std::ops::Range<u64> = 1000..3000;
/// Progress of imports is shown so often at most.
const PROGRESS: Duration = Duration::from_millis(250);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// A cursor; `Last-Event-ID` wins. Without one, from now on.
    after: Option<String>,
    /// Of this session only. An agent's key must name one of its own.
    session: Option<String>,
    /// `now`: ends with what is there.
    until: Option<String>,
}

pub async fn events(
    State(site): State<Site>,
    Extension(scoped): Extension<Scoped>,
    Extension(credential): Extension<Credential>,
    Asked(query): Asked<EventsQuery>,
    headers: HeaderMap,
) -> Response {
    match open(&site, &scoped, credential, query, &headers).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn open(
    site: &Site,
    scoped: &Scoped,
    credential: Credential,
    query: EventsQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    // A browser that reconnects says where it was.
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).map(str::to_owned);
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
    let session = match query.session {
        Some(session) => {
            let detail = scoped.get_session(SessionPath { session }, Nothing {}).await?;
            Some(detail.session.id.to_string())
        }
        None if matches!(scoped.caller, Caller::Agent(_)) => {
            return Err(Problem::field("session", "one of the key's own sessions"));
        }
        None => None,
    };
    let build = event("build", Some(retry()), None, &BuildEvent { build: site.build.clone(), pos: hub.feed.pos() });
    let changes = feed::stream(hub.clone(), pos, session, until).map(|change| {
        let line = |told: &FeedEvent| event("feed", None, Some(&feed::cursor(told.pos)), told).unwrap_or_default();
        Some(change.written(line))
    });
    let imports = match (&scoped.caller, until) {
        (Caller::Agent(_), _) | (_, Until::Now) => stream::empty().boxed(),
        _ => progress(hub.clone()).map(|job| event("import", None, None, &job)).boxed(),
    };
    let both = match until {
        Until::Now => changes.boxed(),
        Until::Shutdown => stream::select(changes, imports).boxed(),
    };
    let over = over(hub, credential);
    let events = stream::iter([build]).chain(both).filter_map(async |event| event).take_until(over);
    // The client comes back by itself, to whoever answers then.
    let bye = stream::once(async { event("bye", Some(retry()), None, &Nothing {}) }).filter_map(async |event| event);
    let body = Body::from_stream(events.chain(bye).map(Ok::<_, Infallible>));
    Ok((Extension(Long), [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")], body)
        .into_response())
}

fn retry() -> Duration {
    let spread = RETRY.end - RETRY.start;
    Duration::from_millis(RETRY.start + hub::random(spread))
}

/// Ends when the server does, or when the credential doesn't hold any more.
async fn over(hub: Hub, credential: Credential) {
    let mut revoked = hub.revoked.subscribe();
    loop {
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            changed = revoked.changed() => {
                // In boxes, since it is seldom: thousands of streams would each hold the room of a query.
                let holds = match &credential {
                    Credential::LogIn(token) => Box::pin(hub.logged_in(token)).await,
                    Credential::Key(id) => Box::pin(hub.key_holds(id)).await,
                    Credential::Machine => Ok(true),
                };
                if changed.is_err() || !matches!(holds, Ok(true)) {
                    return;
                }
            }
        }
    }
}

/// An event as its lines.
fn event(name: &str, retry: Option<Duration>, id: Option<&str>, data: &impl Serialize) -> Option<Bytes> {
    let data = serde_json::to_string(data).inspect_err(|error| tracing::error!(%error, "an event")).ok()?;
    let retry = retry.map_or_else(String::new, |retry| format!("retry: {}\n", retry.as_millis()));
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    Some(Bytes::from(format!("event: {name}\n{retry}{id}data: {data}\n\n")))
}

/// The newest state of each import that changed, not more often than [`PROGRESS`].
fn progress(hub: Hub) -> impl Stream<Item = ImportJob> + Send {
    let changes = hub.jobs.subscribe();
    let seen: Vec<ImportJob> = Vec::new();
    let changed = stream::unfold((hub, changes, seen, true), async |(hub, mut changes, seen, first)| {
        if !first {
            changes.changed().await.ok()?;
            tokio::time::sleep(PROGRESS).await;
        }
        changes.borrow_and_update();
        let jobs = hub.jobs.list();
        // What was done before the page came isn't news.
        let news = |job: &&ImportJob| !(seen.contains(job) || first && job.done);
        let changed: Vec<ImportJob> = jobs.iter().filter(news).cloned().collect();
        Some((stream::iter(changed), (hub, changes, jobs, false)))
    });
    changed.flatten()
}
