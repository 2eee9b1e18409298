//! The landmarks of a session, without reading a message.

use super::messages::parse_role;
use crate::dialect::limited;
use crate::store::on;
use crate::{Landmark, StoreError, Workspace};
use model::SessionId;

impl Workspace {
    /// What people wrote, edits, approvals, errors and calls that failed, of those with a display class up to 1.
    /// Ascending by `seq`, those after one of them.
    pub async fn landmarks(&self, session: &SessionId, after: i64) -> Result<Vec<Landmark>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows: Vec<(i64, String, String)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT m.seq, m.role, m.message_type FROM message m \
                 LEFT JOIN tool_use t ON t.workspace_id = m.workspace_id AND t.session_rid = m.session_rid \
                 AND t.message_rid = m.rid \
                 WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq > $3 AND m.display <= 1 AND m.part <> 'replaced' \
                 AND (m.role = 'user' OR m.message_type IN ('CODE_EDIT', 'APPROVAL', 'ERROR') OR t.failed = 1) \
                 ORDER BY m.seq",
            )
            .bind(self.id()).bind(rid).bind(after).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(seq, role, message_type)| Ok(Landmark { seq, role: parse_role(&role)?, message_type }))
            .collect()
    }

    /// How many messages after a `seq` are shown without the dev toggle; `many` are counted at most.
    pub async fn shown_after(&self, session: &SessionId, after: i64, many: i64) -> Result<i64, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(0) };
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT m.seq FROM message m WHERE m.workspace_id = $1 AND m.session_rid = $2 \
             AND m.seq > $3 AND m.display <= 1 AND (m.role <> 'user' OR m.create_hash IS NULL) \
             AND m.part <> 'replaced'{}) AS counted",
            limited(many)
        );
        let (count,): (i64,) = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
                .bind(self.id()).bind(rid).bind(after).fetch_one(pool).await
        })?;
        Ok(count)
    }
}
