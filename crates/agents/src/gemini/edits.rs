//! Edits: what a call that writes a file changed in it, by the result that people are shown.

use crate::parts::edits::{Finished, Piece, created, fragment, message, of_windows};
use crate::parts::obj::Obj;
use crate::parts::patch::{FileChange, FilePatch, hunks};
use model::envelope::INTERRUPTED;
use model::text::one_line;
use serde_json::{Map, Value};

/// A larger file isn't compared: the edit shows the hunks of its diff.
const MAX_FILE: usize = 2 << 20;

/// Most characters of the reason why an edit wasn't applied.
const MAX_NOTE: usize = 300;

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
    let (state, note) = match state {
        "done" => ("applied", None),
        "running" => ("proposed", None),
        "cancelled" => ("rejected", Some(INTERRUPTED.to_owned())),
        "denied" => ("rejected", Some(one_line(text, MAX_NOTE))),
        _ => ("failed", Some(one_line(text, MAX_NOTE))),
    };
    let pieces = display.and_then(of_display).unwrap_or_else(|| of_input(tool, input));
    Some(message(&path, pieces, state, note.filter(|note| !note.is_empty())))
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
    let is_new = display.is_true("isNewFile") || display.is_null("originalContent");
    match (old, new) {
        (None, Some(new)) if is_new => return Some(vec![created(&new)]),
        (Some(old), Some(new)) if is_new && old.is_empty() => return Some(vec![created(&new)]),
        (Some(old), Some(new)) if old.len().max(new.len()) <= MAX_FILE => {
            return Some(of_windows(&old, &new, &places(&diff)));
        }
        _ => {}
    }
    let start = if diff.starts_with("@@") { 0 } else { diff.find("\n@@")? + 1 };
    let hunks = hunks(&diff[start..]);
    let change = match hunks.as_slice() {
        [] => return None,
        [whole] if is_new && whole.old.is_empty() => FileChange::Created(whole.new.clone()),
        _ => FileChange::Updated(hunks),
    };
    Some(FilePatch { path: String::new(), moved_from: None, change }.pieces())
}

/// Where the hunks of a diff are: old start, old lines, new start, new lines.
fn places(diff: &str) -> Vec<[usize; 4]> {
    let place = |line: &str| {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let new = rest.split(' ').next()?;
        let side = |side: &str| {
            let (start, count) = side.split_once(',').unwrap_or((side, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((old_start, old_lines), (new_start, new_lines)) = (side(old)?, side(new)?);
        Some([old_start, old_lines, new_start, new_lines])
    };
    diff.lines().filter_map(place).collect()
}
