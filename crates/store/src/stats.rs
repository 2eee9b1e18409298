//! History in numbers: what was said, called and spent, by day, project, model and tool.

use crate::read::one_of;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, Usage};
use sqlx::{Database, Encode, FromRow, QueryBuilder, Type};

const DAY: i64 = 86_400 * Micros::SECOND;

/// Which part of history. Copied messages and runs count where they came from; deleted sessions don't count.
#[derive(Debug, Clone, Default)]
pub struct StatsQuery {
    /// The first moment, and the first one after.
    pub from: Micros,
    pub to: Micros,
    /// How far local time is ahead of UTC, in microseconds: days begin by it.
    pub offset: i64,
    /// Any of these; empty means all.
    pub projects: Vec<String>,
    /// Any of these; empty means all.
    pub agents: Vec<String>,
}

/// What was said on a day, or in a project, by sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity<K> {
    pub key: K,
    pub sessions: i64,
    pub messages: i64,
}

/// Runs of one day, project and model together.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    /// Days since 1970 in local time.
    pub day: i64,
    pub project: Option<String>,
    pub model: Option<String>,
    pub runs: i64,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
}

/// Calls of one tool on one day in one project.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ToolCalls {
    pub day: i64,
    pub project: Option<String>,
    pub tool: String,
    pub calls: i64,
    pub failed: i64,
}

/// All figures of a part of history.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    /// By days since 1970 in local time, ascending.
    pub days: Vec<Activity<i64>>,
    pub projects: Vec<Activity<Option<String>>>,
    /// Sessions and messages of all days.
    pub total: Activity<()>,
    pub spending: Vec<Spending>,
    pub tools: Vec<ToolCalls>,
}

#[derive(FromRow)]
struct SpendingRow {
    day: i64,
    project: Option<String>,
    model: Option<String>,
    runs: i64,
    input: i64,
    output: i64,
    cache_read: i64,
    cache_write: i64,
    cost_usd: Option<f64>,
}

/// Messages as people count them.
const SAID: &str = "COUNT(DISTINCT m.session_rid), COUNT(*) FROM message m JOIN session s ON s.rid = m.session_rid \
    WHERE m.copied = 0 AND m.display < 2 AND m.part <> 'replaced' AND m.workspace_id = ";

impl Workspace {
    pub async fn stats(&self, query: &StatsQuery) -> Result<Stats, StoreError> {
        let days: Vec<(i64, i64, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT {}, {SAID}", day("m.created_at", query)));
            narrow(&mut q, self.id(), "m.created_at", query);
            q.push(" GROUP BY 1 ORDER BY 1").build_query_as().fetch_all(pool).await
        })?;
        let projects: Vec<(Option<String>, i64, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT s.project, {SAID}"));
            narrow(&mut q, self.id(), "m.created_at", query);
            q.push(" GROUP BY s.project").build_query_as().fetch_all(pool).await
        })?;
        let total: (i64, i64) = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT {SAID}"));
            narrow(&mut q, self.id(), "m.created_at", query);
            q.build_query_as().fetch_one(pool).await
        })?;
        let spending: Vec<SpendingRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {} AS day, s.project AS project, r.model AS model, COUNT(*) AS runs, \
                 CAST(SUM(r.input) AS BIGINT) AS input, CAST(SUM(r.output) AS BIGINT) AS output, \
                 CAST(SUM(r.cache_read) AS BIGINT) AS cache_read, CAST(SUM(r.cache_write) AS BIGINT) AS cache_write, \
                 SUM(r.cost_usd) AS cost_usd FROM run r JOIN session s ON s.rid = r.session_rid \
                 WHERE r.copied = 0 AND r.workspace_id = ",
                day("r.started_at", query)
            ));
            narrow(&mut q, self.id(), "r.started_at", query);
            q.push(" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").build_query_as().fetch_all(pool).await
        })?;
        let tools: Vec<ToolCalls> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {} AS day, s.project AS project, t.tool AS tool, COUNT(*) AS calls, \
                 CAST(SUM(t.failed) AS BIGINT) AS failed FROM tool_use t JOIN session s ON s.rid = t.session_rid \
                 WHERE t.workspace_id = ",
                day("t.created_at", query)
            ));
            narrow(&mut q, self.id(), "t.created_at", query);
            q.push(" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").build_query_as().fetch_all(pool).await
        })?;
        let activity = |(key, sessions, messages)| Activity { key, sessions, messages };
        Ok(Stats {
            days: days.into_iter().map(activity).collect(),
            projects: projects
                .into_iter()
                .map(|(key, sessions, messages)| Activity { key, sessions, messages })
                .collect(),
            total: Activity { key: (), sessions: total.0, messages: total.1 },
            spending: spending.into_iter().map(SpendingRow::into_spending).collect(),
            tools,
        })
    }
}

impl SpendingRow {
    fn into_spending(self) -> Spending {
        Spending {
            day: self.day,
            project: self.project,
            model: self.model,
            runs: self.runs,
            usage: Usage {
                input: self.input,
                output: self.output,
                cache_read: self.cache_read,
                cache_write: self.cache_write,
            },
            cost_usd: self.cost_usd,
        }
    }
}

/// The local day of a column. Both engines divide integers to integers.
fn day(column: &str, query: &StatsQuery) -> String {
    format!("({column} + {}) / {DAY}", query.offset)
}

fn narrow<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, column: &str, query: &StatsQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push_bind(workspace.to_owned());
    q.push(format!(" AND {column} >= ")).push_bind(query.from.0);
    q.push(format!(" AND {column} < ")).push_bind(query.to.0);
    q.push(" AND s.deleted_at IS NULL");
    one_of(q, "s.project", &query.projects);
    one_of(q, "s.agent", &query.agents);
}
