//! Putting a session away.

use super::{Step, feed};
use crate::store::on_step;
use crate::{FeedKind, FeedRow, StoreError, Workspace};
use model::{Micros, SessionId};

impl Workspace {
    /// Puts a session away at a time, or takes it back. False if there is none.
    pub async fn archive(&self, id: &SessionId, archived_at: Option<Micros>) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), archived_at.unwrap_or_default()).await?;
        let changed = on_step!(step, c => {
            sqlx::query("UPDATE session SET archived_at = $3 WHERE workspace_id = $1 AND id = $2")
                .bind(self.id()).bind(id.as_str()).bind(archived_at.map(|at| at.0))
                .execute(c).await.map(|done| done.rows_affected())
        })?;
        if changed == 0 {
            return Ok(false);
        }
        let row = FeedRow {
            pos: step.pos(),
            kind: FeedKind::Session,
            session_id: id.clone(),
            from_seq: 0,
            to_seq: 0,
            revision: 0,
        };
        feed::write_rows(&mut step, &[row]).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(true)
    }
}
