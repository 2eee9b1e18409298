//! Drops recovered rows whose content isn't what was written, by its checksum. What they held is lost.

use crate::StoreError;
use crate::hex::hex;
use crate::read::messages::intact;
use crate::read::records::whole;
use sha2::{Digest as _, Sha256};
use sqlx::SqliteConnection;

/// Messages that are held in memory at once.
const PART: i64 = 200;

/// Returns the digests of the blobs that are dropped. Of the rest, gaps tell.
pub(super) async fn drop_damaged(tx: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
    drop_messages(tx).await?;
    drop_chunks(tx).await?;
    drop_blobs(tx).await
}

async fn drop_messages(tx: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut after = -1;
    loop {
        let rows: Vec<(i64, i64, Vec<u8>, Vec<u8>)> =
            sqlx::query_as("SELECT rid, display, hash, body FROM message WHERE rid > $1 ORDER BY rid LIMIT $2")
                .bind(after)
                .bind(PART)
                .fetch_all(&mut *tx)
                .await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.0;
        for (rid, display, hash, body) in &rows {
            if intact(body, *display as i16, hash).is_none() {
                sqlx::query("DELETE FROM message WHERE rid = $1").bind(rid).execute(&mut *tx).await?;
            }
        }
    }
}

async fn drop_chunks(tx: &mut SqliteConnection) -> Result<(), StoreError> {
    // Those that hold nothing stand for what was lost before.
    let chunks: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT workspace_id, source_rid, start_at FROM record_chunk WHERE LENGTH(data) > 0 \
         ORDER BY workspace_id, source_rid, start_at",
    )
    .fetch_all(&mut *tx)
    .await?;
    for (workspace, source, start) in chunks {
        let place = "workspace_id = $1 AND source_rid = $2 AND start_at = $3";
        let select = sqlx::AssertSqlSafe(format!("SELECT len, crc, data FROM record_chunk WHERE {place}"));
        let (len, crc, data): (i64, Option<i64>, Vec<u8>) =
            sqlx::query_as(select).bind(&workspace).bind(source).bind(start).fetch_one(&mut *tx).await?;
        if whole(len, crc, &data).is_none() {
            let delete = sqlx::AssertSqlSafe(format!("DELETE FROM record_chunk WHERE {place}"));
            sqlx::query(delete).bind(&workspace).bind(source).bind(start).execute(&mut *tx).await?;
        }
    }
    Ok(())
}

async fn drop_blobs(tx: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
    let blobs: Vec<(String, String)> =
        sqlx::query_as("SELECT workspace_id, sha256 FROM blob ORDER BY workspace_id, sha256")
            .fetch_all(&mut *tx)
            .await?;
    let mut dropped = Vec::new();
    for (workspace, sha256) in blobs {
        if digest(tx, &workspace, &sha256).await? != sha256 {
            let delete = "DELETE FROM blob WHERE workspace_id = $1 AND sha256 = $2";
            sqlx::query(delete).bind(&workspace).bind(&sha256).execute(&mut *tx).await?;
            dropped.push(sha256);
        }
    }
    // Those of uploads that the server's end cut short are among them.
    sqlx::query(
        "DELETE FROM blob_piece WHERE NOT EXISTS (SELECT 1 FROM blob b WHERE b.workspace_id = blob_piece.workspace_id \
         AND b.upload_id = blob_piece.upload_id)",
    )
    .execute(tx)
    .await?;
    Ok(dropped)
}

/// The SHA-256 of what there is of a blob, in hex. It says of pieces what their checksums say: these are made to fit.
async fn digest(tx: &mut SqliteConnection, workspace: &str, sha256: &str) -> Result<String, StoreError> {
    let select = "SELECT upload_id, data FROM blob WHERE workspace_id = $1 AND sha256 = $2";
    let (upload, data): (Option<String>, Vec<u8>) =
        sqlx::query_as(select).bind(workspace).bind(sha256).fetch_one(&mut *tx).await?;
    let mut hash = Sha256::new_with_prefix(data);
    let mut after = -1;
    loop {
        let piece: Option<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "SELECT rowid, start_at, data FROM blob_piece WHERE workspace_id = $1 AND upload_id = $2 AND start_at > $3 \
             ORDER BY start_at LIMIT 1",
        )
        .bind(workspace)
        .bind(&upload)
        .bind(after)
        .fetch_optional(&mut *tx)
        .await?;
        let Some((rowid, start, data)) = piece else { return Ok(hex(&hash.finalize())) };
        let crc = i64::from(crc32fast::hash(&data));
        sqlx::query("UPDATE blob_piece SET crc = $2 WHERE rowid = $1 AND crc <> $2")
            .bind(rowid)
            .bind(crc)
            .execute(&mut *tx)
            .await?;
        hash.update(data);
        after = start;
    }
}
