//! What the palette lists while somebody types.

use super::{Site, views};
use api::sessions::{Facet, ListSessions, SessionPath};
use api::{Nothing, Problem};
use app::pages::palette::{self, FileRef, Kind, Palette, Query};
use axum::extract::{Query as Parameters, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use model::Session;
use serde::Deserialize;

/// The latest sessions, among which letters find theirs; older ones are found by whole words.
const LATEST: u32 = 300;
const OLDER: u32 = 50;
/// Sessions whose changed files are listed where none is open.
const WITH_FILES: usize = 6;

#[derive(Debug, Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
    /// The one that is open.
    session: Option<String>,
    /// `1`: on the page of its changes.
    changes: Option<u8>,
}

pub async fn list(State(site): State<Site>, Parameters(asked): Parameters<Asked>) -> Response {
    match data(&site, asked).await {
        Ok(data) => views::html(StatusCode::OK, palette::list(&data)),
        Err(problem) => problem.into_response(),
    }
}

async fn data(site: &Site, asked: Asked) -> Result<Palette, Problem> {
    let query = Query::read(&asked.q);
    let (sessions, projects) = if query.wants(Kind::Commands) && query.kind.is_some() {
        (Vec::new(), Vec::new())
    } else {
        sessions(site, &query).await?
    };
    let wants_files = query.wants(Kind::Files) && (query.kind.is_some() || !query.words.is_empty());
    let files = if wants_files { files(site, asked.session.as_deref(), &sessions).await? } else { Vec::new() };
    let preferences = site.client.get_preferences(Nothing {}, Nothing {}).await?;
    Ok(Palette {
        query,
        sessions,
        files,
        projects,
        in_session: asked.session.is_some(),
        in_changes: asked.changes == Some(1),
        changed_keys: preferences.keys.into_iter().collect(),
        clock: views::clock(),
    })
}

/// With the projects of all sessions.
async fn sessions(site: &Site, query: &Query) -> Result<(Vec<Session>, Vec<Facet>), Problem> {
    let latest = ListSessions { limit: Some(LATEST), ..ListSessions::default() };
    let page = site.client.list_sessions(Nothing {}, latest).await?;
    let mut sessions = page.sessions;
    if page.next.is_some() && !query.words.is_empty() {
        let older = ListSessions { q: Some(query.words.clone()), limit: Some(OLDER), ..ListSessions::default() };
        let older = site.client.list_sessions(Nothing {}, older).await?.sessions;
        let new = older.into_iter().filter(|one| sessions.iter().all(|known| known.id != one.id)).collect::<Vec<_>>();
        sessions.extend(new);
    }
    Ok((sessions, page.facets.projects))
}

/// Files of the session that is open, or of the latest ones.
async fn files(site: &Site, open: Option<&str>, latest: &[Session]) -> Result<Vec<FileRef>, Problem> {
    let mut files = Vec::new();
    let named: Vec<(String, String)> = if let Some(id) = open {
        let detail = site.client.get_session(SessionPath { session: id.to_owned() }, Nothing {}).await?;
        vec![(detail.session.id.to_string(), detail.session.title)]
    } else {
        let changed = latest.iter().filter(|session| session.lines_added + session.lines_removed > 0);
        changed.take(WITH_FILES).map(|session| (session.id.to_string(), session.title.clone())).collect()
    };
    for (id, title) in named {
        let changes = site.client.get_changes(SessionPath { session: id.clone() }, Nothing {}).await?;
        files.extend(changes.files.into_iter().filter_map(|file| {
            let seq = file.edits.iter().map(|edit| edit.seq).max()?;
            Some(FileRef { path: file.path, session: id.clone(), title: title.clone(), seq })
        }));
    }
    Ok(files)
}
