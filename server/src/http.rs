//! The server: connections, layers, routes.
//!
//! From the outside in: [`accept`] takes connections into their [`slots`], each with its [`socket`], and none waits
//! long for a [`slow_body`]; [`stopping`] ends them;
//! [`forwarded`] reads what a proxy says; [`observe`] counts and logs each request; [`guard`] checks Host, Origin, credential and [`rate`], asks a log-in for
//! its second secret where something changes, and puts a [`hub::Scoped`] into the request; [`headers`] are on every
//! answer; behind them are the API's table ([`api::router`]), the routes outside of it ([`events`],
//! [`export`], [`audit`], [`blobs`], [`login`], [`share`], [`mcp`], [`compat`], [`channels`]), [`pages`] and
//! [`fragments`], [`assets`], and [`web_app`].
//!
//! A page is drawn from what the API says: [`Scoped`] implements it, and pages and fragments call its methods.

mod accept;
mod assets;
mod audit;
mod base_path;
mod blobs;
mod channels;
mod compat;
mod context;
mod events;
mod export;
mod extract;
mod filter;
mod forwarded;
mod fragments;
mod guard;
mod headers;
mod login;
mod long_requests;
mod mcp;
mod observe;
mod page_data;
mod pages;
mod palette;
mod rate;
mod review;
mod reviewed;
mod sent;
mod share;
mod single_sign_on;
mod slots;
mod slow_body;
mod socket;
mod stopping;
mod streaming_text;
mod transcript;
mod web_app;

pub use accept::serve;
pub use stopping::Stopping;

use crate::public_url::PublicUrl;
use crate::reach::Reach;
use api::contract::{
    ChannelIncoming, Events, ExportAudit, ExportSession, GetBlob, LogInByPasskey, LogInRoute, LogOut, OpenApi,
    UploadBlob,
};
use api::people::PersonRole;
use api::transport::in_process::InProcess;
use api::{Client, Problem, Route as _};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use hub::compute::{Job, Lane};
use hub::{Caller, Hub, Scoped};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};

/// What pages and fragments share, without an API: nothing is read for nobody. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Shared(Arc<SiteInner>);

/// The data of a page. As an argument of a handler, its API belongs to the caller of the request.
#[derive(Clone)]
pub struct Site {
    pub api: Scoped,
    shared: Shared,
}

pub struct SiteInner {
    pub hub: Hub,
    pub assets: app::page::Assets,
    /// Changes with every build: a page that was drawn by another one reloads.
    pub build: String,
}

impl std::ops::Deref for Site {
    type Target = SiteInner;
    fn deref(&self) -> &SiteInner {
        &self.shared
    }
}

impl std::ops::Deref for Shared {
    type Target = SiteInner;
    fn deref(&self) -> &SiteInner {
        &self.0
    }
}

impl Shared {
    /// The site for a caller. The credential of this machine sees pages as the owner does.
    fn of(&self, scoped: &Scoped) -> Site {
        let caller = if scoped.caller == Caller::Local { Caller::owner() } else { scoped.caller.clone() };
        Site { api: Scoped { caller, ..scoped.clone() }, shared: self.clone() }
    }
}

impl Site {
    /// The same site for another caller of the API.
    fn with_api(&self, api: Scoped) -> Self {
        Self { api, shared: self.shared.clone() }
    }

    /// Returns the role of whoever looks.
    pub fn role(&self) -> PersonRole {
        self.api.caller.user().map_or(PersonRole::Viewer, |user| user.role)
    }

    /// Reads something that owners alone see on a page; nothing for others.
    async fn for_owners<T: Default>(&self, read: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        if self.role() == PersonRole::Owner { read.await } else { Ok(T::default()) }
    }

    /// Draws a page or a piece of one, with what somebody wrote.
    pub async fn draw<T: Send + 'static>(&self, draw: impl FnOnce(&Job) -> T + Send + 'static) -> Result<T, Problem> {
        self.hub.compute.run(Lane::People, draw).await
    }
}

impl FromRequestParts<Shared> for Site {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Shared) -> Result<Self, Problem> {
        parts.extensions.get::<Scoped>().map(|scoped| site.of(scoped)).ok_or_else(Problem::internal)
    }
}

/// The API's table, and the routes beside it that commands use too. Whoever calls it says who asks.
fn api_routes(table: Router) -> Router {
    table
        .route(ExportSession::PATH, get(export::export))
        .route(ExportAudit::PATH, get(audit::export))
        .route(UploadBlob::PATH, post(blobs::upload).with_state(blobs::Uploads::default()))
        .route(GetBlob::PATH, get(blobs::blob))
}

/// Returns a client for one caller, without a socket and without a credential: for commands where no server runs.
pub fn in_process(scoped: &Scoped) -> Client {
    Client::new(InProcess(api_routes(api::router::<Scoped>()).layer(Extension(scoped.clone()))))
}

/// For pages and fragments, which are drawn anew each time: as good a ratio as a few milliseconds buy. Neither holds a
/// secret beside text of others. Assets are compressed at build time, events never.
fn compression() -> CompressionLayer {
    CompressionLayer::new().quality(CompressionLevel::Precise(4))
}

/// Answers of the API of more bytes are lists, and compressed over the wire; those that hold a secret are smaller.
const LIST: u16 = 16 * 1024;

/// Limits of one client.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Open at a time. [`slots`] says who gives way to more.
    pub connections: usize,
    /// Writes of one agent's key; 0 is no limit.
    pub posts_per_second: u32,
}

/// All routes behind all checks. `key` is what commands of this machine show.
pub fn router(
    hub: &Hub,
    key: &str,
    address: SocketAddr,
    reach: &Reach,
    build: Option<String>,
    limits: Limits,
) -> Router {
    let authority = reach.authority.clone();
    let base = reach.url.as_ref().map(PublicUrl::base).unwrap_or_default().to_owned();
    let build = build.unwrap_or_else(assets::build);
    let site = Shared(Arc::new(SiteInner { hub: hub.clone(), assets: assets::urls(), build }));
    let pages = Router::new()
        .route("/", get(pages::sessions))
        .route("/sessions", get(pages::sessions))
        .route("/inbox", get(pages::inbox))
        .route("/s/{session}", get(pages::session))
        .route("/s/{session}/changes", get(review::page))
        .route("/s/{session}/context", get(context::page))
        .route("/s/{session}/print", get(export::written::print))
        .route("/s/{session}/redacted", get(export::preview))
        .route("/s/{session}/erase", get(export::erase))
        .route("/s/{session}/share", get(share::form))
        .route("/s/{session}/routing", get(pages::routing))
        .route("/new", get(pages::new_session))
        .route("/schedules", get(pages::schedules))
        .route("/search", get(pages::search))
        .route("/folders", get(pages::folders))
        .route("/memory", get(pages::memory))
        .route("/stats", get(pages::stats))
        .route("/files", get(pages::files))
        .route("/docs/api", get(pages::api_reference))
        .route("/gallery", get(pages::gallery))
        .route("/settings", get(pages::settings))
        .route("/fragments/render", post(fragments::render))
        .route("/fragments/sessions", get(fragments::sessions))
        .route("/fragments/session-options", get(fragments::session_options))
        .route("/fragments/inbox", get(fragments::inbox))
        .route("/fragments/rail", get(fragments::rail))
        .route("/fragments/folders", get(fragments::folders))
        .route("/fragments/settings", get(fragments::settings))
        .route("/fragments/settings/audit", get(fragments::audit))
        .route("/fragments/palette", get(palette::list))
        .route("/fragments/sessions/{session}/chunks/{chunk}", get(fragments::chunk))
        .route("/fragments/sessions/{session}/messages/{seq}", get(fragments::message))
        .route("/fragments/sessions/{session}/messages/{seq}/growth", get(fragments::growth))
        .route("/fragments/sessions/{session}/filter", get(fragments::filters))
        .route("/fragments/sessions/{session}/head", get(fragments::head))
        .route("/fragments/sessions/{session}/hidden", get(fragments::hidden))
        .route("/fragments/sessions/{session}/nested", get(fragments::nested))
        .route("/fragments/sessions/{session}/routing", get(fragments::routing))
        .route("/fragments/sessions/{session}/panel", get(fragments::panel))
        .route("/fragments/sessions/{session}/edits/{seq}/{index}", get(fragments::edit))
        .route("/fragments/sessions/{session}/net", get(review::net))
        .route("/fragments/sessions/{session}/records/{seq}", get(fragments::records))
        .route("/fragments/sessions/{session}/text/{seq}", get(fragments::text))
        .route("/fragments/sessions/{session}/template/{seq}", get(fragments::template))
        .layer(compression())
        .layer(axum::middleware::from_fn(guard::people))
        .with_state(site.clone());
    let rate = rate::Rate::new(limits.posts_per_second);
    let doors = guard::Doors::new(hub.clone(), key, address, reach, site.clone(), rate);
    let sign_on = single_sign_on::SignOn::new(doors.clone(), reach.provider.clone());
    let (healthy, observer) = (hub.clone(), observe::Observer::new(hub));
    let lists = SizeAbove::new(LIST).and(NotForContentType::SSE);
    let table = api::router::<Scoped>().layer(compression().compress_when(lists));
    let router = Router::new()
        .merge(api_routes(table))
        .merge(pages)
        .route("/metrics", get(observe::metrics).with_state(observer.clone()))
        .route(Events::PATH, get(events::events).with_state(events::Events::new(site.clone())))
        .merge(mcp::routes(hub))
        .layer(axum::middleware::from_fn(guard::confirmed))
        // A log-in is ended by its cookie alone.
        .route(LogOut::PATH, post(login::log_out).with_state(doors.clone()))
        .method_not_allowed_fallback(guard::not_allowed)
        .layer(axum::middleware::from_fn_with_state(doors.clone(), guard::authenticate))
        // An older product's API: it reads credentials by itself, and refuses in that product's words.
        .merge(compat::routes(&doors))
        // Open to everybody who has the secret of the link.
        .route("/share/{secret}", get(share::page).with_state(share::Door::new(site.clone())).layer(compression()))
        // Believed for its signature.
        .route(ChannelIncoming::PATH, post(channels::incoming).with_state(doors.clone()))
        // Open to everybody who passes the Host and Origin checks.
        .route(LogInRoute::PATH, get(login::state).post(login::log_in).with_state(doors.clone()))
        .route(app::shared::page_path::SIGN_ON, get(single_sign_on::begin).with_state(sign_on.clone()))
        .route(single_sign_on::CALLBACK, get(single_sign_on::callback).with_state(sign_on))
        .route(LogInByPasskey::PATH, post(login::ask_for_passkey).with_state(doors.clone()))
        .route("/login", get(login::page).with_state(doors.clone()))
        .route(OpenApi::PATH, get(async move || Json(openapi(&base))))
        .route("/healthz", get(async move || healthy.condition().map_or_else(|| "ok\n".to_owned(), |c| c.code + "\n")))
        .route("/assets/{name}", get(assets::asset))
        .route("/manifest.webmanifest", get(web_app::manifest))
        .route(web_app::AUTHORITY, get(async move || web_app::authority(authority.as_deref())))
        .route("/worker.js", get(web_app::worker))
        .route("/favicon.ico", get(web_app::favicon))
        .route("/apple-touch-icon.png", get(web_app::touch_icon))
        .route("/offline", get(web_app::page).with_state(site.clone()))
        .fallback_service(axum::routing::any(guard::not_found).with_state(doors.clone()))
        .method_not_allowed_fallback(guard::not_allowed)
        .layer(axum::middleware::from_fn_with_state(doors, guard::check_origin))
        .layer(axum::middleware::from_fn(headers::add))
        .layer(axum::middleware::from_fn_with_state(observer, observe::observe))
        .with_state(());
    let Some(url) = &reach.url else { return router };
    let router = router.layer(axum::middleware::from_fn(headers::add_hsts));
    if url.base().is_empty() { router } else { base_path::below(url.base(), router) }
}

/// The document that programs read, with the server's path.
fn openapi(base: &str) -> Value {
    let mut document = api::openapi::document().clone();
    if !base.is_empty() {
        document["servers"] = json!([{ "url": base }]);
    }
    document
}
