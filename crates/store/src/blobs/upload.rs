//! Blobs that are added: whole, or in parts that come one after the other.

use super::PIECE;
use crate::hex::hex;
use crate::store::{Tx, on_tx};
use crate::{Blob, StoreError, Workspace};
use model::Micros;
use sha2::{Digest as _, Sha256};
use std::mem;
use tokio::runtime::Handle;

/// A blob that comes in parts. Each full piece is stored at once, where nobody sees it before all are there. Dropped
/// before that, the upload leaves nothing; after a crash, [`Workspace::forget_uploads`] deletes what is left.
#[derive(Debug)]
pub struct Upload {
    workspace: Workspace,
    id: String,
    key_id: String,
    began: Micros,
    hash: Sha256,
    size: u64,
    /// The piece that isn't stored yet.
    last: Vec<u8>,
    /// Pieces may be stored that are nobody's.
    has_rows: bool,
}

impl Upload {
    pub(super) fn new(workspace: Workspace, id: String, key_id: String, began: Micros) -> Self {
        Self { workspace, id, key_id, began, hash: Sha256::new(), size: 0, last: Vec::new(), has_rows: false }
    }

    /// Bytes that came so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Takes the next bytes.
    pub async fn add(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.hash.update(bytes);
        while !bytes.is_empty() {
            if self.last.len() == PIECE {
                self.store_piece().await?;
            }
            let (fits, rest) = bytes.split_at(bytes.len().min(PIECE - self.last.len()));
            self.last.extend_from_slice(fits);
            self.size += fits.len() as u64;
            bytes = rest;
        }
        Ok(())
    }

    async fn store_piece(&mut self) -> Result<(), StoreError> {
        let piece = mem::take(&mut self.last);
        let start_at = self.size - piece.len() as u64;
        let mut tx = self.workspace.store.begin().await?;
        if !mem::replace(&mut self.has_rows, true) {
            // Purged as any upload that became nothing, if nobody is left to delete it.
            note_uploader(&mut tx, self.workspace.id(), &self.id, &self.key_id, self.began).await?;
        }
        insert_piece(&mut tx, self.workspace.id(), &self.id, start_at, piece).await?;
        tx.commit().await
    }

    /// Keeps the blob, and who brought it. Returns it with its digest, and whether it is new: of bytes that were there
    /// already, what is known stays.
    pub async fn finish(mut self, mime: &str, now: Micros) -> Result<(Blob, bool), StoreError> {
        let sha256 = hex(&self.hash.finalize_reset());
        let last = mem::take(&mut self.last);
        let workspace = self.workspace.id();
        let mut tx = self.workspace.store.begin().await?;
        let added = if self.has_rows {
            let added =
                insert_row(&mut tx, workspace, (&sha256, mime), Some((self.id.as_str(), self.size)), Vec::new())
                    .await?;
            if added {
                let start_at = self.size - last.len() as u64;
                insert_piece(&mut tx, workspace, &self.id, start_at, last).await?;
            }
            // And of bytes that were there, the pieces.
            delete_rows(&mut tx, workspace, &self.id).await?;
            added
        } else {
            insert_row(&mut tx, workspace, (&sha256, mime), None, last).await?
        };
        note_uploader(&mut tx, workspace, &sha256, &self.key_id, now).await?;
        tx.commit().await?;
        self.has_rows = false;
        let known = if added { None } else { self.workspace.blob(&sha256).await? };
        let blob = known.unwrap_or_else(|| Blob { sha256, mime: mime.to_owned(), size: self.size });
        Ok((blob, added))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.has_rows {
            return;
        }
        let (workspace, id) = (self.workspace.clone(), mem::take(&mut self.id));
        let discard = async move {
            let mut tx = workspace.store.begin().await?;
            delete_rows(&mut tx, workspace.id(), &id).await?;
            tx.commit().await
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = discard.await {
                    tracing::warn!(%error, "what came of an upload is deleted within a day");
                }
            });
        }
    }
}

/// Adds a blob unless it is there.
pub(crate) async fn insert(
    tx: &mut Tx,
    workspace: &str,
    (sha256, mime): (&str, &str),
    bytes: Vec<u8>,
) -> Result<(), StoreError> {
    if bytes.len() <= PIECE {
        return insert_row(tx, workspace, (sha256, mime), None, bytes).await.map(drop);
    }
    if insert_row(tx, workspace, (sha256, mime), Some((sha256, bytes.len() as u64)), Vec::new()).await? {
        for (number, piece) in bytes.chunks(PIECE).enumerate() {
            insert_piece(tx, workspace, sha256, (number * PIECE) as u64, piece.to_vec()).await?;
        }
    }
    Ok(())
}

/// Adds a blob unless it is there: with all its bytes, or with the upload that has its pieces and their size. Returns
/// whether it is new.
pub(crate) async fn insert_row(
    tx: &mut Tx,
    workspace: &str,
    (sha256, mime): (&str, &str),
    upload: Option<(&str, u64)>,
    data: Vec<u8>,
) -> Result<bool, StoreError> {
    let (upload_id, size) = upload.map(|(id, size)| (id, size as i64)).unzip();
    let rows = on_tx!(tx, c => {
        sqlx::query(
            "INSERT INTO blob (workspace_id, sha256, mime, upload_id, size, data) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT DO NOTHING",
        )
        .bind(workspace).bind(sha256).bind(mime).bind(upload_id).bind(size).bind(data).execute(c).await
        .map(|done| done.rows_affected())
    })?;
    Ok(rows > 0)
}

pub(crate) async fn insert_piece(
    tx: &mut Tx,
    workspace: &str,
    upload: &str,
    start_at: u64,
    piece: Vec<u8>,
) -> Result<(), StoreError> {
    let crc = i64::from(crc32fast::hash(&piece));
    Ok(on_tx!(tx, c => {
        sqlx::query("INSERT INTO blob_piece (workspace_id, upload_id, start_at, crc, data) VALUES ($1, $2, $3, $4, $5)")
            .bind(workspace).bind(upload).bind(start_at as i64).bind(crc).bind(piece).execute(c).await.map(drop)
    })?)
}

/// Notes by whom and when a blob was uploaded, by its digest, or that an upload goes on, by its id.
async fn note_uploader(
    tx: &mut Tx,
    workspace: &str,
    sha256: &str,
    key_id: &str,
    now: Micros,
) -> Result<(), StoreError> {
    Ok(on_tx!(tx, c => {
        sqlx::query(
            "INSERT INTO blob_upload (workspace_id, sha256, key_id, uploaded_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, sha256, key_id) DO UPDATE SET uploaded_at = excluded.uploaded_at",
        )
        .bind(workspace).bind(sha256).bind(key_id).bind(now.0).execute(c).await.map(drop)
    })?)
}

/// Deletes what notes that an upload goes on, and its pieces unless they became a blob. In this order: on `PostgreSQL`,
/// it waits for a transaction that makes them one.
async fn delete_rows(tx: &mut Tx, workspace: &str, upload: &str) -> Result<(), StoreError> {
    const ROWS: [&str; 2] = [
        "DELETE FROM blob_upload WHERE workspace_id = $1 AND sha256 = $2",
        "DELETE FROM blob_piece WHERE workspace_id = $1 AND upload_id = $2 AND NOT EXISTS (SELECT 1 FROM blob b \
         WHERE b.workspace_id = blob_piece.workspace_id AND b.upload_id = blob_piece.upload_id)",
    ];
    for sql in ROWS {
        on_tx!(&mut *tx, c => sqlx::query(sql).bind(workspace).bind(upload).execute(c).await.map(drop))?;
    }
    Ok(())
}
