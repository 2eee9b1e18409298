//! Transport by the browser's fetch. `SendWrapper` is sound because wasm has one thread.

use super::{Answer, Sending, Transport};
use crate::ProblemCode;
use crate::account::SECRET_HEADER;
use crate::{Method, Problem};
use gloo_net::http::{Request, RequestBuilder};
use js_sys::{Function, Promise, Reflect, Uint8Array};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Sends requests to the page's origin, with the log-in cookie. Requests that change something have the log-in's secret
/// too.
pub struct Fetch;

impl Transport for Fetch {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(SendWrapper::new(async move { answer(method, &path_and_query, body).await }))
    }
}

async fn answer(method: Method, path_and_query: &str, body: Option<Vec<u8>>) -> Result<Answer, Problem> {
    let mut request = builder(method, path_and_query);
    if method != Method::Get
        && let Some(secret) = secret().await
    {
        request = request.header(SECRET_HEADER, &secret);
    }
    let request = match body {
        Some(body) => request.header("content-type", "application/json").body(Uint8Array::from(body.as_slice())),
        None => request.build(),
    };
    let response = request.map_err(lost)?.send().await.map_err(lost)?;
    let retry_after = response.headers().get("retry-after").and_then(|seconds| seconds.parse().ok());
    let body = response.binary().await.map_err(lost)?;
    Ok(noticed(Answer { status: response.status(), retry_after, body }))
}

/// Informs the page if the server refuses the log-in or its secret: the page shows how to sign in again. The server's
/// own message is for programs.
pub(super) fn noticed(answer: Answer) -> Answer {
    if answer.status == 403 && answer.problem().is(ProblemCode::SecretMissing) {
        from_page("refused", &JsValue::UNDEFINED);
    }
    if answer.status != 401 {
        return answer;
    }
    from_page("signedOut", &JsValue::UNDEFINED);
    let body = r#"{"status":401,"code":"not_logged_in","title":"You are signed out"}"#;
    Answer { body: body.into(), ..answer }
}

/// Returns the log-in's secret. It is read for each request, because another tab may have logged in since.
pub(super) async fn secret() -> Option<String> {
    let kept = from_page("secret", &JsValue::UNDEFINED)?.dyn_into::<Promise>().ok()?;
    JsFuture::from(kept).await.ok()?.as_string()
}

/// Calls a function of the page's script `secret.js`. None if it isn't loaded.
pub fn from_page(function: &str, argument: &JsValue) -> Option<JsValue> {
    let script = Reflect::get(&js_sys::global(), &"verbatim".into()).ok()?;
    let function: Function = Reflect::get(&script, &function.into()).ok()?.dyn_into().ok()?;
    function.call1(&script, argument).ok()
}

/// Returns a path of the server with the path of the public URL before it, unless it has that already.
pub fn at(path: &str) -> String {
    let based = from_page("at", &path.into()).and_then(|based| based.as_string());
    based.unwrap_or_else(|| path.to_owned())
}

fn builder(method: Method, path_and_query: &str) -> RequestBuilder {
    let path_and_query = &at(path_and_query);
    match method {
        Method::Get => Request::get(path_and_query),
        Method::Post => Request::post(path_and_query),
        Method::Put => Request::put(path_and_query),
        Method::Patch => Request::patch(path_and_query),
        Method::Delete => Request::delete(path_and_query),
    }
}

/// Makes the problem of a failed fetch. The browser logs the details to its console.
fn lost(_: gloo_net::Error) -> Problem {
    Problem::transport("The server can't be reached")
}
