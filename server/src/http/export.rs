//! What leaves Verbatim: imported files as they came, byte for byte, and sessions written out to be read.

pub mod written;

use super::asked::{Asked, Named};
use api::Problem;
use api::messages::ListMessages;
use api::sessions::SessionPath;
use api::{Api as _, Nothing};
use axum::Extension;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use hub::Scoped;
use model::SourceId;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct ExportQuery {
    format: Option<String>,
    /// Of a session from several files: which one. The session's own file if absent.
    source: Option<String>,
}

pub async fn export(
    Extension(scoped): Extension<Scoped>,
    Named(path): Named<SessionPath>,
    Asked(query): Asked<ExportQuery>,
) -> Response {
    let answer = match query.format.as_deref() {
        Some("original") => original(scoped, path, query.source).await,
        Some("json") => json(&scoped, path).await,
        Some("html") => written::html(scoped, path).await,
        Some("markdown") => written::markdown(scoped, path).await,
        _ => Err(Problem::field("format", "`original`, `json`, `html` or `markdown`")),
    };
    answer.unwrap_or_else(axum::response::IntoResponse::into_response)
}

async fn original(scoped: Scoped, path: SessionPath, source: Option<String>) -> Result<Response, Problem> {
    let detail = scoped.get_session(path, Nothing {}).await?;
    // A session's own file is the one that is named after it; sub-agents' files are further sources.
    let own_id = detail.session.agent_session_id.clone().unwrap_or_default();
    let named = |path: &str| {
        std::path::Path::new(path).file_stem().is_some_and(|stem| own_id.ends_with(&*stem.to_string_lossy()))
    };
    let chosen = match &source {
        Some(id) => detail.sources.iter().find(|s| s.id == *id),
        None => detail.sources.iter().find(|s| named(&s.path)).or(detail.sources.first()),
    };
    let chosen = chosen.ok_or_else(|| {
        Problem::new(404, "no_source", "This session was not imported from a file").hint("`--format json` exports it")
    })?;
    let id = SourceId::parse(chosen.id.clone()).map_err(|_| Problem::internal())?;
    let name =
        std::path::Path::new(&chosen.path).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let workspace = scoped.hub.workspace.clone();
    let chunks = stream::try_unfold(Some(0), move |offset| {
        let (workspace, id) = (workspace.clone(), id.clone());
        async move {
            let Some(offset) = offset else { return Ok(None) };
            let chunk = workspace.source_chunk(&id, offset).await.map_err(|e| std::io::Error::other(e.to_string()))?;
            Ok::<_, std::io::Error>(chunk.map(|chunk| (chunk.bytes, chunk.next)))
        }
    });
    Ok(download(&name, "application/x-ndjson", Body::from_stream(chunks)))
}

async fn json(scoped: &Scoped, path: SessionPath) -> Result<Response, Problem> {
    let detail = scoped.get_session(path.clone(), Nothing {}).await?;
    let mut messages = Vec::new();
    let mut after = 0;
    while after < detail.session.last_seq {
        let query = ListMessages { after: Some(after), dev: Some(1), limit: Some(500), ..ListMessages::default() };
        let page = scoped.list_messages(path.clone(), query).await?;
        after = page.to.max(after + 1);
        messages.extend(page.messages);
    }
    let name = format!("{}.json", detail.session.id);
    let whole = serde_json::json!({ "session": detail, "messages": messages });
    Ok(download(&name, "application/json", Body::from(whole.to_string())))
}

/// A file to save: never shown as a page of ours.
pub fn download(name: &str, content_type: &'static str, body: Body) -> Response {
    let safe: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    let disposition = format!("attachment; filename=\"{safe}\"");
    ([(header::CONTENT_TYPE, content_type.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response()
}
