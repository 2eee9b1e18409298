//! `CODE_EDIT` messages: a path and what changed in it become a payload with its `edit_info`.

use super::at::envelope;
use super::patch::{FileChange, FilePatch, Hunk, hunks};
use super::window::windows;
use model::envelope::{EditInfo, EditScope, EditState, INTERRUPTED};
use model::message_type::code_edit::{CodeEdit, Edit};
use model::text::one_line;
use serde_json::{Map, Value};

/// One entry of `edits`.
pub(crate) struct Piece {
    pub old: Option<String>,
    pub new: Option<String>,
    pub start_line: Option<usize>,
    pub scope: EditScope,
    pub patch: Option<String>,
}

impl Piece {
    /// A part of a file of which nobody said where it is.
    pub fn is_loose(&self) -> bool {
        let is_fragment = self.scope == EditScope::Fragment && self.old.is_some() && self.new.is_some();
        is_fragment && self.start_line.is_none() && self.patch.is_none()
    }

    /// Lines added and removed, as they are counted everywhere.
    pub fn line_counts(&self) -> (usize, usize) {
        let (old_content, new_content) = (self.old.clone(), self.new.clone());
        Edit { old_content, new_content, ..Edit::default() }.line_counts_with(&self.info())
    }

    fn info(&self) -> EditInfo {
        let start_line = self.start_line.and_then(|line| u32::try_from(line.min(1 << 31)).ok());
        EditInfo { scope: Some(self.scope), start_line, patch: self.patch.clone(), ..EditInfo::default() }
    }
}

impl FilePatch {
    /// The entries of a `CODE_EDIT`.
    pub fn pieces(&self) -> Vec<Piece> {
        match &self.change {
            FileChange::Created(text) => vec![created(text)],
            FileChange::Deleted(text) => vec![Piece { scope: EditScope::File, ..fragment(text.as_deref(), None) }],
            FileChange::Updated(hunks) => {
                let piece =
                    |hunk: &Hunk| Piece { start_line: hunk.start_line, ..fragment(Some(&hunk.old), Some(&hunk.new)) };
                hunks.iter().map(piece).collect()
            }
        }
    }
}

/// An edit whose result is known.
pub(crate) struct Finished {
    pub content: String,
    pub metadata: Map<String, Value>,
}

impl Finished {
    /// The same edit of a file that was at another path before.
    pub fn moved_from(mut self, path: &str) -> Self {
        let infos = self.metadata.get_mut("edit_info").and_then(Value::as_array_mut);
        for info in infos.into_iter().flatten() {
            info["moved_from"] = path.into();
        }
        self
    }
}

pub(crate) fn fragment(old: Option<&str>, new: Option<&str>) -> Piece {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Piece { old: owned(old), new: owned(new), start_line: None, scope: EditScope::Fragment, patch: None }
}

/// A file that was written, and in which nothing changed.
pub(crate) fn unchanged() -> Piece {
    fragment(Some(""), Some(""))
}

/// A file that wasn't there before.
pub(crate) fn created(new: &str) -> Piece {
    Piece { old: None, new: Some(new.to_owned()), start_line: None, scope: EditScope::File, patch: None }
}

pub(crate) fn of_windows(old: &str, new: &str, places: &[[usize; 4]]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = windows(old, new, places)
        .into_iter()
        .map(|window| Piece {
            old: Some(window.old),
            new: Some(window.new),
            start_line: Some(window.start_line),
            scope: EditScope::Fragment,
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
        (old, None) => vec![Piece { scope: EditScope::File, ..fragment(old, None) }],
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
pub(crate) fn after_call(state: &str, text: &str) -> (EditState, Option<String>) {
    const MAX_NOTE: usize = 300;
    let note = || Some(one_line(text, MAX_NOTE)).filter(|note| !note.is_empty());
    match state {
        "done" => (EditState::Applied, None),
        "running" => (EditState::Proposed, None),
        "cancelled" => (EditState::Rejected, Some(INTERRUPTED.to_owned())),
        "denied" => (EditState::Rejected, note()),
        _ => (EditState::Failed, note()),
    }
}

/// The edit of one file by a patch.
pub(crate) fn of_patch(patch: &FilePatch, state: EditState, note: Option<String>) -> Finished {
    let done = message(&patch.path, patch.pieces(), state, note);
    if let Some(from) = &patch.moved_from { done.moved_from(from) } else { done }
}

/// An edit of one file. `note` says why it isn't applied.
pub(crate) fn message(path: &str, mut pieces: Vec<Piece>, state: EditState, note: Option<String>) -> Finished {
    let language = language(path).filter(|_| !pieces.is_empty()).map(str::to_owned);
    let (mut added, mut removed) = (0, 0);
    let mut verb = "Edit";
    if pieces.is_empty() {
        pieces.push(fragment(None, None));
    }
    let (mut edits, mut infos) = (Vec::new(), Vec::new());
    for piece in pieces {
        let counts = piece.line_counts();
        added += counts.0;
        removed += counts.1;
        if piece.scope == EditScope::File {
            verb = match (&piece.old, &piece.new) {
                (_, None) => "Delete",
                (None, _) => "Write",
                _ => verb,
            };
        }
        infos.push(EditInfo { state: Some(state), note: note.clone(), ..piece.info() });
        let Piece { old: old_content, new: new_content, .. } = piece;
        edits.push(Edit { file_path: path.to_owned(), old_content, new_content, language: language.clone() });
    }
    let mut metadata = envelope(CodeEdit { edits });
    metadata.extend([EditInfo::extra(&infos)]);
    let aside = if state == EditState::Applied { String::new() } else { format!(" ({state})") };
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
