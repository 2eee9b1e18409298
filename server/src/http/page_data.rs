//! Data that every page needs.

use super::transcript::View;
use super::{Site, SiteInner, assets, guard};
use api::account::LogInMethodKind;
use api::sessions::{ListSessions, SessionPage, SessionShow};
use api::{Api as _, Nothing, Problem};
use app::clock::Clock;
use app::look::Look;
use app::pages::login::{Arriving, LoginPage};
use app::pages::session::Dev;
use app::shell::{ShellData, Waiting};
use app::transcript::Verbosity;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hub::discover;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// Sessions that the rail lists.
const RECENT: u32 = 24;
/// Sessions that wait for a person, listed beside them.
const NEED: u32 = 100;

/// A page or a piece of one. Never stored by shared caches, and asked for again when the reader comes back to it.
pub fn html(status: StatusCode, body: String) -> Response {
    let mut response = (status, axum::response::Html(body)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

/// Says what the page is, however it was asked for. A page that says so is kept by browsers, for times without a
/// server.
pub fn kept(response: Response, path: &str, site: &Site) -> Response {
    let mut response = with_files(response, site, &[]);
    if let Ok(path) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::CONTENT_LOCATION, path);
    }
    response
}

/// Names the build of a page and the files that it needs: what stands in the page itself is partly other people's text.
pub fn with_files(mut response: Response, site: &SiteInner, more: &[&str]) -> Response {
    let app::page::Assets { css, secret, boot, js, wasm, icon } = &site.assets;
    let files: Vec<&str> =
        [css, secret, boot, js, wasm, icon].into_iter().map(String::as_str).chain(more.iter().copied()).collect();
    for (name, value) in [("verbatim-build", site.build.as_str()), ("verbatim-files", &files.join(" "))] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    response
}

pub fn look(headers: &HeaderMap) -> Look {
    Look::read(|name| guard::cookie(headers, name))
}

/// The dev toggle: the URL says it, else the cookie remembers it.
fn dev(query: Option<&str>, headers: &HeaderMap) -> Dev {
    match query.or(guard::cookie(headers, "dev")) {
        Some("1") => Dev::On,
        _ => Dev::Off,
    }
}

/// How transcripts are looked at: the URL says it, else cookies remember it.
pub fn view(dev: Option<&str>, verbosity: Option<&str>, headers: &HeaderMap) -> View {
    let verbosity = verbosity.or(guard::cookie(headers, "view")).and_then(Verbosity::parse).unwrap_or_default();
    View { dev: self::dev(dev, headers), verbosity, filter: Arc::default() }
}

/// The name of the reader's time zone: boot.js and login.js say it in a cookie. None where that names no zone.
pub fn zone(headers: &HeaderMap) -> Option<String> {
    guard::cookie(headers, "zone").filter(|name| TimeZone::get(name).is_ok()).map(str::to_owned)
}

/// Now, where the reader is; where that isn't known, where the server is.
pub fn clock(headers: &HeaderMap) -> Clock {
    let named = guard::cookie(headers, "zone").and_then(|name| TimeZone::get(name).ok());
    Clock { now: hub::clock::now(), zone: named.unwrap_or_else(TimeZone::system) }
}

/// The latest sessions, for the rail, and those that wait for a person however long they have done so. A page loads
/// them first: their cursor is the oldest of what it shows, and the stream goes on from there.
pub async fn recent(site: &Site) -> Result<SessionPage, Problem> {
    let query = ListSessions { limit: Some(RECENT), ..ListSessions::default() };
    let mut page = site.api.list_sessions(Nothing {}, query).await?;
    if page.next.is_some() {
        let query = ListSessions { show: Some(SessionShow::NeedsYou), limit: Some(NEED), ..ListSessions::default() };
        let mut waiting = site.api.list_sessions(Nothing {}, query).await?.sessions;
        waiting.retain(|one| !page.sessions.iter().any(|session| session.id == one.id));
        page.sessions.append(&mut waiting);
    }
    Ok(page)
}

/// Returns `<session>/<seq>` of every open approval and question.
pub async fn asks(site: &Site) -> Result<Vec<String>, Problem> {
    Ok(site.api.open_asks().await?.into_iter().map(|(session, seq)| format!("{session}/{seq}")).collect())
}

/// The surroundings of a page that asks for nothing of theirs itself.
pub async fn surroundings(site: &Site, headers: &HeaderMap) -> Result<ShellData, Problem> {
    shell(site, headers, recent(site).await?).await
}

/// The surroundings of a page, of what it has loaded already.
pub async fn shell(site: &Site, headers: &HeaderMap, recent: SessionPage) -> Result<ShellData, Problem> {
    let (preferences, waiting, asks) = tokio::try_join!(
        site.api.get_preferences(Nothing {}, Nothing {}),
        site.for_owners(discover::waiting(&site.hub)),
        asks(site)
    )?;
    let waiting = Waiting {
        folders: i64::try_from(waiting.len()).unwrap_or(i64::MAX),
        bytes: waiting.iter().map(|folder| folder.bytes).sum(),
    };
    Ok(ShellData {
        preferences,
        look: look(headers),
        build: site.build.clone(),
        assets: site.assets.clone(),
        clock: clock(headers),
        sessions: recent.all,
        waiting,
        recent: recent.sessions,
        asks,
        projects: recent.facets.projects,
        cursor: recent.cursor,
        role: site.role(),
        condition: site.hub.condition(),
    })
}

pub fn problem_page(site: &SiteInner, headers: &HeaderMap, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let page = app::pages::problem::ProblemPage {
        status: status.as_u16(),
        title: problem.title.clone(),
        hint: problem.hint.clone(),
        look: look(headers),
        build: site.build.clone(),
        assets: site.assets.clone(),
    };
    html(status, app::pages::problem::page(&page))
}

/// Returns the host and port of a URL that has nothing else.
fn host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, host)| host)
}

pub async fn login_page(site: &SiteInner, headers: &HeaderMap, arriving: Arriving) -> String {
    // Whoever is to repair the database gets in by a link.
    let ways = site.hub.login_ways().await.unwrap_or_default();
    app::pages::login::page(&LoginPage {
        arriving,
        provider: site.hub.settings.provider.clone(),
        has_passkeys: ways.contains(&LogInMethodKind::Passkey),
        has_passwords: ways.contains(&LogInMethodKind::Password),
        host: host(&site.hub.settings.base_url).to_owned(),
        script: assets::url("login.js"),
        look: look(headers),
        build: site.build.clone(),
        assets: site.assets.clone(),
    })
}
