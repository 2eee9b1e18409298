//! Passkeys, which the browser creates: `secret.js` asks it.

use api::{Problem, ProblemCode};
use js_sys::{Function, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
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
    let answer = JsFuture::from(asked(options).map_err(refused)?).await.map_err(refused)?;
    let answer = answer.as_string().unwrap_or_default();
    api::json::read(answer.as_bytes()).map_err(|_| refused(JsValue::NULL))
}

fn asked(options: &Value) -> Result<Promise, JsValue> {
    let page = Reflect::get(&js_sys::global(), &"verbatim".into())?;
    let create: Function = Reflect::get(&page, &"newPasskey".into())?.dyn_into()?;
    create.call1(&page, &options.to_string().into())?.dyn_into()
}
