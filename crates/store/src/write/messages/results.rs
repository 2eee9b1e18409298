//! Results of calls that are posted as messages of their own: the call is over, and is told of anew.

use super::{Kind, Planned};
use crate::StoreError;
use crate::columns::{columns, text};
use crate::prepare::work::{CallResult, Work};
use crate::step::Step;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::sessions::Sessions;

columns! {
    struct Call {
        rid: i64,
        seq: i64,
        revision: i64,
        work: i64,
    }
}

pub(super) async fn store(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    planned: &[Planned],
    changes: &mut Changes,
) -> Result<(), StoreError> {
    for planned in planned.iter().filter(|planned| matches!(planned.kind, Kind::Added | Kind::Changed)) {
        let Some(result) = &planned.message.of_work.result else { continue };
        for call in calls(step, planned, result).await? {
            let was = Work::stored(call.work);
            on_step!(step, c => {
                sqlx::query("UPDATE message SET work = $2 WHERE rid = $1")
                    .bind(call.rid).bind(result.work as i64).execute(c).await.map(drop)
            })?;
            let row = sessions.row(planned.session);
            row.finish(was, call.seq);
            row.begin(result.work, call.seq);
            changes.look_again(planned.session_rid, call.seq, call.revision);
        }
    }
    Ok(())
}

/// Those that the result changes. Their own words may say more by now: they win, where they are read.
async fn calls(step: &mut Step<'_>, planned: &Planned, result: &CallResult) -> Result<Vec<Call>, StoreError> {
    Ok(on_step!(step, c => {
        sqlx::query_as(
            "SELECT m.rid, m.seq, m.revision, m.work FROM message m WHERE m.rid IN (\
             SELECT t.message_rid FROM tool_use t WHERE t.workspace_id = $1 AND t.session_rid = $2 AND t.call_id = $3 \
             UNION SELECT i.rid FROM message i WHERE i.workspace_id = $1 AND i.id = $3 AND i.session_rid = $2) \
             AND m.work >= $4 AND m.work <> $5 AND m.rid <> $6 ORDER BY m.seq",
        )
        .bind(step.workspace).bind(planned.session_rid).bind(&*text(&result.call_id))
        .bind(Work::Call as i64).bind(result.work as i64).bind(planned.rid)
        .fetch_all(c).await
    })?)
}

/// The calls that run and come behind the agent's final words.
pub(super) async fn count(step: &mut Step<'_>, session_rid: i64, words_seq: i64) -> Result<i64, StoreError> {
    Ok(on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT COUNT(*) FROM message WHERE workspace_id = $1 AND session_rid = $2 AND seq > $3 AND work = $4",
        )
        .bind(step.workspace).bind(session_rid).bind(words_seq).bind(Work::Call as i64).fetch_one(c).await
    })?)
}
