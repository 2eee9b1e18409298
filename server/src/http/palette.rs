//! The list of the palette while somebody types.

use super::{Site, page_data};
use api::files::{FileEdit, FilesQuery};
use api::messages::ChangedFile;
use api::sessions::{Facet, ListSessions, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::pages::palette::{self, FileRef, Kind, Palette, Query};
use axum::Json;
use axum::extract::Query as Parameters;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use model::Session;
use serde::Deserialize;
use std::collections::HashSet;

/// The latest sessions, among which letters find theirs; older ones are found by whole words.
const LATEST: u32 = 300;
const OLDER: u32 = 50;
/// The latest changes of files, among which letters find theirs; files that were changed earlier are found by words of
/// their path.
const LATEST_EDITS: u32 = 2_000;
const OLDER_EDITS: u32 = 200;

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

pub async fn list(site: Site, headers: HeaderMap, Parameters(asked): Parameters<Asked>) -> Response {
    match data(&site, &headers, asked).await {
        Ok(data) => ([(header::CACHE_CONTROL, "private, no-cache")], Json(palette::list(&data))).into_response(),
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
    let mut files = Vec::new();
    if wants_files {
        if let Some(open) = asked.session.as_deref() {
            files = files_of_one(site, open).await?;
        }
        files.extend(files_of_all(site, &query).await?);
        let mut known = HashSet::new();
        files.retain(|file| known.insert((file.session.clone(), file.path.clone())));
    }
    let preferences = site.api.get_preferences(Nothing {}, Nothing {}).await?;
    Ok(Palette {
        query,
        sessions,
        files,
        projects,
        session: asked.session,
        in_changes: asked.changes == Some(1),
        can: asked.can.split(',').map(str::to_owned).collect(),
        changed_keys: preferences.keys.into_iter().collect(),
        clock: page_data::clock(headers),
        role: site.role(),
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

/// The files of the open session, which come before those of others.
async fn files_of_one(site: &Site, id: &str) -> Result<Vec<FileRef>, Problem> {
    let detail = site.api.get_session(SessionPath { session: id.to_owned() }, Nothing {}).await?;
    let path = SessionPath { session: detail.session.id.to_string() };
    let changes = site.api.get_changes(path, Nothing {}).await?;
    let reference = |file: ChangedFile| {
        let seq = file.edits.iter().map(|edit| edit.seq).max()?;
        let session = detail.session.id.to_string();
        Some(FileRef { path: file.path, session, title: detail.session.title.clone(), seq })
    };
    Ok(changes.files.into_iter().filter_map(reference).collect())
}

/// The files of all sessions, the last changed first.
async fn files_of_all(site: &Site, query: &Query) -> Result<Vec<FileRef>, Problem> {
    let latest = FilesQuery { limit: Some(LATEST_EDITS), ..FilesQuery::default() };
    let page = site.api.list_files(Nothing {}, latest).await?;
    let mut edits = page.edits;
    if page.next.is_some() && query.words.contains(char::is_alphanumeric) {
        let older = FilesQuery { path: Some(query.words.clone()), limit: Some(OLDER_EDITS), ..FilesQuery::default() };
        edits.extend(site.api.list_files(Nothing {}, older).await?.edits);
    }
    let reference = |edit: FileEdit| FileRef {
        path: edit.path,
        session: edit.session_id,
        title: edit.session_title,
        seq: edit.seq,
    };
    Ok(edits.into_iter().map(reference).collect())
}
