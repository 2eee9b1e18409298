//! How a transaction changes the sums of [`crate::rollup`]: collected while its rows are written, stored with its
//! sessions.

mod activity;

use super::sessions::Loaded;
use crate::StoreError;
use crate::columns::columns;
use crate::rollup::{SLOT, SLOTS, SUMS, adding, of_session, requests_sql, shift, spending_sql};
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::step::table::{Kind, Row, Table, Verb};
use crate::store::on_step;
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::LazyLock;

/// Runs or requests per look-up.
const RUNS: usize = 200;
/// Which of the runs `r` are those of `w`.
const ONLY: &str = "r.session_rid = w.session_rid AND r.id = w.id AND r.workspace_id = w.workspace_id";

/// A run's session and id.
pub(in crate::write) type RunKey = (i64, String);
/// The session of a request, its run and its id.
pub(in crate::write) type RequestKey = (i64, String, String);

columns! {
    /// Spending of a session's runs in a time slot.
    struct SpendingRow {
        session_rid: i64,
        at: i64,
        model: String,
        step: i64,
        priced: i64,
        requests: i64,
        input: i64,
        output: i64,
        cache_read: i64,
        cache_write: i64,
        cache_write_1h: i64,
        cost_nano: i64,
    }
}

/// How figures of spending change, in the order of [`SUMS`].
#[derive(Clone, Copy, Default, PartialEq)]
struct Sums([i64; 7]);

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(more);
        }
    }
}

/// Slot, model, step, and whether it is priced.
type SpendingKey = (i64, String, i64, i64);
/// `tool` or `run`, slot, and name.
type UseKey = (&'static str, i64, String);

/// How the sums of sessions change.
#[derive(Default)]
pub(crate) struct Rollup {
    spending: BTreeMap<i64, BTreeMap<SpendingKey, Sums>>,
    /// How often, and how often it failed.
    uses: BTreeMap<i64, BTreeMap<UseKey, (i64, i64)>>,
    /// How many messages more people count, by slot.
    activity: BTreeMap<i64, BTreeMap<i64, i64>>,
}

columns! {
    /// A call of a tool that was stored.
    pub(in crate::write) struct StoredCall {
        pub session_rid: i64,
        pub tool: String,
        pub failed: i64,
        pub created_at: i64,
    }
}

static SESSION_SPENDING: LazyLock<Table> =
    LazyLock::new(|| spending_table("session_spending", &["session_rid", "day"], &["model"]));
static ROLLUP_SPENDING: LazyLock<Table> =
    LazyLock::new(|| spending_table("rollup_spending", &["slot"], &["project", "agent", "model"]));
static ROLLUP_USE: LazyLock<Table> = LazyLock::new(|| Table {
    name: "rollup_use",
    columns: Cow::Borrowed(&[
        ("kind", Kind::Text),
        ("slot", Kind::Int),
        ("project", Kind::Text),
        ("agent", Kind::Text),
        ("name", Kind::Text),
        ("uses", Kind::Int),
        ("failed", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(adding("rollup_use", "workspace_id, kind, slot, project, agent, name", "uses, failed").into()),
});

fn spending_table(name: &'static str, numbers: &[&'static str], words: &[&'static str]) -> Table {
    let numbers = numbers.iter().map(|column| (*column, Kind::Int));
    let words = words.iter().map(|column| (*column, Kind::Text));
    let keys = numbers.chain(words).chain([("step", Kind::Int), ("priced", Kind::Int)]).collect::<Vec<_>>();
    let key = keys.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
    let verb = Verb::Insert(adding(name, &format!("workspace_id, {key}"), SUMS).into());
    let sums = SUMS.split(", ").map(|column| (column, Kind::Int));
    Table { name, columns: keys.into_iter().chain(sums).collect(), has_workspace: true, verb }
}

impl Rollup {
    /// Adds what these runs spent and how many they are, or takes it away, as it is stored now.
    pub(in crate::write) async fn runs(
        &mut self,
        step: &mut Step<'_>,
        runs: &[RunKey],
        sign: i64,
    ) -> Result<(), StoreError> {
        let spending = spending_sql("r.session_rid", ("w CROSS JOIN run r", ONLY), SLOT);
        for chunk in runs.chunks(RUNS) {
            let rows: Vec<SpendingRow> = on_step!(step, c => {
                let mut q = QueryBuilder::new("WITH w (workspace_id, session_rid, id) AS (");
                q.push_values(chunk, |mut b, (session_rid, id)| {
                    b.push_bind(step.workspace).push_bind(*session_rid).push_bind(id.as_str());
                });
                q.push(") ").push(&spending).build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
            })?;
            self.spent(rows, sign);
        }
        self.count_runs(step, runs, sign).await
    }

    /// Adds what these requests took, or takes it away, as it is stored now.
    pub(in crate::write) async fn requests(
        &mut self,
        step: &mut Step<'_>,
        requests: &[RequestKey],
        sign: i64,
    ) -> Result<(), StoreError> {
        let spending = requests_sql("r.session_rid", ("w CROSS JOIN run r", ONLY), SLOT);
        for chunk in requests.chunks(RUNS) {
            let rows: Vec<SpendingRow> = on_step!(step, c => {
                let mut q = QueryBuilder::new("WITH w (workspace_id, session_rid, id, request) AS (");
                q.push_values(chunk, |mut b, (session_rid, run, id)| {
                    b.push_bind(step.workspace).push_bind(*session_rid).push_bind(run.as_str()).push_bind(id.as_str());
                });
                q.push(") ").push(&spending).build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
            })?;
            self.spent(rows, sign);
        }
        Ok(())
    }

    /// Adds how many these runs are, or takes it away, as far as they count where they are.
    pub(in crate::write) async fn count_runs(
        &mut self,
        step: &mut Step<'_>,
        runs: &[RunKey],
        sign: i64,
    ) -> Result<(), StoreError> {
        for chunk in runs.chunks(RUNS) {
            let counted: Vec<(i64, i64, String)> = on_step!(step, c => {
                let mut q = QueryBuilder::new("WITH w (workspace_id, session_rid, id) AS (");
                q.push_values(chunk, |mut b, (session_rid, id)| {
                    b.push_bind(step.workspace).push_bind(*session_rid).push_bind(id.as_str());
                });
                q.push(format!(
                    ") SELECT r.session_rid, r.started_at, COALESCE(r.model, '') FROM w CROSS JOIN run r \
                     WHERE r.copied = 0 AND {ONLY}"
                ));
                q.build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
            })?;
            for (session_rid, started_at, model) in counted {
                self.used(session_rid, ("run", started_at / SLOT, model), (sign, 0));
            }
        }
        Ok(())
    }

    fn spent(&mut self, rows: Vec<SpendingRow>, sign: i64) {
        for row in rows {
            let sums = [
                row.requests,
                row.input,
                row.output,
                row.cache_read,
                row.cache_write,
                row.cache_write_1h,
                row.cost_nano,
            ];
            let of_session = self.spending.entry(row.session_rid).or_default();
            *of_session.entry((row.at, row.model, row.step, row.priced)).or_default() +=
                Sums(sums.map(|sum| sign * sum));
        }
    }

    /// Counts messages, by session and slot.
    pub(in crate::write) fn said(&mut self, messages: &BTreeMap<(i64, i64), i64>) {
        for ((session_rid, slot), by) in messages.iter().filter(|(_, by)| **by != 0) {
            *self.activity.entry(*session_rid).or_default().entry(*slot).or_default() += by;
        }
    }

    /// Counts a call of a tool, or takes it away.
    pub(in crate::write) fn call(&mut self, call: StoredCall, sign: i64) {
        let key = ("tool", call.created_at / SLOT, call.tool);
        self.used(call.session_rid, key, (sign, sign * call.failed));
    }

    fn used(&mut self, session_rid: i64, key: UseKey, (uses, failed): (i64, i64)) {
        let counts = self.uses.entry(session_rid).or_default().entry(key).or_default();
        *counts = (counts.0 + uses, counts.1 + failed);
    }

    /// Stores what belongs to sessions, and what of it counts among all of them. A session that was deleted, came back
    /// or moved to another project leaves or enters the sums with all that it holds.
    pub(in crate::write) async fn store(self, step: &mut Step<'_>, sessions: &[Loaded]) -> Result<(), StoreError> {
        self.store_spending(step).await?;
        let before = |loaded: &Loaded| (loaded.row.rid, counted(loaded.before.as_ref().unwrap_or(&loaded.row)));
        let places: BTreeMap<i64, Option<Place>> = sessions.iter().map(before).collect();
        let mut spending: BTreeMap<(i64, Place, &str, i64, i64), Sums> = BTreeMap::new();
        let mut uses: BTreeMap<(&str, i64, Place, &str), (i64, i64)> = BTreeMap::new();
        activity::store(step, &self.activity, sessions, &places).await?;
        for (rid, place) in &places {
            let Some(place) = place else { continue };
            for ((slot, model, step, priced), sums) in self.spending.get(rid).into_iter().flatten() {
                *spending.entry((*slot, place.clone(), model, *step, *priced)).or_default() += *sums;
            }
            for ((kind, slot, name), (more, failed)) in self.uses.get(rid).into_iter().flatten() {
                let counts = uses.entry((kind, *slot, place.clone(), name)).or_default();
                *counts = (counts.0 + more, counts.1 + failed);
            }
        }
        let changed = spending.iter().filter(|(_, sums)| **sums != Sums::default());
        let rows = changed.map(|((slot, (project, agent), model, size, priced), sums)| {
            let keys: [Row<'_>; 2] = [
                vec![(*slot).into(), project.as_str().into(), agent.as_str().into(), (*model).into()],
                vec![(*size).into(), (*priced).into()],
            ];
            keys.into_iter().flatten().chain(sums.0.map(Into::into)).collect()
        });
        step.write(&ROLLUP_SPENDING, &rows.collect::<Vec<Row<'_>>>()).await?;
        let changed = uses.iter().filter(|(_, counts)| **counts != (0, 0));
        let rows = changed.map(|((kind, slot, (project, agent), name), (more, failed))| {
            vec![
                (*kind).into(),
                (*slot).into(),
                project.as_str().into(),
                agent.as_str().into(),
                (*name).into(),
                (*more).into(),
                (*failed).into(),
            ]
        });
        step.write(&ROLLUP_USE, &rows.collect::<Vec<Row<'_>>>()).await?;
        for loaded in sessions.iter().filter(|loaded| loaded.before.is_some()) {
            let (before, after) = (places.get(&loaded.row.rid).and_then(Option::as_ref), counted(&loaded.row));
            if before == after.as_ref() {
                continue;
            }
            for (place, sign) in [(before, -1), (after.as_ref(), 1)] {
                if let Some(place) = place {
                    moved(step, loaded.row.rid, place, sign).await?;
                }
            }
        }
        Ok(())
    }

    async fn store_spending(&self, step: &mut Step<'_>) -> Result<(), StoreError> {
        let mut days: BTreeMap<(i64, i64, &str, i64, i64), Sums> = BTreeMap::new();
        for (rid, spending) in &self.spending {
            for ((slot, model, step, priced), sums) in spending {
                *days.entry((*rid, slot / SLOTS, model, *step, *priced)).or_default() += *sums;
            }
        }
        let changed = days.iter().filter(|(_, sums)| **sums != Sums::default());
        let rows = changed.map(|((rid, day, model, size, priced), sums)| {
            let keys: Row<'_> = vec![(*rid).into(), (*day).into(), (*model).into(), (*size).into(), (*priced).into()];
            keys.into_iter().chain(sums.0.map(Into::into)).collect()
        });
        step.write(&SESSION_SPENDING, &rows.collect::<Vec<Row<'_>>>()).await
    }
}

/// Project and agent.
pub(super) type Place = (String, String);

/// Where a session counts among all of them. None if it was deleted.
fn counted(row: &SessionRow) -> Option<Place> {
    row.deleted_at.is_none().then(|| (row.project.clone().unwrap_or_default(), row.agent.clone()))
}

/// Adds all that a session holds to the sums of all sessions, or takes it away.
pub(crate) async fn moved(
    step: &mut Step<'_>,
    session_rid: i64,
    (project, agent): &Place,
    sign: i64,
) -> Result<(), StoreError> {
    for sql in shift(sign) {
        on_step!(step, c => {
            sqlx::query(sqlx::AssertSqlSafe(sql.clone()))
                .bind(step.workspace).bind(session_rid).bind(project.as_str()).bind(agent.as_str()).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Takes a session that goes out of the sums, unless it is deleted and isn't in them.
pub(crate) async fn leave(step: &mut Step<'_>, session_rid: i64) -> Result<(), StoreError> {
    if let Some(place) = place(step, session_rid).await? {
        moved(step, session_rid, &place, -1).await?;
    }
    Ok(())
}

/// Sums up a session whose rows came as they are.
pub(crate) async fn restored(step: &mut Step<'_>, session_rid: i64) -> Result<(), StoreError> {
    for sql in of_session() {
        on_step!(step, c => {
            sqlx::query(sqlx::AssertSqlSafe(sql.clone())).bind(step.workspace).bind(session_rid).execute(c).await.map(drop)
        })?;
    }
    if let Some(place) = place(step, session_rid).await? {
        moved(step, session_rid, &place, 1).await?;
    }
    Ok(())
}

async fn place(step: &mut Step<'_>, session_rid: i64) -> Result<Option<Place>, StoreError> {
    Ok(on_step!(step, c => {
        sqlx::query_as(
            "SELECT COALESCE(project, ''), agent FROM session WHERE workspace_id = $1 AND rid = $2 AND deleted_at IS NULL",
        )
        .bind(step.workspace).bind(session_rid).fetch_optional(c).await
    })?)
}
