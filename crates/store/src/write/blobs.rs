//! Files and pictures.

use super::sessions::Sessions;
use crate::blobs;
use crate::columns::text;
use crate::step::Step;
use crate::store::on_step;
use crate::{NewBlob, StoreError};

pub(crate) async fn write(step: &mut Step<'_>, sessions: &Sessions, new: Vec<NewBlob>) -> Result<(), StoreError> {
    let rids: Vec<i64> = sessions.iter().map(|loaded| loaded.row.rid).collect();
    step.flush().await?;
    for blob in new {
        let session_rid = rids[sessions.index(&blob.session_key)?];
        blobs::insert(step.tx, step.workspace, (&blob.sha256, &text(&blob.mime)), blob.bytes).await?;
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO session_blob (workspace_id, session_rid, sha256) VALUES ($1, $2, $3) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(step.workspace).bind(session_rid).bind(&blob.sha256).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}
