//! `CODE_EDIT`: changes of files, each with its old and its new text.

mod lines;

pub use lines::{
    LineEnds, changed_line_ends, closed, line_changes_among, line_counts, line_counts_among, line_ends_note,
    patch_counts,
};

use super::{Mismatch, Payload, strict};
use crate::{
    Role,
    extras::{EditInfo, EditScope, EditState, edit_info},
    text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// One or more edits of files, shown as diffs. Further data is in the envelope's `edit_info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeEdit {
    /// In the order in which they were made. `edit_info` has one entry for each.
    #[serde(deserialize_with = "strict::some_objects")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub edits: Vec<Edit>,
}

/// An edit of a file. Without old text it creates the file, without new text it deletes it; both may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Path of the file, as the agent names it: absolute, or relative to the working folder.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub file_path: String,
    /// Text before the edit: the changed fragment or the whole file, see `edit_info`. Absent for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_content: Option<String>,
    /// Text after the edit. Absent for a deleted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
    /// Language for syntax highlighting: `rust`, `python`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl Edit {
    /// Returns the number of added and removed lines. `info` tells whether the texts are fragments, and has a unified
    /// diff if they are missing.
    pub fn line_counts_with(&self, info: &EditInfo) -> (usize, usize) {
        self.line_counts_among(info, 1)
    }

    /// Like [`Edit::line_counts_with`], for one of `edits` edits of a message, which share a limit of work.
    pub fn line_counts_among(&self, info: &EditInfo, edits: usize) -> (usize, usize) {
        let line_counts = |old: &str, new: &str| line_counts_among(old, new, edits);
        match (self.old_content.as_deref(), self.new_content.as_deref(), info.patch.as_deref()) {
            (None, None, Some(patch)) => patch_counts(patch),
            (Some(old), Some(new), _) if info.scope != Some(EditScope::File) => match closed(old, new, info.start_line)
            {
                Some((old, new)) => line_counts(&old, &new),
                None => line_counts(old, new),
            },
            (old, new, _) => line_counts(old.unwrap_or_default(), new.unwrap_or_default()),
        }
    }

    /// Returns the diff; empty if no text is known.
    pub fn diff_with(&self, info: &EditInfo) -> String {
        self.diff_among(info, 1, usize::MAX).unwrap_or_default()
    }

    /// Returns the first `most` bytes of the diff, for one of `edits` edits of a message.
    fn diff_among(&self, info: &EditInfo, edits: usize, most: usize) -> Option<String> {
        match (self.old_content.as_deref(), self.new_content.as_deref()) {
            (None, None) => info.patch.clone().map(|mut patch| {
                patch.truncate(patch.ceil_char_boundary(most));
                patch
            }),
            (Some(old), Some(new)) if info.scope != Some(EditScope::File) => {
                Some(match closed(old, new, info.start_line) {
                    Some((old, new)) => lines::diff(&old, &new, edits, most),
                    None => lines::diff(old, new, edits, most),
                })
            }
            (old, new) => Some(lines::diff(old.unwrap_or_default(), new.unwrap_or_default(), edits, most)),
        }
    }

    /// Returns the kind of change for people: `Create`, `Delete` or `Edit`.
    pub fn verb(&self) -> &'static str {
        match (&self.old_content, &self.new_content) {
            (None, Some(_)) => "Create",
            (Some(_), None) => "Delete",
            _ => "Edit",
        }
    }
}

impl CodeEdit {
    /// Returns the edits as markdown with diffs. The first `most` bytes are complete. `info` returns the info of the
    /// edit with that index.
    pub fn markdown_with(&self, info: impl Fn(usize) -> EditInfo, most: usize) -> String {
        let (edits, mut bytes) = (self.edits.len(), 0);
        let blocks: Vec<String> = self
            .edits
            .iter()
            .enumerate()
            .map_while(|(index, edit)| {
                if bytes >= most {
                    return None;
                }
                let info = info(index);
                let mut block = format!("**{}** {}", edit.verb(), text::code(&edit.file_path));
                if let Some(state) = info.state.filter(|state| *state != EditState::Applied) {
                    block.push_str(" (");
                    block.push_str(&state.label());
                    block.push(')');
                }
                let (old, new) = (edit.old_content.as_deref(), edit.new_content.as_deref());
                if let Some(note) = old.zip(new).and_then(|(old, new)| line_ends_note(old, new)) {
                    block.push_str("\n\n");
                    block.push_str(&note);
                }
                let diff = edit.diff_among(&info, edits, most);
                if let Some(diff) = diff {
                    block.push_str("\n\n");
                    block.push_str(&text::fence("diff", &diff));
                }
                bytes += block.len();
                Some(block)
            })
            .collect();
        blocks.join("\n\n")
    }

    /// Returns the paths of the files, each once, in order of first appearance.
    pub fn files(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        self.edits.iter().map(|edit| edit.file_path.as_str()).filter(|path| seen.insert(*path)).collect()
    }
}

impl Payload for CodeEdit {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let verb = self.edits.first().map_or("Edit", Edit::verb);
        let verb = if self.edits.iter().all(|edit| edit.verb() == verb) { verb } else { "Edit" };
        match self.files().as_slice() {
            [file] => format!("{verb} {file}"),
            files => format!("{verb} {}: {}", text::count(files.len(), "file"), files.join(", ")),
        }
    }

    fn to_markdown(&self) -> String {
        self.markdown_with(|_| EditInfo::default(), usize::MAX)
    }

    fn example() -> Self {
        Self {
            edits: vec![Edit {
                file_path: "src/parser.rs".to_owned(),
                old_content: Some("fn next(&mut self) -> u8 {\n    self.bytes[self.at]\n}\n".to_owned()),
                new_content: Some(
                    "fn next(&mut self) -> Option<u8> {\n    self.bytes.get(self.at).copied()\n}\n".to_owned(),
                ),
                language: Some("rust".to_owned()),
            }],
        }
    }

    fn check(&self, extras: &Map<String, Value>) -> Result<(), Mismatch> {
        edit_info::check(extras, self.edits.len())
    }
}
