//! The browser's fetch. `SendWrapper` is sound: wasm has one thread.

use super::{Answer, Sending, Transport};
use crate::{Method, Problem};
use gloo_net::http::{Request, RequestBuilder};
use js_sys::Uint8Array;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsValue;

/// Same origin; the log-in cookie goes along.
pub struct Fetch;

impl Transport for Fetch {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(SendWrapper::new(async move {
            let body = body.map(|body| ("application/json", Uint8Array::from(body.as_slice()).into()));
            answer(method, &path_and_query, body).await
        }))
    }
}

/// Sends a file of the browser, which isn't read into memory for it.
pub async fn send_file(path: &str, mime: &str, file: JsValue) -> Result<Answer, Problem> {
    let mime = if mime.is_empty() { "application/octet-stream" } else { mime };
    answer(Method::Post, path, Some((mime, file))).await
}

async fn answer(method: Method, path_and_query: &str, body: Option<(&str, JsValue)>) -> Result<Answer, Problem> {
    let request = match body {
        Some((mime, body)) => builder(method, path_and_query).header("content-type", mime).body(body),
        None => builder(method, path_and_query).build(),
    };
    let response = request.map_err(lost)?.send().await.map_err(lost)?;
    let retry_after = response.headers().get("retry-after").and_then(|seconds| seconds.parse().ok());
    let body = response.binary().await.map_err(lost)?;
    Ok(Answer::new(response.status(), retry_after, body))
}

fn builder(method: Method, path_and_query: &str) -> RequestBuilder {
    match method {
        Method::Get => Request::get(path_and_query),
        Method::Post => Request::post(path_and_query),
        Method::Put => Request::put(path_and_query),
        Method::Patch => Request::patch(path_and_query),
        Method::Delete => Request::delete(path_and_query),
    }
}

/// What the browser says of it is in its console.
fn lost(_: gloo_net::Error) -> Problem {
    Problem::transport("The server can't be reached")
}
