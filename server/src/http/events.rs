//! The event stream: what changed, never content.

use super::Site;
use api::events::BuildEvent;
use api::imports::ImportJob;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _, stream};
use hub::Hub;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::time::Duration;

const HEARTBEAT: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_millis(1500);
/// Progress of imports is shown so often at most.
const PROGRESS: Duration = Duration::from_millis(250);

#[derive(Debug, Deserialize)]
pub struct EventsQuery {
    after: Option<String>,
    session: Option<String>,
}

pub async fn events(State(site): State<Site>, Query(query): Query<EventsQuery>, headers: HeaderMap) -> Response {
    // A browser that reconnects says where it was.
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).map(str::to_owned);
    let pos = match last.or(query.after).filter(|c| !c.is_empty()).map(|cursor| hub::feed::position(&cursor)) {
        None => site.hub.feed.pos(),
        Some(Ok(pos)) => pos,
        Some(Err(problem)) => return problem.into_response(),
    };
    let build = event("build", &BuildEvent { build: site.build.clone() }).map(|e| e.retry(RETRY));
    let feed = hub::feed::stream(site.hub.clone(), pos, query.session)
        .map(|change| event("feed", &change).map(|e| e.id(hub::feed::cursor(change.pos))));
    let imports = progress(site.hub.clone()).map(|job| event("import", &job));
    let all = stream::iter([build]).chain(stream::select(feed, imports)).filter_map(async |event| event);
    let until = site.hub.shutdown.clone().cancelled_owned();
    let events = all.map(Ok::<_, Infallible>).take_until(until);
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    Event::default().event(name).json_data(data).inspect_err(|error| tracing::error!(%error, "an event")).ok()
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
