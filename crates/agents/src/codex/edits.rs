//! Edits: what a patch proposes, and what became of it.

use super::Rollout;
use super::calls::state_of;
use crate::parts::at::At;
use crate::parts::calls::MAX_NOTE;
use crate::parts::edits::of_patch;
use crate::parts::obj::Obj;
use crate::parts::patch::{FileChange, FilePatch, hunks};
use model::text::one_line;
use serde_json::{Map, json};

impl Rollout {
    /// A call hands in a patch: one edit for each file.
    pub(super) fn propose(&mut self, at: &At, call_id: &str, patches: Vec<FilePatch>) {
        self.edits(at, call_id, &patches, "proposed", None);
    }

    fn edits(&mut self, at: &At, call_id: &str, patches: &[FilePatch], state: &str, note: Option<String>) {
        for (n, patch) in patches.iter().enumerate() {
            let done = of_patch(patch, state, note.clone());
            self.calls.derive(&mut self.book, at, call_id, ("edit", n), (done.content, done.metadata));
        }
    }

    /// A patch ended: the event has what was changed, with its place in the files.
    pub(super) fn patched(&mut self, at: &At, call_id: &str, event: &Obj) {
        let failed = event.raw("success") == Some("false");
        let state = if failed { "failed" } else { state_of(event.str("status").as_deref()) };
        let mut changes = changes(event);
        if self.calls.get(call_id).is_none() {
            let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
            let input = Map::from_iter([("files".to_owned(), json!(paths))]);
            let text =
                event.filled("stdout").filter(|_| !failed).or_else(|| event.filled("stderr")).unwrap_or_default();
            self.finished_call(at, call_id, "apply_patch", input, None, text, Some(state));
        } else {
            self.calls.extend(&mut self.book, at, call_id, Vec::new());
        }
        // In the order of the proposal, whose paths may be relative.
        let proposed = self.proposed(call_id);
        let place = |change: &FilePatch| {
            let is_it = |path: &String| ends_with_path(&change.path, path);
            proposed.iter().position(is_it).unwrap_or(usize::MAX)
        };
        changes.sort_by(|a, b| (place(a), &a.path).cmp(&(place(b), &b.path)));
        let note = event.filled("stderr").or_else(|| event.filled("stdout")).map(|text| one_line(&text, MAX_NOTE));
        match state {
            "done" => self.edits(at, call_id, &changes, "applied", None),
            "failed" if changes.is_empty() => self.calls.settle(&mut self.book, at, call_id, "failed", note),
            "failed" => self.edits(at, call_id, &changes, "failed", note),
            _ if changes.is_empty() => self.calls.settle(&mut self.book, at, call_id, "rejected", note),
            _ => self.edits(at, call_id, &changes, "rejected", note),
        }
    }

    /// The paths of the edits that a call stands for.
    fn proposed(&self, call_id: &str) -> Vec<String> {
        let Some(call) = self.calls.get(call_id) else { return Vec::new() };
        let path = |id: &String| {
            let edits = self.book.peek(call.session, id)?.metadata.as_ref()?.get("payload")?.get("edits")?;
            Some(edits.get(0)?.get("file_path")?.as_str()?.to_owned())
        };
        call.derived.iter().filter_map(path).collect()
    }
}

/// The files of a `changes` field, by path.
fn changes(event: &Obj) -> Vec<FilePatch> {
    let Some(changes) = event.obj("changes") else { return Vec::new() };
    let file = |(path, raw): (&str, &str)| {
        let change = Obj::parse(raw)?;
        // Older builds put what it is into a key around it.
        let inner = ["add", "delete", "update"].iter().find_map(|kind| Some((*kind, change.obj(kind)?)));
        let kind = change.filled("type").or_else(|| change.obj("kind")?.filled("type"));
        let (kind, change) = match inner {
            Some((kind, inner)) => (kind.to_owned(), inner),
            None => (kind?, change),
        };
        let content = change.string("content");
        let done = match kind.as_str() {
            "add" => FileChange::Created(content.or_else(|| change.string("diff")).unwrap_or_default()),
            "delete" => FileChange::Deleted(content),
            _ => {
                let diff = change.string("unified_diff").or_else(|| change.string("diff")).unwrap_or_default();
                FileChange::Updated(hunks(&diff))
            }
        };
        let moved = change.filled("move_path");
        let (path, moved_from) = match moved {
            Some(to) => (to, Some(path.to_owned())),
            None => (path.to_owned(), None),
        };
        Some(FilePatch { path, moved_from, change: done })
    };
    changes.fields().filter_map(file).filter(|file| !file.path.is_empty()).collect()
}

/// Is `end` a path below some folder, as the other names it in full?
fn ends_with_path(full: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    full == end || full.strip_suffix(end).is_some_and(|folder| folder.ends_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::ends_with_path;

    #[test]
    fn paths_are_the_same_from_some_folder_on() {
        assert!(ends_with_path("/work/a/b.rs", "a/b.rs") && ends_with_path("/b.rs", "./b.rs"));
        assert!(!ends_with_path("/work/ab.rs", "b.rs"));
    }
}
