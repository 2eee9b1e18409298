//! Over HTTP, for SDK and commands.

use super::{Answer, Sending, Transport};
use crate::{Method, Problem};

/// `base` without a trailing slash; `key` goes into the `Authorization` header.
pub struct Reqwest {
    pub base: String,
    pub key: Option<String>,
    pub http: ::reqwest::Client,
}

impl Transport for Reqwest {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(async move {
            let lost = |e: ::reqwest::Error| Problem::transport(format!("{} can't be reached: {e}", self.base));
            let method = match method {
                Method::Get => ::reqwest::Method::GET,
                Method::Post => ::reqwest::Method::POST,
                Method::Put => ::reqwest::Method::PUT,
                Method::Patch => ::reqwest::Method::PATCH,
                Method::Delete => ::reqwest::Method::DELETE,
            };
            let mut request = self.http.request(method, format!("{}{path_and_query}", self.base));
            if let Some(key) = &self.key {
                request = request.bearer_auth(key);
            }
            if let Some(body) = body {
                request = request.header("content-type", "application/json").body(body);
            }
            let response = request.send().await.map_err(lost)?;
            let status = response.status().as_u16();
            let body = response.bytes().await.map_err(lost)?.to_vec();
            Ok(Answer { status, body })
        })
    }
}
