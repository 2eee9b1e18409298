//! The feed, from a position on.

use super::corrupt;
use crate::store::on;
use crate::{FeedKind, FeedRow, StoreError, Workspace};
use model::SessionId;

impl Workspace {
    /// Rows after `pos`, ascending.
    pub async fn feed_after(&self, pos: i64, limit: u32) -> Result<Vec<FeedRow>, StoreError> {
        let rows: Vec<(i64, String, String, i64, i64, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT pos, kind, session_id, from_seq, to_seq, revision FROM feed \
                 WHERE workspace_id = $1 AND pos > $2 ORDER BY pos LIMIT $3",
            )
            .bind(self.id()).bind(pos).bind(i64::from(limit)).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(pos, kind, session_id, from_seq, to_seq, revision)| {
                Ok(FeedRow {
                    pos,
                    kind: FeedKind::parse(&kind).ok_or_else(|| corrupt(format_args!("a feed row of kind `{kind}`")))?,
                    session_id: SessionId::parse(session_id).map_err(corrupt)?,
                    from_seq,
                    to_seq,
                    revision: revision as i32,
                })
            })
            .collect()
    }

    /// Position of the last row; 0 before the first.
    pub async fn feed_pos(&self) -> Result<i64, StoreError> {
        let pos: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar("SELECT feed_pos FROM workspace WHERE id = $1").bind(self.id()).fetch_optional(pool).await
        })?;
        Ok(pos.unwrap_or(0))
    }
}
