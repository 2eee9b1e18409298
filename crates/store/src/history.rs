//! Which part of history is summed up, and how statements say so.

use crate::Sight;
use crate::read::one_of;
use crate::rollup::SLOT;
use model::{Micros, SessionId};
use sqlx::{Database, Encode, QueryBuilder, Type};

const DAY: i64 = 86_400 * Micros::SECOND;

/// Which part of history. Copied messages and runs count where they came from; deleted sessions don't count. Its
/// moments are those at which a slot of 15 minutes begins, as days do: the slots that it touches are summed up.
#[derive(Debug, Clone, Default)]
pub struct StatsQuery {
    /// The first moment, and the first one after.
    pub from: Micros,
    pub to: Micros,
    /// How far local time is ahead of UTC, in microseconds: days begin by it.
    pub offset: i64,
    /// Where that changes: from which moment on, and to what. Ascending.
    pub changes: Vec<(Micros, i64)>,
    /// Any of these; empty means all.
    pub projects: Vec<String>,
    /// Any of these; empty means all.
    pub agents: Vec<String>,
    /// Only sessions that may be seen.
    pub sight: Sight,
    /// Only this session, deleted or not, at any time.
    pub session: Option<SessionId>,
    /// Only sub-agents of this session at every depth, without itself and deleted ones.
    pub below: Option<SessionId>,
    /// Inputs in tokens beyond which requests have another price, ascending: they are summed up between two of them.
    pub steps: Vec<i64>,
}

/// The local day of a column. Both engines divide integers to integers.
pub(crate) fn day(column: &str, query: &StatsQuery) -> String {
    let offset = query.changes.iter().rev().map(|(from, offset)| format!("WHEN {column} >= {} THEN {offset}", from.0));
    let offset: Vec<String> = offset.collect();
    if offset.is_empty() {
        return format!("({column} + {}) / {DAY}", query.offset);
    }
    format!("({column} + CASE {} ELSE {} END) / {DAY}", offset.join(" "), query.offset)
}

/// The local day of a slot.
pub(crate) fn day_of_slot(column: &str, query: &StatsQuery) -> String {
    day(&format!("({column} * {SLOT})"), query)
}

/// The first slot of a query. What has no time is in none.
pub(crate) fn first_slot(query: &StatsQuery) -> i64 {
    query.from.0.div_euclid(SLOT).max(1)
}

/// Narrows sums to a workspace and the slots of a query.
pub(crate) fn within_slots<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, query: &StatsQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    let end = query.to.0.div_euclid(SLOT) + i64::from(query.to.0.rem_euclid(SLOT) > 0);
    q.push_bind(workspace.to_owned());
    q.push(" AND slot >= ").push_bind(first_slot(query)).push(" AND slot < ").push_bind(end);
}

/// Narrows sums of all sessions to projects and agents.
pub(crate) fn of_places<DB: Database>(q: &mut QueryBuilder<DB>, query: &StatsQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    query.sight.narrow_sums(q, "project");
    one_of(q, "project", &query.projects);
    one_of(q, "agent", &query.agents);
}

pub(crate) fn within<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, column: &str, query: &StatsQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
    i64: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push_bind(workspace.to_owned());
    if query.session.is_some() || query.below.is_some() {
        // All of its time: the rows of few sessions are found by these, and not by their times.
        return;
    }
    // Messages without a time belong to no day.
    q.push(format!(" AND {column} >= ")).push_bind(query.from.0.max(1));
    q.push(format!(" AND {column} < ")).push_bind(query.to.0);
}

pub(crate) fn of_sessions<DB: Database>(q: &mut QueryBuilder<DB>, workspace: &str, query: &StatsQuery)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    match &query.session {
        Some(session) => q.push(" AND s.id = ").push_bind(session.as_str().to_owned()),
        None => q.push(" AND s.deleted_at IS NULL"),
    };
    if let Some(session) = &query.below {
        // `UNION` drops what was found before: a circle of parents ends.
        q.push(
            " AND s.rid IN (WITH RECURSIVE below (rid, workspace_id, key, agent) AS (\
             SELECT c.rid, c.workspace_id, c.key, c.agent FROM session p JOIN session c ON c.workspace_id = p.workspace_id \
             AND c.parent_key = p.key AND c.agent = p.agent WHERE p.workspace_id = ",
        );
        q.push_bind(workspace.to_owned()).push(" AND p.id = ").push_bind(session.as_str().to_owned()).push(
            " UNION SELECT c.rid, c.workspace_id, c.key, c.agent FROM below b JOIN session c \
             ON c.workspace_id = b.workspace_id AND c.parent_key = b.key AND c.agent = b.agent) \
             SELECT rid FROM below) AND s.id <> ",
        );
        q.push_bind(session.as_str().to_owned());
    }
    query.sight.narrow(q);
    one_of(q, "s.project", &query.projects);
    one_of(q, "s.agent", &query.agents);
}
