//! What the palette lists while somebody types.

use super::{Site, page_data};
use api::sessions::{Facet, ListSessions, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::pages::palette::{self, FileRef, Kind, Palette, Query};
use axum::extract::{Query as Parameters, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use model::{Session, SessionId};
use quick_cache::sync::Cache;
use serde::Deserialize;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The latest sessions, among which letters find theirs; older ones are found by whole words.
const LATEST: u32 = 300;
const OLDER: u32 = 50;
/// Longest time that is spent on reading what sessions changed; what was read is known the next time.
const PATIENCE: Duration = Duration::from_millis(250);
/// Sessions whose changed files are kept.
const KEPT: usize = 2_000;

/// Path and last edit of each file that a session changed, up to a `seq` of the session.
type Changed = Arc<(i64, Vec<(String, i64)>)>;

/// By session, so that typing on reads nothing again.
static CHANGED: LazyLock<Cache<SessionId, Changed>> = LazyLock::new(|| Cache::new(KEPT));

#[derive(Debug, Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
    /// The one that is open.
    session: Option<String>,
    /// `1`: on the page of its changes.
    changes: Option<u8>,
    /// Ids of commands that need something of the page which it has, with commas between them.
    #[serde(default)]
    can: String,
}

pub async fn list(State(site): State<Site>, headers: HeaderMap, Parameters(asked): Parameters<Asked>) -> Response {
    match data(&site, &headers, asked).await {
        Ok(data) => page_data::html(StatusCode::OK, palette::list(&data)),
        Err(problem) => problem.into_response(),
    }
}

async fn data(site: &Site, headers: &HeaderMap, asked: Asked) -> Result<Palette, Problem> {
    let query = Query::read(&asked.q);
    let (sessions, projects) = if query.wants(Kind::Commands) && query.kind.is_some() {
        (Vec::new(), Vec::new())
    } else {
        sessions(site, &query).await?
    };
    let wants_files = query.wants(Kind::Files) && (query.kind.is_some() || !query.words.is_empty());
    let (files, searched) = match asked.session.as_deref() {
        _ if !wants_files => (Vec::new(), None),
        Some(open) => (files_of_one(site, open).await?, None),
        None => files(site, &sessions).await?,
    };
    let preferences = site.api.get_preferences(Nothing {}, Nothing {}).await?;
    Ok(Palette {
        query,
        sessions,
        files,
        searched,
        projects,
        session: asked.session,
        in_changes: asked.changes == Some(1),
        can: asked.can.split(',').map(str::to_owned).collect(),
        changed_keys: preferences.keys.into_iter().collect(),
        clock: page_data::clock(headers),
    })
}

/// With the projects of all sessions.
async fn sessions(site: &Site, query: &Query) -> Result<(Vec<Session>, Vec<Facet>), Problem> {
    let latest = ListSessions { limit: Some(LATEST), ..ListSessions::default() };
    let page = site.api.list_sessions(Nothing {}, latest).await?;
    let mut sessions = page.sessions;
    if page.next.is_some() && !query.words.is_empty() {
        let older = ListSessions { q: Some(query.words.clone()), limit: Some(OLDER), ..ListSessions::default() };
        let older = site.api.list_sessions(Nothing {}, older).await?.sessions;
        let new = older.into_iter().filter(|one| sessions.iter().all(|known| known.id != one.id)).collect::<Vec<_>>();
        sessions.extend(new);
    }
    Ok((sessions, page.facets.projects))
}

async fn files_of_one(site: &Site, id: &str) -> Result<Vec<FileRef>, Problem> {
    let detail = site.api.get_session(SessionPath { session: id.to_owned() }, Nothing {}).await?;
    Ok(references(&detail.session, &changed(site, &detail.session).await?))
}

/// Files of all sessions, the latest first; and of how many sessions, if time was too short for all of them.
async fn files(site: &Site, sessions: &[Session]) -> Result<(Vec<FileRef>, Option<usize>), Problem> {
    let end = tokio::time::Instant::now() + PATIENCE;
    let mut files = Vec::new();
    let all = sessions.iter().filter(|session| session.lines_added + session.lines_removed > 0);
    for (before, session) in all.enumerate() {
        if tokio::time::Instant::now() > end {
            return Ok((files, Some(before)));
        }
        files.extend(references(session, &changed(site, session).await?));
    }
    Ok((files, None))
}

fn references(session: &Session, changed: &Changed) -> Vec<FileRef> {
    let reference = |(path, seq): &(String, i64)| FileRef {
        path: path.clone(),
        session: session.id.to_string(),
        title: session.title.clone(),
        seq: *seq,
    };
    changed.1.iter().map(reference).collect()
}

async fn changed(site: &Site, session: &Session) -> Result<Changed, Problem> {
    if let Some(known) = CHANGED.get(&session.id).filter(|known| known.0 == session.last_seq) {
        return Ok(known);
    }
    let changes = site.api.get_changes(SessionPath { session: session.id.to_string() }, Nothing {}).await?;
    let last = |file: api::messages::ChangedFile| Some((file.path, file.edits.iter().map(|edit| edit.seq).max()?));
    let changed: Changed = Arc::new((session.last_seq, changes.files.into_iter().filter_map(last).collect()));
    CHANGED.insert(session.id.clone(), changed.clone());
    Ok(changed)
}
