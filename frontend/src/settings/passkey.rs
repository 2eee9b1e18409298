//! Passkeys, which the browser creates: `secret.js` asks it.

use api::transport::fetch::from_page;
use api::{Problem, ProblemCode};
use js_sys::{Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Creates a passkey by the server's options. Returns the browser's answer to them.
pub async fn create(options: &Value) -> Result<Value, Problem> {
    let refused = |error: JsValue| {
        let name = Reflect::get(&error, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
        let words = match name.as_str() {
            "NotAllowedError" => "No passkey was created",
            "InvalidStateError" => "This device has a passkey of yours already",
            "SecurityError" => "The browser creates passkeys only at the server's name, not at an address",
            _ => "The browser can't create a passkey here",
        };
        Problem::new(ProblemCode::Forbidden, words)
    };
    let asked = from_page("newPasskey", &options.to_string().into()).and_then(|asked| asked.dyn_into::<Promise>().ok());
    let asked = asked.ok_or_else(|| refused(JsValue::NULL))?;
    let answer = JsFuture::from(asked).await.map_err(refused)?.as_string().unwrap_or_default();
    api::json::read(answer.as_bytes()).map_err(|_| refused(JsValue::NULL))
}
