//! Is what is stored what was written? Compares content with its checksums: bytes of sources, blobs and messages.

use crate::columns::columns;
use crate::hex::hex;
use crate::read::messages::intact;
use crate::read::records::verified;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::SourceId;
use sha2::{Digest as _, Sha256};

/// Rows that are held in memory at once.
const PART: i64 = 200;
/// Faults that are listed of each kind.
const MOST: usize = 20;

columns! {
    struct CheckedRow {
        rid: i64,
        session_id: String,
        seq: i64,
        display: i64,
        hash: Vec<u8>,
        body: Vec<u8>,
    }
}

impl Workspace {
    /// Chunks of a source whose bytes are damaged or lost, each as the error that reading it gives.
    pub async fn damaged_records(&self, source: &SourceId) -> Result<Vec<StoreError>, StoreError> {
        self.verify_source(source, &mut Sha256::new()).await
    }

    /// Returns true if the source's bytes were deleted with all of its sessions.
    async fn is_source_purged(&self, source: &SourceId) -> Result<bool, StoreError> {
        let (all, kept): (i64, i64) = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN s.purged_at IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) \
                 FROM source f JOIN session_source l ON l.workspace_id = f.workspace_id AND l.source_rid = f.rid \
                 JOIN session s ON s.rid = l.session_rid WHERE f.workspace_id = $1 AND f.id = $2",
            )
            .bind(self.id()).bind(source.as_str()).fetch_one(pool).await
        })?;
        Ok(all > 0 && kept == 0)
    }

    /// SHA-256 in hex of the bytes of a source as they are stored: where a text was erased, not that of its file.
    ///
    /// # Errors
    ///
    /// Fails when some of them are damaged or lost.
    pub async fn stored_sha256(&self, source: &SourceId) -> Result<String, StoreError> {
        let mut hash = Sha256::new();
        let damaged = self.verify_source(source, &mut hash).await?;
        damaged.into_iter().next().map_or_else(|| Ok(hex(&hash.finalize())), Err)
    }

    async fn verify_source(&self, source: &SourceId, hash: &mut Sha256) -> Result<Vec<StoreError>, StoreError> {
        let mut faulty = Vec::new();
        let mut after = -1;
        loop {
            let row: Option<(i64, i64, Option<i64>, Vec<u8>)> = on!(&self.store, pool => {
                sqlx::query_as(
                    "SELECT c.start_at, c.len, c.crc, c.data FROM source s JOIN record_chunk c \
                     ON c.workspace_id = s.workspace_id AND c.source_rid = s.rid \
                     WHERE s.workspace_id = $1 AND s.id = $2 AND c.start_at > $3 ORDER BY c.start_at LIMIT 1",
                )
                .bind(self.id()).bind(source.as_str()).bind(after).fetch_optional(pool).await
            })?;
            let Some((start, len, crc, data)) = row else { return Ok(faulty) };
            match self.store.monitor().observe(verified(source, (start, len), crc, &data)) {
                Ok(bytes) => hash.update(&bytes),
                Err(error) => faulty.push(error),
            }
            after = start;
        }
    }

    /// Returns the damaged content, for people; empty if there is none. Reads all of it.
    pub async fn damaged_content(&self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        for source in self.sources().await? {
            let mut hash = Sha256::new();
            if self.is_source_purged(&source.id).await? {
                continue;
            }
            let damaged = self.verify_source(&source.id, &mut hash).await?;
            // Older rows only have this checksum.
            if damaged.is_empty()
                && hex(&hash.finalize()) != source.sha256
                && self.erased_ranges(&source.id).await?.is_empty()
            {
                faults.push(format!("the bytes of {} aren't those that were imported", source.path));
            }
            // Data that a recovery couldn't find isn't reported again.
            let damaged = damaged.iter().filter(|error| !matches!(error, StoreError::LostRecord { .. }));
            faults.extend(damaged.take(MOST).map(|error| format!("{error} ({})", source.path)));
        }
        for sha256 in self.blob_addresses().await? {
            let Some(blob) = self.blob(&sha256).await? else { continue };
            let mut bytes = self.read_blob(&blob, 0..blob.size);
            loop {
                match bytes.next_part().await {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error @ StoreError::DamagedBlob(_)) => {
                        faults.push(error.to_string());
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        faults.extend(self.damaged_messages().await?);
        Ok(faults)
    }

    async fn blob_addresses(&self) -> Result<Vec<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar("SELECT sha256 FROM blob WHERE workspace_id = $1 ORDER BY sha256")
                .bind(self.id()).fetch_all(pool).await
        })?)
    }

    async fn damaged_messages(&self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        let mut after = -1;
        loop {
            let rows: Vec<CheckedRow> = on!(&self.store, pool => {
                sqlx::query_as(sqlx::AssertSqlSafe(format!(
                    "SELECT m.rid, s.id AS session_id, m.seq, CAST(m.display AS BIGINT) AS display, m.hash, m.body FROM message m \
                     JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = $1 AND m.rid > $2 \
                     ORDER BY m.rid LIMIT {PART}"
                )))
                .bind(self.id()).bind(after).fetch_all(pool).await
            })?;
            let Some(last) = rows.last() else { return Ok(faults) };
            after = last.rid;
            let damaged = |row: &CheckedRow| {
                let is_damaged = intact(&row.body, row.display as i16, &row.hash).is_none();
                is_damaged.then(|| format!("message {} of session {} isn't what was written", row.seq, row.session_id))
            };
            faults.extend(rows.iter().filter_map(damaged).take(MOST - faults.len().min(MOST)));
        }
    }
}
