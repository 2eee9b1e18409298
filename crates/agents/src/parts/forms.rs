//! Forms as MCP has them: what a person shall fill in, and what was filled in.

use super::obj::{Obj, string};
use crate::form;
use model::Micros;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The title and the open `APPROVAL` of a form, or of an address to open: `message`, `requestedSchema`, `url`.
pub(crate) fn asked(params: &Obj) -> (String, Value) {
    let title = params.filled("message").unwrap_or_else(|| "A form".to_owned());
    let schema = params.raw("requestedSchema").and_then(|raw| serde_json::from_str(raw).ok());
    let fields = form::fields(&schema.unwrap_or_default());
    let mut asked = json!({ "kind": "form", "title": title, "questions": [], "state": "open" });
    if !fields.is_empty() {
        asked["fields"] = json!(fields);
    }
    if let Some(url) = params.filled("url") {
        asked["body"] = json!(url);
    }
    (title, asked)
}

/// What became of a form, and the decision: `action`, and `content` with a value for each name.
pub(crate) fn filled(result: Option<&Obj>, at: Micros) -> (&'static str, Value) {
    let state = match result.and_then(|result| result.filled("action")).as_deref() {
        Some("accept") => "answered",
        Some("decline") => "denied",
        _ => "cancelled",
    };
    let mut decision = json!({ "state": state, "selected": [], "at": at });
    let values = result.and_then(|result| result.obj("content"));
    let line = |(name, raw): (&str, &str)| {
        let value = string(raw).map_or_else(|| raw.to_owned(), Cow::into_owned);
        format!("{name}: {value}")
    };
    let lines: Vec<String> = values.iter().flat_map(Obj::fields).map(line).collect();
    if !lines.is_empty() {
        decision["text"] = json!(lines.join("\n"));
    }
    (state, decision)
}
