//! Tool calls by name and outcome, for statistics. Copied ones count where they came from. Of those that were posted also
//! their `call_id`: an approval that names it is about them.

use super::{Kind, Planned};
use crate::StoreError;
use crate::step::Step;
use crate::step::table::{self, Row, Table, Verb};
use crate::store::on_step;
use std::borrow::Cow;

static TOOL_USE: Table = Table {
    name: "tool_use",
    columns: Cow::Borrowed(&[
        ("session_rid", table::Kind::Int),
        ("message_rid", table::Kind::Int),
        ("tool", table::Kind::Text),
        ("failed", table::Kind::Int),
        ("created_at", table::Kind::Int),
        ("call_id", table::Kind::Text),
        ("duration_ms", table::Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, session_rid, message_rid) DO UPDATE SET tool = excluded.tool, \
         failed = excluded.failed, created_at = excluded.created_at, call_id = excluded.call_id, \
         duration_ms = excluded.duration_ms",
    )),
};

pub(super) async fn store(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let mine = |message: &&Planned| !message.copied && matches!(message.kind, Kind::Added | Kind::Changed);
    for message in planned.iter().filter(mine).filter(|m| m.kind == Kind::Changed && m.message.tool.is_none()) {
        delete(step, message.session_rid, message.rid).await?;
    }
    let uses = planned.iter().filter(mine).filter_map(|message| Some((message, message.message.tool.as_ref()?)));
    let rows: Vec<Row<'_>> = uses
        .map(|(planned, tool)| {
            vec![
                planned.session_rid.into(),
                planned.rid.into(),
                tool.name.as_str().into(),
                i64::from(tool.failed).into(),
                planned.message.created_at.into(),
                tool.call_id.as_deref().filter(|_| planned.references.is_empty()).into(),
                table::Value::Int(tool.duration_ms),
            ]
        })
        .collect();
    step.write(&TOOL_USE, &rows).await
}

pub(super) async fn delete(step: &mut Step<'_>, session_rid: i64, message_rid: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query("DELETE FROM tool_use WHERE workspace_id = $1 AND session_rid = $2 AND message_rid = $3")
            .bind(step.workspace).bind(session_rid).bind(message_rid).execute(c).await.map(drop)
    })?;
    Ok(())
}
