//! Notifications that the server sends, which the browser shows while no page is open: the browser's subscription at the
//! push service of its maker.

use crate::service_worker::{call, object, registration};
use api::contract::{DeletePush, GetPush, PutPush};
use api::json;
use app::browser::{fragment, storage};
use js_sys::{JSON, Object, Reflect};
use leptos::prelude::lazy;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// Key in `localStorage`: the address that the server knows; empty if the browser gave none, so that not each page asks
/// it again. It goes with the log-in.
const SUBSCRIBED: &str = "push";

/// Subscribes this browser. One that takes no messages from a server stays without.
#[lazy]
pub async fn subscribe() {
    let known = make().await;
    storage::set(SUBSCRIBED, Some(&known.unwrap_or_default()));
}

/// Ends the subscription.
#[lazy]
pub async fn unsubscribe() {
    storage::set(SUBSCRIBED, None);
    // The server forgets a browser that refuses its messages, too.
    let _ = fragment::ask(DeletePush, [], Value::Null).await;
    if let Some(subscription) = subscription().await {
        call(&subscription, "unsubscribe", &[]).await;
    }
}

/// Subscribes anew where the browser has another address than the server knows, or a new log-in.
#[lazy]
pub async fn renew() {
    // Without a worker yet, the next page asks.
    if manager().await.is_none() {
        return;
    }
    let current = subscription().await;
    let address = current.and_then(|current| Reflect::get(&current, &"endpoint".into()).ok()?.as_string());
    if storage::get(SUBSCRIBED) != Some(address.unwrap_or_default()) {
        subscribe().await;
    }
}

async fn manager() -> Option<JsValue> {
    object(&registration().await?, "pushManager")
}

async fn subscription() -> Option<JsValue> {
    call(&manager().await?, "getSubscription", &[]).await.filter(JsValue::is_object)
}

/// Returns the address that the server knows now.
async fn make() -> Option<String> {
    let manager = manager().await?;
    let state = fragment::ask(GetPush, [], Value::Null).await.ok()?;
    let options = Object::new();
    let _ = Reflect::set(&options, &"userVisibleOnly".into(), &true.into());
    let _ = Reflect::set(&options, &"applicationServerKey".into(), &state["key"].as_str()?.into());
    let options = [options.into()];
    let mut made = call(&manager, "subscribe", &options).await;
    if made.is_none() {
        // One that another server made, or this one with another key, is in the way.
        call(&subscription().await?, "unsubscribe", &[]).await?;
        made = call(&manager, "subscribe", &options).await;
    }
    let written = String::from(JSON::stringify(&made?).ok()?);
    let made: Value = json::read(written.as_bytes()).ok()?;
    let (endpoint, keys) = (made["endpoint"].as_str()?, &made["keys"]);
    let body = json!({ "endpoint": endpoint, "p256dh": keys["p256dh"], "auth": keys["auth"] });
    fragment::ask(PutPush, [], body).await.ok()?;
    Some(endpoint.to_owned())
}
