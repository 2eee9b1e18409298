//! Tool calls by name and outcome, for statistics. Copied ones count where they came from. Of those that were posted also
//! their `call_id`: an approval that names it is about them.

use super::{Kind, Planned};
use crate::StoreError;
use crate::store::on_step;
use crate::write::Step;
use sqlx::QueryBuilder;

const ROWS: usize = 100;

pub(super) async fn store(step: &mut Step<'_>, planned: &[Planned]) -> Result<(), StoreError> {
    let mine = |message: &&Planned| !message.copied && matches!(message.kind, Kind::Added | Kind::Changed);
    for message in planned.iter().filter(mine).filter(|m| m.kind == Kind::Changed && m.message.tool.is_none()) {
        delete(step, message.session_rid, message.rid).await?;
    }
    let uses: Vec<_> =
        planned.iter().filter(mine).filter_map(|message| Some((message, message.message.tool.as_ref()?))).collect();
    for chunk in uses.chunks(ROWS) {
        on_step!(step, c => {
            let mut q = QueryBuilder::new(
                "INSERT INTO tool_use (workspace_id, session_rid, message_rid, tool, failed, created_at, call_id) ",
            );
            q.push_values(chunk, |mut b, (planned, tool)| {
                b.push_bind(step.workspace)
                    .push_bind(planned.session_rid)
                    .push_bind(planned.rid)
                    .push_bind(tool.name.as_str())
                    .push_bind(i64::from(tool.failed))
                    .push_bind(planned.message.created_at)
                    .push_bind(tool.call_id.as_deref().filter(|_| planned.references.is_empty()));
            });
            q.push(
                " ON CONFLICT (workspace_id, session_rid, message_rid) DO UPDATE SET tool = excluded.tool, \
                 failed = excluded.failed, created_at = excluded.created_at, call_id = excluded.call_id",
            );
            q.build().persistent(chunk.len() == ROWS || chunk.len() == 1).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

pub(super) async fn delete(step: &mut Step<'_>, session_rid: i64, message_rid: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query("DELETE FROM tool_use WHERE workspace_id = $1 AND session_rid = $2 AND message_rid = $3")
            .bind(step.workspace).bind(session_rid).bind(message_rid).execute(c).await.map(drop)
    })?;
    Ok(())
}
