//! Writes a first document from a payload.

use super::MAX_DOCUMENT_BYTES;
use super::evaluate::field_names;
use super::format::moment;
use super::node::is_safe_link;
use super::schema::label;
use crate::strict::token;
use crate::text;
use serde_json::{Map, Value, json};

/// Maximum number of fields of the payload that get a component.
const MAX_FIELDS: usize = 40;

/// Returns a document that shows a payload: a title, a grid of its values, and a component for each of its lists. The
/// document is always valid.
pub fn starter(message_type: &str, version: i64, payload: &Map<String, Value>) -> Value {
    let mut rows = Vec::new();
    let mut view = Vec::new();
    let mut words = None;
    for (name, value) in payload.iter().take(MAX_FIELDS).filter(|(name, _)| fits(name)) {
        let path = token(name);
        let title = label(name);
        match value {
            Value::Null => {}
            Value::Array(items) if items.iter().any(Value::is_object) => {
                let columns: Vec<Value> = field_names(items)
                    .into_iter()
                    .filter(|(name, _)| fits(name))
                    .map(|(name, figures)| {
                        let value = items.iter().find_map(|item| item.get(name)).unwrap_or(&Value::Null);
                        let mut column = json!({"title": escaped(&label(name)), "value": bound(".", name, value)});
                        if figures {
                            column["align"] = json!("right");
                        }
                        column
                    })
                    .collect();
                let table = json!({"component": "table", "rows": path, "columns": columns});
                view.push(json!({"component": "section", "title": escaped(&title), "children": [table]}));
            }
            Value::Array(_) => {
                let list = json!({"component": "list", "items": path});
                view.push(json!({"component": "section", "title": escaped(&title), "children": [list]}));
            }
            Value::Object(_) => {
                let grid = json!({"component": "key_value", "of": path});
                view.push(json!({"component": "section", "title": escaped(&title), "children": [grid]}));
            }
            Value::String(text) if text.contains('\n') => {
                view.push(json!({"component": "text", "text": format!("{{{path}}}"), "markdown": true}));
            }
            value => {
                if words.is_none() && value.is_string() {
                    words = Some(format!("{{{path}}}"));
                }
                let mut row = json!({"label": escaped(&title), "value": bound("", name, value)});
                if value.as_str().is_some_and(is_safe_link) {
                    row["href"] = json!(format!("{{{path}}}"));
                }
                rows.push(row);
            }
        }
    }
    if !rows.is_empty() {
        view.insert(0, json!({"component": "key_value", "rows": rows}));
    }
    if view.is_empty() {
        view.push(json!({"component": "json", "value": "."}));
    }
    let kind = message_type.split('@').next().unwrap_or(message_type);
    let title = label(text::clip(kind.rsplit(['/', '.']).next().unwrap_or(kind), 100).as_str());
    let title = if text::is_blank(&title) { "Message".to_owned() } else { title };
    let summary = words.map_or_else(|| escaped(&title), |words| format!("{}: {words}", escaped(&title)));
    let document = |view: Vec<Value>| {
        json!({
            "type": message_type, "version": version.max(1), "title": title, "icon": "code", "summary": summary, "view": view,
        })
    };
    let whole = document(view);
    if whole.to_string().len() <= MAX_DOCUMENT_BYTES {
        return whole;
    }
    document(vec![json!({"component": "json", "value": "."})])
}

/// Returns whether a path can contain the field's name.
fn fits(name: &str) -> bool {
    name.len() <= 200 && !name.contains(['{', '}', '|'])
}

/// Returns a placeholder with the format that suits the value.
fn bound(from: &str, name: &str, value: &Value) -> String {
    let lower = name.to_ascii_lowercase();
    let format = match value {
        Value::String(_) if moment(value).is_some() => "|time",
        Value::Number(_) if lower.ends_with("bytes") || lower == "size" => "|bytes",
        Value::Number(_) if lower.ends_with("_ms") => "|duration:ms",
        Value::Number(_) if lower.ends_with("seconds") || lower.starts_with("duration") => "|duration",
        Value::Number(_) if lower.ends_with("_at") => "|time",
        Value::Number(_) if lower.ends_with("usd") => "|currency:USD",
        Value::Number(_) => "|number",
        _ => "",
    };
    format!("{{{from}{}{format}}}", token(name))
}

fn escaped(words: &str) -> String {
    words.replace('{', "{{").replace('}', "}}")
}
