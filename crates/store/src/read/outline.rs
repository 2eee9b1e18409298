//! The landmarks of a session, without reading a message.

use super::messages::{matching, parse_role};
use super::one_of;
use crate::dialect::limited;
use crate::store::on;
use crate::{Landmark, MessageQuery, StoreError, Workspace};
use model::{Role, SessionId};
use sqlx::QueryBuilder;
use std::ops::RangeInclusive;

impl Workspace {
    /// Returns people's messages, edits, approvals, errors and failed calls with a display class up to 1, in a part of
    /// the session, ascending by `seq`.
    pub async fn landmarks(
        &self,
        session: &SessionId,
        part: &RangeInclusive<i64>,
    ) -> Result<Vec<Landmark>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<(i64, String, String)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT m.seq, m.role, m.message_type FROM message m \
                 LEFT JOIN tool_use t ON t.workspace_id = m.workspace_id AND t.session_rid = m.session_rid \
                 AND t.message_rid = m.rid \
                 WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq BETWEEN $3 AND $4 AND m.display <= 1 AND m.part <> 'replaced' \
                 AND (m.role = 'user' OR m.message_type IN ('CODE_EDIT', 'APPROVAL', 'ERROR') OR t.failed = 1) \
                 ORDER BY m.seq",
            )
            .bind(self.id()).bind(rid).bind(*part.start()).bind(*part.end()).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(seq, role, message_type)| Ok(Landmark { seq, role: parse_role(&role)?, message_type }))
            .collect()
    }

    /// Counts the messages after a `seq` that are shown without the dev toggle, `many` at most. Empty lists of types
    /// and roles take all.
    pub async fn shown_after(
        &self,
        session: &SessionId,
        after: i64,
        (types, roles): (&[String], &[Role]),
        many: i64,
    ) -> Result<i64, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(0) };
        let (count,): (i64,) = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT COUNT(*) FROM (SELECT m.seq FROM message m WHERE m.display <= 1 \
                 AND (m.role <> 'user' OR m.create_hash IS NULL) AND m.part <> 'replaced' AND m.workspace_id = ",
            );
            q.push_bind(self.id()).push(" AND m.session_rid = ").push_bind(rid);
            q.push(" AND m.seq > ").push_bind(after);
            one_of(&mut q, "m.message_type", types);
            one_of(&mut q, "m.role", roles);
            q.push(limited(many)).push(") AS counted");
            q.build_query_as().fetch_one(pool).await
        })?;
        Ok(count)
    }

    /// Returns the stretches of `width` positions that hold a message of the query, by their numbers: 0 is the first
    /// one. The query's range and limits don't count.
    pub async fn stretches(
        &self,
        session: &SessionId,
        query: &MessageQuery,
        width: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<(i64,)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("SELECT DISTINCT (m.seq - 1) / ");
            q.push_bind(width).push(" AS stretch FROM message m WHERE m.workspace_id = ").push_bind(self.id());
            q.push(" AND m.session_rid = ").push_bind(rid);
            matching(&mut q, query);
            q.push(" ORDER BY stretch");
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(stretch,)| stretch).collect())
    }
}
