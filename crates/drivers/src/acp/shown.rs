//! Content of a permission request: the tool's input, changes of files, and other data.

use crate::Content;
use crate::rpc::{filled, items};
use serde_json::{Map, Value};

/// Fields of a request that have a place of their own, or say nothing to a person.
const OF_REQUEST: [&str; 7] = ["sessionId", "toolCall", "subject", "options", "title", "description", "_meta"];
/// Fields of a call like those.
const OF_CALL: [&str; 12] = [
    "_meta",
    "content",
    "description",
    "kind",
    "locations",
    "name",
    "rawInput",
    "rawOutput",
    "sessionUpdate",
    "status",
    "title",
    "toolCallId",
];

/// Returns the call that a request is about, as the request carries it.
pub(super) fn call_of(params: &Value) -> Option<&Value> {
    params.get("toolCall").or_else(|| params.get("subject")?.get("toolCall")).filter(|call| call.is_object())
}

/// Returns what the tool gets, in the agent's own fields. A command that is given as a title alone is one.
pub(super) fn input(params: &Value, call: &Value) -> Map<String, Value> {
    match call.get("rawInput") {
        Some(Value::Object(input)) => return input.clone(),
        None | Some(Value::Null) => {}
        Some(other) => return Map::from_iter([("input".to_owned(), other.clone())]),
    }
    if let Some(subject) = params.get("subject").and_then(Value::as_object) {
        let own = subject.iter().filter(|(key, _)| *key != "toolCall" && *key != "_meta");
        let own: Map<String, Value> = own.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !own.is_empty() {
            return own;
        }
    }
    let is_command = filled(call, "kind").as_deref() == Some("execute");
    let command = filled(call, "title").filter(|_| is_command);
    command.map(|command| ("command".to_owned(), Value::String(command))).into_iter().collect()
}

/// Returns what a request shows beside the input, whatever it is.
pub(super) fn content(params: &Value, call: &Value) -> Vec<Content> {
    let mut content: Vec<Content> = items(call, "content").iter().map(item).collect();
    content.extend(filled(call, "description").map(Content::Text));
    content.extend(others(params, &OF_REQUEST));
    content.extend(others(call, &OF_CALL));
    content
}

/// Returns the files and folders that a call names, but for those of which it shows the change.
pub(super) fn paths(call: &Value) -> Vec<String> {
    let changed = |path: &str| items(call, "content").iter().any(|item| is_change(item) && item["path"] == path);
    let path = |place: &Value| {
        let path = filled(place, "path").filter(|path| !changed(path))?;
        Some(place.get("line").and_then(Value::as_u64).map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
    };
    items(call, "locations").iter().filter_map(path).collect()
}

/// Returns the changes among the `known` content that the `new` one leaves standing: all, unless it has some itself.
pub(super) fn changes_to_keep(known: Option<&Value>, new: Option<&Value>) -> Vec<Value> {
    let changes = |of: Option<&Value>| -> Vec<Value> {
        let items = of.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter(|item| is_change(item)).cloned().collect()
    };
    let says = new.and_then(Value::as_array).is_some_and(|items| !items.is_empty());
    if says && changes(new).is_empty() { changes(known) } else { Vec::new() }
}

fn is_change(item: &Value) -> bool {
    item.get("type").and_then(Value::as_str) == Some("diff")
}

fn item(item: &Value) -> Content {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    if is_change(item)
        && let (Some(path), Some(new)) = (filled(item, "path"), text("newText"))
    {
        let is_deleted = new.is_empty() && item.pointer("/_meta/kind").and_then(Value::as_str) == Some("delete");
        let new = (!is_deleted).then(|| new.to_owned());
        return Content::Change { path, old: text("oldText").map(str::to_owned), new };
    }
    let block = item.get("content").unwrap_or(item);
    match (block.get("type").and_then(Value::as_str), block.get("text")) {
        (Some("text"), Some(Value::String(text))) => Content::Text(text.clone()),
        _ => Content::Text(item.to_string()),
    }
}

/// The fields that nobody knows: they may say what the decision is about.
fn others<'v>(of: &'v Value, known: &'v [&str]) -> impl Iterator<Item = Content> + 'v {
    let fields = of.as_object().into_iter().flatten();
    let fields = fields.filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null());
    fields.map(|(key, value)| Content::Text(format!("{key}: {value}")))
}
