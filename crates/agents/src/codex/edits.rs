//! Edits: what a patch proposes, and what became of it.

use super::Rollout;
use super::result::state_of;
use crate::parts::at::{At, derived_id};
use crate::parts::calls::MAX_NOTE;
use crate::parts::edits::of_patch;
use crate::parts::obj::Obj;
use crate::parts::patch::{FileChange, FilePatch, hunks};
use model::envelope::EditState;
use model::text::one_line;
use serde_json::Map;

impl Rollout {
    /// A call hands in a patch: one edit for each file.
    pub(super) fn propose(&mut self, at: &At, call_id: &str, patches: Vec<FilePatch>) {
        self.edits(at, call_id, &patches, EditState::Proposed, None);
    }

    fn edits(&mut self, at: &At, call_id: &str, patches: &[FilePatch], state: EditState, note: Option<String>) {
        for (n, patch) in patches.iter().enumerate() {
            self.edit(at, call_id, n, patch, (state, note.clone()));
        }
    }

    fn edit(
        &mut self,
        at: &At,
        call_id: &str,
        n: usize,
        patch: &FilePatch,
        (state, note): (EditState, Option<String>),
    ) {
        let done = of_patch(patch, state, note);
        self.calls.derive(&mut self.book, at, call_id, ("edit", n), (done.content, done.metadata));
    }

    /// The recorded changes take the place of what was proposed for the same files, whatever its order. A file has one change, however
    /// many sections of the patch it had.
    fn recorded(&mut self, at: &At, call_id: &str, changes: &[FilePatch], (state, note): (EditState, Option<String>)) {
        let proposed = self.proposed(call_id);
        let mut next = proposed.len();
        for change in changes {
            let is_it = |proposal: &&Proposal| ends_with_path(&change.path, &proposal.path);
            let mut sections = proposed.iter().filter(is_it).collect::<Vec<_>>();
            // The file was deleted and written anew: its old content is gone, which the record alone doesn't say.
            let replaced = matches!(change.change, FileChange::Created(_)) && sections.len() > 1;
            if replaced && let Some(deleted) = sections.iter().position(|section| section.deletes) {
                let deleted = sections.remove(deleted);
                let patch = FilePatch { change: FileChange::Deleted(None), ..change.clone() };
                self.edit(at, call_id, deleted.n, &patch, (state, note.clone()));
            }
            let n = sections.first().map_or(next, |section| section.n);
            next += usize::from(sections.is_empty());
            self.edit(at, call_id, n, change, (state, note.clone()));
            for section in sections.iter().skip(1) {
                self.calls.retract(&mut self.book, at, call_id, ("edit", section.n));
            }
        }
    }

    /// A patch ended: the event has what was changed, with its place in the files.
    pub(super) fn patched(&mut self, at: &At, call_id: &str, event: &Obj) {
        let failed = event.raw("success") == Some("false");
        let state = if failed { "failed" } else { state_of(event.str("status").as_deref()) };
        let changes = changes(event);
        if self.calls.get(call_id).is_none() {
            let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
            let input = Map::from_iter([("files".to_owned(), paths.into())]);
            let text =
                event.filled("stdout").filter(|_| !failed).or_else(|| event.filled("stderr")).unwrap_or_default();
            self.finished_call(at, call_id, "apply_patch", input, None, text, Some(state));
        } else {
            self.calls.extend(&mut self.book, at, call_id, Vec::new());
        }
        let note = event.filled("stderr").or_else(|| event.filled("stdout")).map(|text| one_line(&text, MAX_NOTE));
        match state {
            "done" => self.recorded(at, call_id, &changes, (EditState::Applied, None)),
            "failed" if changes.is_empty() => self.calls.settle(&mut self.book, at, call_id, EditState::Failed, note),
            "failed" => self.recorded(at, call_id, &changes, (EditState::Failed, note)),
            _ if changes.is_empty() => self.calls.settle(&mut self.book, at, call_id, EditState::Rejected, note),
            _ => self.recorded(at, call_id, &changes, (EditState::Rejected, note)),
        }
    }

    /// The edits that a call stands for.
    fn proposed(&self, call_id: &str) -> Vec<Proposal> {
        let Some(call) = self.calls.get(call_id) else { return Vec::new() };
        let proposal = |n: usize| {
            let draft = self.book.peek(call.session, &derived_id(&call.id, "edit", n))?;
            let path = draft.metadata.as_ref()?.get("payload")?.get("edits")?.get(0)?.get("file_path")?.as_str()?;
            Some(Proposal { n, path: path.to_owned(), deletes: draft.content.starts_with("Delete ") })
        };
        (0..call.derived.len()).filter_map(proposal).collect()
    }
}

/// An edit that a call stands for.
struct Proposal {
    n: usize,
    path: String,
    deletes: bool,
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
        let (path, moved_from) = match change.filled("move_path") {
            // Some patches move a file to where it is.
            Some(to) => {
                let from = Some(path.to_owned()).filter(|from| *from != to);
                (to, from)
            }
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
