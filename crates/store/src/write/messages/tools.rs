//! Tool calls by name and outcome, for statistics. Copied ones count where they came from. Of those that were posted
//! also their `call_id`: an approval that names it is about them.

use super::{Kind, Planned};
use crate::StoreError;
use crate::step::Step;
use crate::step::table::{self, Row, Table, Verb};
use crate::store::on_step;
use crate::write::rollup::StoredCall;
use crate::write::sessions::Sessions;
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// Calls per statement.
const MANY: usize = 500;

pub(super) async fn store(step: &mut Step<'_>, sessions: &mut Sessions, planned: &[Planned]) -> Result<(), StoreError> {
    let mine = |message: &&Planned| !message.copied && matches!(message.kind, Kind::Added | Kind::Changed);
    let mut changed: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for message in planned.iter().filter(mine).filter(|message| message.kind == Kind::Changed) {
        changed.entry(message.session_rid).or_default().push(message.rid);
    }
    for (session_rid, messages) in changed {
        delete(step, sessions, session_rid, &messages).await?;
    }
    let uses = planned.iter().filter(mine).filter_map(|message| Some((message, message.message.tool.as_ref()?)));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (planned, tool) in uses {
        let (failed, created_at) = (i64::from(tool.failed), planned.message.created_at);
        let call = StoredCall { session_rid: planned.session_rid, tool: tool.name.clone(), failed, created_at };
        sessions.rollup.call(call, 1);
        rows.push(vec![
            planned.session_rid.into(),
            planned.rid.into(),
            tool.name.as_str().into(),
            failed.into(),
            created_at.into(),
            tool.call_id.as_deref().filter(|_| planned.references.is_empty()).into(),
            table::Value::Int(tool.duration_ms),
        ]);
    }
    step.write(&TOOL_USE, &rows).await
}

/// Takes the calls out that these messages are.
pub(super) async fn delete(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    session_rid: i64,
    messages: &[i64],
) -> Result<(), StoreError> {
    for chunk in messages.chunks(MANY) {
        let deleted: Vec<StoredCall> = on_step!(step, c => {
            let mut q = QueryBuilder::new("DELETE FROM tool_use WHERE workspace_id = ");
            q.push_bind(step.workspace).push(" AND session_rid = ").push_bind(session_rid).push(" AND message_rid IN (");
            let mut list = q.separated(", ");
            for rid in chunk {
                list.push_bind(*rid);
            }
            list.push_unseparated(") RETURNING session_rid, tool, failed, created_at");
            q.build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
        })?;
        for call in deleted {
            sessions.rollup.call(call, -1);
        }
    }
    Ok(())
}
