//! Files by the SHA-256 of their content, in hex. A blob may be read by people, by the key that uploaded it, and by keys
//! whose sessions refer to it.

use crate::store::{on, on_tx};
use crate::verify::hex;
use crate::{Blob, StoreError, Workspace};
use model::{Micros, SessionId};
use sha2::{Digest as _, Sha256};

/// Do the bytes have the digest that they are stored by?
pub(crate) fn is_whole(sha256: &str, bytes: &[u8]) -> bool {
    hex(&Sha256::digest(bytes)) == sha256
}

impl Workspace {
    /// Keeps a blob, and who brought it: an agent's key, or people. False if the bytes were there already: what is known
    /// of them stays.
    pub async fn put_blob(
        &self,
        sha256: &str,
        mime: &str,
        bytes: Vec<u8>,
        key_id: Option<&str>,
        now: Micros,
    ) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let added = on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO blob (workspace_id, sha256, mime, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            )
            .bind(self.id()).bind(sha256).bind(mime).bind(bytes).execute(c).await.map(|done| done.rows_affected())
        })?;
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO blob_upload (workspace_id, sha256, key_id, uploaded_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (workspace_id, sha256, key_id) DO UPDATE SET uploaded_at = excluded.uploaded_at",
            )
            .bind(self.id()).bind(sha256).bind(key_id.unwrap_or_default()).bind(now.0).execute(c).await.map(drop)
        })?;
        tx.commit().await?;
        Ok(added > 0)
    }

    /// A message of the session refers to the blob. One that isn't there, or that the key didn't upload, is passed over.
    pub async fn attach_blob(&self, session: &SessionId, sha256: &str, key_id: Option<&str>) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO session_blob (workspace_id, session_rid, sha256) \
                 SELECT s.workspace_id, s.rid, b.sha256 FROM session s JOIN blob b ON b.workspace_id = s.workspace_id \
                 WHERE s.workspace_id = $1 AND s.id = $2 AND b.sha256 = $3 AND ($4 = '' OR EXISTS (SELECT 1 \
                 FROM blob_upload u WHERE u.workspace_id = $1 AND u.sha256 = $3 AND u.key_id = $4)) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(self.id()).bind(session.as_str()).bind(sha256).bind(key_id.unwrap_or_default())
            .execute(c).await.map(drop)
        })?;
        tx.commit().await
    }

    /// A blob whose bytes aren't those of its address any more is an error.
    pub async fn blob(&self, sha256: &str) -> Result<Option<Blob>, StoreError> {
        let row: Option<(String, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as("SELECT mime, data FROM blob WHERE workspace_id = $1 AND sha256 = $2")
                .bind(self.id()).bind(sha256).fetch_optional(pool).await
        })?;
        let Some((mime, bytes)) = row else { return Ok(None) };
        if !is_whole(sha256, &bytes) {
            return self.store.monitor().observe(Err(StoreError::DamagedBlob(sha256.to_owned())));
        }
        Ok(Some(Blob { mime, bytes }))
    }

    /// Type and size of a blob that is there.
    pub async fn blob_head(&self, sha256: &str) -> Result<Option<(String, u64)>, StoreError> {
        let row: Option<(String, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT mime, CAST(LENGTH(data) AS BIGINT) FROM blob WHERE workspace_id = $1 AND sha256 = $2",
            )
            .bind(self.id()).bind(sha256).fetch_optional(pool).await
        })?;
        Ok(row.map(|(mime, size)| (mime, size.cast_unsigned())))
    }

    /// Did the key upload the blob, or does a session of its own refer to it?
    pub async fn key_reads_blob(&self, sha256: &str, key_id: &str) -> Result<bool, StoreError> {
        let found: i64 = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT (SELECT COUNT(*) FROM blob_upload WHERE workspace_id = $1 AND sha256 = $2 AND key_id = $3) \
                 + (SELECT COUNT(*) FROM session_blob l JOIN session s ON s.rid = l.session_rid \
                 WHERE l.workspace_id = $1 AND l.sha256 = $2 AND s.key_id = $3 AND s.deleted_at IS NULL)",
            )
            .bind(self.id()).bind(sha256).bind(key_id).fetch_one(pool).await
        })?;
        Ok(found > 0)
    }
}
