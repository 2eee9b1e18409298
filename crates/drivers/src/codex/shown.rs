//! Content of a Codex request: the fields that are relevant for the decision, and the changes of files.

use crate::Content;
use crate::rpc::{filled, items};
use serde_json::{Map, Value};

/// Fields of a request that have a place of their own, or say nothing to a person.
const BESIDES: [&str; 10] = [
    "approvalId",
    "availableDecisions",
    "commandActions",
    "itemId",
    "proposedExecpolicyAmendment",
    "proposedNetworkPolicyAmendments",
    "reason",
    "startedAtMs",
    "threadId",
    "turnId",
];

/// Returns the fields of a request that a person decides on.
pub(super) fn fields(params: &Value) -> Map<String, Value> {
    let fields = params.as_object().into_iter().flatten();
    let fields = fields.filter(|(key, value)| !BESIDES.contains(&key.as_str()) && !value.is_null());
    fields.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns what a request to run a command is about. `item` is what Codex began.
pub(super) fn command(params: &Value, item: Option<&Value>) -> Map<String, Value> {
    let mut input = fields(params);
    for key in ["cwd", "command"] {
        let known = item.and_then(|item| item.get(key)).filter(|value| !value.is_null());
        if let Some(known) = known.filter(|_| !input.contains_key(key)) {
            input.shift_insert(0, key.to_owned(), known.clone());
        }
    }
    input
}

/// Returns what a request to change files shows. `item` is what Codex began: it has the changes.
pub(super) fn changes(params: &Value, item: Option<&Value>) -> Vec<Content> {
    let mut content: Vec<Content> =
        item.map(|item| items(item, "changes")).unwrap_or_default().iter().map(change).collect();
    content.extend(fields(params).into_iter().map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Content::Text(format!("{key}: {value}"))
    }));
    content
}

fn change(change: &Value) -> Content {
    let kind = change.get("kind");
    let word = kind.and_then(|kind| kind.get("type").unwrap_or(kind).as_str());
    let diff = change.get("diff").and_then(Value::as_str).map(str::to_owned);
    match (filled(change, "path"), word, diff) {
        (Some(path), Some("add"), Some(diff)) => Content::Change { path, old: None, new: Some(diff) },
        (Some(path), Some("delete"), Some(diff)) => Content::Change { path, old: Some(diff), new: None },
        (Some(path), Some("update"), Some(diff)) => match kind.and_then(|kind| filled(kind, "move_path")) {
            Some(to) => Content::Diff { path: to, moved_from: Some(path), diff },
            None => Content::Diff { path, moved_from: None, diff },
        },
        _ => Content::Text(change.to_string()),
    }
}
