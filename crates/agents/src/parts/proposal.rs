//! The change that a call proposes, by its tool's name and the usual fields of its input.

use super::edits::{Finished, Piece, created, fragment, message, of_both, of_patch};
use super::patch::{self, FileChange, FilePatch};
use super::search_replace;
use model::envelope::EditState;
use model::message_type::tool_call::ToolKind;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Fields that name the file.
const PATHS: [&str; 5] = ["file_path", "path", "filePath", "target_file", "filename"];
/// Fields with the text that is replaced, and with what replaces it.
const OLD: [&str; 5] = ["old_string", "old_str", "oldText", "old_text", "oldString"];
const NEW: [&str; 5] = ["new_string", "new_str", "newText", "new_text", "newString"];
/// Fields with all that a file shall hold.
const WHOLE: [&str; 3] = ["content", "contents", "file_text"];
/// Fields with a patch.
const PATCHES: [&str; 3] = ["input", "patch", "patchText"];

fn get<'a>(input: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| input.get(*key)?.as_str())
}

/// Returns the kind of a tool, by the words of its name. None for an unknown one.
pub(crate) fn kind(tool: &str, input: &Map<String, Value>) -> Option<ToolKind> {
    let name: String = tool.chars().filter(|c| c.is_alphanumeric()).collect();
    Some(match name.to_lowercase().as_str() {
        "strreplaceeditor" | "texteditor" if get(input, &["command"]) == Some("view") => ToolKind::Read,
        "read"
        | "readfile"
        | "readfiles"
        | "readmanyfiles"
        | "view"
        | "viewfile"
        | "viewimage"
        | "ls"
        | "listdir"
        | "listdirectory"
        | "listfiles"
        | "listcodedefinitionnames"
        | "readlints" => ToolKind::Read,
        "edit" | "editfile" | "multiedit" | "write" | "writefile" | "create" | "createfile" | "strreplace"
        | "strreplaceeditor" | "texteditor" | "insert" | "applypatch" | "applydiff" | "writetofile"
        | "replaceinfile" | "insertcontent" | "searchreplace" | "editnotebook" | "notebookedit" => ToolKind::Edit,
        "delete" | "deletefile" => ToolKind::Delete,
        "move" | "rename" => ToolKind::Move,
        "grep" | "rg" | "find" | "glob" | "search" | "codebasesearch" | "semanticsearch" | "filesearch"
        | "searchfiles" | "grepsearch" | "sourcegraph" | "globfilesearch" | "toolsearch" => ToolKind::Search,
        "bash" | "executecommand" | "readbash" | "writebash" | "stopbash" | "listbash" | "shell" | "shellexec"
        | "execute" | "powershell" | "readpowershell" | "writepowershell" | "stoppowershell" | "runterminal"
        | "runterminalcmd" => ToolKind::Execute,
        "task" | "agent" | "subagent" | "readagent" | "listagents" | "todo" | "todos" | "todowrite"
        | "updatetodolist" | "attemptcompletion" | "planmoderespond" | "newtask" | "updatetodo" | "reportintent"
        | "exitspecmode" | "exitplanmode" | "createplan" => ToolKind::Think,
        "fetch" | "fetchurl" | "webfetch" | "websearch" | "agenticfetch" | "download" => ToolKind::Fetch,
        _ => return None,
    })
}

/// Returns whether a call that changes files or runs a command says what it would do, by its input and by the `paths` that are named
/// beside it. Other calls have nothing to say.
pub fn says_what(tool: &str, input: &Map<String, Value>, paths: &[String]) -> bool {
    let kind = kind(tool, input).unwrap_or_else(|| ToolKind::from_tool_name(tool, input));
    // An empty text is what a file shall hold; an empty command is none.
    let is_more = |(key, value): (&String, &Value)| !value.is_null() && !PATHS.contains(&key.as_str());
    let says = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    };
    match kind {
        ToolKind::Edit => input.iter().any(is_more),
        ToolKind::Execute => input.values().any(says),
        ToolKind::Delete | ToolKind::Move => input.values().any(says) || !paths.is_empty(),
        _ => true,
    }
}

/// Returns the target of a call, if its kind or its input shows that it is a file. `edits` are those that it proposes.
pub(crate) fn target(kind: Option<ToolKind>, input: &Map<String, Value>, edits: &[Finished]) -> Option<String> {
    if edits.len() > 1 || get(input, &PATHS).is_none() {
        let path = |edit: &Finished| {
            Some(edit.metadata.get("payload")?.get("edits")?.get(0)?.get("file_path")?.as_str()?.to_owned())
        };
        let first = edits.first().and_then(path)?;
        let more = if edits.len() > 1 { format!(" and {} more", edits.len() - 1) } else { String::new() };
        return Some(first + &more);
    }
    let is_of_files = matches!(kind, Some(ToolKind::Read | ToolKind::Edit | ToolKind::Delete));
    get(input, &PATHS).filter(|path| is_of_files && !path.is_empty()).map(str::to_owned)
}

/// Returns the `metadata` of a `CODE_EDIT` message for each file that a call would change, by its tool's name and its input.
/// Empty for a tool that changes no file, or whose input isn't understood.
pub fn proposed_edits(tool: &str, input: &Map<String, Value>) -> Vec<Map<String, Value>> {
    edits(kind(tool, input), input).into_iter().map(|edit| edit.metadata).collect()
}

/// Returns the `metadata` of a `CODE_EDIT` message for the change of a file whose texts before and after are known: a part of it, or
/// the whole. A file is created without the first, and deleted without the second.
pub fn proposed_change(path: &str, old: Option<&str>, new: Option<&str>) -> Map<String, Value> {
    message(path, of_both(old, new), EditState::Proposed, None).metadata
}

/// Returns the `metadata` of a `CODE_EDIT` message for the change of a file by a unified diff, which is kept as it is.
pub fn proposed_diff(path: &str, moved_from: Option<&str>, diff: &str) -> Map<String, Value> {
    let piece = Piece { patch: Some(diff.to_owned()), ..fragment(None, None) };
    let done = message(path, vec![piece], EditState::Proposed, None);
    if let Some(from) = moved_from { done.moved_from(from) } else { done }.metadata
}

/// The edits that a call proposes, one for each file.
pub(crate) fn edits(kind: Option<ToolKind>, input: &Map<String, Value>) -> Vec<Finished> {
    let patch = get(input, &PATCHES).and_then(patch::in_text).and_then(patch::apply_patch);
    if let Some(files) = patch {
        return files.iter().map(|file| of_patch(file, EditState::Proposed, None)).collect();
    }
    let Some(path) = get(input, &PATHS).filter(|path| !path.is_empty()) else { return Vec::new() };
    let listed = input.get("edits").and_then(list_of);
    let mut pieces: Vec<Piece> = match &listed {
        Some(edits) => edits.iter().filter_map(Value::as_object).filter_map(replaced).collect(),
        None => Vec::from_iter(replaced(input)),
    };
    if let Some(blocks) = get(input, &["diff"]).and_then(search_replace::pieces) {
        pieces = blocks;
    }
    if pieces.is_empty() {
        match (kind, get(input, &WHOLE)) {
            (Some(ToolKind::Edit), Some(text)) => pieces.push(created(text)),
            (Some(ToolKind::Delete), _) => {
                let (path, change) = (path.to_owned(), FileChange::Deleted(None));
                pieces = FilePatch { path, moved_from: None, change }.pieces();
            }
            _ => return Vec::new(),
        }
    }
    vec![message(path, pieces, EditState::Proposed, None)]
}

/// A list that a call hands in: as one, or as its JSON in a string, which tools accept as well.
pub(crate) fn list_of(given: &Value) -> Option<Cow<'_, [Value]>> {
    match given {
        Value::Array(entries) => Some(Cow::Borrowed(entries)),
        Value::String(text) if text.trim_start().starts_with('[') => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => None,
    }
}

/// A text that is replaced by another. An empty one is that of a file which isn't there yet.
fn replaced(edit: &Map<String, Value>) -> Option<Piece> {
    Some(match (get(edit, &OLD), get(edit, &NEW)) {
        (Some(""), Some(new)) => created(new),
        (Some(old), new) => fragment(Some(old), Some(new.unwrap_or_default())),
        (None, Some(new)) => fragment(None, Some(new)),
        (None, None) => return None,
    })
}

/// The list that a call hands in: as entries, or as text with one in each line. With `merge` it holds only those of the
/// `known` ones that change.
pub(crate) fn todos(tool: &str, input: &Map<String, Value>, known: &[Value]) -> Option<Vec<Value>> {
    let given = input.get("todos").filter(|_| tool.to_lowercase().contains("todo"))?;
    let entries = match given {
        given if list_of(given).is_some() => list_of(given)?.into_owned(),
        Value::String(text) => text.lines().filter_map(entry).collect(),
        _ => return None,
    };
    if input.get("merge").and_then(Value::as_bool) != Some(true) {
        return Some(entries);
    }
    let mut all = known.to_vec();
    for entry in entries {
        match all.iter_mut().find(|old| old.get("id") == entry.get("id")) {
            Some(old) => {
                if let (Some(old), Value::Object(fields)) = (old.as_object_mut(), entry) {
                    old.extend(fields);
                }
            }
            None => all.push(entry),
        }
    }
    Some(all)
}

/// An entry of a list as text: `- [x] Mow`, `2. [in_progress] Mow`.
fn entry(line: &str) -> Option<Value> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-*.)".contains(c));
    let (status, words) = text.strip_prefix('[')?.split_once(']')?;
    let status = match status.trim() {
        "x" | "X" => "completed",
        "~" | "-" | ">" => "in_progress",
        word => word,
    };
    Some(json!({ "content": words.trim(), "status": status }))
}

#[cfg(test)]
mod tests {
    use super::{edits, kind, todos};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(tool: &str, input: &Value, expected: &[&str]) {
        let input = input.as_object().expect("an object");
        let edits = edits(kind(tool, input), input);
        assert_eq!(edits.iter().map(|edit| edit.content.as_str()).collect::<Vec<_>>(), expected, "{tool}");
    }

    #[test]
    fn edits_in_the_usual_forms() {
        check(
            "edit",
            &json!({ "path": "a.rs", "oldText": "a\n", "newText": "b\nc\n" }),
            &["Edit `a.rs` +2 -1 (proposed)"],
        );
        let both = json!([{ "old_string": "a", "new_string": "b" }, { "old_string": "c\n", "new_string": "" }]);
        check("MultiEdit", &json!({ "file_path": "a", "edits": both }), &["Edit `a` +1 -2 (proposed)"]);
        check("create", &json!({ "path": "a", "file_text": "x\n" }), &["Write `a` +1 -0 (proposed)"]);
        check("Delete", &json!({ "path": "a" }), &["Delete `a` +0 -0 (proposed)"]);
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
        check("ApplyPatch", &json!({ "input": patch }), &["Write `a` +1 -0 (proposed)", "Delete `b` +0 -0 (proposed)"]);
        check("view", &json!({ "path": "a" }), &[]);
        check("post", &json!({ "path": "a", "content": "x" }), &[]);
    }

    #[test]
    fn lists_as_text_and_lists_that_change() {
        let list = |input: Value, known: &[Value]| todos("todo_write", input.as_object().expect("an object"), known);
        let text = json!({ "todos": "1. [completed] Mow\n2. [in_progress] Rake\n- [ ] Rest\nand so on" });
        let entry = |content: &str, status: &str| json!({ "content": content, "status": status });
        let expected = vec![entry("Mow", "completed"), entry("Rake", "in_progress"), entry("Rest", "")];
        assert_eq!(list(text, &[]), Some(expected));
        let known = [json!({ "id": "1", "content": "Mow" }), json!({ "id": "2", "content": "Rake" })];
        let changes = json!({ "merge": true, "todos": [{ "id": "2", "status": "completed" }] });
        let merged = vec![known[0].clone(), json!({ "id": "2", "content": "Rake", "status": "completed" })];
        assert_eq!(list(changes, &known), Some(merged));
    }
}
