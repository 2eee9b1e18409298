//! Runs.

use super::corrupt;
use crate::columns::columns;
use crate::dialect::limited;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, Run, RunOutcome, SessionId, Usage};

columns! {
    struct RunRow {
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
        self.last_runs(session, i64::MAX).await
    }

    /// The last runs, at most `limit` of them, in the order of their start.
    pub async fn last_runs(&self, session: &SessionId, limit: i64) -> Result<Vec<Run>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<RunRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT id, model, started_at, ended_at, outcome, input, output, cache_read, cache_write, cost_usd \
                 FROM run WHERE workspace_id = $1 AND session_rid = $2 ORDER BY started_at DESC, id DESC{}",
                limited(limit)
            )))
            .bind(self.id()).bind(rid).fetch_all(pool).await
        })?;
        rows.into_iter().rev().map(RunRow::into_run).collect()
    }

    /// How many runs a session has.
    pub async fn run_count(&self, session: &SessionId) -> Result<i64, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(0) };
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar("SELECT COUNT(*) FROM run WHERE workspace_id = $1 AND session_rid = $2")
                .bind(self.id()).bind(rid).fetch_one(pool).await
        })?)
    }
}

impl RunRow {
    fn into_run(self) -> Result<Run, StoreError> {
        Ok(Run {
            id: self.id,
            model: self.model,
            started_at: Micros(self.started_at),
            ended_at: self.ended_at.map(Micros),
            outcome: RunOutcome::parse(&self.outcome)
                .ok_or_else(|| corrupt(format_args!("a run that ended `{}`", self.outcome)))?,
            usage: Usage {
                input: self.input,
                output: self.output,
                cache_read: self.cache_read,
                cache_write: self.cache_write,
            },
            cost_usd: self.cost_usd,
        })
    }
}
