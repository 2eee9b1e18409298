//! The one door through which HTML from the server enters the page.

use super::dom;
use api::{Client, Endpoint, Method, Problem, Transport as _, json, transport::fetch::Fetch};
use serde_json::Value;
use std::cell::Cell;
use web_sys::Element;

/// The typed client of this page.
pub fn client() -> Client {
    Client::new(Fetch)
}

/// HTML that the server rendered, or what was kept of it for times without one.
pub struct Fetched {
    pub html: String,
    pub is_kept: bool,
}

/// The status of what the worker kept.
const KEPT: u16 = 203;

thread_local! {
    /// True if anything was drawn from the cache.
    static STALE: Cell<bool> = const { Cell::new(false) };
}

/// Fetches HTML that the server rendered.
pub async fn fetch(path: &str) -> Result<String, Problem> {
    Ok(look(path).await?.html)
}

/// Like [`fetch`], with what a caller needs that retries where the server didn't answer itself.
pub async fn look(path: &str) -> Result<Fetched, Problem> {
    let answer = Fetch.send(Method::Get, path.to_owned(), None).await?;
    if answer.status >= 400 {
        return Err(answer.problem());
    }
    let is_kept = answer.status == KEPT;
    if is_kept {
        STALE.set(true);
    }
    let html = String::from_utf8(answer.body).map_err(|_| Problem::transport("The server's response is invalid"))?;
    Ok(Fetched { html, is_kept })
}

/// The server answers again: says once whether something that stands on the page is old.
pub fn was_stale() -> bool {
    STALE.take()
}

/// Markdown as the transcript shows it.
pub async fn render(markdown: &str) -> Result<String, Problem> {
    let body = json::write(&serde_json::json!({ "content": markdown })).unwrap_or_default();
    let answer = Fetch.send(Method::Post, "/fragments/render".to_owned(), Some(body.into_bytes())).await?;
    if answer.status >= 400 {
        return Err(Problem::outside(answer.status, "bad_answer", "The server can't show this"));
    }
    String::from_utf8(answer.body).map_err(|_| Problem::transport("The server's response is invalid"))
}

/// Calls an endpoint with the parameters of its path and with JSON, nothing as `{}`, and gives the answer as JSON. For
/// what is sent seldom and read hardly: a typed call of each endpoint would add a fifth to the WebAssembly.
pub fn ask<E: Endpoint, const N: usize>(
    endpoint: E,
    parameters: [&str; N],
    body: Value,
) -> impl Future<Output = Result<Value, Problem>> + use<E, N> {
    send(E::INFO.method, endpoint.path(parameters), body)
}

/// Sends such JSON to an address.
pub async fn send(method: Method, path: String, body: Value) -> Result<Value, Problem> {
    let body = if body.is_null() { Value::Object(serde_json::Map::new()) } else { body };
    let body = (method != Method::Get).then(|| json::write(&body).unwrap_or_default().into_bytes());
    let answer = Fetch.send(method, path, body).await?;
    if answer.status >= 400 {
        return Err(answer.problem());
    }
    Ok(json::read(&answer.body).unwrap_or_default())
}

/// Makes HTML the content of an element.
pub fn fill(element: &Element, html: &str) {
    element.set_inner_html(html);
}

/// Returns an element that the server drew as HTML, to be drawn once more.
pub fn html_of(element: &Element) -> String {
    element.outer_html()
}

/// HTML as elements that aren't in the document yet.
pub fn parse(html: &str) -> Option<Element> {
    let holder = dom::document()?.create_element("div").ok()?;
    fill(&holder, html);
    Some(holder)
}
