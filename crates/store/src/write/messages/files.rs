//! The files that messages changed, for lists of them and for the search by path. Copied messages count where they came
//! from.

use super::{Kind, Planned};
use crate::step::Step;
use crate::step::table::{self, Row, Table, Verb};
use crate::store::on_step;
use crate::{FileChanged, StoreError};
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(in crate::write) static FILE_CHANGE: Table = Table {
    name: "file_change",
    columns: Cow::Borrowed(&[
        ("session_rid", table::Kind::Int),
        ("seq", table::Kind::Int),
        ("no", table::Kind::Int),
        ("path", table::Kind::Text),
        ("change", table::Kind::Text),
        ("added", table::Kind::Int),
        ("removed", table::Kind::Int),
        ("changed_at", table::Kind::Int),
    ]),
    has_workspace: true,
    // A message that is written anew had others, which are deleted before.
    verb: Verb::Insert(Cow::Borrowed("")),
};

/// Messages per statement.
const MANY: usize = 500;

/// The rows of the files that one message changed.
pub(in crate::write) fn rows(
    (session_rid, seq, changed_at): (i64, i64, i64),
    files: &[FileChanged],
) -> impl Iterator<Item = Row<'_>> {
    (0_i64..).zip(files).map(move |(no, file)| {
        vec![
            session_rid.into(),
            seq.into(),
            no.into(),
            file.path.as_str().into(),
            file.change.as_str().into(),
            file.added.into(),
            file.removed.into(),
            changed_at.into(),
        ]
    })
}

pub(super) async fn store(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let mut changed: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for message in planned.iter().filter(|message| message.kind == Kind::Changed && message.was_edit) {
        changed.entry(message.session_rid).or_default().push(message.seq);
    }
    for (session_rid, seqs) in changed {
        delete(step, session_rid, &seqs).await?;
    }
    let mine = |message: &&Planned| !message.copied && matches!(message.kind, Kind::Added | Kind::Changed);
    let of = |planned: &'_ Planned| (planned.session_rid, planned.seq, planned.message.created_at);
    let rows: Vec<Row<'_>> =
        planned.iter().filter(mine).flat_map(|planned| rows(of(planned), &planned.message.files)).collect();
    step.write(&FILE_CHANGE, &rows).await
}

/// Takes out what these messages of a session changed.
pub(in crate::write) async fn delete(step: &mut Step<'_>, session_rid: i64, seqs: &[i64]) -> Result<(), StoreError> {
    for chunk in seqs.chunks(MANY) {
        on_step!(step, c => {
            let mut q = QueryBuilder::new("DELETE FROM file_change WHERE workspace_id = ");
            q.push_bind(step.workspace).push(" AND session_rid = ").push_bind(session_rid).push(" AND seq IN (");
            let mut list = q.separated(", ");
            for seq in chunk {
                list.push_bind(*seq);
            }
            list.push_unseparated(")");
            q.build().persistent(chunk.len() == 1).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}
