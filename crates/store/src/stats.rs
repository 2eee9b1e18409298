//! History in numbers: what was said, called and spent, by day, project, model and tool.

use crate::columns::columns;
use crate::history::{day_of_slot, first_slot, of_places, within_slots};
use crate::spending::Spending;
use crate::store::on;
use crate::{StoreError, Workspace};
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

pub use crate::history::StatsQuery;

/// Activity on a day, or in a project, by sessions.
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
    /// Activity on a day in a project.
    struct SaidRow {
        day: i64,
        project: Option<String>,
        /// Sessions whose first activity on that day it was.
        sessions: i64,
        /// Sessions whose first activity in the whole time it was.
        first: i64,
        messages: i64,
    }
}

impl Workspace {
    pub async fn stats(&self, query: &StatsQuery) -> Result<Stats, StoreError> {
        let (day, before) = (day_of_slot("slot", query), day_of_slot("(slot - gap)", query));
        let said: Vec<SaidRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {day} AS day, NULLIF(project, '') AS project, \
                 CAST(SUM(CASE WHEN gap = 0 OR {before} < {day} OR slot - gap < "
            ));
            q.push_bind(first_slot(query));
            q.push(" THEN sessions ELSE 0 END) AS BIGINT) AS sessions, CAST(SUM(CASE WHEN gap = 0 OR slot - gap < ");
            q.push_bind(first_slot(query)).push(
                " THEN sessions ELSE 0 END) AS BIGINT) AS first, CAST(SUM(messages) AS BIGINT) AS messages \
                 FROM rollup_activity WHERE sessions > 0 AND workspace_id = ",
            );
            within_slots(&mut q, self.id(), query);
            of_places(&mut q, query);
            q.push(" GROUP BY 1, 2").build_query_as().fetch_all(pool).await
        })?;
        let spending = self.spending(query).await?;
        let runs: Vec<ModelRuns> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT NULLIF(name, '') AS model, CAST(SUM(uses) AS BIGINT) AS runs FROM rollup_use \
                 WHERE uses > 0 AND kind = 'run' AND workspace_id = ",
            );
            within_slots(&mut q, self.id(), query);
            of_places(&mut q, query);
            q.push(" GROUP BY 1 ORDER BY 1").build_query_as().fetch_all(pool).await
        })?;
        let tools: Vec<ToolCalls> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {} AS day, NULLIF(project, '') AS project, name AS tool, CAST(SUM(uses) AS BIGINT) AS calls, \
                 CAST(SUM(failed) AS BIGINT) AS failed FROM rollup_use WHERE uses > 0 AND kind = 'tool' AND workspace_id = ",
                day_of_slot("slot", query)
            ));
            within_slots(&mut q, self.id(), query);
            of_places(&mut q, query);
            q.push(" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3").build_query_as().fetch_all(pool).await
        })?;
        let stats = summed(said);
        Ok(Stats { spending, runs, tools, ..stats })
    }
}

fn summed(said: Vec<SaidRow>) -> Stats {
    let mut days: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    let mut projects: BTreeMap<Option<String>, (i64, i64)> = BTreeMap::new();
    let mut total = Activity::default();
    for row in said {
        let on_day = days.entry(row.day).or_default();
        *on_day = (on_day.0 + row.sessions, on_day.1 + row.messages);
        let of_project = projects.entry(row.project).or_default();
        *of_project = (of_project.0 + row.first, of_project.1 + row.messages);
        total.sessions += row.first;
        total.messages += row.messages;
    }
    Stats {
        days: days.into_iter().map(|(key, (sessions, messages))| Activity { key, sessions, messages }).collect(),
        projects: projects
            .into_iter()
            .map(|(key, (sessions, messages))| Activity { key, sessions, messages })
            .collect(),
        total,
        ..Stats::default()
    }
}
