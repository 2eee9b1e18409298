//! Every message as markdown: for export, copying and channels.

use crate::{Body, Draft, Origin, Role, Status, envelope::edit_info, text};
use serde_json::Value;

/// The whole message without who said it. What we can't read typed is its content, then its data.
pub fn to_markdown(draft: &Draft) -> String {
    if draft.status == Status::Retracted {
        return "*Retracted*".to_owned();
    }
    let markdown = typed(draft);
    match besides(draft, &markdown) {
        Some(words) => format!("{words}\n\n{markdown}"),
        None => markdown,
    }
}

/// What the writer of a typed message said besides: its content, unless that was made from the payload. Readers of
/// transcripts write a preview of their own there, and what a person pressed says itself.
pub fn said_besides(draft: &Draft) -> Option<&str> {
    besides(draft, &typed(draft))
}

fn besides<'a>(draft: &'a Draft, typed: &str) -> Option<&'a str> {
    let words = draft.content.trim();
    let has_card = matches!(
        Body::of(draft),
        Body::CodeEdit(_) | Body::Todo(_) | Body::ToolCall(_) | Body::Approval(_) | Body::Error(_)
    );
    let is_own = has_card && draft.role != Role::User && draft.origin == Origin::default();
    // A title that is said once more says nothing.
    (is_own && !words.is_empty() && !typed.contains(words)).then_some(words)
}

fn typed(draft: &Draft) -> String {
    let body = Body::of(draft);
    match &body {
        Body::Text(_) => draft.content.clone(),
        Body::CodeEdit(edit) => edit.markdown_with(|index| edit_info(draft.metadata.as_ref(), index)),
        Body::Todo(todo) if draft.role == Role::User => todo.ticked(),
        Body::File(_) => with_caption(&draft.content, body.to_markdown()),
        Body::Unknown { .. } | Body::Invalid { .. } => with_data(&draft.content, &body.payload()),
        _ => body.to_markdown(),
    }
}

/// The content of a FILE is its caption, unless it was generated from the list.
fn with_caption(caption: &str, list: String) -> String {
    if caption.is_empty() || caption == list { list } else { format!("{caption}\n\n{list}") }
}

fn with_data(content: &str, data: &Value) -> String {
    let data = text::fence("json", &serde_json::to_string_pretty(data).unwrap_or_default());
    if content.is_empty() { data } else { format!("{content}\n\n{data}") }
}
