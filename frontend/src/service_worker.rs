//! The browser's objects that `web-sys` has behind flags, or that may not be there: the service worker's registration.

use app::browser::dom;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Returns the registration of the service worker, if there is one.
pub async fn registration() -> Option<JsValue> {
    let navigator = dom::window()?.navigator();
    let container = object(&navigator, "serviceWorker")?;
    call(&container, "getRegistration", &[]).await.filter(JsValue::is_object)
}

/// Returns the object in a field, if there is one.
pub fn object(of: &JsValue, field: &str) -> Option<JsValue> {
    Reflect::get(of, &field.into()).ok().filter(JsValue::is_object)
}

/// Calls a method that returns a promise. None if it fails, or doesn't exist.
pub async fn call(object: &JsValue, method: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let method: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    let called: Promise = method.apply(object, &arguments.iter().collect::<Array>()).ok()?.dyn_into().ok()?;
    JsFuture::from(called).await.ok()
}
