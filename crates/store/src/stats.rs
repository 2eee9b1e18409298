//! History in numbers: what was said, called and spent, by day, project, model and tool.

use crate::columns::columns;
use crate::history::{day, of_sessions, within};
use crate::spending::Spending;
use crate::store::on;
use crate::{StoreError, Workspace};
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, HashSet};

pub use crate::history::StatsQuery;

/// What was said on a day, or in a project, by sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity<K> {
    pub key: K,
    pub sessions: i64,
    pub messages: i64,
}

columns! {
    /// Calls of one tool on one day in one project.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ToolCalls {
        pub day: i64,
        pub project: Option<String>,
        pub tool: String,
        pub calls: i64,
        pub failed: i64,
    }
}

columns! {
    /// How many turns a model answered in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ModelRuns {
        pub model: Option<String>,
        pub runs: i64,
    }
}

/// All figures of a part of history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// By days since 1970 in local time, ascending.
    pub days: Vec<Activity<i64>>,
    pub projects: Vec<Activity<Option<String>>>,
    /// Sessions and messages of all days.
    pub total: Activity<()>,
    pub spending: Vec<Spending>,
    pub runs: Vec<ModelRuns>,
    pub tools: Vec<ToolCalls>,
}

columns! {
    /// Messages of one session on one day.
    struct SaidRow {
        day: i64,
        session_rid: i64,
        project: Option<String>,
        messages: i64,
    }
}

impl Workspace {
    pub async fn stats(&self, query: &StatsQuery) -> Result<Stats, StoreError> {
        // Counted before sessions are looked up: as many look-ups as groups, not as messages.
        let said: Vec<SaidRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT m.day, m.session_rid, s.project, m.messages FROM (SELECT {} AS day, session_rid, \
                 COUNT(*) AS messages FROM message WHERE copied = 0 AND display < 2 AND part <> 'replaced' \
                 AND workspace_id = ",
                day("created_at", query)
            ));
            within(&mut q, self.id(), "created_at", query);
            q.push(" GROUP BY 1, 2) AS m JOIN session s ON s.rid = m.session_rid WHERE 1 = 1");
            of_sessions(&mut q, self.id(), query);
            q.build_query_as().fetch_all(pool).await
        })?;
        let spending = self.spending(query).await?;
        let runs: Vec<ModelRuns> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT r.model AS model, COUNT(*) AS runs FROM run r JOIN session s ON s.rid = r.session_rid \
                 WHERE r.copied = 0 AND r.workspace_id = ",
            );
            within(&mut q, self.id(), "r.started_at", query);
            of_sessions(&mut q, self.id(), query);
            q.push(" GROUP BY 1 ORDER BY 1").build_query_as().fetch_all(pool).await
        })?;
        let tools: Vec<ToolCalls> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT t.day AS day, s.project AS project, t.tool AS tool, CAST(SUM(t.calls) AS BIGINT) AS calls, \
                 CAST(SUM(t.failed) AS BIGINT) AS failed FROM (SELECT {} AS day, session_rid, tool, COUNT(*) AS calls, \
                 SUM(failed) AS failed FROM tool_use WHERE workspace_id = ",
                day("created_at", query)
            ));
            within(&mut q, self.id(), "created_at", query);
            q.push(" GROUP BY 1, 2, 3) AS t JOIN session s ON s.rid = t.session_rid WHERE 1 = 1");
            of_sessions(&mut q, self.id(), query);
            q.push(" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").build_query_as().fetch_all(pool).await
        })?;
        let stats = summed(said);
        Ok(Stats { spending, runs, tools, ..stats })
    }
}

fn summed(said: Vec<SaidRow>) -> Stats {
    let mut days: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    let mut projects: BTreeMap<Option<String>, (HashSet<i64>, i64)> = BTreeMap::new();
    let mut sessions = HashSet::new();
    let mut messages = 0;
    for row in said {
        let on_day = days.entry(row.day).or_default();
        *on_day = (on_day.0 + 1, on_day.1 + row.messages);
        let of_project = projects.entry(row.project).or_default();
        of_project.0.insert(row.session_rid);
        of_project.1 += row.messages;
        sessions.insert(row.session_rid);
        messages += row.messages;
    }
    Stats {
        days: days.into_iter().map(|(key, (sessions, messages))| Activity { key, sessions, messages }).collect(),
        projects: projects
            .into_iter()
            .map(|(key, (sessions, messages))| Activity { key, sessions: sessions.len() as i64, messages })
            .collect(),
        total: Activity { key: (), sessions: sessions.len() as i64, messages },
        ..Stats::default()
    }
}
