//! The files that a session changed, folded from its edits.

use crate::basics::problem;
use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::derived::edit_lines::{is_applied, known, then};
use crate::files::edit_cache::{EditCache, State};
use crate::may::session;
use api::Problem;
use api::messages::{ChangedFile, Changes, EditRef};
use api::sessions::SessionPath;
use diff::{Allowance, Counts, Texts};
use model::envelope::{EditInfo, edit_info};
use model::view::FileChange;
use model::{Body, MessageType, Session, Status};
use std::cmp::Reverse;
use std::collections::HashMap;
use store::StoredMessage;

pub async fn get_changes(scoped: &Scoped, path: &SessionPath) -> Result<Changes, Problem> {
    let session = session(scoped, path).await?;
    let state = state(scoped, &session).await?;
    let changes = scoped.hub.state::<EditCache>().list(state, changes(scoped, &session)).await?;
    Ok(Changes::clone(&changes))
}

/// Read before its messages: what comes in between is folded anew.
pub(super) async fn state(scoped: &Scoped, session: &Session) -> Result<State, Problem> {
    let pos = scoped.hub.workspace.changed_pos(&session.id).await.map_err(problem)?;
    Ok(State { session: session.id.clone(), pos })
}

async fn changes(scoped: &Scoped, session: &Session) -> Result<Changes, Problem> {
    let (mut files, mut allowance) = (Files::default(), Allowance::default());
    let mut pages = Pages::of_type(scoped, &session.id, 0, MessageType::CodeEdit);
    while let Some(stored) = pages.next().await? {
        let folding = scoped.compute(move |job| {
            let counts = |m: &&StoredMessage| !m.copied && m.message.draft.status != Status::Retracted;
            for message in stored.iter().filter(counts) {
                job.goes_on()?;
                fold(&mut files, message, &mut allowance);
            }
            Ok::<_, Problem>((files, allowance))
        });
        (files, allowance) = folding.await??;
    }
    let files = files.newest_first();
    Ok(Changes { added: files.iter().map(|f| f.added).sum(), removed: files.iter().map(|f| f.removed).sum(), files })
}

/// Files with the number of their last edit.
#[derive(Default)]
struct Files {
    by_path: HashMap<String, (usize, ChangedFile)>,
    edits: usize,
}

impl Files {
    /// The file at a path, which is edited now.
    fn edited(&mut self, path: &str) -> &mut ChangedFile {
        self.edits += 1;
        let new = || ChangedFile {
            path: path.to_owned(),
            change: FileChange::Modified,
            added: 0,
            removed: 0,
            edits: Vec::new(),
        };
        let (last, file) = self.by_path.entry(path.to_owned()).or_insert_with(|| (0, new()));
        *last = self.edits;
        file
    }

    fn newest_first(self) -> Vec<ChangedFile> {
        let mut files: Vec<(usize, ChangedFile)> = self.by_path.into_values().collect();
        files.sort_unstable_by_key(|(last, _)| Reverse(*last));
        files.into_iter().map(|(_, file)| file).collect()
    }
}

/// Adds the edits of one message.
fn fold(files: &mut Files, stored: &StoredMessage, allowance: &mut Allowance) {
    let draft = &stored.message.draft;
    let Body::CodeEdit(code_edit) = Body::of(draft) else { return };
    for (index, edit) in code_edit.edits.iter().enumerate() {
        let info = edit_info(draft.metadata.as_ref(), index);
        let texts = diff::texts(edit, &info).among(code_edit.edits.len());
        let reference = edit_ref(stored, index, &texts, &info, allowance);
        let (added, removed) = (reference.added, reference.removed);
        let applied = is_applied(info.state);
        let file = files.edited(&edit.file_path);
        if applied {
            file.added += added;
            file.removed += removed;
            let before = file.edits.iter().any(|edit| edit.state == "applied").then_some(file.change);
            file.change = then(before, texts.change);
        }
        file.edits.push(reference);
    }
}

pub(super) fn edit_ref(
    stored: &StoredMessage,
    index: usize,
    texts: &Texts<'_>,
    info: &EditInfo,
    allowance: &mut Allowance,
) -> EditRef {
    let Counts { added, removed, .. } = texts.counts_within(allowance);
    EditRef {
        message_id: stored.message.draft.id.to_string(),
        seq: stored.message.seq,
        index,
        state: known(info.state).to_string(),
        added: i64::from(added),
        removed: i64::from(removed),
    }
}
