//! The page of what a model saw: the context of a reply.

use super::asked::PageOf;
use super::pages::{answer, query};
use super::{Site, views};
use api::context::ContextQuery;
use api::cost::{ModelRequest, RequestsQuery};
use api::sessions::{SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::pages::context::{self, ContextPage};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct PageQuery {
    at: Option<String>,
}

pub async fn page(
    State(site): State<Site>,
    PageOf(path): PageOf<SessionPath>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let page = async {
        let PageQuery { at } = query(&uri, &["at"])?;
        let shell = views::surroundings(&site, &headers).await?;
        let detail = site.api.get_session(path.clone(), Nothing {}).await?;
        let asked = ContextQuery { at: at.clone(), contents: Some(0) };
        // A session whose context nobody can rebuild has a page that says so.
        let context = site.api.get_context(path.clone(), asked).await;
        let reply = context.as_ref().ok().and_then(|of| of.context.reply.seq);
        let (request, next) = around(&site, &detail, path, reply).await?;
        let data = ContextPage { detail, at, context, request, next, shell };
        site.draw(move |_| context::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

/// The request whose answer begins with a message, and the message with which the next one's does.
async fn around(
    site: &Site,
    detail: &SessionDetail,
    path: SessionPath,
    reply: Option<i64>,
) -> Result<(Option<ModelRequest>, Option<i64>), Problem> {
    let Some(from) = reply else { return Ok((None, None)) };
    let of = RequestsQuery { from: Some(from), to: Some(detail.session.last_seq), ..RequestsQuery::default() };
    let requests = site.api.list_requests(path, of).await?.requests;
    let next = requests.iter().filter_map(|request| request.seq).filter(|seq| *seq > from).min();
    Ok((requests.into_iter().find(|request| request.seq == Some(from)), next))
}
