//! The feed, from a position on.

use super::corrupt;
use crate::columns::columns;
use crate::dialect::limited;
use crate::store::on;
use crate::{FeedCounts, FeedEntry, FeedKind, FeedRow, StoreError, Workspace};
use model::SessionId;

columns! {
    struct ChangeRow {
        pos: i64,
        kind: String,
        session_id: String,
        from_seq: i64,
        to_seq: i64,
        revision: i64,
        last_seq: Option<i64>,
        message_count: Option<i64>,
        todos_open: Option<i64>,
        todos_done: Option<i64>,
        todos_cancelled: Option<i64>,
        approvals_open: Option<i64>,
        deleted_at: Option<i64>,
        project: Option<String>,
        parent_project: Option<String>,
    }
}

impl Workspace {
    /// Rows after `pos`, ascending.
    pub async fn feed_after(&self, pos: i64, limit: u32) -> Result<Vec<FeedEntry>, StoreError> {
        let sql = format!(
            "SELECT f.pos, f.kind, f.session_id, f.from_seq, f.to_seq, f.revision, s.last_seq, s.message_count, \
             s.todos_open, s.todos_done, s.todos_cancelled, s.approvals_open, s.deleted_at, s.project, p.project AS parent_project FROM feed f \
             LEFT JOIN session s ON s.workspace_id = f.workspace_id AND s.id = f.session_id \
             LEFT JOIN session p ON p.workspace_id = s.workspace_id AND p.agent = s.agent AND p.key = s.parent_key \
             WHERE f.workspace_id = $1 AND f.pos > $2 ORDER BY f.pos{}",
            limited(i64::from(limit))
        );
        let rows: Vec<ChangeRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(self.id()).bind(pos).fetch_all(pool).await
        })?;
        rows.into_iter().map(entry).collect()
    }

    /// Where the feed was when messages of a session were added or changed last: nothing that was said has changed
    /// since.
    pub async fn changed_pos(&self, session: &SessionId) -> Result<i64, StoreError> {
        let pos: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar("SELECT changed_pos FROM session WHERE workspace_id = $1 AND id = $2")
                .bind(self.id()).bind(session.as_str()).fetch_optional(pool).await
        })?;
        Ok(pos.unwrap_or(0))
    }

    /// Position of the last row; 0 before the first.
    pub async fn feed_pos(&self) -> Result<i64, StoreError> {
        let pos: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar("SELECT feed_pos FROM workspace WHERE id = $1").bind(self.id()).fetch_optional(pool).await
        })?;
        Ok(pos.unwrap_or(0))
    }
}

fn entry(row: ChangeRow) -> Result<FeedEntry, StoreError> {
    let counts = row.last_seq.filter(|_| row.deleted_at.is_none()).map(|last_seq| FeedCounts {
        last_seq,
        messages: row.message_count.unwrap_or_default(),
        todos_open: row.todos_open.unwrap_or_default(),
        todos_done: row.todos_done.unwrap_or_default(),
        todos_cancelled: row.todos_cancelled.unwrap_or_default(),
        approvals_open: row.approvals_open.unwrap_or_default(),
    });
    let kind = FeedKind::parse(&row.kind).ok_or_else(|| corrupt(format_args!("a feed row of kind `{}`", row.kind)))?;
    let projects = [row.project, row.parent_project];
    let row = FeedRow {
        pos: row.pos,
        kind,
        session_id: SessionId::parse(row.session_id).map_err(corrupt)?,
        from_seq: row.from_seq,
        to_seq: row.to_seq,
        revision: row.revision as i32,
    };
    Ok(FeedEntry { row, counts, projects })
}
