//! The page of what a model saw: the context of a reply.

use super::extract::PageOf;
use super::pages::{answer, query};
use super::{Site, page_data};
use api::context::ContextQuery;
use api::cost::{ModelRequest, RequestsQuery};
use api::messages::{Entry, ListMessages};
use api::sessions::{SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::pages::context::{self, ContextPage};

use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use model::{Part, Role};
use serde::Deserialize;

/// Messages of a reply that the page has.
const REPLY: i64 = 20;

#[derive(Debug, Deserialize)]
struct PageQuery {
    at: Option<String>,
}

pub async fn page(site: Site, PageOf(path): PageOf<SessionPath>, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let PageQuery { at } = query(&uri, &["at"])?;
        let shell = page_data::surroundings(&site, &headers).await?;
        let detail = site.api.get_session(path.clone(), Nothing {}).await?;
        let asked = ContextQuery { at: at.clone(), contents: Some(0) };
        // A session whose context nobody can rebuild has a page that says so.
        let context = site.api.get_context(path.clone(), asked).await;
        let reply = context.as_ref().ok().and_then(|of| of.context.reply.seq);
        let (request, next) = around(&site, &detail, path.clone(), reply).await?;
        let reply = said(&site, path, reply, next).await?;
        let data = ContextPage { detail, at, context, request, next, reply, shell };
        site.draw(move |_| context::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

/// Returns the model's messages and calls from the start of a reply up to the next one.
async fn said(site: &Site, path: SessionPath, reply: Option<i64>, next: Option<i64>) -> Result<Vec<Entry>, Problem> {
    let Some(from) = reply else { return Ok(Vec::new()) };
    let last = from.saturating_add(REPLY - 1);
    let to = Some(next.map_or(last, |next| last.min(next - 1)));
    let of = ListMessages { from: Some(from), to, dev: Some(1), ..ListMessages::default() };
    let mut messages = site.api.list_messages(path, of).await?.messages;
    // A card that a call is shown as says the same once more.
    messages.retain(|entry| {
        let draft = &entry.message.draft;
        matches!(draft.role, Role::Assistant | Role::Model) && draft.part != Part::Derived
    });
    Ok(messages)
}

/// The request whose answer begins with a message, and the message with which the next one's does.
async fn around(
    site: &Site,
    detail: &SessionDetail,
    path: SessionPath,
    reply: Option<i64>,
) -> Result<(Option<ModelRequest>, Option<i64>), Problem> {
    let Some(from) = reply else { return Ok((None, None)) };
    let to = Some(detail.session.last_seq);
    let of = RequestsQuery { from: Some(from), to, limit: Some(20), ..RequestsQuery::default() };
    let requests = site.api.list_requests(path, of).await?.requests;
    let next = requests.iter().filter_map(|request| request.seq).filter(|seq| *seq > from).min();
    Ok((requests.into_iter().find(|request| request.seq == Some(from)), next))
}
