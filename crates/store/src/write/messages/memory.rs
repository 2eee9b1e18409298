//! Memories of a batch, written in its transaction. Copied messages are remembered in their original session.

use super::{Kind, Planned};
use crate::StoreError;
use crate::step::Step;
use crate::step::table::{self, Row, Table, Verb};
use crate::store::on_step;
use std::borrow::Cow;

/// Another text has another vector. What was forgotten stays so.
pub(in crate::write) static MEMORY: Table = Table {
    name: "memory",
    columns: Cow::Borrowed(&[("rid", table::Kind::Int), ("session_rid", table::Kind::Int)]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(" ON CONFLICT (rid) DO UPDATE SET model = NULL, vector = NULL, vector_no = NULL")),
};

pub(super) async fn store(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let left = |message: &&Planned| message.kind == Kind::Changed && message.message.leaves_memory;
    for message in planned.iter().filter(left) {
        delete(step, message.rid).await?;
    }
    let new = |message: &&Planned| !message.copied && matches!(message.kind, Kind::Added | Kind::Changed);
    let rows: Vec<Row<'_>> = planned
        .iter()
        .filter(new)
        .filter(|planned| planned.message.remembered)
        .map(|planned| vec![planned.rid.into(), planned.session_rid.into()])
        .collect();
    step.write(&MEMORY, &rows).await
}

/// Removes a message from memory, with its vector.
pub(super) async fn delete(step: &mut Step<'_>, rid: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query("DELETE FROM memory WHERE rid = $1 AND forgotten = 0").bind(rid).execute(c).await.map(drop)
    })?;
    Ok(())
}
