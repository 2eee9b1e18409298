//! Files and pictures.

use super::sessions::Sessions;
use super::{Step, text};
use crate::store::on_step;
use crate::{NewBlob, StoreError};

pub(crate) async fn write(step: &mut Step<'_>, sessions: &Sessions, blobs: Vec<NewBlob>) -> Result<(), StoreError> {
    let rids: Vec<i64> = sessions.iter().map(|loaded| loaded.row.rid).collect();
    for blob in blobs {
        let session_rid = rids[sessions.index(&blob.session_key)?];
        let mime = text(&blob.mime);
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO blob (workspace_id, sha256, mime, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            )
            .bind(step.workspace).bind(&blob.sha256).bind(&*mime).bind(&blob.bytes).execute(c).await.map(drop)
        })?;
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
