//! The words by which a message is found.

use model::envelope::edit_info;
use model::message_type::Body;
use model::message_type::tool_call::ToolCall;
use model::terminal::plain;
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

/// Everything that a message says, without marks of its form. For search, so much of it as is indexed.
pub fn whole_text(draft: &Draft, much: Output) -> String {
    let most = if much == Output::Whole { usize::MAX } else { store::tokens::MAX_BYTES };
    let mut text = Collected { text: String::new(), most };
    match Body::of(draft) {
        Body::ToolCall(call) => {
            push(&mut text, &call.tool_name);
            let (output, error) = (output(&call), call.shown_error().unwrap_or_default());
            strings(&Value::Object(call.input), &mut text);
            push(&mut text, &error);
            let end = output.char_indices().nth(OUTPUT_CHARS).filter(|_| much == Output::Beginning);
            push(&mut text, end.map_or(&*output, |(end, _)| &output[..end]));
        }
        Body::CodeEdit(code_edit) => {
            for (index, edit) in code_edit.edits.iter().enumerate() {
                push(&mut text, &edit.file_path);
                let info = edit_info(draft.metadata.as_ref(), index);
                let texts = diff::texts(edit, &info);
                push(&mut text, texts.patch.unwrap_or_default());
                for fragment in &texts.fragments {
                    push(&mut text, fragment.new.as_deref().unwrap_or_default());
                    push(&mut text, fragment.old.as_deref().unwrap_or_default());
                }
            }
        }
        Body::Approval(_) | Body::Todo(_) => {
            push(&mut text, &draft.content);
            shown_strings(payload(draft), &mut text);
        }
        Body::Unknown { .. } => {
            push(&mut text, &draft.content);
            strings(payload(draft), &mut text);
        }
        Body::Text(_) if draft.role == Role::Tool => push(&mut text, &plain(&draft.content)),
        Body::Action(action) => {
            push(&mut text, &draft.content);
            // What was chosen, typed or filled in, where its words say it otherwise.
            let answer = action.answer();
            push(&mut text, if draft.content.contains(&answer) { "" } else { &answer });
        }
        Body::Text(_) | Body::File(_) | Body::Error(_) | Body::Invalid { .. } => {
            push(&mut text, &draft.content);
        }
    }
    text.text
}

/// What was found, up to a length in bytes.
struct Collected {
    text: String,
    most: usize,
}

fn payload(draft: &Draft) -> &Value {
    draft.metadata.as_ref().and_then(|metadata| metadata.get("payload")).unwrap_or(&Value::Null)
}

/// What a tool gave back, as it is read: pictures say nothing, and colours aren't words.
fn output(call: &ToolCall) -> String {
    match &call.output {
        Some(Value::String(_) | Value::Array(_)) => call.shown_output().unwrap_or_default(),
        output => {
            let mut text = Collected { text: String::new(), most: usize::MAX };
            strings(output.as_ref().unwrap_or(&Value::Null), &mut text);
            plain(&text.text)
        }
    }
}

fn push(Collected { text, most }: &mut Collected, more: &str) {
    let left = most.saturating_sub(text.len());
    if !more.is_empty() && left > 0 {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&more[..more.floor_char_boundary(left)]);
    }
}

/// Fields of cards whose words the cards say in another way, as a state or not at all.
const NOT_SHOWN: [&str; 8] = ["id", "kind", "type", "state", "status", "selected", "via", "shown_sha256"];

/// The strings of a card's payload that are shown.
fn shown_strings(payload: &Value, text: &mut Collected) {
    match payload {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !NOT_SHOWN.contains(&name.as_str())) {
                // What a person filled in goes by names of its own.
                if name == "values" { strings(value, text) } else { shown_strings(value, text) }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| shown_strings(item, text)),
        value => strings(value, text),
    }
}

/// All strings of a value, in order, without its keys.
fn strings(value: &Value, text: &mut Collected) {
    match value {
        Value::String(s) => push(text, s),
        Value::Array(items) => items.iter().for_each(|v| strings(v, text)),
        Value::Object(fields) => fields.values().for_each(|v| strings(v, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
