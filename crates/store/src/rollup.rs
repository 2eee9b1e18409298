//! Figures that are summed up as they are written: what statistics, budgets, lists and the heads of sessions show,
//! without reading a message, a request or a call.
//!
//! Two tables belong to a session: `session_spending` by day, and `session_activity` by slot. Three sum up all sessions
//! that aren't deleted: `rollup_spending`, `rollup_activity` and `rollup_use`. `session_facet` counts the sessions that
//! are listed. All of them follow from other tables: [`rebuild`] writes them anew, and [`faults`] compares them.

use crate::StoreError;
use crate::store::{Tx, on_tx};
use model::Micros;

/// The unit of time, in microseconds: in every time zone a day begins with a slot.
pub(crate) const SLOT: i64 = 900 * Micros::SECOND;
/// Slots of a day.
pub(crate) const SLOTS: i64 = 96;
/// Inputs in tokens beyond which requests are summed up apart, since another price may hold: those of known price
/// tables.
pub(crate) const STEPS: [i64; 11] =
    [16_000, 32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 400_000, 512_000, 1_000_000];

/// Sets what follows from a session's row and from the rows of others.
pub(crate) const HAS_PARENT: &str = "has_parent = CASE WHEN EXISTS (SELECT 1 FROM session o WHERE \
     o.workspace_id = session.workspace_id AND o.agent = session.agent AND o.key = session.parent_key) THEN 1 ELSE 0 END, \
     needs_you = CASE WHEN approvals_open > 0 OR ask_seq > user_seq THEN 1 ELSE 0 END";
/// Sets whether a session is listed. [`HAS_PARENT`] comes first.
pub(crate) const IS_LISTED: &str = "listed = CASE WHEN archived_at IS NULL AND deleted_at IS NULL AND has_parent = 0 \
     AND (last_seq > 0 OR create_hash IS NOT NULL) THEN 1 ELSE 0 END";

/// Columns of figures of spending.
pub(crate) const SUMS: &str = "requests, input, output, cache_read, cache_write, cache_write_1h, cost_nano";

/// Does the agent say what a run `r` cost? Some write 0 where they don't know the price.
pub(crate) const PRICED: &str = "CAST(CASE WHEN r.cost_usd > 0 THEN 1 ELSE 0 END AS BIGINT)";

/// Every request that counts where it is, and as a whole each run without requests. `r` stands for its run.
const COUNTED: &str = "LEFT JOIN spent q ON q.workspace_id = r.workspace_id AND q.session_rid = r.session_rid AND q.run_id = r.id \
     WHERE (q.copied = 0 OR (q.id IS NULL AND r.copied = 0))";

/// The highest of the steps that a number is above; 0 where it is above none.
pub(crate) fn above(number: &str, steps: &[i64]) -> String {
    let cases: Vec<String> = steps.iter().rev().map(|step| format!("WHEN {number} > {step} THEN {step}")).collect();
    if cases.is_empty() {
        "CAST(0 AS BIGINT)".to_owned()
    } else {
        format!("CAST(CASE {} ELSE 0 END AS BIGINT)", cases.join(" "))
    }
}

/// Selects what was spent: `keys`, model, step, whether it is priced, and [`SUMS`]. `runs` names the runs as `r`, and
/// `only` says which of them count. Time is in units of `unit`, as `at`.
pub(crate) fn spending_sql(keys: &str, runs: (&str, &str), unit: i64) -> String {
    counted_sql(keys, runs, COUNTED, unit)
}

/// Like [`spending_sql`], of the requests `w.request` alone.
pub(crate) fn requests_sql(keys: &str, runs: (&str, &str), unit: i64) -> String {
    let join = "JOIN spent q ON q.workspace_id = r.workspace_id AND q.session_rid = r.session_rid AND q.run_id = r.id \
                AND q.id = w.request WHERE q.copied = 0";
    counted_sql(keys, runs, join, unit)
}

fn counted_sql(keys: &str, (runs, only): (&str, &str), counted: &str, unit: i64) -> String {
    let step = above("q.input + q.cache_read + q.cache_write", &STEPS);
    let sum = |column: &str| format!("CAST(SUM(COALESCE(q.{column}, r.{column})) AS BIGINT) AS {column}");
    let cost = "CASE WHEN q.id IS NULL THEN r.cost_usd ELSE q.cost_usd END";
    let cost = format!(
        "CAST(ROUND(1000000000 * CASE WHEN {cost} > 1000000 THEN 1000000 WHEN {cost} < -1000000 THEN -1000000 \
         ELSE COALESCE({cost}, 0) END) AS BIGINT)"
    );
    format!(
        "SELECT {keys}, COALESCE(q.ended_at, r.started_at) / {unit} AS at, COALESCE(q.model, r.model, '') AS model, \
         {step} AS step, {PRICED} AS priced, COUNT(*) AS requests, {}, {}, {}, {}, \
         CAST(SUM(COALESCE(q.cache_write_1h, 0)) AS BIGINT) AS cache_write_1h, CAST(SUM({cost}) AS BIGINT) AS cost_nano \
         FROM {runs} {counted} AND {only} GROUP BY {keys}, COALESCE(q.ended_at, r.started_at) / {unit}, \
         COALESCE(q.model, r.model, ''), {step}, {PRICED}",
        sum("input"),
        sum("output"),
        sum("cache_read"),
        sum("cache_write"),
    )
}

/// Selects how often each tool was called, and how many runs each model answered.
fn uses_sql(keys: &str, (join, only): (&str, &str)) -> String {
    format!(
        "SELECT {keys}, 'tool' AS kind, t.created_at / {SLOT} AS at, t.tool AS name, COUNT(*) AS uses, \
         CAST(SUM(t.failed) AS BIGINT) AS failed FROM tool_use t {join} WHERE {only} \
         GROUP BY {keys}, t.created_at / {SLOT}, t.tool \
         UNION ALL SELECT {keys}, 'run' AS kind, t.started_at / {SLOT} AS at, COALESCE(t.model, '') AS name, COUNT(*) AS uses, \
         CAST(0 AS BIGINT) AS failed FROM run t {join} WHERE t.copied = 0 AND {only} \
         GROUP BY {keys}, t.started_at / {SLOT}, COALESCE(t.model, '')"
    )
}

/// Selects in how many sessions messages were said, and how many, of what sessions have of it themselves.
fn activity_sql(keys: &str, (join, only): (&str, &str)) -> String {
    format!(
        "SELECT {keys}, t.slot AS slot, t.gap AS gap, COUNT(*) AS sessions, CAST(SUM(t.messages) AS BIGINT) AS messages \
         FROM session_activity t {join} WHERE {only}"
    )
}

/// Which rows are summed up.
#[derive(Clone, Copy)]
enum Of {
    All,
    /// Those of the session `$2` of the workspace `$1`.
    Session,
}

impl Of {
    /// Narrows the rows of a table.
    fn only(self, table: &str) -> String {
        match self {
            Self::All => "1 = 1".to_owned(),
            Self::Session => format!("{table}.workspace_id = $1 AND {table}.session_rid = $2"),
        }
    }
}

/// A table of sums, and what it holds as that follows from other tables.
struct Derived {
    table: &'static str,
    columns: String,
    /// The column that is 0 if a row has no meaning.
    count: &'static str,
    select: String,
}

/// The two tables of sessions, then those of all sessions.
fn derived(of: Of) -> [Derived; 6] {
    const KEYS: &str = "s.workspace_id, COALESCE(s.project, ''), s.agent";
    let counted = |table: &str| format!("JOIN session s ON s.rid = {table}.session_rid AND s.deleted_at IS NULL");
    let said = format!(
        "SELECT workspace_id, session_rid, slot, messages, \
         slot - COALESCE(LAG(slot) OVER (PARTITION BY workspace_id, session_rid ORDER BY slot), slot) AS gap FROM (\
         SELECT t.workspace_id, t.session_rid, t.created_at / {SLOT} AS slot, COUNT(*) AS messages FROM message t \
         WHERE t.copied = 0 AND t.display < 2 AND t.part <> 'replaced' AND {} \
         GROUP BY t.workspace_id, t.session_rid, t.created_at / {SLOT}) AS said",
        of.only("t")
    );
    [
        Derived {
            table: "session_spending",
            columns: format!("workspace_id, session_rid, day, model, step, priced, {SUMS}"),
            count: "requests",
            select: spending_sql("r.workspace_id, r.session_rid", ("run r", &of.only("r")), SLOT * SLOTS),
        },
        Derived {
            table: "session_activity",
            columns: "workspace_id, session_rid, slot, messages, gap".to_owned(),
            count: "messages",
            select: said,
        },
        Derived {
            table: "rollup_spending",
            columns: format!("workspace_id, project, agent, slot, model, step, priced, {SUMS}"),
            count: "requests",
            select: spending_sql(KEYS, (&format!("run r {}", counted("r")), &of.only("r")), SLOT),
        },
        Derived {
            table: "rollup_activity",
            columns: "workspace_id, project, agent, slot, gap, sessions, messages".to_owned(),
            count: "sessions",
            // Sums of stored rows, to compare with the earlier messages.
            select: format!("{} GROUP BY {KEYS}, t.slot, t.gap", activity_sql(KEYS, (&counted("t"), &of.only("t")))),
        },
        Derived {
            table: "rollup_use",
            columns: "workspace_id, project, agent, kind, slot, name, uses, failed".to_owned(),
            count: "uses",
            select: uses_sql(KEYS, (&counted("t"), &of.only("t"))),
        },
        Derived {
            table: "session_facet",
            columns: "workspace_id, key_id, project, agent, machine_id, sessions".to_owned(),
            count: "sessions",
            select: "SELECT workspace_id, COALESCE(key_id, ''), COALESCE(project, ''), agent, COALESCE(machine_id, ''), COUNT(*) \
                     FROM session WHERE listed = 1 \
                     GROUP BY workspace_id, COALESCE(key_id, ''), COALESCE(project, ''), agent, COALESCE(machine_id, '')"
                .to_owned(),
        },
    ]
}

/// Statements that write all of them anew.
pub(crate) fn rebuild() -> Vec<String> {
    let write = |Derived { table, columns, select, .. }| {
        [format!("DELETE FROM {table}"), format!("INSERT INTO {table} ({columns}) {select}")]
    };
    let rows = [HAS_PARENT, IS_LISTED].map(|set| format!("UPDATE session SET {set}"));
    rows.into_iter().chain(derived(Of::All).into_iter().flat_map(write)).collect()
}

/// Statements that write what belongs to one session: `$1` is its workspace and `$2` its rid.
pub(crate) fn of_session() -> Vec<String> {
    let own = derived(Of::Session).into_iter().take(2);
    own.map(|Derived { table, columns, select, .. }| format!("INSERT INTO {table} ({columns}) {select}")).collect()
}

/// Statements that add the figures of a session to those of all sessions, or take them away: `$1` is its workspace,
/// `$2` its rid, `$3` and `$4` are project and agent.
pub(crate) fn shift(sign: i64) -> [String; 3] {
    const KEYS: &str = "r.workspace_id";
    let times =
        |columns: &str| columns.split(", ").map(|column| format!("{sign} * v.{column}")).collect::<Vec<_>>().join(", ");
    let spending = spending_sql(KEYS, ("run r", "r.workspace_id = $1 AND r.session_rid = $2"), SLOT);
    let activity = activity_sql("t.workspace_id", ("", "t.workspace_id = $1 AND t.session_rid = $2"));
    let activity = format!("{activity} GROUP BY t.workspace_id, t.slot, t.gap");
    let uses = uses_sql("t.workspace_id", ("", "t.workspace_id = $1 AND t.session_rid = $2"));
    [
        format!(
            "INSERT INTO rollup_spending (workspace_id, project, agent, slot, model, step, priced, {SUMS}) \
             SELECT v.workspace_id, $3, $4, v.at, v.model, v.step, v.priced, {} FROM ({spending}) AS v WHERE 1 = 1{}",
            times(SUMS),
            adding("rollup_spending", "workspace_id, slot, project, agent, model, step, priced", SUMS),
        ),
        format!(
            "INSERT INTO rollup_activity (workspace_id, project, agent, slot, gap, sessions, messages) \
             SELECT v.workspace_id, $3, $4, v.slot, v.gap, {} FROM ({activity}) AS v WHERE 1 = 1{}",
            times("sessions, messages"),
            adding("rollup_activity", ACTIVITY_KEY, "sessions, messages"),
        ),
        format!(
            "INSERT INTO rollup_use (workspace_id, project, agent, kind, slot, name, uses, failed) \
             SELECT v.workspace_id, $3, $4, v.kind, v.at, v.name, {} FROM ({uses}) AS v WHERE 1 = 1{}",
            times("uses, failed"),
            adding("rollup_use", "workspace_id, kind, slot, project, agent, name", "uses, failed"),
        ),
    ]
}

/// Unique key of `rollup_activity`.
pub(crate) const ACTIVITY_KEY: &str = "workspace_id, slot, project, agent, gap";

/// Returns the clause that adds to the figures of an existing row.
pub(crate) fn adding(table: &str, key: &str, figures: &str) -> String {
    let add = figures.split(", ").map(|column| format!("{column} = {table}.{column} + excluded.{column}"));
    format!(" ON CONFLICT ({key}) DO UPDATE SET {}", add.collect::<Vec<_>>().join(", "))
}

/// Returns the differences to values derived from other tables, for people.
pub(crate) async fn faults(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    let mut faults = Vec::new();
    for set in [HAS_PARENT, IS_LISTED] {
        let wrong = set.split(", ").map(|set| set.replacen(" = ", " <> ", 1)).collect::<Vec<_>>().join(" OR ");
        let sql = format!("SELECT COUNT(*) FROM session WHERE {wrong}");
        let wrong: i64 =
            on_tx!(&mut *tx, c => sqlx::query_scalar(sqlx::AssertSqlSafe(sql.clone())).fetch_one(c).await)?;
        if wrong > 0 {
            faults.push(format!("{wrong} sessions are listed, or left out of lists, by mistake"));
        }
    }
    for Derived { table, columns, count, select } in derived(Of::All) {
        let (stored, derived) =
            (format!("SELECT {columns} FROM {table} WHERE {count} <> 0"), format!("SELECT * FROM ({select}) AS d"));
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT * FROM ({stored} EXCEPT {derived}) AS a UNION ALL \
             SELECT * FROM ({derived} EXCEPT {stored}) AS b) AS differing"
        );
        let differing: i64 =
            on_tx!(&mut *tx, c => sqlx::query_scalar(sqlx::AssertSqlSafe(sql.clone())).fetch_one(c).await)?;
        if differing > 0 {
            faults.push(format!("{differing} sums in `{table}` aren't what the rows that they sum up give"));
        }
    }
    Ok(faults)
}
