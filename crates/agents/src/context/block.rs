//! A block of a message, from its JSON.

use super::tokens;
use crate::parts::blocks::cut;
use model::RecordRef;
use model::model_context::{ContextBlock, ContextBlockKind as Kind, ContextPart as Part};
use model::terminal::plain;
use serde_json::{Value, json};

/// Most characters of a preview.
const PREVIEW: usize = 160;

/// A block of Anthropic's API. `part` is what a text counts as; other blocks count by their kind.
pub(super) fn anthropic(content: Value, part: Part, record: Option<&RecordRef>) -> ContextBlock {
    let str = |name: &str| content.get(name).and_then(Value::as_str);
    let (kind, part, name, call_id) = match str("type") {
        Some("text") => (Kind::Text, part, None, None),
        Some("thinking" | "redacted_thinking") => (Kind::Thinking, Part::Thinking, None, None),
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => (Kind::ToolUse, Part::Results, str("name"), str("id")),
        Some(kind) if kind.ends_with("tool_result") => (Kind::ToolResult, Part::Results, None, str("tool_use_id")),
        Some("image") => (Kind::Image, Part::Files, None, None),
        Some("document") => (Kind::Document, Part::Files, None, None),
        _ => (Kind::Other, part, None, None),
    };
    let (name, call_id) = (name.map(str::to_owned), call_id.map(str::to_owned));
    of(kind, part, name, call_id, content, record)
}

/// A text in the words of Anthropic's API.
pub(super) fn text(text: impl Into<String>, part: Part, record: Option<&RecordRef>) -> ContextBlock {
    anthropic(json!({"type": "text", "text": text.into()}), part, record)
}

/// A block of any API.
pub(super) fn of(
    kind: Kind,
    part: Part,
    name: Option<String>,
    call_id: Option<String>,
    content: Value,
    record: Option<&RecordRef>,
) -> ContextBlock {
    let mut weight = Weight::default();
    weight.add(&content, kind == Kind::Thinking);
    let bytes = serde_json::to_string(&content).map_or(0, |json| json.len() as u64);
    ContextBlock {
        kind,
        part,
        preview: preview(kind, &content),
        name,
        call_id,
        tokens: weight.tokens,
        bytes,
        content: Some(content),
        seq: None,
        records: record.cloned().into_iter().collect(),
        inexact: false,
        cache_control: None,
        added: false,
    }
}

/// A definition of a tool.
pub(super) fn tool(content: Value, record: Option<&RecordRef>) -> ContextBlock {
    let name = content.get("name").or_else(|| content.get("type")).and_then(Value::as_str).map(str::to_owned);
    of(Kind::Other, Part::Tools, name, None, content, record)
}

#[derive(Default)]
struct Weight {
    tokens: i64,
}

impl Weight {
    /// Adds what a model reads of a block: its words, not the names of the API's own fields.
    fn add(&mut self, value: &Value, is_thinking: bool) {
        match value {
            Value::String(text) => self.tokens += tokens::estimate(text),
            Value::Array(items) => items.iter().for_each(|item| self.add(item, is_thinking)),
            Value::Object(fields) => {
                let is_picture = fields.get("type").and_then(Value::as_str) == Some("base64");
                for (key, value) in fields {
                    match key.as_str() {
                        "data" if is_picture => self.tokens += value.as_str().map_or(0, tokens::picture),
                        // Not read, or read in another form.
                        "type" | "id" | "tool_use_id" | "call_id" | "signature" | "cache_control" | "caller"
                        | "encrypted_content" | "thoughtSignature" | "media_type" | "mimeType" | "status" => {}
                        "data" if is_thinking => {}
                        "input" | "args" | "input_schema" | "parameters" => self.json(value),
                        "image_url" | "inlineData" => self.tokens += tokens::picture(""),
                        _ => self.add(value, is_thinking),
                    }
                }
            }
            _ => {}
        }
    }

    /// Data that a model reads as JSON.
    fn json(&mut self, value: &Value) {
        self.tokens += serde_json::to_string(value).map_or(0, |json| tokens::estimate(&json));
    }
}

fn preview(kind: Kind, content: &Value) -> String {
    let text = words(content).unwrap_or_default();
    let text = if text.is_empty() && kind != Kind::Text && kind != Kind::Thinking { kind.label() } else { text };
    let line: Vec<&str> = text.split_whitespace().collect();
    cut(&plain(&line.join(" ")), PREVIEW - 3)
}

/// The words that a block begins with.
fn words(content: &Value) -> Option<String> {
    const MOST: usize = 4 * PREVIEW;
    let begin = |text: &str| text.chars().take(MOST).collect::<String>();
    match content {
        Value::String(text) => Some(begin(text)),
        Value::Array(items) => items.iter().find_map(words),
        Value::Object(fields) => {
            for key in ["text", "thinking", "content", "output", "description", "summary"] {
                if let Some(found) = fields.get(key).and_then(words).filter(|found| !found.trim().is_empty()) {
                    return Some(found);
                }
            }
            if let Some(found) = fields.get("functionResponse").and_then(|it| it.get("response")).and_then(words) {
                return Some(found);
            }
            let call = fields.get("functionCall").and_then(|call| call.get("args"));
            if let Some(value) = call.or_else(|| ["input", "arguments"].iter().find_map(|key| fields.get(*key))) {
                let json = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                return Some(begin(&json));
            }
            if let Some(error) = fields.get("error").and_then(words) {
                return Some(error);
            }
            fields.get("source").and_then(|source| source.get("media_type")).and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    }
}
