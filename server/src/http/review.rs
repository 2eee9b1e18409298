//! The changes page of a session, and the differences that it fetches.

use super::pages::{answer, query};
use super::{Site, views};
use api::net::{NetFile, NetQuery};
use api::sessions::SessionPath;
use api::{Nothing, Problem};
use app::pages::changes::{self, BodyQuery, ChangesPage, CopyWhat};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

const SCOPE: &[&str] = &["after", "to", "turn"];
const FILE: &[&str] = &["after", "to", "turn", "path"];
const LOOK: &[&str] = &["view", "context", "spaces", "show", "spans", "table", "rows", "hash", "part", "lines"];

pub async fn page(State(site): State<Site>, Path(path): Path<SessionPath>, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query: NetQuery = query(&uri, SCOPE)?;
        let shell = views::surroundings(&site, &headers).await?;
        let detail = site.client.get_session(path.clone(), Nothing {}).await?;
        let changes = site.client.get_net_changes(path, query.clone()).await?;
        let data = ChangesPage { detail, query, changes, shell };
        draw(move || changes::page(&data)).await
    };
    answer(&site, &headers, page.await)
}

#[derive(Debug, Deserialize)]
struct Copy {
    #[serde(rename = "as")]
    what: Option<CopyWhat>,
}

/// The difference of one file; with `as`, a text for the clipboard.
pub async fn net(State(site): State<Site>, Path(path): Path<SessionPath>, uri: Uri) -> Response {
    let fragment = async {
        let wanted: NetQuery = query(&uri, FILE)?;
        let Copy { what } = query(&uri, &["as"])?;
        let look: BodyQuery = query(&uri, LOOK)?;
        let Some(name) = wanted.path.clone() else {
            return Err(Problem::new(400, "invalid_query", "`path` is missing"));
        };
        let (known, named) = (look.clone(), name.clone());
        let rows = tokio::task::spawn_blocking(move || changes::known_rows(&named, &known)).await;
        if let Ok(Some(rows)) = rows {
            return Ok(views::html(StatusCode::OK, rows));
        }
        let address = address(&uri);
        let changes = site.client.get_net_changes(path, wanted).await?;
        let Some(file) = changes.files.into_iter().find(|file| file.path == name) else {
            return Err(Problem::not_found("file"));
        };
        match what {
            Some(what) => Ok(plain(&file, what)),
            None => {
                draw(move || changes::body(&file, &look, &address)).await.map(|html| views::html(StatusCode::OK, html))
            }
        }
    };
    fragment.await.unwrap_or_else(IntoResponse::into_response)
}

/// Somebody's text is never a document of ours.
fn plain(file: &NetFile, what: CopyWhat) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], changes::copied(file, what)).into_response()
}

/// The address of this fragment without what is asked for piece by piece.
fn address(uri: &Uri) -> String {
    let pairs: Vec<(String, String)> = serde_html_form::from_str(uri.query().unwrap_or_default()).unwrap_or_default();
    let kept: Vec<_> =
        pairs.into_iter().filter(|(name, _)| !matches!(name.as_str(), "rows" | "hash" | "part" | "lines")).collect();
    format!("{}?{}", uri.path(), serde_html_form::to_string(kept).unwrap_or_default())
}

/// Drawing may take a while, and others want to be served.
async fn draw(html: impl FnOnce() -> String + Send + 'static) -> Result<String, Problem> {
    tokio::task::spawn_blocking(html).await.map_err(|_| Problem::internal())
}
