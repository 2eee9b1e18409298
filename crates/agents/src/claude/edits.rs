//! Edits of files: `Edit`, `MultiEdit`, `Write` and `NotebookEdit` as a `CODE_EDIT`.
//!
//! A call shows what is proposed; its result, with the file as it was before, shows what was done and where. Bytes come from
//! `originalFile` and the replaced strings, positions from `structuredPatch`, whose own lines lost their tabs.

mod placed;

use super::obj::{Obj, list, string};
use super::outcome::Outcome;
use crate::parts::edits::{Finished, Piece, created, fragment, message, of_windows};
use model::envelope::{EditScope, EditState, INTERRUPTED, WITH_A_DENIED_ONE, WITH_A_FAILED_ONE};
use model::message_type::code_edit::{LineEnds, changed_line_ends, line_counts};
use model::text::one_line;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A file that is larger isn't searched for the change: the edit shows the replaced strings alone.
const MAX_FILE: usize = 2 << 20;

/// Most characters of the reason why an edit wasn't applied.
const MAX_NOTE: usize = 300;

/// The edit that a call asks for. None if the tool edits no file, or names none.
pub(crate) fn proposed(tool: &str, input: &Value) -> Option<(String, Map<String, Value>)> {
    let path = path(tool, input)?;
    let done = message(path, pieces_of_input(tool, input), EditState::Proposed, None);
    Some((done.content, done.metadata))
}

/// The edit after its result. `trouble` is how the last call went that didn't go well.
pub(crate) fn finished(tool: &str, input: &Value, outcome: &Outcome, line: &Obj, trouble: &str) -> Finished {
    let path = path(tool, input).unwrap_or("unknown");
    let (state, note) = match outcome.state {
        "done" => (EditState::Applied, None),
        "denied" => (EditState::Rejected, refusal(outcome)),
        // The edit itself wasn't refused: it went down with another call.
        "cancelled" if !outcome.text.contains("Sibling tool call errored") => {
            (EditState::Rejected, Some(INTERRUPTED.to_owned()))
        }
        "cancelled" => {
            let how = if trouble == "denied" { WITH_A_DENIED_ONE } else { WITH_A_FAILED_ONE };
            (EditState::Rejected, Some(how.to_owned()))
        }
        _ => (EditState::Failed, problem(&outcome.text)),
    };
    let result = line.obj("toolUseResult").filter(|_| outcome.ok());
    let Some(result) = result else {
        let mut pieces = pieces_of_input(tool, input);
        if outcome.ok() {
            placed::by_snippet(&mut pieces, &outcome.text);
        }
        return message(path, pieces, state, note);
    };
    if tool == "NotebookEdit"
        && let Some(error) = result.filled("error")
    {
        return message(path, pieces_of_input(tool, input), EditState::Failed, problem(&error));
    }
    let real = result.filled("filePath").or_else(|| result.filled("notebook_path"));
    let mut pieces = pieces_of_result(tool, input, &result).unwrap_or_else(|| pieces_of_input(tool, input));
    placed::by_snippet(&mut pieces, &outcome.text);
    message(real.as_deref().unwrap_or(path), pieces, state, None)
}

/// Why a person or a rule refused. The program's own sentence about a person's refusal says nothing beyond it.
fn refusal(outcome: &Outcome) -> Option<String> {
    let rule = || problem(&outcome.text).filter(|_| !outcome.text.starts_with("The user doesn't want"));
    outcome.reason.as_deref().map(|said| one_line(said, MAX_NOTE)).or_else(rule)
}

/// An error in a line, without the replaced text that it repeats.
fn problem(text: &str) -> Option<String> {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let text = text.split_once("\nString: ").map_or(text, |(before, _)| before);
    Some(one_line(text, MAX_NOTE)).filter(|line| !line.is_empty())
}

fn path<'a>(tool: &str, input: &'a Value) -> Option<&'a str> {
    let key = match tool {
        "Edit" | "MultiEdit" | "Write" => "file_path",
        "NotebookEdit" => "notebook_path",
        _ => return None,
    };
    input.get(key)?.as_str().filter(|path| !path.is_empty())
}

fn pieces_of_input(tool: &str, input: &Value) -> Vec<Piece> {
    let get = |from: &'_ Value, key: &str| from.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "Write" => vec![created(&get(input, "content").unwrap_or_default())],
        "NotebookEdit" => {
            // The cell's old source is known only with the result.
            let new = get(input, "new_source").filter(|_| get(input, "edit_mode").as_deref() != Some("delete"));
            let old = new.as_ref().map(|_| "");
            vec![fragment(old, new.as_deref())]
        }
        _ => {
            let edits = edits_of(tool, input);
            let piece = |(old, new, _): &(String, String, bool)| {
                if old.is_empty() { created(new) } else { fragment(Some(old), Some(new)) }
            };
            edits.iter().map(piece).collect()
        }
    }
}

/// Old text, new text, and whether all occurrences change.
fn edits_of(tool: &str, input: &Value) -> Vec<(String, String, bool)> {
    let one = |edit: &Value| {
        let get = |key: &str| edit.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let all = edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
        (get("old_string"), get("new_string"), all)
    };
    match tool {
        "MultiEdit" => input.get("edits").and_then(Value::as_array).into_iter().flatten().map(one).collect(),
        _ => vec![one(input)],
    }
}

fn pieces_of_result(tool: &str, input: &Value, result: &Obj) -> Option<Vec<Piece>> {
    if tool == "NotebookEdit" {
        return Some(vec![cell(input, result)]);
    }
    let hunks = hunks(result);
    let original = result.raw("originalFile").or_else(|| result.raw("originalFileContents"));
    let original = original.filter(|raw| raw.len() <= MAX_FILE).and_then(string);
    let places: Vec<[usize; 4]> = hunks.iter().map(|hunk| hunk.place).collect();
    if tool == "Write" {
        let content = result.string("content").or_else(|| input.get("content")?.as_str().map(str::to_owned))?;
        return Some(match original {
            Some(original) => {
                let content = with_kept_ends(&original, content, &hunks);
                as_patched(of_windows(&original, &content, &places), &hunks, Some(&original), Some(&content))
            }
            None if hunks.is_empty() => vec![created(&content)],
            None => vec![patched(None, Some(&content), &hunks)],
        });
    }
    let mut edits = edits_of(tool, input);
    if let [(old, new, all)] = edits.as_mut_slice()
        && tool == "Edit"
    {
        // A person may have changed the proposal before allowing it: the result has the last word.
        *old = result.string("oldString").unwrap_or_else(|| old.clone());
        *new = result.string("newString").unwrap_or_else(|| new.clone());
        *all = *all || result.is_true("replaceAll");
    }
    if let Some(original) = &original {
        let mut after = original.clone().into_owned();
        if edits.iter().all(|(old, new, all)| replace(&mut after, old, new, *all)) {
            let creates = original.is_empty() && edits.iter().all(|(old, ..)| old.is_empty());
            return Some(if creates {
                vec![created(&after)]
            } else {
                as_patched(of_windows(original, &after, &places), &hunks, Some(original), Some(&after))
            });
        }
    }
    let mut pieces: Vec<Piece> = edits
        .iter()
        .map(|(old, new, _)| if old.is_empty() { created(new) } else { fragment(Some(old), Some(new)) })
        .collect();
    if let ([piece], [(old, new, _)], Some(hunk)) = (pieces.as_mut_slice(), edits.as_slice(), hunks.first())
        && !old.is_empty()
    {
        let same = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
        piece.start_line = (hunk.place[0] + hunk.leading).checked_sub(same).filter(|line| *line > 0);
    }
    placed::by_hunks(&mut pieces, &hunks);
    Some(as_patched(pieces, &hunks, original.as_deref(), None))
}

/// The change of a cell of a notebook, by its source before and after.
fn cell(input: &Value, result: &Obj) -> Piece {
    let given = |key: &str| result.string(key).or_else(|| input.get(key)?.as_str().map(str::to_owned));
    let mode = given("edit_mode").unwrap_or_default();
    let new = given("new_source").filter(|_| mode != "delete").unwrap_or_default();
    let id = given("cell_id").or_else(|| Some(format!("cell-{}", result.int("cell_number")?)));
    let before = || {
        let file = result.raw("original_file").filter(|raw| raw.len() <= MAX_FILE).and_then(string)?;
        source_of(&Obj::parse(&file)?, &id?)
    };
    let old = if mode == "insert" { None } else { result.filled("old_source").or_else(before) };
    // A source ends with its cell: its last line is a whole one.
    let whole = |source: &str| if source.is_empty() { String::new() } else { format!("{source}\n") };
    match old {
        // Nobody knows what it held.
        None if mode == "delete" => fragment(None, None),
        old => fragment(Some(&whole(old.as_deref().unwrap_or_default())), Some(&whole(&new))),
    }
}

/// The source of a cell: the one with this id, or, in notebooks whose cells have none, the one of `cell-<number>`, from 0.
fn source_of(notebook: &Obj, id: &str) -> Option<String> {
    let cells: Vec<Obj> = notebook.list("cells")?.into_iter().filter_map(Obj::parse).collect();
    let named = cells.iter().find(|cell| cell.str("id").as_deref() == Some(id));
    let cell = named.or_else(|| cells.get(id.strip_prefix("cell-")?.parse::<usize>().ok()?))?;
    let source = cell.raw("source")?;
    string(source).map(Cow::into_owned).or_else(|| Some(list(source)?.into_iter().filter_map(string).collect()))
}

/// The pieces, or where they change other lines than the tool's own patch says, that patch: it replaced more than one
/// place, or stamped the file.
fn as_patched(pieces: Vec<Piece>, hunks: &[Hunk], old: Option<&str>, new: Option<&str>) -> Vec<Piece> {
    let other_ends = old.zip(new).is_some_and(|(old, new)| changed_line_ends(old, new).is_some());
    let own = pieces.iter().map(Piece::line_counts).fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    if hunks.is_empty() || other_ends || own == patch_counts(hunks) {
        return pieces;
    }
    vec![patched(old, new, hunks)]
}

/// Lines added and removed by the tool's own patch.
fn patch_counts(hunks: &[Hunk]) -> (usize, usize) {
    let count = |mark| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.starts_with(mark)).count();
    (count('+'), count('-'))
}

/// Returns the written text. Where the patch shows that the tool kept the file's line ends, the text gets those.
fn with_kept_ends(original: &str, content: String, hunks: &[Hunk]) -> String {
    let kept = line_counts(original, &content);
    let is_all = kept == (content.lines().count(), original.lines().count());
    match changed_line_ends(original, &content) {
        Some((LineEnds::CrLf, LineEnds::Lf)) if !is_all && kept == patch_counts(hunks) => content.replace('\n', "\r\n"),
        Some((LineEnds::Lf, LineEnds::CrLf)) if !is_all && kept == patch_counts(hunks) => content.replace("\r\n", "\n"),
        _ => content,
    }
}

/// Replaces text as Claude Code does: the first occurrence, or all of them. An empty old text replaces the whole file,
/// and a deletion takes its line end along. Returns false if the old text isn't there.
fn replace(file: &mut String, old: &str, new: &str, all: bool) -> bool {
    if old.is_empty() {
        new.clone_into(file);
        return true;
    }
    let with_end = format!("{old}\n");
    let crlf = old.replace('\n', "\r\n");
    let (old, new) = if new.is_empty() && !old.ends_with('\n') && file.contains(&with_end) {
        (with_end.as_str(), String::new())
    } else if file.contains(old) {
        (old, new.to_owned())
    } else if file.contains(&crlf) {
        (crlf.as_str(), new.replace('\n', "\r\n"))
    } else {
        return false;
    };
    *file = if all { file.replace(old, &new) } else { file.replacen(old, &new, 1) };
    true
}

struct Hunk<'a> {
    /// Old start, old lines, new start, new lines.
    place: [usize; 4],
    /// Equal lines before the first change.
    leading: usize,
    lines: Vec<Cow<'a, str>>,
}

fn hunks<'a>(result: &Obj<'a>) -> Vec<Hunk<'a>> {
    let hunk = |raw: &'a str| {
        let hunk = Obj::parse(raw)?;
        let int = |key: &str| hunk.int(key).and_then(|n| usize::try_from(n).ok());
        let lines: Vec<_> =
            hunk.raw("lines").and_then(list).unwrap_or_default().into_iter().filter_map(string).collect();
        let leading = lines.iter().take_while(|line| line.starts_with(' ')).count();
        Some(Hunk { place: [int("oldStart")?, int("oldLines")?, int("newStart")?, int("newLines")?], leading, lines })
    };
    result.list("structuredPatch").unwrap_or_default().into_iter().filter_map(hunk).collect()
}

/// The patch itself, of a file too large for the transcript to say what it was, for example. Its lines lost their tabs, so
/// that bytes come from the old and the new file where these have them.
fn patched(old: Option<&str>, new: Option<&str>, hunks: &[Hunk]) -> Piece {
    let lines = |text: Option<&str>| text.map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>());
    let (old, new) = (lines(old).unwrap_or_default(), lines(new).unwrap_or_default());
    let dense = |line: &str| line.split_whitespace().collect::<String>();
    let real = |file: &[String], at: usize, line: &str| {
        file.get(at).filter(|real| dense(real) == dense(line)).map_or_else(|| line.to_owned(), String::clone)
    };
    let mut patch = String::new();
    for Hunk { place: [old_start, _, new_start, _], lines, .. } in hunks {
        let count = |marks: [char; 2]| lines.iter().filter(|line| line.starts_with(marks)).count();
        let (removed, added) = (count([' ', '-']), count([' ', '+']));
        let head = format!("@@ -{old_start},{removed} +{new_start},{added} @@\n");
        patch.push_str(&head);
        let (mut old_at, mut new_at) = (old_start.saturating_sub(1), new_start.saturating_sub(1));
        for line in lines {
            let mut chars = line.chars();
            match (chars.next(), chars.as_str()) {
                (Some('-'), text) => {
                    patch.push('-');
                    patch.push_str(&real(&old, old_at, text));
                    old_at += 1;
                }
                (Some(mark @ (' ' | '+')), text) => {
                    patch.push(mark);
                    patch.push_str(&real(&new, new_at, text));
                    old_at += usize::from(mark == ' ');
                    new_at += 1;
                }
                _ => patch.push_str(line),
            }
            patch.push('\n');
        }
    }
    Piece { old: None, new: None, start_line: None, scope: EditScope::Fragment, patch: Some(patch) }
}
