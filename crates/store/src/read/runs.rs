//! Runs.

use super::corrupt;
use crate::columns::columns;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, Run, RunOutcome, SessionId, Usage};

columns! {
    struct Row {
        id: String,
        model: Option<String>,
        started_at: i64,
        ended_at: Option<i64>,
        outcome: String,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cost_usd: Option<f64>,
    }
}

impl Workspace {
    /// In the order of their start. Those copied from another session are among them.
    pub async fn runs(&self, session: &SessionId) -> Result<Vec<Run>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<Row> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT id, model, started_at, ended_at, outcome, input, output, cache_read, cache_write, cost_usd \
                 FROM run WHERE workspace_id = $1 AND session_rid = $2 ORDER BY started_at, id",
            )
            .bind(self.id()).bind(rid).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|row| {
                Ok(Run {
                    id: row.id,
                    model: row.model,
                    started_at: Micros(row.started_at),
                    ended_at: row.ended_at.map(Micros),
                    outcome: RunOutcome::parse(&row.outcome)
                        .ok_or_else(|| corrupt(format_args!("a run that ended `{}`", row.outcome)))?,
                    usage: Usage {
                        input: row.input,
                        output: row.output,
                        cache_read: row.cache_read,
                        cache_write: row.cache_write,
                    },
                    cost_usd: row.cost_usd,
                })
            })
            .collect()
    }
}
