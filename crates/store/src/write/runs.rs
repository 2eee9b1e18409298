//! The runs of a batch, and what a session sums up of its runs.

mod spent;

use super::rollup::RunKey;
use super::sessions::Sessions;
use crate::columns::columns;
use crate::columns::text;
use crate::step::Step;
use crate::store::on_step;
use crate::{RunUpsert, StoreError};
use model::RunOutcome;
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const ROWS: usize = 100;

pub(crate) async fn write(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    runs: Vec<RunUpsert>,
) -> Result<(), StoreError> {
    // The last word on a run wins; one statement can't store a row twice.
    let mut latest: BTreeMap<(usize, String), RunUpsert> = BTreeMap::new();
    for upsert in runs {
        latest.insert((sessions.index(&upsert.session_key)?, text(&upsert.run.id).into_owned()), upsert);
    }
    let runs: Vec<((usize, String), RunUpsert)> = latest.into_iter().collect();
    let keys: Vec<RunKey> = runs.iter().map(|((session, id), _)| (sessions.row(*session).rid, id.clone())).collect();
    // What new sessions spent isn't summed up yet.
    let stored = runs.iter().zip(&keys).filter(|(((session, _), _), _)| sessions.is_stored(*session));
    let stored: Vec<RunKey> = stored.map(|(_, key)| key.clone()).collect();
    sessions.rollup.runs(step, &stored, -1).await?;
    let mut summed: BTreeSet<RunKey> = keys.into_iter().collect();
    for chunk in runs.chunks(ROWS) {
        let owned = elsewhere(step, chunk).await?;
        let rids: HashMap<usize, (i64, bool)> = chunk
            .iter()
            .map(|((session, _), _)| {
                let row = sessions.row(*session);
                (*session, (row.rid, row.parent_key.is_some()))
            })
            .collect();
        on_step!(step, c => {
            let mut q = QueryBuilder::new(
                "INSERT INTO run (workspace_id, session_rid, id, copied, model, started_at, ended_at, outcome, input, \
                 output, cache_read, cache_write, cost_usd) ",
            );
            q.push_values(chunk, |mut b, ((session, id), upsert)| {
                let (rid, is_child) = rids[session];
                let run = &upsert.run;
                let copied = !is_child && owned.get(id).is_some_and(|owners| owners.iter().any(|owner| *owner != rid));
                b.push_bind(step.workspace)
                    .push_bind(rid)
                    .push_bind(id.as_str())
                    .push_bind(i64::from(copied))
                    .push_bind(run.model.as_deref().map(|model| text(model).into_owned()))
                    .push_bind(run.started_at.0)
                    .push_bind(run.ended_at.map(|at| at.0))
                    .push_bind(run.outcome.as_str())
                    .push_bind(run.usage.input)
                    .push_bind(run.usage.output)
                    .push_bind(run.usage.cache_read)
                    .push_bind(run.usage.cache_write)
                    .push_bind(run.cost_usd);
            });
            // Whether a run counts here was decided when it came, or is decided by its API messages.
            q.push(
                " ON CONFLICT (workspace_id, session_rid, id) DO UPDATE SET model = excluded.model, \
                 started_at = excluded.started_at, ended_at = excluded.ended_at, outcome = excluded.outcome, \
                 input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, \
                 cache_write = excluded.cache_write, cost_usd = excluded.cost_usd",
            );
            q.build().persistent(chunk.len() == 1).execute(c).await.map(drop)
        })?;
    }
    let mut touched: BTreeSet<usize> = runs.iter().map(|((session, _), _)| *session).collect();
    touched.extend(spent::write(step, sessions, &runs, &mut summed).await?);
    let summed: Vec<RunKey> = summed.into_iter().collect();
    sessions.rollup.runs(step, &summed, 1).await?;
    sum(step, sessions, &touched).await
}

/// By run id: the sessions of the same agent, no children, that count it.
async fn elsewhere(
    step: &mut Step<'_>,
    runs: &[((usize, String), RunUpsert)],
) -> Result<HashMap<String, Vec<i64>>, StoreError> {
    let rows: Vec<(String, i64)> = on_step!(step, c => {
        let mut q = QueryBuilder::new(
            "SELECT r.id, r.session_rid FROM run r JOIN session s ON s.rid = r.session_rid \
             WHERE s.parent_key IS NULL AND r.copied = 0 AND r.workspace_id = ",
        );
        q.push_bind(step.workspace).push(" AND r.id IN (");
        let mut list = q.separated(", ");
        for ((_, id), _) in runs {
            list.push_bind(id.as_str());
        }
        list.push_unseparated(")");
        q.build_query_as().persistent(runs.len() == 1).fetch_all(c).await
    })?;
    let mut owners: HashMap<String, Vec<i64>> = HashMap::new();
    for (id, session_rid) in rows {
        owners.entry(id).or_default().push(session_rid);
    }
    Ok(owners)
}

columns! {
    struct Counted {
        session_rid: i64,
        outcome: String,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cost_usd: Option<f64>,
    }
}

/// Sums the runs of the given sessions anew.
pub(super) async fn sum(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    touched: &BTreeSet<usize>,
) -> Result<(), StoreError> {
    if touched.is_empty() {
        return Ok(());
    }
    let indexes: HashMap<i64, usize> = touched.iter().map(|index| (sessions.row(*index).rid, *index)).collect();
    for index in touched {
        let row = sessions.row(*index);
        (row.input, row.output, row.cache_read, row.cache_write) = (0, 0, 0, 0);
        (row.runs_open, row.cost_usd, row.last_outcome) = (0, None, None);
    }
    let counted: Vec<Counted> = on_step!(step, c => {
        let mut q = QueryBuilder::new(
            "SELECT session_rid, outcome, input - copied_input AS input, output - copied_output AS output, \
             cache_read - copied_cache_read AS cache_read, cache_write - copied_cache_write AS cache_write, \
             cost_usd - copied_cost_usd AS cost_usd FROM run WHERE copied = 0 AND workspace_id = ",
        );
        q.push_bind(step.workspace).push(" AND session_rid IN (");
        let mut list = q.separated(", ");
        for rid in indexes.keys() {
            list.push_bind(*rid);
        }
        list.push_unseparated(") ORDER BY session_rid, started_at, id");
        q.build_query_as().persistent(indexes.len() == 1).fetch_all(c).await
    })?;
    for run in counted {
        if let Some(&index) = indexes.get(&run.session_rid) {
            let row = sessions.row(index);
            row.input = row.input.saturating_add(run.input);
            row.output = row.output.saturating_add(run.output);
            row.cache_read = row.cache_read.saturating_add(run.cache_read);
            row.cache_write = row.cache_write.saturating_add(run.cache_write);
            row.runs_open += i64::from(run.outcome == RunOutcome::Open.as_str());
            if let Some(cost) = run.cost_usd {
                row.cost_usd = Some(row.cost_usd.unwrap_or(0.0) + cost);
            }
            row.last_outcome = Some(run.outcome);
        }
    }
    Ok(())
}
