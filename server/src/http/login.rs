//! Log-in: a one-time code becomes a cookie, and a secret that is none.

use super::forwarded::ClientAddress;
use super::guard::{self, Doors, Name};
use super::page_data;
use api::account::{LogIn, LogInSecret, LogInState, PasskeyOptions};
use api::{Nothing, Problem};
use app::pages::login::Arriving;
use app::shared::FROM_OUTSIDE;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use hub::account::login::{LogInAttempt, LoggedIn};

/// What is given to log in is smaller than this. The largest is a passkey's answer.
const LIMIT: usize = 8 * 1024;

pub async fn log_in(State(doors): State<Doors>, request: Request) -> Response {
    let label = request.headers().get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    let name = doors.name_in(request.headers());
    let before = doors.token(request.headers()).map(str::to_owned);
    let from = request.extensions().get().map(|ClientAddress(address)| *address);
    let answer = async {
        let given: LogIn = api::serve::read_json(request, LIMIT).await?;
        let made = doors.hub.log_in(&given, &LogInAttempt { label, from }).await?;
        // The new cookie takes the place of the old one: nobody else is to go on with that.
        if let Some(before) = before {
            doors.hub.log_out(&before).await?;
        }
        Ok::<_, Problem>(made)
    };
    match answer.await {
        Ok(LoggedIn { token, secret }) => {
            let cookie = cookie(&doors, name, &token, hub::account::login::ABSOLUTE_LIFE_SECONDS);
            (cookie, Json(LogInSecret { secret })).into_response()
        }
        Err(problem) => problem.into_response(),
    }
}

/// By the cookie alone: who has lost the secret must be able to end the log-in, and it gives nobody anything.
pub async fn log_out(State(doors): State<Doors>, headers: HeaderMap) -> Response {
    if let Some(token) = doors.token(&headers)
        && let Err(problem) = doors.hub.log_out(token).await
    {
        return problem.into_response();
    }
    (cookie(&doors, doors.name_in(&headers), "", 0), Json(Nothing {})).into_response()
}

fn cookie(doors: &Doors, name: Name, token: &str, seconds: i64) -> [(HeaderName, String); 1] {
    let secure = if name == Name::Public { "; Secure" } else { "" };
    let (cookie, path) = (doors.cookie(name), doors.cookie_path());
    let cookie = format!("{cookie}={token}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    [(header::SET_COOKIE, cookie)]
}

/// `POST /v1/login/passkey`: what a browser needs to log in by a passkey.
pub async fn ask_for_passkey(State(doors): State<Doors>) -> Result<(StatusCode, Json<PasskeyOptions>), Problem> {
    Ok((StatusCode::CREATED, Json(doors.hub.ask_for_passkey()?)))
}

/// The log-in page. Whom the trusted proxy names, it logs in by itself.
pub async fn page(State(doors): State<Doors>, headers: HeaderMap) -> Response {
    let mut arriving = Arriving::default();
    if let Some(name) = doors.named_by_proxy(&headers) {
        match doors.hub.code_for_named(name).await {
            Ok(Some(code)) => arriving.code = Some(code),
            Ok(None) => {
                let name = app::visible::line(name);
                let words = "whom nobody has added here. Ask an owner to add you by that name.";
                arriving.said = Some(format!("Your proxy knows you as {name}, {words}"));
            }
            Err(problem) => return page_data::problem_page(&doors.site, &headers, &problem),
        }
    }
    page_data::html(StatusCode::OK, page_data::login_page(&doors.site, &headers, arriving).await)
}

/// A page that needs a log-in leads to the log-in page and back. Browsers take the fragment, with its code, along. The
/// log-in page asks first whether the browser is logged in after all: a link from another site arrives without the
/// strict cookie.
pub fn redirect(uri: &Uri) -> Response {
    let wanted = uri.path_and_query().map_or("/", |p| p.as_str());
    Redirect::to(&format!("/login?next={}", api::endpoint::segment(wanted))).into_response()
}

/// Leads to the same page, by an address which says that another site opened it. No page takes the mark off its own
/// address before its reader has said so, and one that leads on by itself, as the log-in page does, takes it along.
pub fn marked(uri: &Uri) -> Response {
    let query = uri.query().filter(|query| !query.is_empty()).map(|query| format!("{query}&")).unwrap_or_default();
    // Relative to what was asked for: a path such as `//host` would be read as another site.
    Redirect::to(&format!("?{query}{FROM_OUTSIDE}=1")).into_response()
}

/// Is this browser logged in, and may it change something? Answers with 200 either way: it is no error to ask.
pub async fn state(State(doors): State<Doors>, headers: HeaderMap) -> Response {
    match guard::caller(&doors, &headers).await {
        Ok(caller) => {
            let may_change = caller.as_ref().is_some_and(|(_, credential)| credential.may_change());
            Json(LogInState { logged_in: caller.is_some(), may_change }).into_response()
        }
        Err(problem) => problem.into_response(),
    }
}
