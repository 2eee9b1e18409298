//! Requests to channels: within limits, without redirects, and to no private address unless it is allowed by name.

use crate::address::is_public;
use crate::failure::{Failure, SettingError};
use jiff::fmt::rfc2822;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take. What the other side accepts and never answers counts as not sent.
const ANSWER: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read.
const MOST: usize = 8 << 20;
/// Characters of an answer that stand in a failure.
const SHOWN: usize = 200;

/// Sends requests. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Http {
    client: Client,
    allowed: Arc<BTreeSet<String>>,
}

/// No client for requests can be made.
#[derive(Debug, thiserror::Error)]
#[error("no client for requests to channels: {0}")]
pub struct HttpError(#[from] reqwest::Error);

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its JSON; null where it has none.
    pub json: Value,
}

impl Http {
    /// Makes a client. `allowed` has the names of hosts that are reached wherever they are, and without TLS.
    pub fn new(allowed: impl IntoIterator<Item = String>) -> Result<Self, HttpError> {
        let allowed: Arc<BTreeSet<String>> =
            Arc::new(allowed.into_iter().map(|name| name.trim().to_ascii_lowercase()).collect());
        let client = Client::builder()
            .user_agent(concat!("verbatim/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            // A redirect could lead anywhere, and a proxy hides where it leads.
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(Guard(Arc::clone(&allowed))))
            .build()?;
        Ok(Self { client, allowed })
    }

    /// Reads an address to which requests may go.
    ///
    /// # Errors
    ///
    /// `field` should be an address with `https`, without a password, of a public host. A host that is allowed by name may have
    /// `http`, and be anywhere.
    pub fn url(&self, field: &'static str, text: &str) -> Result<Url, SettingError> {
        let wrong = |expected: &str| SettingError::new(field, expected);
        let url = Url::parse(text.trim()).map_err(|_| wrong("an address like `https://chat.example.org/hook`"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
        if host.is_empty() || !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("an address with a host, and without a user name or password"));
        }
        if self.allowed.contains(&host) && matches!(url.scheme(), "http" | "https") {
            return Ok(url);
        }
        if url.scheme() != "https" {
            return Err(wrong("an address that begins with `https://`"));
        }
        let is_private = host.parse::<IpAddr>().is_ok_and(|address| !is_public(address));
        if is_private || host == "localhost" || host.ends_with(".localhost") {
            return Err(wrong(
                "a public host. A private one must be allowed by name: start the server with `--channel-host NAME`",
            ));
        }
        Ok(url)
    }

    /// Begins a request.
    pub fn request(&self, method: &str, url: Url) -> RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap_or(reqwest::Method::GET);
        self.client.request(method, url)
    }

    /// Sends a request, and returns the answer of a success.
    pub async fn send(&self, request: RequestBuilder) -> Result<Reply, Failure> {
        let mut response = request.send().await.map_err(unsent)?;
        let status = response.status();
        let wait = retry_after(response.headers());
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(unsent)? {
            if body.len() + piece.len() > MOST {
                return Err(Failure::never(format!("the answer is longer than {MOST} bytes")));
            }
            body.extend_from_slice(&piece);
        }
        let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
        if status.is_success() { Ok(Reply { json }) } else { Err(refused(status, wait, &json, &body)) }
    }
}

/// The other side took the request and refused it.
fn refused(status: StatusCode, wait: Option<Duration>, json: &Value, body: &[u8]) -> Failure {
    // Matrix and Telegram say it in their bodies.
    let wait = wait.or_else(|| json.get("retry_after_ms").and_then(Value::as_u64).map(Duration::from_millis));
    let wait =
        wait.or_else(|| json.pointer("/parameters/retry_after").and_then(Value::as_u64).map(Duration::from_secs));
    // An empty object says nothing.
    let is_empty = json.as_object().is_some_and(Map::is_empty);
    let text = if is_empty { Cow::default() } else { String::from_utf8_lossy(body) };
    let said = model::text::one_line(&text, SHOWN);
    let reason = format!("{status}{}{said}", if said.is_empty() { "" } else { ": " });
    let passes = matches!(status.as_u16(), 408 | 425 | 429) || status.is_server_error();
    if passes {
        Failure::Later { reason, after: wait }
    } else {
        Failure::Never { reason, status: Some(status.as_u16()) }
    }
}

fn unsent(error: reqwest::Error) -> Failure {
    if error.is_timeout() {
        return Failure::later(format!("no answer within {} seconds", ANSWER.as_secs()));
    }
    // The whole chain: the first error says only that the request failed. Never the address, which may hold a secret.
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    Failure::later(reason)
}

/// How long the header `Retry-After` asks to wait: in seconds, or until a date. The date is compared with the answer's own, so that
/// neither clock has to be right.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let wait = text("retry-after")?;
    if let Ok(seconds) = wait.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    Duration::try_from(date(wait)?.duration_since(date(text("date")?)?)).ok()
}

/// Resolves names, and finds no private address of a host that isn't allowed by name.
struct Guard(Arc<BTreeSet<String>>);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_ascii_lowercase();
        let is_allowed = self.0.contains(&host);
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let usable: Vec<_> = found.into_iter().filter(|address| is_allowed || is_public(address.ip())).collect();
            if usable.is_empty() {
                return Err(format!("`{host}` has no public address: a private host must be allowed by name").into());
            }
            Ok(Box::new(usable.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, retry_after};
    use reqwest::header::{DATE, RETRY_AFTER};
    use std::time::Duration;

    #[test]
    fn how_long_others_ask_to_wait() {
        let now = "Wed, 21 Oct 2015 07:28:00 GMT";
        for (wait, date, expected) in [
            ("120", None, Some(120)),
            ("Wed, 21 Oct 2015 07:30:00 GMT", Some(now), Some(120)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some(now), Some(0)),
            // A date that is over, one that has nothing to be compared with, and what is neither date nor number.
            ("Wed, 21 Oct 2015 07:27:59 GMT", Some(now), None),
            ("Wed, 21 Oct 2015 07:30:00 GMT", None, None),
            ("Wed, 21 Oct 2015 07:30:00 GMT", Some("today"), None),
            ("-5", Some(now), None),
            ("soon", Some(now), None),
            ("", Some(now), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, wait.parse().unwrap());
            headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs), "{wait} {date:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
