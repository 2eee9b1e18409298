//! The content of a running agent's request, stored with its card. A person decides on this, whatever the transcript
//! has.

use agents::{proposed_change, proposed_diff};
use drivers::{Ask, AskKind, Content};
use model::asked::{Asked, AskedChange};
use serde_json::{Map, Value, json};

/// Returns what a request carries beside the title, the body and the questions in the `payload` of its card. A reason
/// and a plan that the payload doesn't have yet become its body.
pub fn carried(ask: &Ask, payload: &mut Map<String, Value>) -> Asked {
    let mut asked = Asked { tool_name: ask.tool_name.clone(), paths: ask.paths.clone(), ..Asked::default() };
    for content in &ask.content {
        let change = match content {
            Content::Change { path, old, new } => proposed_change(path, old.as_deref(), new.as_deref()),
            Content::Diff { path, moved_from, diff } => proposed_diff(path, moved_from.as_deref(), diff),
            Content::Text(text) => {
                asked.texts.push(text.clone());
                continue;
            }
        };
        asked.changes.extend(AskedChange::of(&change));
    }
    // The payload of a form is made of its schema.
    if ask.kind != AskKind::Form {
        asked.input.clone_from(&ask.input);
    }
    if ask.kind == AskKind::Plan && !payload.contains_key("body") && !asked.texts.is_empty() {
        payload.insert("body".to_owned(), json!(asked.texts.remove(0)));
    }
    // Some agents send the plan twice.
    let body = payload.get("body").and_then(Value::as_str);
    asked.texts.retain(|text| Some(text.as_str()) != body);
    match &ask.reason {
        Some(reason) if payload.contains_key("body") => asked.texts.push(reason.clone()),
        Some(reason) => {
            payload.insert("body".to_owned(), json!(reason));
        }
        None => {}
    }
    asked
}
