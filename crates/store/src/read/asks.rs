//! What waits for a person, in all sessions.

use super::corrupt;
use super::listing::{Listed, Listing, listed_columns};
use super::sessions::NEEDS_YOU;
use crate::dialect::limited;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::{Micros, SessionId};
use sqlx::QueryBuilder;

/// An open approval or question, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    /// Grows in the order in which messages were stored.
    pub rid: i64,
    /// The session that asks.
    pub session: SessionId,
    /// The place of the message in it.
    pub seq: i64,
    /// When the session was last active.
    pub last_at: Micros,
}

/// What a message that asks is known by: an open approval, or a question in words that nobody answered since.
const KINDS: [&str; 2] = ["m.asks = 1", "m.asks_input = 1 AND m.asks = 0 AND m.seq > s.user_seq"];

impl Workspace {
    /// Every open approval and question of sessions that are neither archived nor deleted, the oldest first, `limit` at most.
    /// Of an agent key's sessions, if it is named.
    pub async fn open_asks(&self, key_id: Option<&str>, limit: u32) -> Result<Vec<OpenAsk>, StoreError> {
        let rows: Vec<(i64, String, i64, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("");
            for (number, kind) in KINDS.into_iter().enumerate() {
                q.push(if number == 0 { "" } else { " UNION ALL " });
                // Each kind has an index of its own, which holds what is open and nothing else.
                q.push(format!(
                    "SELECT m.rid AS rid, s.id AS id, m.seq AS seq, s.last_at AS last_at FROM session s JOIN message m \
                     ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid AND m.copied = 0 AND {kind} \
                     WHERE {NEEDS_YOU} AND s.deleted_at IS NULL AND s.archived_at IS NULL AND s.workspace_id = "
                ));
                q.push_bind(self.id());
                if let Some(key_id) = key_id {
                    q.push(" AND s.key_id = ").push_bind(key_id);
                }
            }
            q.push(" ORDER BY 1").push(limited(i64::from(limit)));
            q.build_query_as().fetch_all(pool).await
        })?;
        let ask = |(rid, session, seq, last_at)| {
            Ok(OpenAsk { rid, session: SessionId::parse(session).map_err(corrupt)?, seq, last_at: Micros(last_at) })
        };
        rows.into_iter().map(ask).collect()
    }

    /// The messages of these asks, in their order, to be read with [`Workspace::read_next`].
    pub async fn asked(&self, asks: &[OpenAsk]) -> Result<Listing, StoreError> {
        if asks.is_empty() {
            return Ok(Listing::default());
        }
        let columns = listed_columns();
        let numbers: Vec<i64> = asks.iter().map(|ask| ask.rid).collect();
        let mut rows: Vec<Listed> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {columns} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = "
            ));
            q.push_bind(self.id()).push(" AND m.rid IN (");
            let mut list = q.separated(", ");
            for number in &numbers {
                list.push_bind(*number);
            }
            list.push_unseparated(")");
            q.build_query_as().fetch_all(pool).await
        })?;
        rows.sort_by_key(|row| numbers.iter().position(|number| *number == row.rid));
        Ok(Listing::new(rows))
    }
}
