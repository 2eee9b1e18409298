//! Open requests to people, in all sessions.

use super::corrupt;
use super::listing::{Listed, Listing, listed_columns};
use super::sessions::NEEDS_YOU;
use crate::dialect::limited;
use crate::store::on;
use crate::{Sight, StoreError, Workspace};
use model::{MessageId, Micros, SessionId};
use sqlx::{Database, Encode, QueryBuilder, Type};

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

/// Conditions of messages that ask: an open approval, or a question in text without a later answer.
const KINDS: [&str; 2] = ["m.asks = 1", "m.asks_input = 1 AND m.asks = 0 AND m.seq > s.user_seq"];

impl Workspace {
    /// Every open approval and question of sessions that are neither archived nor deleted, the oldest first, `limit` at
    /// most. Only messages that were stored after the one with the number `after`.
    pub async fn open_asks(&self, sight: &Sight, after: i64, limit: u32) -> Result<Vec<OpenAsk>, StoreError> {
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
                sight.narrow(&mut q);
                if after > 0 {
                    q.push(" AND m.rid > ").push_bind(after);
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

    /// Every open approval and question of a session, the oldest first.
    pub async fn open_requests(&self, session: &SessionId) -> Result<Vec<MessageId>, StoreError> {
        let rows: Vec<(i64, String)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("");
            for (number, kind) in KINDS.into_iter().enumerate() {
                q.push(if number == 0 { "" } else { " UNION ALL " });
                q.push(format!(
                    "SELECT m.rid AS rid, m.id AS id FROM session s JOIN message m ON m.workspace_id = s.workspace_id \
                     AND m.session_rid = s.rid AND m.copied = 0 AND {kind} WHERE s.workspace_id = "
                ));
                q.push_bind(self.id()).push(" AND s.id = ").push_bind(session.as_str());
            }
            q.push(" ORDER BY 1");
            q.build_query_as().fetch_all(pool).await
        })?;
        rows.into_iter().map(|(_, id)| MessageId::parse(id).map_err(corrupt)).collect()
    }

    /// Every open approval and question of a key that was revoked, expired, or isn't known.
    pub async fn requests_of_gone_keys(&self, now: Micros) -> Result<Vec<(SessionId, MessageId)>, StoreError> {
        let rows: Vec<(i64, String, String)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("");
            for (number, kind) in KINDS.into_iter().enumerate() {
                q.push(if number == 0 { "" } else { " UNION ALL " });
                push_open(&mut q, kind, "", self.id());
                q.push(
                    " AND s.key_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agent_key k \
                     WHERE k.workspace_id = s.workspace_id AND k.id = s.key_id AND k.revoked_at IS NULL \
                     AND (k.expires_at IS NULL OR k.expires_at > ",
                );
                q.push_bind(now.0).push("))");
            }
            q.push(" ORDER BY 1");
            q.build_query_as().fetch_all(pool).await
        })?;
        rows.into_iter().map(named).collect()
    }

    /// Every open approval of a session whose agent was started here and doesn't run any more.
    pub async fn requests_of_ended_agents(&self) -> Result<Vec<(SessionId, MessageId)>, StoreError> {
        let rows: Vec<(i64, String, String)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("");
            let driven = " JOIN driven d ON d.workspace_id = s.workspace_id AND d.session_id = s.id AND d.state <> 'running'";
            push_open(&mut q, KINDS[0], driven, self.id());
            q.push(" ORDER BY 1");
            q.build_query_as().fetch_all(pool).await
        })?;
        rows.into_iter().map(named).collect()
    }

    /// When the next key expires that holds.
    pub async fn next_key_end(&self, now: Micros) -> Result<Option<Micros>, StoreError> {
        let next: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT MIN(expires_at) FROM agent_key WHERE workspace_id = $1 AND revoked_at IS NULL AND expires_at > $2",
            )
            .bind(self.id()).bind(now.0).fetch_one(pool).await
        })?;
        Ok(next.map(Micros))
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

/// Pushes a query for what is open. It begins with the index that holds what is open and nothing else: what other
/// sessions there are doesn't count.
fn push_open<DB: Database>(q: &mut QueryBuilder<DB>, kind: &str, join: &str, workspace: &str)
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(format!(
        "SELECT m.rid AS rid, s.id AS session, m.id AS id FROM message m CROSS JOIN session s{join} \
         WHERE s.rid = m.session_rid AND m.copied = 0 AND {kind} AND s.deleted_at IS NULL AND m.workspace_id = "
    ));
    q.push_bind(workspace.to_owned());
}

fn named((_, session, message): (i64, String, String)) -> Result<(SessionId, MessageId), StoreError> {
    Ok((SessionId::parse(session).map_err(corrupt)?, MessageId::parse(message).map_err(corrupt)?))
}
