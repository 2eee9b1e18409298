//! Sessions that a rule of retention is about.

use crate::dialect::limited;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, SessionId};
use sqlx::QueryBuilder;
use std::ops::Range;

/// Which sessions are meant: those that rest, whose last activity is in a range of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestingFilter {
    pub last_at: Range<Micros>,
    pub project: Option<String>,
    pub agent: Option<String>,
}

/// A session that rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resting {
    pub id: SessionId,
    pub title: String,
    pub last_at: Micros,
    pub messages: u64,
    /// Bytes of its messages as they are stored, and of the files that it was read from.
    pub bytes: u64,
}

impl Workspace {
    /// Returns sessions that stand alone and rest, the longest first: nobody pinned them, they have no open run, nothing
    /// in them waits for a person, and no agent works in them.
    pub async fn resting(&self, filter: &RestingFilter, limit: i64) -> Result<Vec<Resting>, StoreError> {
        type Row = (String, String, i64, i64, i64);
        let minute = |at: Micros| at.0 / (60 * Micros::SECOND);
        let rows: Vec<Row> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT s.id, COALESCE(s.own_title, s.title, s.first_prompt, s.key), s.last_at, s.message_count, CAST(\
                 (SELECT COALESCE(SUM(LENGTH(m.body)), 0) FROM message m WHERE m.workspace_id = s.workspace_id AND m.session_rid = s.rid) \
                 + (SELECT COALESCE(SUM(r.size), 0) FROM session_source l JOIN source r ON r.rid = l.source_rid \
                 WHERE l.workspace_id = s.workspace_id AND l.session_rid = s.rid) AS BIGINT) \
                 FROM session s WHERE s.pinned_at IS NULL AND s.deleted_at IS NULL AND s.purged_at IS NULL AND s.has_parent = 0 \
                 AND s.begun_run IS NULL AND s.driven = 0 AND s.needs_you = 0 \
                 AND s.workspace_id = ",
            );
            q.push_bind(self.id().to_owned());
            q.push(" AND s.last_minute >= ").push_bind(minute(filter.last_at.start));
            q.push(" AND s.last_minute <= ").push_bind(minute(filter.last_at.end));
            q.push(" AND s.last_at >= ").push_bind(filter.last_at.start.0);
            q.push(" AND s.last_at < ").push_bind(filter.last_at.end.0);
            if let Some(project) = &filter.project {
                q.push(" AND s.project = ").push_bind(project.clone());
            }
            if let Some(agent) = &filter.agent {
                q.push(" AND s.agent = ").push_bind(agent.clone());
            }
            q.push(" ORDER BY s.last_at, s.rid").push(limited(limit));
            q.build_query_as::<Row>().fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(id, title, last_at, messages, bytes)| {
                Ok(Resting {
                    id: SessionId::parse(id).map_err(super::corrupt)?,
                    title,
                    last_at: Micros(last_at),
                    messages: messages.unsigned_abs(),
                    bytes: bytes.unsigned_abs(),
                })
            })
            .collect()
    }
}
