//! The pages: load through the API, draw with `app`.

use super::extract::PageOf;
use super::transcript::View;
use super::{Site, filter, page_data, transcript};
use api::audit::AuditQuery;
use api::channels::{ChannelPath, DeliveriesQuery, DeliveryState};
use api::cost::BudgetsQuery;
use api::files::FilesQuery;
use api::inspector::{Records, RecordsQuery, SessionEventsQuery};
use api::memory::MemoryQuery;
use api::messages::AsksQuery;
use api::projects::ProjectState;
use api::search::SearchQuery;
use api::sessions::{ListSessions, SessionPath, SessionShow};
use api::stats::{Figures, StatsQuery};
use api::{Api as _, Nothing, Problem};
use app::pages::files::{self, FilesPageData};
use app::pages::folders::FoldersPage;
use app::pages::gallery::GalleryPage;
use app::pages::inbox::{self, InboxPage};
use app::pages::memory::MemoryPageData;
use app::pages::new_session::NewSessionPage;
use app::pages::panel::{self, PanelData, Tab};
use app::pages::problem::Within;
use app::pages::reference::ReferencePage;
use app::pages::routing::RoutingPage;
use app::pages::schedules::SchedulesPage;
use app::pages::search::SearchPageData;
use app::pages::session::{Dev, PanelState, SessionPageData};
use app::pages::sessions::SessionsPage;
use app::pages::settings::audit::Audit;
use app::pages::settings::channels::ChannelsData;
use app::pages::settings::{SettingsPage, WorkspaceSettings};
use app::pages::stats::StatsPage;

use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use hub::routing::RoutingTable;
use jiff::civil::Date;
use model::{Session, SessionState};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A page, or the page that says why there is none.
pub async fn answer(site: &Site, headers: &HeaderMap, page: Result<String, Problem>) -> Response {
    match page {
        Ok(page) => page_data::html(StatusCode::OK, page),
        Err(problem) => refusal(site, headers, &problem).await,
    }
}

/// Within its surroundings, unless these can't be had either.
pub async fn refusal(site: &Site, headers: &HeaderMap, problem: &Problem) -> Response {
    match page_data::surroundings(site, headers).await {
        Ok(shell) => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let (title, hint) = (problem.title.clone(), problem.hint.clone());
            page_data::html(
                status,
                app::pages::problem::within(&Within { status: status.as_u16(), title, hint, shell }),
            )
        }
        Err(_) => page_data::problem_page(site, headers, problem),
    }
}

/// The query of a page's URL. Parameters of others, as a link may carry them, are passed over; wrong values are not.
pub fn query<T: DeserializeOwned>(uri: &Uri, names: &[&str]) -> Result<T, Problem> {
    let pairs: Vec<(String, String)> = serde_html_form::from_str(uri.query().unwrap_or_default()).unwrap_or_default();
    // A form sends its empty fields too.
    let known: Vec<_> = pairs.into_iter().filter(|(k, v)| names.contains(&k.as_str()) && !v.is_empty()).collect();
    let text = serde_html_form::to_string(known).unwrap_or_default();
    api::serve::read_query(&text).map_err(not_understood)
}

/// Returns the error page's problem of a link with an invalid value.
pub fn not_understood(problem: Problem) -> Problem {
    let title = format!("This link is invalid: {}", problem.title);
    Problem { title, ..problem }.hint("Start again from the sessions page")
}

pub const SESSIONS: &[&str] =
    &["q", "project", "agent", "machine", "show", "since", "until", "sort", "order", "after", "limit"];
/// Pinned sessions that a page shows.
const PINNED: u32 = 100;
const SESSION: &[&str] = &["dev", "view", "panel", "at", "type", "role", "filter"];
const GALLERY: &[&str] = &["part", "dev", "view"];
const SEARCH: &[&str] =
    &["q", "file", "project", "agent", "type", "role", "session", "since", "until", "after", "limit"];

pub async fn sessions(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async { sessions_data(&site, &uri, &headers).await.map(|data| app::pages::sessions::page(&data)) };
    answer(&site, &headers, page.await).await
}

pub async fn sessions_data(site: &Site, uri: &Uri, headers: &HeaderMap) -> Result<SessionsPage, Problem> {
    let query: ListSessions = query(uri, SESSIONS)?;
    let recent = page_data::recent(site).await?;
    // Pinned sessions are at the top of the first page, however old they are.
    let first = query.show.is_none() && query.after.is_none();
    let limit = query.limit.or(Some(app::pages::sessions::FIRST));
    let asked = ListSessions { said: Some(1), limit, zone: page_data::zone(headers), ..query.clone() };
    let pinned = ListSessions { show: Some(SessionShow::Pinned), limit: Some(PINNED), ..asked.clone() };
    let pinned = async { Ok(if first { Some(site.api.list_sessions(Nothing {}, pinned).await?) } else { None }) };
    let (mut list, pinned, imports, shell, budgets) = tokio::try_join!(
        site.api.list_sessions(Nothing {}, asked),
        pinned,
        site.for_owners(site.api.list_imports(Nothing {}, Nothing {})),
        page_data::shell(site, headers, recent),
        site.api.get_budgets(Nothing {}, BudgetsQuery { zone: page_data::zone(headers) }),
    )?;
    let (pinned, said) = pinned.map_or_else(Default::default, |page| (page.sessions, page.said));
    list.said.get_or_insert_default().extend(said.unwrap_or_default());
    let waits = |session: &Session| session.state == SessionState::NeedsYou;
    let asks = if list.sessions.iter().chain(&pinned).any(waits) {
        site.api.list_asks(Nothing {}, AsksQuery::default()).await?.asks
    } else {
        Vec::new()
    };
    Ok(SessionsPage { pinned, asks, list, query, imports: imports.imports, budgets, shell })
}

const INBOX: &[&str] = &["limit", "known"];

#[derive(Debug, Deserialize)]
pub struct InboxQuery {
    limit: Option<u32>,
    /// Signs of rows that the browser has, with commas between them.
    known: Option<String>,
}

/// Every open approval and question.
pub async fn inbox(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let data = inbox_data(&site, &uri, &headers).await?;
        site.draw(move |_| inbox::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

pub async fn inbox_data(site: &Site, uri: &Uri, headers: &HeaderMap) -> Result<InboxPage, Problem> {
    let query: InboxQuery = query(uri, INBOX)?;
    let limit = query.limit.unwrap_or(inbox::STEP).clamp(1, inbox::MOST);
    // Its cursor is the oldest of what the page shows.
    let recent = page_data::recent(site).await?;
    let asked = AsksQuery { each: Some(1), limit: Some(limit), after: None };
    let asks = site.api.list_asks(Nothing {}, asked).await?;
    let mut assistants = BTreeMap::new();
    for session in asks.asks.iter().filter_map(|ask| ask.session.as_ref()) {
        if !assistants.contains_key(session.id.as_str()) {
            let assistant = hub::routing::assistant(&site.hub, session).await?;
            assistants.insert(session.id.to_string(), assistant);
        }
    }
    Ok(InboxPage {
        asks,
        limit,
        known: query.known.iter().flat_map(|known| known.split(',')).map(str::to_owned).collect(),
        assistants,
        shell: page_data::shell(site, headers, recent).await?,
    })
}

/// The last `seq` that every browser can count to. Links to later ones lead to the end.
const FURTHEST: i64 = (1 << 53) - 1;

#[derive(Debug, Deserialize)]
pub struct SessionQuery {
    dev: Option<String>,
    /// For this page alone: what the reader chooses in the menu is remembered.
    view: Option<String>,
    panel: Option<String>,
    at: Option<i64>,
    #[serde(rename = "type")]
    types: Option<String>,
    role: Option<String>,
    /// Opens the chips, also where nothing is filtered.
    filter: Option<String>,
}

pub async fn session(site: Site, PageOf(path): PageOf<SessionPath>, uri: Uri, headers: HeaderMap) -> Response {
    let asked: Result<SessionQuery, Problem> = query(&uri, SESSION);
    let page = async {
        let query = asked?;
        let at = query.at.map(|at| at.clamp(1, FURTHEST));
        let mut recent = page_data::recent(&site).await?;
        let detail = site.api.get_session(path.clone(), Nothing {}).await?;
        // The list names the open one too, however long ago it was active.
        if detail.session.parent.is_none() && recent.sessions.iter().all(|session| session.id != detail.session.id) {
            recent.sessions.push(detail.session.clone());
        }
        let filter = filter::read(query.types.as_deref(), query.role.as_deref()).map_err(not_understood)?;
        let view = page_data::view(query.dev.as_deref(), query.view.as_deref(), &headers);
        let view = View { filter: Arc::new(filter), ..view };
        let filter = filter::data(&site, &path, &view, query.filter.is_some()).await?;
        let tab = query.panel.as_deref().and_then(Tab::parse).unwrap_or_else(|| Tab::for_session(&detail.session));
        // Most sessions have none.
        let agent = async {
            let path = SessionPath { session: detail.session.id.to_string() };
            Ok::<_, Problem>(site.api.get_agent(path, Nothing {}).await.ok())
        };
        let of_panel = PanelQuery { at, dev: view.dev, ..PanelQuery::default() };
        let (chunks, (panel, edited), shell, agent) = tokio::try_join!(
            transcript::first_chunks(&site, &detail, &view, at, &filter.holds),
            panel(&site, &path, tab, &of_panel),
            page_data::shell(&site, &headers, recent),
            agent,
        )?;
        let kept = view.filter.is_empty().then(|| app::shared::session_href(detail.session.id.as_str()));
        let data = SessionPageData {
            agent,
            panel,
            edited,
            panel_state: PanelState::parse(query.panel.as_deref()),
            at,
            chunks,
            detail,
            dev: view.dev,
            verbosity: view.verbosity,
            filter,
            may_export_originals: site.api.may_export_originals(),
            shell,
        };
        let page = site.draw(move |_| app::pages::session::page(&data)).await?;
        let page = page_data::html(StatusCode::OK, page);
        // A part of the session is no page to be read without a server in place of all of it.
        Ok(match kept {
            Some(path) => page_data::kept(page, &path, &site),
            None => page,
        })
    };
    match Box::pin(page).await {
        Ok(page) => page,
        Err(problem) => refusal(&site, &headers, &problem).await,
    }
}

/// The requested part of a tab.
pub struct PanelQuery {
    pub dev: Dev,
    /// For records: those of the message with this `seq`.
    pub at: Option<i64>,
    /// For events: those before this `seq`.
    pub before: Option<i64>,
    /// For records: those from this position on, and their number.
    pub place: Option<(String, u64)>,
    pub limit: u32,
}

impl Default for PanelQuery {
    fn default() -> Self {
        Self { dev: Dev::Off, at: None, before: None, place: None, limit: panel::RECORDS }
    }
}

/// Returns one tab of the panel, with the number of changed files, which every tab shows.
pub async fn panel(
    site: &Site,
    path: &SessionPath,
    tab: Tab,
    query: &PanelQuery,
) -> Result<(PanelData, Option<usize>), Problem> {
    // Known until the session goes on.
    let changes = site.api.get_changes(path.clone(), Nothing {}).await?;
    let edited = panel::edited(&changes);
    let shown = match tab {
        Tab::Todos => PanelData::Todos(site.api.get_todos(path.clone(), Nothing {}).await?),
        Tab::Changes => PanelData::Changes(changes),
        Tab::Agents => PanelData::Agents(site.api.list_children(path.clone(), Nothing {}).await?.sessions),
        Tab::Context => {
            let (requests, times) = match query.dev {
                Dev::On => {
                    let (requests, times) = site.api.last_timed_requests(path, panel::REQUESTS).await?;
                    (requests, Some(times))
                }
                Dev::Off => (site.api.last_requests(path, panel::REQUESTS).await?, None),
            };
            let runs = site.api.last_runs(path, panel::RUNS).await?;
            PanelData::Context { requests, runs, times }
        }
        Tab::Tools => PanelData::Tools(site.api.list_tools(path.clone(), Nothing {}).await?),
        Tab::Events => {
            let many = if query.before.is_some() { panel::EVENTS } else { 2 * panel::EVENTS };
            let of = SessionEventsQuery { before: query.before, limit: Some(many) };
            let page = site.api.list_session_events(path.clone(), of).await?;
            PanelData::Events(if query.before.is_some() { page } else { panel::aligned(page) })
        }
        Tab::Records => {
            let (source, offset) = query.place.clone().unzip();
            let at = query.at.filter(|_| source.is_none());
            let of = RecordsQuery { source, offset, at: at.map(|at| at.to_string()), limit: Some(query.limit) };
            let page = match site.api.list_records(path.clone(), of).await {
                // A link to a message that isn't there leads to the end of the session: it must not refuse the page.
                Err(problem) if at.is_some() && problem.status == 404 => Records::default(),
                page => page?,
            };
            PanelData::Records { page, at }
        }
        Tab::About => PanelData::About,
    };
    Ok((shown, edited))
}

#[derive(Debug, Deserialize)]
pub struct GalleryQuery {
    part: Option<usize>,
    dev: Option<String>,
    view: Option<String>,
}

/// Every message type in every state.
pub async fn gallery(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query: GalleryQuery = query(&uri, GALLERY)?;
        let shell = page_data::surroundings(&site, &headers).await?;
        // The gallery is looked at one way at a time: what is remembered of transcripts means nothing here.
        let view =
            page_data::view(query.dev.as_deref().or(Some("0")), query.view.as_deref().or(Some("normal")), &headers);
        let data =
            GalleryPage { part: query.part.unwrap_or(0), dev: view.dev == Dev::On, verbosity: view.verbosity, shell };
        site.draw(move |_| app::pages::gallery::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

pub async fn search(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query = app::pages::search::read(query(&uri, SEARCH)?);
        let asked = SearchQuery { zone: page_data::zone(&headers), ..query.clone() };
        let result = match (query.q.trim(), &query.file) {
            ("", None) => None,
            _ => Some(site.api.search(Nothing {}, asked).await),
        };
        let session = match &query.session {
            Some(name) => {
                let detail = site.api.get_session(SessionPath { session: name.clone() }, Nothing {}).await?;
                Some(api::sessions::SessionRef { id: detail.session.id.to_string(), title: detail.session.title })
            }
            None => None,
        };
        let list = site.api.list_sessions(Nothing {}, ListSessions::default()).await?;
        let facets = list.facets.clone();
        let shell = page_data::shell(&site, &headers, list).await?;
        let hits = result.iter().flatten().flat_map(|found| &found.hits);
        let assistants = hits.map(|hit| {
            let id = model::SessionId::parse(hit.session_id.clone()).ok();
            let set = id.and_then(|id| site.hub.state::<RoutingTable>().name(&id));
            (hit.session_id.clone(), set.unwrap_or_else(|| app::shell::agent_name(&hit.agent)))
        });
        let assistants = assistants.collect();
        Ok(app::pages::search::page(&SearchPageData { query, result, facets, assistants, session, shell }))
    };
    answer(&site, &headers, page.await).await
}

const MEMORY: &[&str] = &["q", "session", "project", "after", "limit"];

/// The memory page.
pub async fn memory(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query: MemoryQuery = query(&uri, MEMORY)?;
        let recent = page_data::recent(&site).await?;
        let result = site.api.recall(Nothing {}, query.clone()).await;
        let shell = page_data::shell(&site, &headers, recent).await?;
        Ok(app::pages::memory::page(&MemoryPageData { query, result, shell }))
    };
    answer(&site, &headers, page.await).await
}

const STATS: &[&str] = &["from", "to", "project", "agent"];

pub async fn stats(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let mut query = app::pages::stats::in_order(query(&uri, STATS)?, &page_data::clock(&headers).days_ago(0));
        let zone = page_data::zone(&headers);
        let asked = |query: &StatsQuery| StatsQuery { zone: zone.clone(), ..query.clone() };
        let recent = page_data::recent(&site).await?;
        let facets = recent.facets.clone();
        let mut stats = site.api.stats(Nothing {}, asked(&query)).await?;
        let shell = page_data::shell(&site, &headers, recent).await?;
        if query.from.is_none() && query.to.is_none() && shell.sessions > 0 {
            for from in app::pages::stats::earlier(&shell.clock) {
                if stats.total != Figures::default() {
                    break;
                }
                query.from = Some(from);
                stats = site.api.stats(Nothing {}, asked(&query)).await?;
            }
        }
        let budgets = site.api.get_budgets(Nothing {}, BudgetsQuery { zone }).await?;
        Ok(app::pages::stats::page(&StatsPage { stats, query, budgets, facets, shell }))
    };
    answer(&site, &headers, page.await).await
}

const FILES: &[&str] = &["path", "day", "project", "after"];

/// The files that all sessions changed.
pub async fn files(site: Site, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let query: files::Query = query(&uri, FILES)?;
        let (clock, zone) = (page_data::clock(&headers), page_data::zone(&headers));
        let day = match &query.day {
            Some(day) => day.parse().map_err(|_| not_understood(Problem::field("day", "a day like `2026-11-01`")))?,
            None => clock.day(clock.now),
        };
        let of_day = |day: Date| query.path.is_none().then(|| day.to_string());
        let asked = FilesQuery {
            path: query.path.clone(),
            project: query.project.clone(),
            since: of_day(day),
            until: of_day(day),
            zone: zone.clone(),
            after: query.after.clone(),
            limit: Some(files::MOST),
            ..FilesQuery::default()
        };
        let recent = page_data::recent(&site).await?;
        let facets = recent.facets.clone();
        let (found, shell) = tokio::try_join!(
            site.api.list_files(Nothing {}, asked.clone()),
            page_data::shell(&site, &headers, recent)
        )?;
        let before = match (found.edits.is_empty(), day.yesterday()) {
            (true, Ok(before)) if query.path.is_none() => {
                let asked = FilesQuery { since: None, until: of_day(before), limit: Some(1), ..asked };
                site.api.list_files(Nothing {}, asked).await?.edits.pop()
            }
            _ => None,
        };
        let data = FilesPageData { query, day, found, before, facets, shell };
        site.draw(move |_| files::page(&data)).await
    };
    answer(&site, &headers, page.await).await
}

/// Drawn from the document that programs read.
pub async fn api_reference(site: Site, headers: HeaderMap) -> Response {
    let page = async {
        let shell = page_data::surroundings(&site, &headers).await?;
        let origin = site.hub.settings.base_url.clone();
        Ok(app::pages::reference::page(&ReferencePage { document: api::openapi::document(), origin, shell }))
    };
    answer(&site, &headers, page.await).await
}

pub async fn new_session(site: Site, headers: HeaderMap) -> Response {
    let page = async {
        let recent = page_data::recent(&site).await?;
        let agents = site.api.list_agents(Nothing {}, Nothing {}).await?;
        let data = NewSessionPage { agents, shell: page_data::shell(&site, &headers, recent).await? };
        Ok(app::pages::new_session::page(&data))
    };
    answer(&site, &headers, page.await).await
}

pub async fn schedules(site: Site, headers: HeaderMap) -> Response {
    let page = async {
        let recent = page_data::recent(&site).await?;
        let schedules = site.api.list_schedules(Nothing {}, Nothing {}).await?;
        let data = SchedulesPage { schedules, shell: page_data::shell(&site, &headers, recent).await? };
        Ok(app::pages::schedules::page(&data))
    };
    answer(&site, &headers, page.await).await
}

pub async fn folders(site: Site, headers: HeaderMap) -> Response {
    let page = async { folders_data(&site, &headers).await.map(|data| app::pages::folders::page(&data)) };
    answer(&site, &headers, page.await).await
}

pub async fn folders_data(site: &Site, headers: &HeaderMap) -> Result<FoldersPage, Problem> {
    let recent = page_data::recent(site).await?;
    Ok(FoldersPage {
        imports: site.api.list_imports(Nothing {}, Nothing {}).await?.imports,
        projects: site.api.list_projects(Nothing {}, Nothing {}).await?,
        shell: page_data::shell(site, headers, recent).await?,
    })
}

pub async fn settings(site: Site, headers: HeaderMap) -> Response {
    let page = settings_data(&site, &headers).await.map(|data| app::pages::settings::page(&data));
    answer(&site, &headers, page).await
}

pub async fn settings_data(site: &Site, headers: &HeaderMap) -> Result<SettingsPage, Problem> {
    let recent = page_data::recent(site).await?;
    let workspace = site.for_owners(async { workspace_settings(site).await.map(Some) }).await?;
    Ok(SettingsPage {
        logins: site.api.list_logins(Nothing {}, Nothing {}).await?,
        methods: site.api.list_login_methods(Nothing {}, Nothing {}).await?,
        push: site.api.get_push(Nothing {}, Nothing {}).await?,
        is_public: site.hub.settings.is_public(),
        workspace,
        shell: page_data::shell(site, headers, recent).await?,
    })
}

async fn workspace_settings(site: &Site) -> Result<WorkspaceSettings, Problem> {
    let projects = site.api.list_projects(Nothing {}, Nothing {}).await?;
    let followed = projects.projects.iter().filter(|project| project.state == ProjectState::Following).count();
    Ok(WorkspaceSettings {
        keys: site.api.list_keys(Nothing {}, Nothing {}).await?,
        people: site.api.list_people(Nothing {}, Nothing {}).await?,
        machines: site.api.list_machines(Nothing {}, Nothing {}).await?,
        shares: site.api.list_shares(Nothing {}, Nothing {}).await?,
        rules: site.api.list_rules(Nothing {}, Nothing {}).await?,
        channels: channels(site).await?,
        rooms: site.api.list_rooms(Nothing {}, Nothing {}).await?,
        routing: site.api.get_routing(Nothing {}, Nothing {}).await?,
        notices: site.api.list_notices(Nothing {}, Nothing {}).await?,
        retention: site.api.list_retention(Nothing {}, Nothing {}).await?,
        types: site.api.list_types(Nothing {}, Nothing {}).await?,
        audit: audit(site, AuditQuery::default()).await?,
        type_settings: site.api.get_type_settings(Nothing {}, Nothing {}).await?,
        followed: i64::try_from(followed).unwrap_or(i64::MAX),
    })
}

/// The routing of a session.
pub async fn routing(site: Site, PageOf(path): PageOf<SessionPath>, headers: HeaderMap) -> Response {
    let page = routing_data(&site, &path, &headers).await.map(|data| app::pages::routing::page(&data));
    answer(&site, &headers, page).await
}

pub async fn routing_data(site: &Site, path: &SessionPath, headers: &HeaderMap) -> Result<RoutingPage, Problem> {
    let (detail, routing, channels, shell) = tokio::try_join!(
        site.api.get_session(path.clone(), Nothing {}),
        site.api.get_session_routing(path.clone(), Nothing {}),
        site.for_owners(site.api.list_channels(Nothing {}, Nothing {})),
        page_data::surroundings(site, headers),
    )?;
    Ok(RoutingPage { session: detail.session, routing, channels, shell })
}

/// Refused messages of a channel that the settings show.
const REFUSED: u32 = 20;

async fn channels(site: &Site) -> Result<ChannelsData, Problem> {
    let channels = site.api.list_channels(Nothing {}, Nothing {}).await?;
    let mut refused = Vec::new();
    for channel in channels.channels.iter().filter(|channel| channel.dead > 0) {
        let path = ChannelPath { channel: channel.id.clone() };
        let dead = DeliveriesQuery { state: Some(DeliveryState::Dead), limit: Some(REFUSED) };
        refused.push((channel.id.clone(), site.api.list_deliveries(path, dead).await?.deliveries));
    }
    Ok(ChannelsData { channels, refused })
}

/// Entries of the audit log that the settings show at once.
const ENTRIES: u32 = 20;

/// A page of the audit log, with the titles of its sessions that still exist.
pub async fn audit(site: &Site, query: AuditQuery) -> Result<Audit, Problem> {
    let page = site.api.list_audit(Nothing {}, AuditQuery { limit: Some(ENTRIES), ..query }).await?;
    let mut titles = BTreeMap::new();
    for session in page.entries.iter().filter_map(|entry| app::audit::what(entry).session) {
        if !titles.contains_key(&session)
            && let Ok(detail) = site.api.get_session(SessionPath { session: session.clone() }, Nothing {}).await
        {
            titles.insert(session, detail.session.title);
        }
    }
    Ok(Audit { page, titles })
}
