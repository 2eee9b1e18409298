//! A log-in of our own: what a person says and decides is theirs, and this machine's credential may not decide.

use api::account::{LogIn, LogInSecret, SECRET_HEADER, TERMINAL};
use api::contract::{LogInRoute, LogOut};
use api::transport::reqwest::{lost, whole};
use api::transport::{Sending, Transport};
use api::{Client, Method, Nothing, Problem, Route as _};
use reqwest::header::{CONTENT_TYPE, COOKIE, ORIGIN, SET_COOKIE, USER_AGENT};
use reqwest::{RequestBuilder, Response};
use sdk::Verbatim;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A person who is logged in. It stays logged in until [`Person::leave`].
#[derive(Clone)]
pub struct Person {
    base: String,
    /// Without the path of the base.
    origin: String,
    cookie: String,
    secret: String,
    http: reqwest::Client,
}

impl Person {
    /// Logs in by a one-time code, which only this machine's credential gets.
    ///
    /// # Errors
    ///
    /// The server's problem: 403 for an agent's key.
    pub async fn log_in(verbatim: &Verbatim) -> Result<Self, Problem> {
        let link = verbatim.client().create_launch_code(Nothing {}, Nothing {}).await?.url;
        let unread = || api::client::unreadable("its log-in link has no code");
        let (_, code) = link.split_once("#c=").ok_or_else(unread)?;
        let base = verbatim.url().unwrap_or_default().to_owned();
        let origin = reqwest::Url::parse(&base).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let http = reqwest::Client::builder().no_proxy().build().map_err(|error| lost(&base, &error))?;
        let body = api::json::write(&LogIn::by_code(code)).map_err(|error| api::client::unreadable(&error))?;
        let request =
            http.post(format!("{base}{}", LogInRoute::PATH)).header(USER_AGENT, TERMINAL).header(ORIGIN, &origin);
        let response = send(request.header(CONTENT_TYPE, "application/json").body(body), &base).await?;
        let cookie = response.headers().get(SET_COOKIE).and_then(|value| value.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
        let answer = whole(response, &base).await?;
        if answer.status >= 400 {
            return Err(answer.problem());
        }
        let read: LogInSecret = api::json::read(&answer.body).map_err(|error| api::client::unreadable(&error))?;
        let cookie = cookie.ok_or_else(|| api::client::unreadable("it brings no cookie"))?;
        Ok(Self { base, origin, cookie, secret: read.secret, http })
    }

    /// The API as this person.
    pub fn client(&self) -> Client {
        Client::new(self.clone())
    }

    /// Logs out.
    ///
    /// # Errors
    ///
    /// `transport` if the server can't be reached: then the log-in ends by itself after a week.
    pub async fn leave(&self) -> Result<(), Problem> {
        let request = self.http.post(format!("{}{}", self.base, LogOut::PATH));
        send(self.shown(request), &self.base).await.map(drop)
    }

    fn shown(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header(COOKIE, &self.cookie).header(SECRET_HEADER, &self.secret);
        request.header(ORIGIN, &self.origin).header(USER_AGENT, TERMINAL)
    }
}

impl Transport for Person {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(async move {
            let mut request = self.shown(self.http.request(method.into(), format!("{}{path_and_query}", self.base)));
            if let Some(body) = body {
                request = request.header(CONTENT_TYPE, "application/json").body(body);
            }
            whole(send(request, &self.base).await?, &self.base).await
        })
    }
}

async fn send(request: RequestBuilder, base: &str) -> Result<Response, Problem> {
    request.timeout(PATIENCE).send().await.map_err(|error| lost(base, &error))
}
