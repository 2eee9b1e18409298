//! Edits: what a call changed in files, by its metadata, or else by its input.

use crate::parts::edits::{
    Finished, Piece, after_call, created, fragment, message, of_diff, of_patch, of_texts, unchanged,
};
use crate::parts::obj::Obj;
use crate::parts::patch::{FilePatch, apply_patch, in_text, unified};
use model::envelope::{EditScope, EditState};
use serde_json::{Map, Value};

/// The edits that a call stands for. `state` is that of the call, `running` included; `text` is what the tool gave back.
pub(super) fn of_call(
    tool: &str,
    input: &Map<String, Value>,
    metadata: Option<&Obj>,
    state: &str,
    text: &str,
) -> Vec<Finished> {
    let (state, note) = after_call(state, text);
    match tool {
        "apply_patch" | "patch" => {
            let files = metadata.and_then(|metadata| metadata.list("files")).unwrap_or_default();
            let done: Vec<Finished> = files
                .into_iter()
                .filter_map(Obj::parse)
                .filter_map(|file| of_file(&file, state, note.clone()))
                .collect();
            if !done.is_empty() {
                return done;
            }
            let diff = metadata.and_then(|metadata| metadata.filled("diff")).unwrap_or_default();
            let patches = Some(unified(&diff)).filter(|patches| !patches.is_empty());
            let given = ["patchText", "patch"].iter().find_map(|key| input.get(*key)?.as_str());
            let patches = patches.or_else(|| apply_patch(in_text(given?)?)).unwrap_or_default();
            patches.iter().map(|patch: &FilePatch| of_patch(patch, state, note.clone())).collect()
        }
        "edit" | "write" | "multiedit" => {
            let changed = metadata.and_then(|metadata| metadata.obj("filediff"));
            let given = ["filePath", "file_path", "path"].iter().find_map(|key| input.get(*key)?.as_str());
            let path = given.map(str::to_owned).or_else(|| changed.as_ref()?.filled("file"));
            let Some(path) = path else { return Vec::new() };
            let pieces = metadata.and_then(|metadata| of_metadata(tool, metadata, changed.as_ref()));
            vec![message(&path, pieces.unwrap_or_else(|| of_input(tool, input)), state, note)]
        }
        _ => Vec::new(),
    }
}

/// A file of a patch, with its whole text before and after.
fn of_file(file: &Obj, state: EditState, note: Option<String>) -> Option<Finished> {
    let path = file.filled("filePath").or_else(|| file.filled("relativePath"))?;
    let (before, after) = (file.str("before"), file.str("after"));
    let diff = file.str("diff").or_else(|| file.str("patch")).unwrap_or_default();
    let kind = file.str("type").unwrap_or_default();
    let pieces = match (&before, &after) {
        (_, Some(after)) if kind == "add" => vec![created(after)],
        (Some(before), _) if kind == "delete" => vec![Piece { scope: EditScope::File, ..fragment(Some(before), None) }],
        (Some(before), Some(after)) => of_texts(before, after, &diff),
        _ if kind == "delete" => vec![deleted(&diff)],
        _ => match of_diff(&diff, kind == "add") {
            Some(pieces) => pieces,
            None if file.int("additions") == Some(0) && file.int("deletions") == Some(0) => vec![unchanged()],
            None => return None,
        },
    };
    let moved = file.filled("movePath").filter(|to| *to != path);
    let done = message(moved.as_deref().unwrap_or(&path), pieces, state, note);
    Some(if moved.is_some() { done.moved_from(&path) } else { done })
}

/// A file of which the diff alone says what it held.
fn deleted(diff: &str) -> Piece {
    let held: String = of_diff(diff, false).into_iter().flatten().filter_map(|piece| piece.old).collect();
    Piece { scope: EditScope::File, ..fragment(Some(held.as_str()).filter(|held| !held.is_empty()), None) }
}

fn of_metadata(tool: &str, metadata: &Obj, changed: Option<&Obj>) -> Option<Vec<Piece>> {
    let diff = metadata.str("diff").unwrap_or_default();
    let is_new = tool == "write" && metadata.raw("exists") == Some("false");
    if let Some((before, after)) = changed.and_then(|changed| Some((changed.str("before")?, changed.str("after")?))) {
        let is_new = is_new || before.is_empty() && !metadata.has("exists");
        return Some(if is_new { vec![created(&after)] } else { of_texts(&before, &after, &diff) });
    }
    of_diff(&diff, is_new)
}

fn of_input(tool: &str, input: &Map<String, Value>) -> Vec<Piece> {
    let get = |from: Option<&Value>| from.and_then(Value::as_str).unwrap_or_default().to_owned();
    let piece = |old: String, new: String| {
        if old.is_empty() { created(&new) } else { fragment(Some(&old), Some(&new)) }
    };
    match tool {
        "write" => vec![created(&get(input.get("content")))],
        "multiedit" => {
            let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
            edits.map(|edit| piece(get(edit.get("oldString")), get(edit.get("newString")))).collect()
        }
        _ => vec![piece(get(input.get("oldString")), get(input.get("newString")))],
    }
}
