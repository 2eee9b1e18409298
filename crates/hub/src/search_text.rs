//! The words by which a message is found.

use model::message_type::Body;
use model::{Context, Draft, Part, Role, Status};
use serde_json::Value;

/// Of a tool's output, so much is searched: the beginning says what it is, and whole files would drown everything else.
const OUTPUT_CHARS: usize = 4096;

/// None keeps a message out of search: bookkeeping, reasoning, retracted ones, and calls that derived cards stand for.
pub fn search_text(draft: &Draft) -> Option<String> {
    let bookkeeping = draft.role == Role::System && draft.context == Context::None;
    if bookkeeping || draft.role == Role::Model || draft.part == Part::Replaced || draft.status == Status::Retracted {
        return None;
    }
    let text = whole_text(draft, Output::Beginning);
    (!text.is_empty()).then_some(text)
}

/// How much of what tools gave back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Beginning,
    Whole,
}

/// Everything that a message says, without marks of its form.
pub fn whole_text(draft: &Draft, much: Output) -> String {
    let mut text = String::new();
    match Body::of(draft) {
        Body::ToolCall(call) => {
            push(&mut text, &call.tool_name);
            strings(&Value::Object(call.input), &mut text);
            push(&mut text, call.error.as_deref().unwrap_or_default());
            let mut output = String::new();
            strings(&call.output.unwrap_or_default(), &mut output);
            let end = output.char_indices().nth(OUTPUT_CHARS).filter(|_| much == Output::Beginning);
            push(&mut text, end.map_or(&*output, |(end, _)| &output[..end]));
        }
        Body::CodeEdit(code_edit) => {
            for edit in &code_edit.edits {
                push(&mut text, &edit.file_path);
                push(&mut text, edit.new_content.as_deref().or(edit.old_content.as_deref()).unwrap_or_default());
            }
        }
        Body::Approval(_) | Body::Todo(_) | Body::Unknown { .. } => {
            push(&mut text, &draft.content);
            let payload = draft.metadata.as_ref().and_then(|m| m.get("payload"));
            strings(payload.unwrap_or(&Value::Null), &mut text);
        }
        Body::Text(_) | Body::Action(_) | Body::File(_) | Body::Error(_) | Body::Invalid { .. } => {
            push(&mut text, &draft.content);
        }
    }
    text
}

fn push(text: &mut String, more: &str) {
    if !more.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(more);
    }
}

/// All strings of a value, in order, without its keys.
fn strings(value: &Value, text: &mut String) {
    match value {
        Value::String(s) => push(text, s),
        Value::Array(items) => items.iter().for_each(|v| strings(v, text)),
        Value::Object(fields) => fields.values().for_each(|v| strings(v, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
