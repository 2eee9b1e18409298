//! The content of a line as blocks.

use crate::context::block;
use crate::parts::obj::{list, string, value};
use model::RecordRef;
use model::model_context::{ContextBlock, ContextBlockKind, ContextPart as Part};
use serde_json::{Value, json};

/// The blocks of a content: a text, or a list.
pub(super) fn blocks(raw: Option<&str>, part: Part, at: &RecordRef) -> Vec<ContextBlock> {
    let Some(raw) = raw else { return Vec::new() };
    if let Some(text) = string(raw) {
        let is_empty = text.trim().is_empty();
        return Vec::from_iter((!is_empty).then(|| block::text(text, part, Some(at))));
    }
    list(raw).unwrap_or_default().into_iter().map(value).map(|content| one(content, part, at)).collect()
}

fn one(content: Value, part: Part, at: &RecordRef) -> ContextBlock {
    let content = if content.is_string() { json!({"type": "text", "text": content}) } else { content };
    let is_reminder = content.get("text").and_then(Value::as_str).is_some_and(|it| it.starts_with("<system-reminder>"));
    let part = if is_reminder && part == Part::History { Part::Injected } else { part };
    block::anthropic(content, part, Some(at))
}

/// Whether a block stands for a result that was cleared.
pub(in crate::context) fn clear(block: &mut ContextBlock) {
    if block.kind != ContextBlockKind::ToolResult {
        return;
    }
    let Some(id) = block.call_id.clone() else { return };
    let content = json!({"type": "tool_result", "tool_use_id": id, "content": "[Old tool result content cleared]"});
    let at = block.records.first().cloned();
    *block = block::anthropic(content, Part::Results, at.as_ref());
}
