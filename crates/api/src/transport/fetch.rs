//! The browser's fetch. `SendWrapper` is sound: wasm has one thread.

use super::{Answer, Sending, Transport};
use crate::{Method, Problem};
use js_sys::{ArrayBuffer, Uint8Array};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

/// Same origin; the log-in cookie goes along.
pub struct Fetch;

impl Transport for Fetch {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(SendWrapper::new(async move {
            answer(method, &path_and_query, body).await.map_err(|error| {
                let why = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
                Problem::transport(format!("The server can't be reached: {}", why.unwrap_or_default()))
            })
        }))
    }
}

async fn answer(method: Method, path_and_query: &str, body: Option<Vec<u8>>) -> Result<Answer, JsValue> {
    let request = RequestInit::new();
    request.set_method(method.as_str());
    if let Some(body) = body {
        let headers = Headers::new()?;
        headers.set("content-type", "application/json")?;
        request.set_headers(&headers);
        request.set_body(&Uint8Array::from(body.as_slice()));
    }
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let response = JsFuture::from(window.fetch_with_str_and_init(path_and_query, &request)).await?;
    let response: Response = response.dyn_into()?;
    let bytes: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.dyn_into()?;
    Ok(Answer { status: response.status(), retry_after: None, body: Uint8Array::new(&bytes).to_vec() })
}
