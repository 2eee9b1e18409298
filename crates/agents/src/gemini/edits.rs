//! Edits: what a call that writes a file changed in it, by the result that people are shown.

use crate::parts::edits::{Finished, Piece, after_call, created, fragment, message, of_diff, of_texts};
use crate::parts::obj::Obj;
use serde_json::{Map, Value};

/// The edit that a call stands for. `state` is that of the call, `running` included; `text` is what the tool gave back.
/// None if it changes no file, or doesn't say which.
pub(crate) fn of_call(
    tool: &str,
    input: &Map<String, Value>,
    display: Option<&Obj>,
    state: &str,
    text: &str,
) -> Option<Finished> {
    let display = display.filter(|display| display.has("fileDiff") || display.has("newContent"));
    if display.is_none() && !matches!(tool, "write_file" | "replace" | "edit") {
        return None;
    }
    let given = ["file_path", "path", "absolute_path"].iter().find_map(|key| input.get(*key)?.as_str());
    let shown = |key: &str| display.and_then(|display| display.filled(key));
    let path = shown("filePath").or_else(|| given.map(str::to_owned)).or_else(|| shown("fileName"))?;
    let (state, note) = after_call(state, text);
    let pieces = display.and_then(of_display).unwrap_or_else(|| of_input(tool, input));
    Some(message(&path, pieces, state, note))
}

fn of_input(tool: &str, input: &Map<String, Value>) -> Vec<Piece> {
    let get = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let (old, new) = (get("old_string"), get("new_string"));
    vec![match tool {
        "write_file" => created(get("content")),
        _ if old.is_empty() => created(new),
        _ => fragment(Some(old), Some(new)),
    }]
}

fn of_display(display: &Obj) -> Option<Vec<Piece>> {
    let (old, new) = (display.str("originalContent"), display.str("newContent"));
    let diff = display.str("fileDiff").unwrap_or_default();
    if display.is_true("truncatedForSession") {
        // Qwen Code cuts large texts in the middle.
        let whole = display.raw("fileDiffTruncated") == Some("false");
        return if whole { of_diff(&diff, false) } else { None };
    }
    let is_new = display.is_true("isNewFile") || display.is_null("originalContent");
    Some(match (old, new) {
        (None, Some(new)) if is_new => vec![created(&new)],
        (Some(old), Some(new)) if is_new && old.is_empty() => vec![created(&new)],
        (Some(old), Some(new)) => of_texts(&old, &new, &diff),
        _ => return of_diff(&diff, is_new),
    })
}
