//! The browser's fetch. `SendWrapper` is sound: wasm has one thread.

use super::{Answer, Sending, Transport};
use crate::{Method, Problem};
use send_wrapper::SendWrapper;

/// Same origin; the log-in cookie goes along.
pub struct Fetch;

impl Transport for Fetch {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(SendWrapper::new(async move {
            let lost = |e: gloo_net::Error| Problem::transport(format!("The server can't be reached: {e}"));
            let method = match method {
                Method::Get => gloo_net::http::Method::GET,
                Method::Post => gloo_net::http::Method::POST,
                Method::Put => gloo_net::http::Method::PUT,
                Method::Patch => gloo_net::http::Method::PATCH,
                Method::Delete => gloo_net::http::Method::DELETE,
            };
            let request = gloo_net::http::RequestBuilder::new(&path_and_query).method(method);
            let request = match body {
                Some(body) => {
                    let bytes = js_sys::Uint8Array::from(body.as_slice());
                    request.header("content-type", "application/json").body(bytes).map_err(lost)?
                }
                None => request.build().map_err(lost)?,
            };
            let response = request.send().await.map_err(lost)?;
            let body = response.binary().await.map_err(lost)?;
            Ok(Answer { status: response.status(), retry_after: None, body })
        }))
    }
}
