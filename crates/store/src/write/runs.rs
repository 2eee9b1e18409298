//! The runs of a batch, and what a session sums up of its runs.

mod spent;
mod summed;

use super::rollup::RunKey;
use super::sessions::Sessions;
use crate::columns::columns;
use crate::columns::text;
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::step::table::{Kind, Row, Table, Value, Verb};
use crate::store::on_step;
use crate::{RunUpsert, StoreError};
use model::{RunOutcome, Spent, Usage};
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use summed::Summed;

/// Ids per look-up.
const IDS: usize = 128;

static RUN: Table = Table {
    name: "run",
    columns: Cow::Borrowed(&[
        ("session_rid", Kind::Int),
        ("id", Kind::Text),
        ("copied", Kind::Int),
        ("model", Kind::Text),
        ("started_at", Kind::Int),
        ("ended_at", Kind::Int),
        ("outcome", Kind::Text),
        ("input", Kind::Int),
        ("output", Kind::Int),
        ("cache_read", Kind::Int),
        ("cache_write", Kind::Int),
        ("cost_usd", Kind::Real),
    ]),
    has_workspace: true,
    // Whether a run counts here was decided when it came, or is decided by its API messages.
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, session_rid, id) DO UPDATE SET model = excluded.model, \
         started_at = excluded.started_at, ended_at = excluded.ended_at, outcome = excluded.outcome, \
         input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, \
         cache_write = excluded.cache_write, cost_usd = excluded.cost_usd",
    )),
};

/// A run to be written.
struct NewRun {
    session: usize,
    key: RunKey,
    model: Option<String>,
    upsert: RunUpsert,
    /// The stored run.
    stored: Option<Counted>,
    /// It counts in another session, by what is known before its API messages are.
    copied: bool,
}

impl NewRun {
    /// Counts the run in the row of its session, in place of what is stored of it.
    fn count(&self, row: &mut SessionRow) {
        let run = &self.upsert.run;
        if let Some(stored) = &self.stored {
            row.runs_open -= i64::from(stored.outcome == RunOutcome::Open.as_str());
            let usage = stored.usage();
            let (input, output) = (-usage.input, -usage.output);
            let (cache_read, cache_write) = (-usage.cache_read, -usage.cache_write);
            row.add_usage(Usage { input, output, cache_read, cache_write }, stored.cost_usd.map(|cost| -cost));
        }
        row.runs_open += i64::from(run.outcome == RunOutcome::Open);
        row.add_usage(run.usage, run.cost_usd);
        // Rounding to a billionth of a dollar removes residues of additions and subtractions.
        row.cost_usd = row.cost_usd.map(|cost| (cost * 1e9).round() / 1e9);
    }

    /// Returns true if only the number of requests changes in the sums by time, model and price.
    fn changes_requests_alone(&self) -> bool {
        let run = &self.upsert.run;
        let is_priced = |cost: Option<f64>| cost.is_some_and(|cost| cost > 0.0);
        self.stored.as_ref().is_some_and(|stored| {
            stored.requests != 0
                && stored.model == self.model
                && stored.started_at == run.started_at.0
                && is_priced(stored.cost_usd) == is_priced(run.cost_usd)
        })
    }

    fn row(&self) -> Row<'_> {
        let run = &self.upsert.run;
        vec![
            self.key.0.into(),
            self.key.1.as_str().into(),
            i64::from(self.copied).into(),
            self.model.as_deref().into(),
            run.started_at.0.into(),
            run.ended_at.map(|at| at.0).into(),
            run.outcome.as_str().into(),
            run.usage.input.into(),
            run.usage.output.into(),
            run.usage.cache_read.into(),
            run.usage.cache_write.into(),
            Value::Real(run.cost_usd),
        ]
    }
}

pub(crate) async fn write(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    runs: Vec<RunUpsert>,
) -> Result<(), StoreError> {
    let runs = latest(step, sessions, runs).await?;
    let mut summed = Summed::leave(step, &mut sessions.rollup, &runs).await?;
    let rows: Vec<Row<'_>> = runs.iter().map(NewRun::row).collect();
    step.write(&RUN, &rows).await?;
    // Where something counts elsewhere the sums are read anew. So they are of new sessions, which have no other runs.
    let mut anew = spent::write(step, sessions, &runs, &mut summed).await?;
    summed.join(step, &mut sessions.rollup).await?;
    anew.extend(runs.iter().filter(|run| run.copied).map(|run| run.session));
    let touched: BTreeSet<usize> = runs.iter().map(|run| run.session).collect();
    anew.extend(touched.iter().filter(|session| !sessions.is_stored(**session)));
    for run in runs.iter().filter(|run| !anew.contains(&run.session)) {
        run.count(sessions.row(run.session));
    }
    for session in touched.difference(&anew) {
        find_outcome(step, sessions, *session).await?;
    }
    sum(step, sessions, &anew).await
}

/// The runs with what is known of them. The last word on each wins: one statement can't store a row twice.
async fn latest(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    upserts: Vec<RunUpsert>,
) -> Result<Vec<NewRun>, StoreError> {
    let mut runs: BTreeMap<(usize, String), RunUpsert> = BTreeMap::new();
    for mut upsert in upserts {
        let key = (sessions.index(&upsert.session_key)?, text(&upsert.run.id).into_owned());
        if let Some(earlier) = runs.remove(&key) {
            let told: HashSet<&str> = upsert.spent.iter().map(|spent| spent.id.as_str()).collect();
            let more: Vec<Spent> =
                earlier.spent.into_iter().filter(|spent| !told.contains(spent.id.as_str())).collect();
            upsert.spent.extend(more);
        }
        runs.insert(key, upsert);
    }
    let ids: Vec<&str> = runs.keys().map(|(_, id)| id.as_str()).collect();
    let owned = elsewhere(step, &ids).await?;
    let keys = runs.keys().filter(|(session, _)| sessions.is_stored(*session)).cloned().collect::<Vec<_>>();
    let keys: Vec<(i64, &str)> = keys.iter().map(|(session, id)| (sessions.row(*session).rid, id.as_str())).collect();
    let mut stored = stored(step, &keys).await?;
    let mut all = Vec::with_capacity(runs.len());
    for ((session, id), upsert) in runs {
        let row = sessions.row(session);
        let key = (row.rid, id);
        let others = || owned.get(&key.1).is_some_and(|owners| owners.iter().any(|owner| *owner != key.0));
        let stored = stored.remove(&key);
        let copied = match &stored {
            Some(stored) => stored.copied != 0,
            None => row.parent_key.is_none() && others(),
        };
        let model = upsert.run.model.as_deref().map(|model| text(model).into_owned());
        all.push(NewRun { session, key, model, upsert, stored, copied });
    }
    Ok(all)
}

/// By run id: the sessions of the same agent, no children, that count it.
async fn elsewhere(step: &mut Step<'_>, ids: &[&str]) -> Result<HashMap<String, Vec<i64>>, StoreError> {
    let mut owners: HashMap<String, Vec<i64>> = HashMap::new();
    for ids in padded(ids, IDS) {
        let rows: Vec<(String, i64)> = on_step!(step, c => {
            let mut q = QueryBuilder::new(
                "SELECT r.id, r.session_rid FROM run r CROSS JOIN session s \
                 WHERE s.rid = r.session_rid AND s.parent_key IS NULL AND r.copied = 0 AND r.workspace_id = ",
            );
            q.push_bind(step.workspace).push(" AND r.id IN (");
            let mut list = q.separated(", ");
            for id in ids {
                list.push_bind(id);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(c).await
        })?;
        for (id, session_rid) in rows {
            owners.entry(id).or_default().push(session_rid);
        }
    }
    Ok(owners)
}

columns! {
    /// A run as its session counts it.
    struct Counted {
        session_rid: i64,
        id: String,
        copied: i64,
        model: Option<String>,
        started_at: i64,
        outcome: String,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cost_usd: Option<f64>,
        /// 1 if requests of it are stored, where that was asked.
        requests: i64,
    }
}

impl Counted {
    fn usage(&self) -> Usage {
        Usage { input: self.input, output: self.output, cache_read: self.cache_read, cache_write: self.cache_write }
    }
}

/// Returns the stored runs by session and id, with the part of them that counts elsewhere.
async fn stored(step: &mut Step<'_>, keys: &[(i64, &str)]) -> Result<HashMap<RunKey, Counted>, StoreError> {
    let mut stored = HashMap::new();
    for chunk in padded(keys, IDS) {
        let rows: Vec<Counted> = on_step!(step, c => {
            let mut q = QueryBuilder::new("WITH w (session_rid, id) AS (");
            q.push_values(&chunk, |mut b, (session_rid, id)| {
                b.push_bind(*session_rid).push_bind(*id);
            });
            q.push(
                ") SELECT r.session_rid, r.id, r.copied, r.model, r.started_at, r.outcome, r.input, r.output, r.cache_read, \
                 r.cache_write, r.cost_usd, CAST(CASE WHEN EXISTS (SELECT 1 FROM spent q WHERE q.workspace_id = r.workspace_id \
                 AND q.session_rid = r.session_rid AND q.run_id = r.id) THEN 1 ELSE 0 END AS BIGINT) AS requests \
                 FROM w CROSS JOIN run r WHERE r.workspace_id = ",
            );
            q.push_bind(step.workspace).push(" AND r.session_rid = w.session_rid AND r.id = w.id");
            q.build_query_as().fetch_all(c).await
        })?;
        stored.extend(rows.into_iter().map(|run| ((run.session_rid, run.id.clone()), run)));
    }
    Ok(stored)
}

/// Counts a run that began here.
pub(super) async fn begun(step: &mut Step<'_>, sessions: &mut Sessions, index: usize) -> Result<(), StoreError> {
    sessions.row(index).runs_open += 1;
    find_outcome(step, sessions, index).await
}

/// Counts what a run took that began here and was open.
pub(super) async fn ended(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    index: usize,
    usage: Usage,
    cost_usd: Option<f64>,
) -> Result<(), StoreError> {
    let row = sessions.row(index);
    row.runs_open -= 1;
    row.add_usage(usage, cost_usd);
    find_outcome(step, sessions, index).await
}

/// Finds the outcome of the session's last run.
async fn find_outcome(step: &mut Step<'_>, sessions: &mut Sessions, index: usize) -> Result<(), StoreError> {
    let rid = sessions.row(index).rid;
    let outcome: Option<String> = on_step!(step, c => {
        // Written out: the index holds just those that count here.
        sqlx::query_scalar(
            "SELECT outcome FROM run WHERE copied = 0 AND workspace_id = $1 AND session_rid = $2 \
             ORDER BY started_at DESC, id DESC LIMIT 1",
        )
        .bind(step.workspace).bind(rid).fetch_optional(c).await
    })?;
    sessions.row(index).last_outcome = outcome;
    Ok(())
}

/// Sums the runs of the given sessions anew.
async fn sum(step: &mut Step<'_>, sessions: &mut Sessions, touched: &BTreeSet<usize>) -> Result<(), StoreError> {
    if touched.is_empty() {
        return Ok(());
    }
    let indexes: HashMap<i64, usize> = touched.iter().map(|index| (sessions.row(*index).rid, *index)).collect();
    for index in touched {
        sessions.row(*index).forget_runs();
    }
    let counted: Vec<Counted> = on_step!(step, c => {
        let mut q = QueryBuilder::new(
            "SELECT session_rid, id, copied, model, started_at, outcome, input - copied_input AS input, output - copied_output AS output, \
             cache_read - copied_cache_read AS cache_read, cache_write - copied_cache_write AS cache_write, \
             cost_usd - copied_cost_usd AS cost_usd, CAST(0 AS BIGINT) AS requests FROM run WHERE copied = 0 AND workspace_id = ",
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
            row.runs_open += i64::from(run.outcome == RunOutcome::Open.as_str());
            row.add_usage(run.usage(), run.cost_usd);
            row.last_outcome = Some(run.outcome);
        }
    }
    Ok(())
}
