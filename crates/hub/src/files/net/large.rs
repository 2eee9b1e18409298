//! Sessions whose edits have more text than is held at a time: first which messages edit which files, then a few files
//! at a time, of which the differences are counted and the texts let go.

use crate::basics::hex::hex;
use crate::basics::problem;
use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::derived::edit_lines::is_applied;
use crate::files::edit_cache::Scope;
use crate::files::net::{Happened, collect, file, without_texts};
use api::Problem;
use api::net::{NetFile, NetTexts};
use diff::Allowance;
use model::envelope::{EditInfo, edit_info};
use model::message_type::code_edit::Edit;
use model::view::FileChange;
use model::{MessageType, Session};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of texts that are held at a time.
pub(super) const BYTES: usize = 8 << 20;
/// Bytes of the texts of one file that are folded: as many as one message has.
const MOST: usize = 16 << 20;

/// The messages that edit a file, and the bytes of its texts.
#[derive(Default)]
struct Edited {
    seqs: BTreeSet<i64>,
    bytes: usize,
}

/// Bytes of an edit's texts.
pub(super) fn bytes(edit: &Edit, info: &EditInfo) -> usize {
    [&edit.old_content, &edit.new_content, &info.patch].into_iter().flatten().map(String::len).sum()
}

/// All files, without their texts.
pub(super) async fn fold(scoped: &Scoped, session: &Session, scope: Scope) -> Result<Vec<NetFile>, Problem> {
    let mut edited: BTreeMap<String, Edited> = BTreeMap::new();
    let mut pages = Pages::of_type(scoped, &session.id, scope.after, MessageType::CodeEdit);
    while let Some(stored) = pages.next().await? {
        let is_last = scope.to.is_some_and(|to| stored.last().is_some_and(|last| last.message.seq >= to));
        let noting = scoped.compute(move |job| {
            for stored in stored.iter().filter(|stored| scope.to.is_none_or(|to| stored.message.seq <= to)) {
                job.goes_on()?;
                for (index, edit) in crate::files::net::edits(stored).into_iter().enumerate() {
                    let info = edit_info(stored.message.draft.metadata.as_ref(), index);
                    let file = edited.entry(edit.file_path.clone()).or_default();
                    file.seqs.insert(stored.message.seq);
                    file.bytes += bytes(&edit, &info);
                }
            }
            Ok::<_, Problem>(edited)
        });
        edited = noting.await??;
        if is_last {
            break;
        }
    }
    let (mut files, mut allowance) = (Vec::new(), Allowance::default());
    let (mut paths, mut seqs, mut held) = (BTreeSet::new(), BTreeSet::new(), 0);
    let mut edited = edited.into_iter().peekable();
    while let Some((path, it)) = edited.next() {
        held += it.bytes;
        seqs.extend(it.seqs);
        paths.insert(path);
        if edited.peek().is_none_or(|(_, next)| held + next.bytes > BYTES) {
            let group = (std::mem::take(&mut paths), std::mem::take(&mut seqs));
            let folded;
            (folded, allowance) = group_of(scoped, session, group, allowance).await?;
            files.extend(folded.iter().map(without_texts));
            held = 0;
        }
    }
    Ok(files)
}

/// One of them with its texts.
pub(super) async fn one(scoped: &Scoped, session: &Session, file: &NetFile) -> Result<Vec<NetFile>, Problem> {
    let group = (BTreeSet::from([file.path.clone()]), file.edits.iter().map(|edit| edit.seq).collect());
    Ok(group_of(scoped, session, group, Allowance::default()).await?.0)
}

/// The files with these paths, which these messages edit.
async fn group_of(
    scoped: &Scoped,
    session: &Session,
    (paths, seqs): (BTreeSet<String>, BTreeSet<i64>),
    mut allowance: Allowance,
) -> Result<(Vec<NetFile>, Allowance), Problem> {
    let paths = Arc::new(paths);
    let (mut files, mut held): (BTreeMap<String, Vec<Happened>>, usize) = (BTreeMap::new(), 0);
    for seq in seqs {
        let stored = scoped.hub.workspace.message_at(&session.id, seq).await.map_err(problem)?;
        let Some(stored) = stored else { continue };
        let paths = Arc::clone(&paths);
        let collecting = scoped.compute(move |job| {
            job.goes_on()?;
            held += collect(&mut files, &stored, &mut allowance, |path| paths.contains(path));
            if held > MOST {
                files.values_mut().flatten().for_each(Happened::let_go);
            }
            Ok::<_, Problem>((files, held, allowance))
        });
        (files, held, allowance) = collecting.await??;
    }
    let folding = scoped.compute(move |job| {
        let fold = |(path, edits): (String, Vec<Happened>)| {
            job.goes_on()?;
            Ok(if held > MOST { summed(path, &edits) } else { file(path, &edits, &mut allowance) })
        };
        let folded = files.into_iter().map(fold).collect::<Result<Vec<_>, Problem>>()?;
        Ok::<_, Problem>((folded, allowance))
    });
    folding.await?
}

/// A file with more text than is folded: the sums of its edits.
fn summed(path: String, all: &[Happened]) -> NetFile {
    let applied = || all.iter().filter(|it| is_applied(it.info.state));
    let mut hash = Sha256::new();
    for it in all {
        hash.update(format!("{} {} {} {} {}\n", it.at.seq, it.at.index, it.at.state, it.at.added, it.at.removed));
    }
    NetFile {
        path,
        change: FileChange::Modified,
        moved_from: None,
        added: applied().map(|it| it.at.added).sum(),
        removed: applied().map(|it| it.at.removed).sum(),
        changes: applied().count().try_into().unwrap_or(i64::MAX),
        hash: hex(&hash.finalize()[..8]),
        broken: false,
        too_large: true,
        language: all.iter().rev().find_map(|it| it.edit.language.clone()),
        edits: all.iter().map(|it| it.at.clone()).collect(),
        texts: Some(NetTexts { parts: Vec::new(), patches: Vec::new() }),
    }
}
