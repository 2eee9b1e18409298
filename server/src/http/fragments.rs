//! Pieces of pages, for the islands. The same components as in the pages draw them.

use super::extract::{Asked, Named};
use super::pages::{
    PanelQuery, folders_data, inbox_data, panel as panel_data, routing_data, sessions_data, settings_data,
};
use super::transcript::View;
use super::{Shared, Site, filter, page_data, transcript};
use api::audit::AuditQuery;
use api::messages::{ListMessages, MessageDetail, MessagePath};
use api::people::PersonRole;
use api::sessions::{ListSessions, SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::pages::panel::{self, PanelData, Tab};
use app::pages::session::Dev;
use app::transcript::Detail;
use axum::extract::{FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use hub::compute::Job;
use serde::Deserialize;
use std::sync::Arc;

/// Longest text that is previewed, in bytes of its request.
const RENDER_LIMIT: usize = 1 << 20;

/// Sessions that a list offers at once.
const OPTIONS: u32 = 50;

/// Which sessions a list is to offer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionOptions {
    q: String,
}

/// HTML of a piece of a page.
pub struct Fragment(String);

impl IntoResponse for Fragment {
    fn into_response(self) -> Response {
        page_data::html(StatusCode::OK, self.0)
    }
}

type Answer = Result<Fragment, Problem>;

async fn message_at(site: &Site, session: String, seq: i64) -> Result<MessageDetail, Problem> {
    site.api.get_message(MessagePath { session, message: seq.to_string() }, Nothing {}).await
}

/// The session that the address names, and how it is asked for.
pub struct OfSession {
    detail: SessionDetail,
    query: FragmentQuery,
    view: View,
}

impl FromRequestParts<Shared> for OfSession {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Shared) -> Result<Self, Problem> {
        let Named(path) = Named::<SessionPath>::from_request_parts(parts, site).await?;
        let Asked(query) = Asked::<FragmentQuery>::from_request_parts(parts, site).await?;
        let view = query.view(&parts.headers)?;
        let site = Site::from_request_parts(parts, site).await?;
        let detail = site.api.session_without_cost(&path).await?;
        Ok(Self { detail, query, view })
    }
}

#[derive(Debug, Deserialize)]
pub struct FragmentQuery {
    dev: Option<String>,
    view: Option<String>,
    full: Option<String>,
    open: Option<String>,
    /// Words that the reader looks for in a message.
    find: Option<String>,
    tab: Option<String>,
    /// Index of the first requested block of a streaming text.
    block: Option<usize>,
    /// For the tab `changes`: the path whose edits are requested, or the position to continue the files from.
    file: Option<String>,
    more: Option<String>,
    /// For the tab `events`: only those before this `seq`.
    before: Option<i64>,
    /// For the tab `records`: the `seq` of a message, or a position in a file; or one record in full.
    at: Option<i64>,
    source: Option<String>,
    offset: Option<u64>,
    one: Option<String>,
    /// The last of several chunks; the path names the first.
    last: Option<i64>,
    /// First `seq` of a marker's hidden messages.
    from: Option<i64>,
    to: Option<i64>,
    #[serde(rename = "type")]
    types: Option<String>,
    role: Option<String>,
}

impl FragmentQuery {
    fn view(&self, headers: &HeaderMap) -> Result<View, Problem> {
        let filter = filter::read(self.types.as_deref(), self.role.as_deref())?;
        let view = page_data::view(self.dev.as_deref(), self.view.as_deref(), headers);
        Ok(View { filter: Arc::new(filter), ..view })
    }
}

pub async fn sessions(site: Site, uri: Uri, headers: HeaderMap) -> Answer {
    let data = sessions_data(&site, &uri, &headers).await?;
    Ok(Fragment(app::pages::sessions::list(&data)))
}

/// Sessions as options of a list: those with these words, else the latest.
pub async fn session_options(site: Site, Asked(query): Asked<SessionOptions>) -> Answer {
    let q = Some(query.q).filter(|words| !words.trim().is_empty());
    let query = ListSessions { q, limit: Some(OPTIONS), ..ListSessions::default() };
    let page = site.api.list_sessions(Nothing {}, query).await?;
    Ok(Fragment(app::pages::session_pick::found(&page.sessions)))
}

/// The latest sessions, as the rail lists them.
pub async fn rail(site: Site, headers: HeaderMap) -> Answer {
    let (page, asks) = tokio::try_join!(page_data::recent(&site), page_data::asks(&site))?;
    Ok(Fragment(app::shell::recent_sessions(&page_data::clock(&headers), &page.sessions, page.all, &asks)))
}

/// The rows of the inbox, without the content of those that the browser knows already.
pub async fn inbox(site: Site, uri: Uri, headers: HeaderMap) -> Answer {
    let data = inbox_data(&site, &uri, &headers).await?;
    site.draw(move |_| app::pages::inbox::list(&data)).await.map(Fragment)
}

pub async fn folders(site: Site, headers: HeaderMap) -> Answer {
    let data = folders_data(&site, &headers).await?;
    Ok(Fragment(app::pages::folders::list(&data)))
}

pub async fn settings(site: Site, headers: HeaderMap) -> Answer {
    let data = settings_data(&site, &headers).await?;
    Ok(Fragment(app::pages::settings::inner(&data)))
}

pub async fn routing(site: Site, Named(path): Named<SessionPath>, headers: HeaderMap) -> Answer {
    let data = routing_data(&site, &path, &headers).await?;
    Ok(Fragment(app::pages::routing::inner(&data)))
}

/// Older entries of the audit log.
pub async fn audit(site: Site, Asked(query): Asked<AuditQuery>, headers: HeaderMap) -> Answer {
    let older = super::pages::audit(&site, query).await?;
    Ok(Fragment(app::pages::settings::audit::more(&older, &page_data::clock(&headers))))
}

/// Returns the rows of a chunk. With `last` it returns several chunks, each in its `<section data-chunk="N">`.
pub async fn chunk(
    site: Site,
    OfSession { detail, query, view }: OfSession,
    Path((_, chunk)): Path<(String, i64)>,
) -> Answer {
    let html = match query.last {
        Some(last) => transcript::sections(&site, &detail, &view, chunk, last).await?,
        None => transcript::chunk(&site, &detail, &view, chunk).await?,
    };
    Ok(Fragment(html))
}

pub async fn message(
    site: Site,
    OfSession { detail, query, view }: OfSession,
    Path((_, seq)): Path<(String, i64)>,
) -> Answer {
    let much = match (query.full.as_deref(), query.open.as_deref()) {
        (Some("1"), _) => Detail::Whole,
        (_, Some("1")) => Detail::Unfolded,
        _ => Detail::Glance,
    };
    let sought = query.find.as_deref().filter(|words| !words.trim().is_empty());
    transcript::article(&site, &detail, &view, seq, (much, sought)).await.map(Fragment)
}

/// Returns the hidden messages of a marker.
pub async fn hidden(site: Site, OfSession { detail, query, view }: OfSession) -> Answer {
    let view = View { dev: Dev::Off, ..view };
    let from = query.from.unwrap_or(1);
    transcript::unfolded(&site, &detail, &view, from, query.to.unwrap_or(from)).await.map(Fragment)
}

/// Returns the new part of a streaming text.
pub async fn growth(
    site: Site,
    Path((session, seq)): Path<(String, i64)>,
    Query(query): Query<FragmentQuery>,
) -> Answer {
    let one = ListMessages { from: Some(seq), to: Some(seq), ..ListMessages::default() };
    let page = site.api.list_messages(SessionPath { session }, one).await?;
    let entry = page.messages.into_iter().next().ok_or_else(|| Problem::not_found("message"))?;
    let growth = site.draw(move |_| app::fragments::growth_from(&entry, query.block.unwrap_or(0))).await?;
    Ok(Fragment(growth.map_or_else(String::new, |growth| growth.html)))
}

pub async fn panel(site: Site, OfSession { detail, query, view }: OfSession, headers: HeaderMap) -> Answer {
    let path = SessionPath { session: detail.session.id.to_string() };
    let tab = query.tab.as_deref().and_then(Tab::parse).unwrap_or_else(|| Tab::for_session(&detail.session));
    let place = query.source.clone().map(|source| (source, query.offset.unwrap_or(0)));
    let limit = if query.one.is_some() { 1 } else { panel::RECORDS };
    let part = PanelQuery { dev: view.dev, at: query.at, before: query.before, place, limit };
    let (data, edited) = panel_data(&site, &path, tab, &part).await?;
    // Only these say what a session cost.
    let detail = match tab {
        Tab::Context | Tab::About => site.api.get_session(path, Nothing {}).await?,
        _ => detail,
    };
    let clock = page_data::clock(&headers);
    let draw = move |_: &Job| match (&data, &query.file, &query.more) {
        (PanelData::Changes(changes), Some(file), _) => {
            panel::edits(&detail.session, changes, file).ok_or_else(|| Problem::not_found("file"))
        }
        (PanelData::Changes(changes), None, Some(_)) => Ok(panel::more_files(&detail.session, changes)),
        (PanelData::Events(page), ..) if part.before.is_some() => Ok(panel::more_events(&detail.session, page, &clock)),
        (PanelData::Records { page, .. }, ..) if query.one.is_some() => {
            panel::record(page).ok_or_else(|| Problem::not_found("record"))
        }
        (PanelData::Records { page, .. }, ..) if part.place.is_some() => Ok(panel::more_records(&detail.session, page)),
        _ => Ok(panel::panel(&detail, &data, edited, &clock)),
    };
    site.draw(draw).await?.map(Fragment)
}

/// Returns the last messages of a sub-agent, for the panel of its parent session.
pub async fn nested(site: Site, Path(path): Path<SessionPath>, headers: HeaderMap) -> Answer {
    let detail = site.api.session_without_cost(&path).await?;
    let (rows, earlier) = transcript::nested(&site, &detail, &page_data::view(None, None, &headers)).await?;
    Ok(Fragment(panel::nested(&detail.session, rows, earlier)))
}

pub async fn head(site: Site, Path(path): Path<SessionPath>, headers: HeaderMap) -> Answer {
    // For the projects of all sessions: one is called by what tells it from the others.
    let one = ListSessions { limit: Some(1), ..ListSessions::default() };
    let (detail, list) =
        tokio::try_join!(site.api.get_session(path, Nothing {}), site.api.list_sessions(Nothing {}, one))?;
    Ok(Fragment(app::pages::session::head(&detail, &list.facets.projects, &page_data::clock(&headers))))
}

/// The chips above a transcript.
pub async fn filters(site: Site, OfSession { detail, view, .. }: OfSession) -> Answer {
    let path = SessionPath { session: detail.session.id.to_string() };
    let data = filter::data(&site, &path, &view, true).await?;
    Ok(Fragment(app::pages::session::filter::chips(&detail.session.id, &data, view.dev)))
}

pub async fn edit(site: Site, Path((session, seq, index)): Path<(String, i64, usize)>) -> Answer {
    let detail = message_at(&site, session, seq).await?;
    let drawn = site.draw(move |_| app::fragments::edit(&detail.entry, index)).await?;
    drawn.map(Fragment).ok_or_else(|| Problem::not_found("edit"))
}

#[derive(Debug, Deserialize)]
pub struct TextQuery {
    /// Index of the edit of a `CODE_EDIT` whose diff is requested.
    edit: Option<usize>,
}

/// How the records of a message are asked for.
#[derive(Debug, Deserialize)]
pub struct RecordsQuery {
    #[serde(rename = "as")]
    form: Option<RecordsForm>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordsForm {
    Text,
}

pub async fn records(
    site: Site,
    Path((session, seq)): Path<(String, i64)>,
    Query(query): Query<RecordsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let detail = message_at(&site, session.clone(), seq).await?;
    Ok(match query.form {
        Some(RecordsForm::Text) => site.draw(move |_| app::fragments::records_text(&detail)).await?.into_response(),
        None => {
            let path = MessagePath { session, message: detail.entry.message.draft.id.to_string() };
            let told = if site.role() == PersonRole::Viewer {
                Vec::new()
            } else {
                site.api.list_message_deliveries(path, Nothing {}).await?.deliveries
            };
            let clock = page_data::clock(&headers);
            Fragment(site.draw(move |_| app::fragments::records(&detail, &told, &clock)).await?).into_response()
        }
    })
}

/// Everything that a message says, as plain text: the browser shows a million lines of it.
pub async fn text(
    site: Site,
    Path((session, seq)): Path<(String, i64)>,
    Asked(query): Asked<TextQuery>,
) -> Result<String, Problem> {
    let detail = message_at(&site, session, seq).await?;
    site.draw(move |_| app::fragments::whole_text(&detail.entry, query.edit)).await
}

/// A document that declares the type of a message, made from its payload: to be copied and changed.
pub async fn template(site: Site, Path((session, seq)): Path<(String, i64)>) -> Result<String, Problem> {
    let detail = message_at(&site, session, seq).await?;
    Ok(app::fragments::type_template(&detail.entry))
}

#[derive(Debug, Deserialize)]
struct Markdown {
    content: String,
}

/// Renders text that somebody is writing, as the transcript will show it.
pub async fn render(site: Site, request: Request) -> Answer {
    let Markdown { content } = api::serve::read_json(request, RENDER_LIMIT).await?;
    site.draw(move |_| app::fragments::prose(&content)).await.map(Fragment)
}
