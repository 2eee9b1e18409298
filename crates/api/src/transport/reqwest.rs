//! Transport over HTTP, for the SDK and commands.

use super::{Answer, Sending, Transport};
use crate::account::{READER_HEADER, READER_MODEL};
use crate::{Method, Problem};
use ::reqwest::header::{HeaderMap, RETRY_AFTER};
use ::reqwest::{RequestBuilder, Response, StatusCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Sends requests with a key in the `Authorization` header.
#[derive(Clone)]
pub struct Reqwest {
    /// Address of the server, without a slash at its end.
    pub base: String,
    /// Value of the `Authorization` header.
    pub key: Key,
    /// Time limit of a request with its response.
    pub timeout: Duration,
    /// The HTTP client. It has its own connect timeout.
    pub http: ::reqwest::Client,
    /// True if responses go to a model.
    pub is_for_model: bool,
}

/// Key of requests. Clones share state.
#[derive(Clone)]
pub struct Key {
    now: Arc<Mutex<String>>,
    newer: Option<Arc<dyn Fn() -> Option<String> + Send + Sync>>,
}

impl Key {
    /// Makes a key that doesn't change.
    pub fn new(key: String) -> Self {
        Self { now: Arc::new(Mutex::new(key)), newer: None }
    }

    /// Makes a key that calls `newer` for another one when it is refused.
    #[must_use]
    pub fn or_else(self, newer: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        Self { newer: Some(Arc::new(newer)), ..self }
    }

    /// Returns the current key.
    pub fn now(&self) -> String {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns another key than the refused one, if there is one.
    fn instead_of(&self, refused: &str) -> Option<String> {
        let newer = self.newer.as_ref()?().filter(|newer| newer != refused)?;
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&newer);
        Some(newer)
    }
}

impl Reqwest {
    /// Sends a request with the key. If the key is refused, tries a newer one once.
    ///
    /// # Errors
    ///
    /// No response came. A status of 400 or more is no error.
    pub async fn authorized(&self, request: RequestBuilder) -> Result<Response, ::reqwest::Error> {
        let key = self.key.now();
        let request = if self.is_for_model { request.header(READER_HEADER, READER_MODEL) } else { request };
        let again = request.try_clone();
        let response = request.bearer_auth(&key).send().await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some(again) = again
            && let Some(key) = self.key.instead_of(&key)
        {
            return again.bearer_auth(key).send().await;
        }
        Ok(response)
    }
}

impl Transport for Reqwest {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(async move {
            let url = format!("{}{path_and_query}", self.base);
            let mut request = self.http.request(method.into(), url).timeout(self.timeout);
            if let Some(body) = body {
                request = request.header("content-type", "application/json").body(body);
            }
            whole(self.authorized(request).await.map_err(|error| lost(&self.base, &error))?, &self.base).await
        })
    }
}

impl From<Method> for ::reqwest::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::GET,
            Method::Post => Self::POST,
            Method::Put => Self::PUT,
            Method::Patch => Self::PATCH,
            Method::Delete => Self::DELETE,
        }
    }
}

/// Reads the whole response. `base` is the server's address.
///
/// # Errors
///
/// `transport` if the connection breaks.
pub async fn whole(response: Response, base: &str) -> Result<Answer, Problem> {
    let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
    let body = response.bytes().await.map_err(|error| lost(base, &error))?.to_vec();
    Ok(Answer { status, retry_after, body })
}

/// Makes the problem of a request without a complete response. The server may have handled it or not. The text names
/// the innermost cause, which is the most specific.
pub fn lost(base: &str, error: &::reqwest::Error) -> Problem {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let why = if error.is_timeout() { "timeout".to_owned() } else { cause.to_string() };
    Problem::transport(format!("{base} can't be reached: {why}"))
}

/// Returns the `Retry-After` header in seconds; None if it is a date.
fn retry_after(headers: &HeaderMap) -> Option<u32> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}
