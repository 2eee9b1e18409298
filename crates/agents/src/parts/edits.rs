//! `CODE_EDIT` messages: a path and what changed in it become a payload with its `edit_info`.

use super::at::envelope;
use super::patch::{FileChange, FilePatch, hunks};
use super::window::windows;
use model::envelope::{EditInfo, EditScope, INTERRUPTED};
use model::message_type::code_edit::Edit;
use model::text::one_line;
use serde_json::{Map, Value, json};

/// One entry of `edits`.
pub(crate) struct Piece {
    pub old: Option<String>,
    pub new: Option<String>,
    pub start_line: Option<usize>,
    pub scope: &'static str,
    pub patch: Option<String>,
}

impl Piece {
    /// A part of a file of which nobody said where it is.
    pub fn is_loose(&self) -> bool {
        let is_fragment = self.scope == "fragment" && self.old.is_some() && self.new.is_some();
        is_fragment && self.start_line.is_none() && self.patch.is_none()
    }

    /// Lines added and removed, as they are counted everywhere.
    pub fn line_counts(&self) -> (usize, usize) {
        let info = EditInfo {
            scope: EditScope::parse(self.scope),
            start_line: self.start_line.and_then(|line| u32::try_from(line).ok()),
            patch: self.patch.clone(),
            ..EditInfo::default()
        };
        let (old_content, new_content) = (self.old.clone(), self.new.clone());
        Edit { old_content, new_content, ..Edit::default() }.line_counts_with(&info)
    }
}

/// An edit whose result is known.
pub(crate) struct Finished {
    pub content: String,
    pub metadata: Map<String, Value>,
}

pub(crate) fn fragment(old: Option<&str>, new: Option<&str>) -> Piece {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Piece { old: owned(old), new: owned(new), start_line: None, scope: "fragment", patch: None }
}

/// A file that was written, and in which nothing changed.
pub(crate) fn unchanged() -> Piece {
    fragment(Some(""), Some(""))
}

/// A file that wasn't there before.
pub(crate) fn created(new: &str) -> Piece {
    Piece { old: None, new: Some(new.to_owned()), start_line: None, scope: "file", patch: None }
}

pub(crate) fn of_windows(old: &str, new: &str, places: &[[usize; 4]]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = windows(old, new, places)
        .into_iter()
        .map(|window| Piece {
            old: Some(window.old),
            new: Some(window.new),
            start_line: Some(window.start_line),
            scope: "fragment",
            patch: None,
        })
        .collect();
    if pieces.is_empty() {
        pieces.push(unchanged());
    }
    pieces
}

/// A text with more lines is that of a whole file. Shorter ones may be parts of one.
const WHOLE: usize = 60;

/// The pieces of a text before and after, of which nobody said whether it is the whole file.
pub(crate) fn of_both(old: Option<&str>, new: Option<&str>) -> Vec<Piece> {
    match (old, new) {
        (None, Some(new)) => vec![created(new)],
        (old, None) => vec![Piece { scope: "file", ..fragment(old, None) }],
        (Some(old), Some(new)) if old.lines().count() > WHOLE => of_windows(old, new, &[]),
        (old, new) => vec![fragment(old, new)],
    }
}

/// A larger file isn't compared: its edit shows the hunks of its diff.
const MAX_FILE: usize = 2 << 20;

/// The pieces of a file whose whole text before and after is known, and maybe the diff of both.
pub(crate) fn of_texts(old: &str, new: &str, diff: &str) -> Vec<Piece> {
    let large = old.len().max(new.len()) > MAX_FILE;
    let pieces = if large { of_diff(diff, false) } else { None };
    pieces.unwrap_or_else(|| of_windows(old, new, &places(diff)))
}

/// The pieces of a diff of one file. None if it has no hunks. A new file's has one, without lines before.
pub(crate) fn of_diff(diff: &str, is_new: bool) -> Option<Vec<Piece>> {
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
        let side = |side: &str| {
            let (start, count) = side.split_once(',').unwrap_or((side, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((old_start, old_lines), (new_start, new_lines)) = (side(old)?, side(rest.split(' ').next()?)?);
        Some([old_start, old_lines, new_start, new_lines])
    };
    diff.lines().filter_map(place).collect()
}

/// The state of an edit after a call of this state (`running`, `done`, `denied`, ...), and why it wasn't applied. `text` is
/// what the tool gave back.
pub(crate) fn after_call(state: &str, text: &str) -> (&'static str, Option<String>) {
    const MAX_NOTE: usize = 300;
    let note = || Some(one_line(text, MAX_NOTE)).filter(|note| !note.is_empty());
    match state {
        "done" => ("applied", None),
        "running" => ("proposed", None),
        "cancelled" => ("rejected", Some(INTERRUPTED.to_owned())),
        "denied" => ("rejected", note()),
        _ => ("failed", note()),
    }
}

/// The edit of one file by a patch.
pub(crate) fn of_patch(patch: &FilePatch, state: &str, note: Option<String>) -> Finished {
    let mut done = message(&patch.path, patch.pieces(), state, note);
    if let Some(from) = &patch.moved_from
        && let Some(infos) = done.metadata.get_mut("edit_info").and_then(Value::as_array_mut)
    {
        for info in infos {
            info["moved_from"] = json!(from);
        }
    }
    done
}

/// An edit of one file. `state` is a word of [`model::envelope::EditState`]; `note` says why it isn't applied.
pub(crate) fn message(path: &str, pieces: Vec<Piece>, state: &str, note: Option<String>) -> Finished {
    let language = language(path);
    let (mut added, mut removed) = (0, 0);
    let mut verb = "Edit";
    let (mut edits, mut infos) = (Vec::new(), Vec::new());
    for piece in pieces {
        let counts = piece.line_counts();
        added += counts.0;
        removed += counts.1;
        if piece.scope == "file" {
            verb = match (&piece.old, &piece.new) {
                (_, None) => "Delete",
                (None, _) => "Write",
                _ => verb,
            };
        }
        let mut edit = json!({ "file_path": path });
        let mut info = json!({ "state": state, "scope": piece.scope });
        for (key, text) in [("old_content", piece.old), ("new_content", piece.new)] {
            if let Some(text) = text {
                edit[key] = json!(text);
            }
        }
        if let Some(language) = language {
            edit["language"] = json!(language);
        }
        if let Some(line) = piece.start_line {
            info["start_line"] = json!(line.min(1 << 31));
        }
        if let Some(patch) = piece.patch {
            info["patch"] = json!(patch);
        }
        edits.push(edit);
        infos.push(info);
    }
    if edits.is_empty() {
        edits.push(json!({ "file_path": path }));
        infos.push(json!({ "state": state, "scope": "fragment" }));
    }
    if let Some(note) = note {
        for info in &mut infos {
            info["note"] = json!(note);
        }
    }
    let mut metadata = envelope("CODE_EDIT", json!({ "edits": edits }));
    metadata.insert("edit_info".to_owned(), Value::Array(infos));
    let aside = if state == "applied" { String::new() } else { format!(" ({state})") };
    let content = format!("{verb} `{path}` +{added} -{removed}{aside}");
    Finished { content, metadata }
}

/// The language of a file, by its extension.
pub(crate) fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "py" | "pyi" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "rs" => "rust",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "swift" => "swift",
        "c" | "h" => "c",
        "cpp" | "cc" | "cxx" | "hpp" | "hh" => "cpp",
        "cs" => "csharp",
        "rb" => "ruby",
        "php" => "php",
        "sh" | "bash" | "zsh" => "bash",
        "ps1" => "powershell",
        "sql" => "sql",
        "html" | "htm" => "html",
        "css" => "css",
        "scss" => "scss",
        "vue" => "vue",
        "svelte" => "svelte",
        "json" | "jsonl" => "json",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "xml" | "svg" => "xml",
        "md" | "markdown" => "markdown",
        "lua" => "lua",
        "r" => "r",
        "scala" => "scala",
        "ex" | "exs" => "elixir",
        "hs" => "haskell",
        "dart" => "dart",
        "zig" => "zig",
        "nix" => "nix",
        "tf" => "hcl",
        "proto" => "protobuf",
        _ => return None,
    })
}
