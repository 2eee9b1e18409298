//! Log-in: a one-time code becomes a cookie, and a secret that is none.

use super::guard::{self, Doors, Name};
use super::{Shared, page_data};
use api::account::{LogIn, LogInSecret, LogInState};
use api::{Nothing, Problem};
use app::shared::FROM_OUTSIDE;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use hub::account::login::LoggedIn;

/// A code and its JSON are smaller than this.
const LIMIT: usize = 1024;

pub async fn log_in(State(doors): State<Doors>, request: Request) -> Response {
    let label = request.headers().get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    let name = doors.name_in(request.headers());
    let before = doors.token(request.headers()).map(str::to_owned);
    let answer = async {
        let LogIn { code } = api::serve::read_json(request, LIMIT).await?;
        let made = doors.hub.log_in(&code, &label).await?;
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
    let cookie = doors.cookie(name);
    let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    [(header::SET_COOKIE, cookie)]
}

pub async fn page(State(site): State<Shared>, headers: HeaderMap) -> Response {
    page_data::html(StatusCode::OK, page_data::login_page(&site, &headers))
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
