//! Files by the SHA-256 of their content, in hex. A blob may be read by people, by the key that uploaded it, and by
//! keys whose sessions refer to it.

mod upload;

pub use upload::Upload;
pub(crate) use upload::{insert, insert_piece, insert_row};

use crate::hex::hex;
use crate::store::{on, on_tx};
use crate::{Blob, Sight, StoreError, Workspace};
use model::{Micros, SessionId};
use sha2::{Digest as _, Sha256};
use sqlx::QueryBuilder;
use std::ops::Range;

/// Bytes of a piece, for all but the last one of a blob. Rows depend on it.
pub(crate) const PIECE: usize = 1 << 20;

/// Reads a range of a blob, a piece at a time.
#[derive(Debug)]
pub struct BlobReader {
    workspace: Workspace,
    blob: Blob,
    /// The range that is still to be read.
    range: Range<u64>,
    /// Hash of the read bytes, if all of the blob is read.
    hash: Option<Sha256>,
}

impl BlobReader {
    /// Returns the next bytes, at most 1 MiB; None at the end. Bytes that aren't those that were written are an error:
    /// of a range, as far as its pieces have checksums; of a whole blob in any case, before its last bytes.
    pub async fn next_part(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        if self.range.is_empty() {
            return Ok(None);
        }
        let start = self.range.start - self.range.start % PIECE as u64;
        let (crc, mut data): (Option<i64>, Vec<u8>) = on!(&self.workspace.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT p.crc, COALESCE(p.data, SUBSTR(b.data, CAST($3 AS INTEGER) + 1, {PIECE})) FROM blob b \
                 LEFT JOIN blob_piece p ON p.workspace_id = b.workspace_id AND p.upload_id = b.upload_id AND p.start_at = $3 \
                 WHERE b.workspace_id = $1 AND b.sha256 = $2",
            )))
            .bind(self.workspace.id()).bind(&self.blob.sha256).bind(start as i64).fetch_one(pool).await
        })?;
        if !self.is_intact(start, crc, &data) {
            let error = StoreError::DamagedBlob(self.blob.sha256.clone());
            return self.workspace.store.monitor().observe(Err(error));
        }
        let end = self.range.end.min(start + PIECE as u64);
        data.truncate((end - start) as usize);
        data.drain(..(self.range.start - start) as usize);
        self.range.start = end;
        Ok(Some(data))
    }

    fn is_intact(&mut self, start: u64, crc: Option<i64>, data: &[u8]) -> bool {
        let Blob { sha256, size, .. } = &self.blob;
        let end = start + data.len() as u64;
        if end != (start + PIECE as u64).min(*size) || crc.is_some_and(|crc| crc != i64::from(crc32fast::hash(data))) {
            return false;
        }
        if start == 0 && end == *size {
            return is_whole(sha256, data);
        }
        let Some(hash) = &mut self.hash else { return true };
        hash.update(data);
        end < *size || hex(&hash.finalize_reset()) == *sha256
    }
}

/// Returns true if the bytes match their digest.
fn is_whole(sha256: &str, bytes: &[u8]) -> bool {
    hex(&Sha256::digest(bytes)) == sha256
}

impl Workspace {
    /// Takes a blob that comes in parts: from an agent's key, or from people. `id` is of this upload alone, and no
    /// digest.
    pub fn begin_upload(&self, id: String, key_id: Option<&str>, now: Micros) -> Upload {
        Upload::new(self.clone(), id, key_id.unwrap_or_default().to_owned(), now)
    }

    /// A message of the session refers to the blob. One that isn't there, or that the key didn't upload, is passed
    /// over.
    pub async fn attach_blob(&self, session: &SessionId, sha256: &str, key: Option<&str>) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query(
                "INSERT INTO session_blob (workspace_id, session_rid, sha256) \
                 SELECT s.workspace_id, s.rid, b.sha256 FROM session s JOIN blob b ON b.workspace_id = s.workspace_id \
                 WHERE s.workspace_id = $1 AND s.id = $2 AND b.sha256 = $3 AND ($4 = '' OR EXISTS (SELECT 1 \
                 FROM blob_upload u WHERE u.workspace_id = $1 AND u.sha256 = $3 AND u.key_id = $4)) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(self.id()).bind(session.as_str()).bind(sha256).bind(key.unwrap_or_default())
            .execute(c).await.map(drop)
        })?;
        tx.commit().await
    }

    /// A blob that is there, by the SHA-256 of its bytes.
    pub async fn blob(&self, sha256: &str) -> Result<Option<Blob>, StoreError> {
        let row: Option<(String, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT mime, COALESCE(size, CAST(LENGTH(data) AS BIGINT)) FROM blob \
                 WHERE workspace_id = $1 AND sha256 = $2",
            )
            .bind(self.id()).bind(sha256).fetch_optional(pool).await
        })?;
        Ok(row.map(|(mime, size)| Blob { sha256: sha256.to_owned(), mime, size: size.cast_unsigned() }))
    }

    /// Reads the bytes of a blob in a range, or as many of them as it has.
    pub fn read_blob(&self, blob: &Blob, range: Range<u64>) -> BlobReader {
        let range = range.start..range.end.min(blob.size);
        let hash = (range == (0..blob.size)).then(Sha256::new);
        BlobReader { workspace: self.clone(), blob: blob.clone(), range, hash }
    }

    /// Returns true if a session that may be seen refers to the blob, or whoever looks uploaded it: a key itself, or
    /// some person if no session refers to it yet.
    pub async fn sees_blob(&self, sha256: &str, sight: &Sight) -> Result<bool, StoreError> {
        let found: i64 = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(
                "SELECT (SELECT COUNT(*) FROM session_blob l JOIN session s ON s.rid = l.session_rid \
                 WHERE s.deleted_at IS NULL AND l.workspace_id = ",
            );
            q.push_bind(self.id()).push(" AND l.sha256 = ").push_bind(sha256);
            sight.narrow(&mut q);
            q.push(") + (SELECT COUNT(*) FROM blob_upload u WHERE u.workspace_id = ").push_bind(self.id());
            q.push(" AND u.sha256 = ").push_bind(sha256);
            q.push(" AND u.key_id = ").push_bind(sight.key().unwrap_or_default());
            if sight.key().is_none() {
                q.push(
                    " AND NOT EXISTS (SELECT 1 FROM session_blob l WHERE l.workspace_id = u.workspace_id \
                     AND l.sha256 = u.sha256)",
                );
            }
            q.push(")").build_query_scalar().fetch_one(pool).await
        })?;
        Ok(found > 0)
    }
}
