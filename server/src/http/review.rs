//! The changes page of a session, and the differences that it fetches.

use super::extract::PageOf;
use super::pages::{answer, query};
use super::reviewed::reviewed;
use super::{Site, page_data};
use api::messages::{Entry, ListMessages};
use api::net::{NetFile, NetQuery};
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem, ProblemCode};
use app::message::code_review::reviewed::Reviewed;
use app::pages::changes::{self, Body, BodyQuery, ChangesPage, CopyWhat};
use app::shared::{OfReview, Sent};
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use model::envelope::{LineComment, line_comments, review_info};
use model::message_type::code_review::CodeReview;
use model::{Body as Typed, MessageType, Role, Session, Status};
use serde::Deserialize;
use std::sync::Arc;

const SCOPE: &[&str] = &["after", "to", "turn"];
const FILE: &[&str] = &["after", "to", "turn", "path"];
const LOOK: &[&str] = &[
    "view", "context", "open", "spaces", "show", "spans", "table", "hash", "part", "rows", "cut", "lines", "find",
    "step", "at",
];
/// Parameters of these that request a part of a page.
const PIECE: &[&str] = &["part", "rows", "cut", "lines", "find", "step", "at"];

pub async fn page(site: Site, PageOf(path): PageOf<SessionPath>, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query: NetQuery = query(&uri, SCOPE)?;
        let shell = page_data::surroundings(&site, &headers).await?;
        let detail = site.api.get_session(path.clone(), Nothing {}).await?;
        let changes = site.api.get_net_changes(path, query.clone()).await?;
        let (sent, left_out) = sent(&site, &detail.session).await?;
        let data = ChangesPage { detail, query, changes, sent, left_out, shell };
        site.draw(move |_| changes::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

/// Messages that are read at once.
const MESSAGES: u32 = 500;

/// Comments of reviews that the page has at most.
const REMARKS: usize = 500;

/// The comments on lines in what people said, then those of reviews, and how many of these are left out. An agent that
/// doesn't post by itself can't be sent any.
async fn sent(site: &Site, session: &Session) -> Result<(Vec<Sent>, usize), Problem> {
    let mut sent = Vec::new();
    if session.registered {
        for draft in
            entries(site, session, MessageType::Text, vec![Role::User]).await?.into_iter().map(|it| it.message.draft)
        {
            let message = draft.id.to_string();
            let comments = line_comments(draft.metadata.as_ref()).into_iter();
            sent.extend(comments.map(|comment| Sent { message: message.clone(), comment, review: None }));
        }
    }
    let reviews = entries(site, session, MessageType::CodeReview, Vec::new()).await?;
    let path = SessionPath { session: session.id.to_string() };
    let known = reviewed(&site.api, &path, &reviews).await?;
    let mut remarks: Vec<Sent> = Vec::new();
    for entry in &reviews {
        if let Typed::CodeReview(review) = entry.body() {
            remarks.extend(comments_of(entry, review, known.get(&entry.message.seq), session.registered));
        }
    }
    let left = remarks.len().saturating_sub(REMARKS);
    sent.extend(remarks.into_iter().skip(left));
    Ok((sent, left))
}

/// All messages of a type that weren't taken back.
async fn entries(site: &Site, session: &Session, of: MessageType, roles: Vec<Role>) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut after = Some(0);
    while let Some(seq) = after {
        let path = SessionPath { session: session.id.to_string() };
        let (types, roles) = (vec![of.to_string()], roles.clone());
        let asked = ListMessages { after: Some(seq), types, roles, limit: Some(MESSAGES), ..ListMessages::default() };
        let page = site.api.list_messages(path, asked).await?;
        after = (page.to < page.last_seq).then_some(page.to).filter(|to| *to > seq);
        entries.extend(page.messages.into_iter().filter(|entry| entry.message.draft.status != Status::Retracted));
    }
    Ok(entries)
}

/// The comments of a review, with their lines where the session's edits hold them.
fn comments_of<'a>(
    entry: &'a Entry,
    review: &'a CodeReview,
    known: Option<&'a Reviewed>,
    answers: bool,
) -> impl Iterator<Item = Sent> + 'a {
    let draft = &entry.message.draft;
    let infos = review_info(draft.metadata.as_ref());
    let path = known.and_then(|known| known.path.clone());
    review.comments.iter().enumerate().map(move |(index, comment)| {
        let state = infos.get(&index).map(|info| info.state);
        let lines = known.and_then(|known| known.lines.get(index)).cloned().unwrap_or_default();
        let comment = LineComment {
            file_path: path.clone().unwrap_or_else(|| review.file_path.clone()),
            quote: lines.quote.unwrap_or_default(),
            ..review.line_comment(comment, state)
        };
        let shown_sha256 = entry.shown_sha256.clone().filter(|_| answers);
        let review = Some(OfReview { index, state, outdated: lines.outdated, shown_sha256 });
        Sent { message: draft.id.to_string(), comment, review }
    })
}

#[derive(Debug, Deserialize)]
struct Copy {
    #[serde(rename = "as")]
    what: Option<CopyWhat>,
}

/// The difference of one file; with `as`, a text for the clipboard. Without a path, `as=patch` is one of all files.
pub async fn net(site: Site, Path(path): Path<SessionPath>, uri: Uri) -> Response {
    let fragment = async {
        let wanted: NetQuery = query(&uri, FILE)?;
        let Copy { what } = query(&uri, &["as"])?;
        let look: BodyQuery = query(&uri, LOOK)?;
        let Some(name) = wanted.path.clone() else {
            return match what {
                Some(CopyWhat::Patch) => patch(&site, path, wanted).await,
                _ => Err(Problem::new(ProblemCode::InvalidQuery, "`path` is missing")),
            };
        };
        if let Some(what) = what {
            let folder = folder(&site, path.clone()).await?;
            let file = file(&site, path, wanted, &name).await?;
            return Ok(plain(site.draw(move |_| changes::copied(&file, what, &folder)).await?));
        }
        let known = look.hash.as_ref().and_then(|hash| changes::known(&name, hash));
        let prepared = if let Some(prepared) = known {
            // The session may be gone since.
            site.api.get_session(path, Nothing {}).await?;
            prepared
        } else {
            let file = file(&site, path, wanted, &name).await?;
            site.draw(move |_| changes::prepare(file)).await?
        };
        let address = address(&uri);
        let (shown, spaces) = (Arc::clone(&prepared), look.spaces());
        let body = site.draw(move |_| changes::body(&shown, &look, &address)).await?;
        // The diff of a large file is computed meanwhile, because the reader may request it.
        let site = site.clone();
        tokio::spawn(async move { site.draw(move |_| prepared.outlines(spaces).len()).await });
        Ok(match body {
            Body::Html(html) => page_data::html(StatusCode::OK, html),
            Body::Text(text) => plain(text),
        })
    };
    fragment.await.unwrap_or_else(IntoResponse::into_response)
}

/// One patch of all files, sent one by one.
async fn patch(site: &Site, path: SessionPath, wanted: NetQuery) -> Result<Response, Problem> {
    let folder = folder(site, path.clone()).await?;
    let all = site.api.get_net_changes(path.clone(), wanted.clone()).await?;
    let site = site.clone();
    let pieces = stream::iter(all.files).then(move |one| {
        let (site, path, folder) = (site.clone(), path.clone(), folder.clone());
        let wanted = NetQuery { path: Some(one.path.clone()), ..wanted.clone() };
        async move {
            let file = file(&site, path, wanted, &one.path).await?;
            site.draw(move |_| changes::copied(&file, CopyWhat::Patch, &folder)).await
        }
    });
    Ok(plain(axum::body::Body::from_stream(pieces.map_err(std::io::Error::other))))
}

/// Where the agent worked: paths of a patch begin there.
async fn folder(site: &Site, path: SessionPath) -> Result<String, Problem> {
    let session = site.api.get_session(path, Nothing {}).await?.session;
    Ok(session.cwd.unwrap_or(session.project))
}

/// A file of the net changes, with its texts.
async fn file(site: &Site, path: SessionPath, wanted: NetQuery, name: &str) -> Result<NetFile, Problem> {
    let changes = site.api.get_net_changes(path, wanted).await?;
    changes.files.into_iter().find(|file| file.path == name).ok_or_else(|| Problem::not_found("file"))
}

/// Somebody's text is never a document of ours.
fn plain(text: impl IntoResponse) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// The address of this fragment without what is asked for piece by piece.
fn address(uri: &Uri) -> String {
    let pairs: Vec<(String, String)> = serde_html_form::from_str(uri.query().unwrap_or_default()).unwrap_or_default();
    let kept: Vec<_> = pairs.into_iter().filter(|(name, _)| !PIECE.contains(&name.as_str())).collect();
    format!("{}?{}", uri.path(), serde_html_form::to_string(kept).unwrap_or_default())
}
