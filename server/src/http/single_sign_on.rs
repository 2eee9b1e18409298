//! Log-in by a provider: the browser is sent there, and comes back with a code of the provider's, which becomes one of
//! ours in the log-in page.

use super::guard::{Doors, Name};
use super::page_data;
use crate::single_sign_on::{Provider, Sent};
use api::{Problem, ProblemCode};
use app::pages::login::Arriving;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use hub::account::login::{same_secret, secret};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Path to which the provider sends people back.
pub const CALLBACK: &str = "/login/callback";
/// How long somebody may take at the provider.
const LIFE: Duration = Duration::from_mins(10);
/// Browsers that are at the provider. The oldest is forgotten first.
const AWAY: usize = 1_000;

/// State of the routes.
#[derive(Clone)]
pub struct SignOn {
    doors: Doors,
    provider: Option<Provider>,
    /// By the `state` that the provider sends back.
    away: Arc<Mutex<HashMap<String, Away>>>,
}

/// A browser that is at the provider.
struct Away {
    since: Instant,
    sent: Sent,
    /// What its cookie holds: it alone may come back.
    browser: String,
    /// Where they go on to: never empty, as the log-in page knows by it who comes back.
    next: String,
    /// Who adds the account to themselves.
    person: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct BeginQuery {
    next: Option<String>,
    /// The code of `BeginSingleSignOn`.
    link: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
}

impl SignOn {
    pub fn new(doors: Doors, provider: Option<Provider>) -> Self {
        Self { doors, provider, away: Arc::default() }
    }

    fn callback(&self) -> String {
        format!("{}{CALLBACK}", self.doors.hub.settings.base_url)
    }

    fn provider(&self) -> Result<&Provider, Problem> {
        let problem = || Problem::not_found("provider of single sign-on");
        self.provider.as_ref().ok_or_else(problem)
    }

    fn cookie_name(&self, name: Name) -> String {
        format!("{}_away", self.doors.cookie(name))
    }

    fn remember(&self, state: String, away: Away) {
        let mut all = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, one| one.since.elapsed() < LIFE);
        if all.len() >= AWAY
            && let Some(oldest) = all.iter().min_by_key(|(_, one)| one.since).map(|(state, _)| state.clone())
        {
            all.remove(&oldest);
        }
        all.insert(state, away);
    }

    /// Returns the browser that comes back, once.
    fn back(&self, state: &str, headers: &HeaderMap) -> Option<Away> {
        let shown = super::guard::cookie(headers, &self.cookie_name(self.doors.name_in(headers)))?;
        let mut all = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        let is_theirs =
            all.get(state).is_some_and(|one| one.since.elapsed() < LIFE && same_secret(&one.browser, shown));
        if is_theirs { all.remove(state) } else { None }
    }

    /// The log-in page, which says what went wrong.
    async fn failed(&self, headers: &HeaderMap, status: StatusCode, why: &Problem) -> Response {
        let said = why.to_string().replace('\n', ". ");
        let arriving = Arriving { said: Some(said), ..Arriving::default() };
        page_data::html(status, page_data::login_page(&self.doors.site, headers, arriving).await)
    }
}

/// `GET /login/oidc`: to the provider.
pub async fn begin(State(on): State<SignOn>, Query(query): Query<BeginQuery>, headers: HeaderMap) -> Response {
    match sent_away(&on, query, &headers).await {
        Ok(response) => response,
        Err(problem) if problem.is(ProblemCode::ProviderUnreachable) => {
            on.failed(&headers, StatusCode::SERVICE_UNAVAILABLE, &problem).await
        }
        Err(problem) => page_data::problem_page(&on.doors.site, &headers, &problem),
    }
}

async fn sent_away(on: &SignOn, query: BeginQuery, headers: &HeaderMap) -> Result<Response, Problem> {
    let provider = on.provider()?;
    let person = match query.link {
        Some(code) => Some(on.doors.hub.take_code(&code).ok_or_else(|| {
            let problem = Problem::new(ProblemCode::InvalidCode, "This was begun too long ago");
            problem.hint("Begin again in the settings")
        })?),
        None => None,
    };
    let (state, browser) = (secret()?, secret()?);
    let (url, sent) = provider.begin(&on.callback(), state.clone()).await.map_err(|error| {
        tracing::warn!(error = format!("{error:#}"), "the provider of single sign-on can't be used");
        let title = format!("{} can't be reached", provider.name());
        Problem::new(ProblemCode::ProviderUnreachable, title).hint("Try again, or log in another way")
    })?;
    let next = match (&person, query.next) {
        (Some(_), _) => "/settings#login-methods".to_owned(),
        (None, Some(next)) if !next.is_empty() => next,
        (None, _) => "/".to_owned(),
    };
    on.remember(state, Away { since: Instant::now(), sent, browser: browser.clone(), next, person });
    Ok((cookie(on, headers, &browser, LIFE.as_secs()), Redirect::to(url.as_str())).into_response())
}

/// Sent back by another site, with which a strict cookie wouldn't come.
fn cookie(on: &SignOn, headers: &HeaderMap, value: &str, seconds: u64) -> [(HeaderName, String); 1] {
    let name = on.doors.name_in(headers);
    let secure = if name == Name::Public { "; Secure" } else { "" };
    let (cookie, path) = (on.cookie_name(name), on.doors.cookie_path());
    [(header::SET_COOKIE, format!("{cookie}={value}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}"))]
}

/// `GET /login/callback`: back from the provider.
pub async fn callback(State(on): State<SignOn>, Query(query): Query<CallbackQuery>, headers: HeaderMap) -> Response {
    let Some(away) = query.state.as_deref().and_then(|state| on.back(state, &headers)) else {
        let title = "This took too long, was begun in another browser, or was done already";
        let problem = Problem::new(ProblemCode::InvalidCode, title).hint("Try again");
        return on.failed(&headers, StatusCode::BAD_REQUEST, &problem).await;
    };
    let response = match arrived(&on, query, away).await {
        Ok(arriving) => {
            page_data::html(StatusCode::OK, page_data::login_page(&on.doors.site, &headers, arriving).await)
        }
        Err(problem) => on.failed(&headers, StatusCode::FORBIDDEN, &problem).await,
    };
    (cookie(&on, &headers, "", 0), response).into_response()
}

async fn arrived(on: &SignOn, query: CallbackQuery, away: Away) -> Result<Arriving, Problem> {
    let (provider, hub) = (on.provider()?, &on.doors.hub);
    let refused =
        |words: &str| Problem::new(ProblemCode::Forbidden, format!("{} {words}", provider.name())).hint("Try again");
    let code = match (query.code, query.error.as_deref()) {
        (Some(code), None) => code,
        (_, Some("access_denied")) => return Err(refused("didn't let you in")),
        _ => return Err(refused("couldn't log you in")),
    };
    let account = provider.finish(&on.callback(), code, away.sent).await.map_err(|error| {
        tracing::warn!(error = format!("{error:#}"), "a log-in by the provider failed");
        refused("couldn't log you in")
    })?;
    let person = match away.person {
        Some(person) => {
            hub.link_account(&person, &account).await?;
            person
        }
        None => hub.person_of_account(&account).await?,
    };
    Ok(Arriving { said: None, code: Some(hub.create_code(&person, None)?), next: Some(away.next) })
}
