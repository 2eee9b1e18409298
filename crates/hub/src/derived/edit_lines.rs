//! Which edits of a message count: the files that they changed, and the lines that they added and removed.

use model::envelope::{EditState, edit_info};
use model::view::FileChange;
use model::{Body, Draft, Role, Status};
use store::FileChanged;

/// The files that the edits of a message changed, each once, in the order of the edits, with the lines as every list
/// and page counts them.
pub(crate) fn files(draft: &Draft, body: &Body) -> Vec<FileChanged> {
    // The host edits no files: what is counted of edits is told to models. Nor does what was taken back.
    let code_edit = match body {
        Body::CodeEdit(code_edit) if draft.role != Role::Host && draft.status != Status::Retracted => code_edit,
        _ => return Vec::new(),
    };
    let mut files: Vec<FileChanged> = Vec::new();
    for (index, edit) in code_edit.edits.iter().enumerate() {
        let info = edit_info(draft.metadata.as_ref(), index);
        if !is_applied(info.state) {
            continue;
        }
        let texts = diff::texts(edit, &info).among(code_edit.edits.len());
        let (plus, minus) = texts.line_counts();
        let (added, removed) = (i64::from(plus), i64::from(minus));
        if let Some(file) = files.iter_mut().find(|file| file.path == edit.file_path) {
            (file.added, file.removed) = (file.added + added, file.removed + removed);
            file.change = then(Some(file.change), texts.change);
        } else {
            files.push(FileChanged { path: edit.file_path.clone(), change: then(None, texts.change), added, removed });
        }
    }
    files
}

/// How a file changed after another edit: one that was added stays so until it is deleted.
pub(crate) fn then(before: Option<FileChange>, edit: FileChange) -> FileChange {
    match (before, edit) {
        (_, FileChange::Deleted) => FileChange::Deleted,
        (None, edit) => edit,
        (Some(FileChange::Added), _) => FileChange::Added,
        (Some(_), _) => FileChange::Modified,
    }
}

/// Returns true if it is in the file.
pub(crate) fn is_applied(state: Option<EditState>) -> bool {
    matches!(known(state), EditState::Applied | EditState::PartlyApplied)
}

/// An edit that says nothing of its fate is a fact: agents that post edits post what they did.
pub(crate) fn known(state: Option<EditState>) -> EditState {
    state.unwrap_or(EditState::Applied)
}
