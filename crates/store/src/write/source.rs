//! The bytes of a source.

use crate::StoreError;
use crate::columns::text;
use crate::masks::Masks;
use crate::prepare::{PreparedSource, gap};
use crate::step::Step;
use crate::store::on_step;
use crate::write::covered::cover_source;
use crate::write::rollup::{Rollup, RunKey};
use sqlx::QueryBuilder;

const CHUNKS_PER_STATEMENT: usize = 16;

/// A source that was written to.
pub(crate) struct WrittenSource {
    pub rid: i64,
    /// Messages may be left that came from earlier bytes.
    pub rewritten: bool,
    /// All of the file is stored.
    pub at_end: bool,
    /// Sessions whose runs were deleted: the file is read anew.
    pub emptied: Vec<i64>,
}

/// Appends what is new; None if it is there already. A rewritten file gets a new rid, to which its sessions move:
/// references to the old one lead nowhere from then on.
pub(crate) async fn write(
    step: &mut Step<'_>,
    source: PreparedSource,
    is_kept: bool,
    masks: &Masks,
    rollup: &mut Rollup,
) -> Result<Option<WrittenSource>, StoreError> {
    let PreparedSource { head, mut chunks } = source;
    let found: Option<(i64, i64, String, Option<i64>)> = on_step!(step, c => {
        sqlx::query_as("SELECT rid, size, sha256, replaces FROM source WHERE workspace_id = $1 AND id = $2")
            .bind(step.workspace).bind(head.id.as_str()).fetch_optional(c).await
    })?;
    let written = |(_, size, sha256, _): &(i64, i64, String, _)| *size as u64 == head.size && *sha256 == head.sha256;
    if !chunks.is_empty() && !head.replace && found.as_ref().is_some_and(written) {
        return Ok(None);
    }
    let (mut rid, mut stored, mut replaces) =
        found.map_or((None, 0, None), |(rid, size, _, replaces)| (Some(rid), size as u64, replaces));
    let mut emptied = Vec::new();
    if let Some(old) = rid.filter(|_| head.replace) {
        let new = step.rid();
        emptied = delete_runs(step, old, rollup).await?;
        move_sessions(step, old, new).await?;
        delete(step, old).await?;
        (rid, stored, replaces) = (Some(new), 0, Some(old));
    }
    let (start, is_new) = (chunks.first().map_or(head.size, |chunk| chunk.start), !chunks.is_empty());
    if start != stored {
        return Err(gap(&head, stored, start));
    }
    let rid = if let Some(rid) = rid { rid } else { step.rid() };
    if !is_kept && is_purged(step, rid).await? {
        chunks.clear();
    }
    let (path, reader) = (text(&head.path), text(&head.reader));
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO source (rid, workspace_id, id, path, size, sha256, reader, reader_version, imported_at, \
             modified_at, replaces) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (workspace_id, id) DO UPDATE SET \
             path = excluded.path, size = excluded.size, sha256 = excluded.sha256, reader = excluded.reader, \
             reader_version = excluded.reader_version, imported_at = excluded.imported_at, \
             modified_at = excluded.modified_at, replaces = excluded.replaces",
        )
        .bind(rid).bind(step.workspace).bind(head.id.as_str()).bind(&*path).bind(head.size as i64).bind(&head.sha256)
        .bind(&*reader).bind(i64::from(head.reader_version)).bind(step.now.0)
        .bind(head.modified_at.map(|at| at.0)).bind(replaces).execute(c).await.map(drop)
    })?;
    for rows in chunks.chunks(CHUNKS_PER_STATEMENT) {
        on_step!(step, c => {
            let mut q = QueryBuilder::new("INSERT INTO record_chunk (workspace_id, source_rid, start_at, len, data, crc) ");
            q.push_values(rows, |mut b, chunk| {
                b.push_bind(step.workspace).push_bind(rid).push_bind(chunk.start as i64).push_bind(chunk.len as i64);
                b.push_bind(chunk.data.as_slice()).push_bind(i64::from(chunk.crc));
            });
            q.build().persistent(rows.len() == CHUNKS_PER_STATEMENT || rows.len() == 1).execute(c).await.map(drop)
        })?;
    }
    if is_new && step.erased > 0 {
        cover_source(step, masks, (rid, &head.id), start).await?;
    }
    Ok(Some(WrittenSource { rid, rewritten: replaces.is_some(), at_end: head.modified_at.is_some(), emptied }))
}

/// Are all of its sessions deleted for good? Then its bytes aren't kept either.
async fn is_purged(step: &mut Step<'_>, rid: i64) -> Result<bool, StoreError> {
    let (all, kept): (i64, i64) = on_step!(step, c => {
        sqlx::query_as(
            "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN s.purged_at IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) \
             FROM session_source l JOIN session s ON s.rid = l.session_rid WHERE l.workspace_id = $1 AND l.source_rid = $2",
        )
        .bind(step.workspace).bind(rid).fetch_one(c).await
    })?;
    Ok(all > 0 && kept == 0)
}

/// Deletes the bytes of a source whose sessions are all deleted for good. That it was read stays known.
pub(crate) async fn delete_purged_bytes(step: &mut Step<'_>, rid: i64) -> Result<(), StoreError> {
    if is_purged(step, rid).await? {
        on_step!(step, c => {
            sqlx::query("DELETE FROM record_chunk WHERE workspace_id = $1 AND source_rid = $2")
                .bind(step.workspace).bind(rid).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Deletes the runs of sessions that came from a source alone, and takes them out of the sums: it is read anew, and may
/// tell of other ones. Returns the sessions.
async fn delete_runs(step: &mut Step<'_>, source: i64, rollup: &mut Rollup) -> Result<Vec<i64>, StoreError> {
    let sessions: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT l.session_rid FROM session_source l WHERE l.workspace_id = $1 AND l.source_rid = $2 AND NOT EXISTS (\
             SELECT 1 FROM session_source o WHERE o.workspace_id = $1 AND o.session_rid = l.session_rid AND o.source_rid <> $2)",
        )
        .bind(step.workspace).bind(source).fetch_all(c).await
    })?;
    for session in &sessions {
        let runs: Vec<String> = on_step!(step, c => {
            sqlx::query_scalar("SELECT id FROM run WHERE workspace_id = $1 AND session_rid = $2")
                .bind(step.workspace).bind(session).fetch_all(c).await
        })?;
        let runs: Vec<RunKey> = runs.into_iter().map(|id| (*session, id)).collect();
        rollup.runs(step, &runs, -1).await?;
        for sql in [
            "DELETE FROM spent WHERE workspace_id = $1 AND session_rid = $2",
            "DELETE FROM run WHERE workspace_id = $1 AND session_rid = $2",
        ] {
            on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(session).execute(c).await.map(drop))?;
        }
    }
    Ok(sessions)
}

async fn move_sessions(step: &mut Step<'_>, from: i64, to: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query("UPDATE session_source SET source_rid = $3 WHERE workspace_id = $1 AND source_rid = $2")
            .bind(step.workspace).bind(from).bind(to).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Deletes a source with its bytes.
pub(crate) async fn delete(step: &mut Step<'_>, rid: i64) -> Result<(), StoreError> {
    const DELETE: [&str; 4] = [
        "DELETE FROM erased_range WHERE workspace_id = $1 AND source_rid = $2",
        "DELETE FROM record_chunk WHERE workspace_id = $1 AND source_rid = $2",
        "DELETE FROM session_source WHERE workspace_id = $1 AND source_rid = $2",
        "DELETE FROM source WHERE workspace_id = $1 AND rid = $2",
    ];
    for sql in DELETE {
        on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(rid).execute(c).await.map(drop))?;
    }
    Ok(())
}
