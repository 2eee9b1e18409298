//! The path of the public URL. The server's routes and pages know nothing of it: it is taken off what is asked for, and put before
//! the paths in what is answered. Without a path none of this runs.
//!
//! A proxy may pass the path on or take it off: both are served.

use super::compression;
use api::Problem;
use app::shared::attr;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Redirect, Response};
use lol_html::{RewriteStrSettings, element, rewrite_str};
use std::sync::Arc;
use tower::ServiceExt as _;

/// Attributes that the browser, or the script that starts a page, reads as addresses. For all others the page's script puts the
/// path before.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "formaction", attr::JS, attr::WASM];
/// Headers of paths, with spaces between them.
const HEADERS: [HeaderName; 3] =
    [header::LOCATION, header::CONTENT_LOCATION, HeaderName::from_static("verbatim-files")];
/// Where paths begin that lead to nothing drawn.
const NOT_DRAWN: [&str; 5] = ["/v1/", "/api/", "/metrics", "/mcp", "/assets/"];

/// Puts a router below a path, `/base`.
pub fn below(base: &str, router: Router) -> Router {
    let base: Arc<str> = base.into();
    let inner = Router::new().fallback_service(router).layer(from_fn_with_state(Arc::clone(&base), put_before)).layer(
        compression().compress_when(|_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| is_html(headers)),
    );
    Router::new().fallback(async move |request: Request| match without(&base, request) {
        Ok(request) => inner.oneshot(request).await.into_response(),
        Err(redirect) => *redirect,
    })
}

fn is_html(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

/// Takes the path off a request. The path alone leads to the first page.
fn without(base: &str, mut request: Request) -> Result<Request, Box<Response>> {
    let asked = request.uri().path_and_query().map(PathAndQuery::as_str).unwrap_or_default();
    let Some(rest) = asked.strip_prefix(base) else { return Ok(request) };
    if rest.is_empty() || rest.starts_with('?') {
        return Err(Box::new(Redirect::permanent(&format!("{base}/{rest}")).into_response()));
    }
    let Some(rest) = rest.starts_with('/').then(|| rest.parse().ok()).flatten() else { return Ok(request) };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(rest);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    Ok(request)
}

/// Puts the path before those in the answer.
async fn put_before(State(base): State<Arc<str>>, mut request: Request, next: Next) -> Response {
    let is_drawn = !NOT_DRAWN.iter().any(|start| request.uri().path().starts_with(start));
    if is_drawn {
        // It is compressed when the path is in it.
        request.headers_mut().remove(header::ACCEPT_ENCODING);
    }
    let mut answer = next.run(request).await;
    in_headers(&base, answer.headers_mut());
    // A page that is downloaded is read elsewhere.
    if !is_drawn || !is_html(answer.headers()) || answer.headers().contains_key(header::CONTENT_DISPOSITION) {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    let drawn = to_bytes(body, usize::MAX).await.ok().and_then(|bytes| String::from_utf8(bytes.into()).ok());
    match drawn.and_then(|html| in_html(&base, &html)) {
        Some(html) => {
            head.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(head, Body::from(html))
        }
        None => Problem::internal().into_response(),
    }
}

fn in_headers(base: &str, headers: &mut HeaderMap) {
    for name in HEADERS {
        let paths = headers.get(&name).and_then(|value| value.to_str().ok());
        let based = paths.map(|paths| paths.split(' ').map(|path| at(base, path)).collect::<Vec<_>>().join(" "));
        if let Some(value) = based.and_then(|paths| HeaderValue::from_str(&paths).ok()) {
            headers.insert(name, value);
        }
    }
}

/// None if it isn't HTML.
fn in_html(base: &str, html: &str) -> Option<String> {
    let addresses = element!("*", |element| {
        if element.tag_name() == "html" {
            element.set_attribute(attr::BASE, base)?;
        }
        for name in ADDRESSES {
            if let Some(path) = element.get_attribute(name).filter(|path| is_path(path)) {
                element.set_attribute(name, &at(base, &path))?;
            }
        }
        Ok(())
    });
    let settings = RewriteStrSettings::new().append_element_content_handler(addresses);
    rewrite_str(html, settings).ok()
}

/// Returns true for a path of this host.
fn is_path(address: &str) -> bool {
    address.starts_with('/') && !address.starts_with("//")
}

fn at(base: &str, address: &str) -> String {
    if is_path(address) { format!("{base}{address}") } else { address.to_owned() }
}
