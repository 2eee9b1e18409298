//! Lines as Claude Code writes them, made up for one test each.

use crate::support::{Last, read_cut};
use model::Draft;
use model::message_type::{Body, tool_call::ToolCall};
use serde_json::{Map, Value, json};

/// Reads lines of one session, whole and a byte at a time, which must give the same.
pub fn read_lines(lines: &[Value]) -> Last {
    let text: String = lines.iter().enumerate().map(|(n, line)| format!("{}\n", complete(n, line))).collect();
    let whole = read_cut("made.jsonl", None, [text.as_bytes()]);
    assert_eq!(whole, read_cut("made.jsonl", None, text.as_bytes().chunks(1)));
    whole
}

/// A line with the fields that every line has.
fn complete(n: usize, line: &Value) -> Value {
    let mut line = line.clone();
    line["sessionId"] = json!("made");
    if line.get("timestamp").is_none() {
        line["timestamp"] = json!(format!("2026-03-01T09:{:02}:{:02}Z", n / 60, n % 60));
    }
    if line["type"] != "queue-operation" {
        line["uuid"] = json!(format!("line-{n}"));
    }
    line
}

pub fn user(text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": text } })
}

pub fn assistant(text: &str) -> Value {
    json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } })
}

pub fn call(id: &str, tool: &str, input: &Value) -> Value {
    let block = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
    json!({ "type": "assistant", "message": { "content": [block] } })
}

/// A result: what the model reads, and what the line says of it.
pub fn result(id: &str, text: &str, structured: &Value) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
    json!({ "type": "user", "message": { "role": "user", "content": [block] }, "toolUseResult": structured })
}

pub fn error(id: &str, text: &str) -> Value {
    let mut line = result(id, text, &json!(format!("Error: {text}")));
    line["message"]["content"][0]["is_error"] = json!(true);
    line
}

pub fn enqueue(text: &str) -> Value {
    json!({ "type": "queue-operation", "operation": "enqueue", "content": text })
}

pub fn queue(operation: &str) -> Value {
    json!({ "type": "queue-operation", "operation": operation })
}

pub fn message<'a>(last: &'a Last, id: &str) -> &'a Draft {
    &last.messages.iter().find(|(_, draft, _)| draft.id.as_str() == id).expect("a message of this id").1
}

pub fn metadata<'a>(last: &'a Last, id: &str) -> &'a Map<String, Value> {
    message(last, id).metadata.as_ref().expect("metadata")
}

pub fn tool_call(last: &Last, id: &str) -> ToolCall {
    match Body::of(message(last, id)) {
        Body::ToolCall(call) => call,
        other => panic!("no tool call: {other:?}"),
    }
}
