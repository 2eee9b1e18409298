//! Which edits of a message count, and the lines that they added and removed.

use model::envelope::{EditState, edit_info};
use model::{Body, Draft};

/// Lines that the edits of a message added and removed in files, as every list and page counts them.
pub(crate) fn lines(draft: &Draft, body: &Body) -> (i64, i64) {
    let Body::CodeEdit(code_edit) = body else { return (0, 0) };
    let (mut added, mut removed) = (0, 0);
    for (index, edit) in code_edit.edits.iter().enumerate() {
        let info = edit_info(draft.metadata.as_ref(), index);
        if is_applied(info.state) {
            let (plus, minus) = diff::texts(edit, &info).among(code_edit.edits.len()).line_counts();
            added += i64::from(plus);
            removed += i64::from(minus);
        }
    }
    (added, removed)
}

/// Returns true if it is in the file.
pub(crate) fn is_applied(state: Option<EditState>) -> bool {
    matches!(known(state), EditState::Applied | EditState::PartlyApplied)
}

/// An edit that says nothing of its fate is a fact: agents that post edits post what they did.
pub(crate) fn known(state: Option<EditState>) -> EditState {
    state.unwrap_or(EditState::Applied)
}
