//! Links to sessions: the page on which a person makes one, and the page that somebody without a log-in reads by it.

use super::export::written::{POLICY, shared, standalone};
use super::extract::PageOf;
use super::forwarded::ClientAddress;
use super::rate::Rate;
use super::{Shared, Site, page_data, pages};
use api::sessions::SessionPath;
use api::{Api as _, Endpoint as _, Nothing, Problem};
use app::clock::Clock;
use app::pages::printed;
use app::pages::share::SharePage;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hub::shares::Opened;

/// Links that one address opens in a second; four seconds' worth may come at once. A secret can't be guessed: this
/// bounds the work.
const PER_SECOND: u32 = 5;

/// Nothing is loaded, run or sent. A link opens in a tab of its own, which isn't sandboxed.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
    ),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "private, no-store"),
];

const ROBOTS: &str =
    "<meta name=\"robots\" content=\"noindex, nofollow\"><meta name=\"referrer\" content=\"no-referrer\">";

/// State of the page.
#[derive(Clone)]
pub struct Door {
    site: Shared,
    /// Openings by address.
    rate: Rate,
}

impl Door {
    pub fn new(site: Shared) -> Self {
        Self { site, rate: Rate::new(PER_SECOND) }
    }
}

/// `GET /share/{secret}`: without a log-in.
pub async fn page(
    State(door): State<Door>,
    client: Option<Extension<ClientAddress>>,
    Path(secret): Path<String>,
) -> Response {
    let address = client.map(|Extension(ClientAddress(address))| address.to_string());
    if let Err(problem) = door.rate.take(&address.unwrap_or_default()) {
        let wait = problem.retry_after.unwrap_or(1);
        let mut answer = closed(&door, StatusCode::TOO_MANY_REQUESTS, TOO_OFTEN);
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
        return answer;
    }
    match open(&door, &secret).await {
        Ok(answer) => answer,
        Err(problem) => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            closed(&door, status, FAILED)
        }
    }
}

async fn open(door: &Door, secret: &str) -> Result<Response, Problem> {
    let share = match door.site.hub.open_share(secret).await? {
        Opened::Open(share) => *share,
        Opened::Unknown => return Ok(closed(door, StatusCode::NOT_FOUND, OVER)),
        Opened::Over => return Ok(closed(door, StatusCode::GONE, OVER)),
    };
    // Where its reader is, nobody knows.
    let clock = Clock::utc(hub::clock::now());
    let body = shared(share, &clock, &format!("{ROBOTS}{POLICY}")).await?;
    Ok(with_headers(body.into_response()))
}

/// Title and hint of a page.
type Words = (&'static str, &'static str);

/// The same for one that never was: whoever guesses learns nothing.
const OVER: Words = (
    "This link doesn't open",
    "It has expired, was revoked, or is incomplete. Ask the person who sent it for a new one.",
);
const TOO_OFTEN: Words = ("Too many links were opened", "Wait a minute, then load this page again.");
const FAILED: Words = ("The page couldn't be read", "Load it again later, or tell the person who sent it.");

fn closed(door: &Door, status: StatusCode, (title, hint): Words) -> Response {
    let page = printed::closed(title, hint, &door.site.build);
    with_headers((status, standalone(&page, &format!("{ROBOTS}{POLICY}"))).into_response())
}

fn with_headers(mut answer: Response) -> Response {
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// `GET /s/{session}/share`: what a link would show, and the form that makes one.
pub async fn form(site: Site, PageOf(path): PageOf<SessionPath>, headers: HeaderMap) -> Response {
    let page = async {
        site.api.authorize(api::contract::CreateShare::INFO.access)?;
        let (detail, report, shell) = tokio::try_join!(
            site.api.get_session(path.clone(), Nothing {}),
            site.api.preview_share(&path),
            page_data::surroundings(&site, &headers),
        )?;
        let is_public = site.hub.settings.is_public();
        Ok(app::pages::share::page(&SharePage { session: detail.session, report, is_public, shell }))
    };
    pages::answer(&site, &headers, page.await).await
}
