//! Erased texts in the stored bytes of files.

use crate::StoreError;
use crate::masks::Masks;
use crate::pack::with_packer;
use crate::read::records::verified;
use crate::step::Step;
use crate::store::on_step;
use model::SourceId;

/// Bytes of files that are looked at together.
const TOGETHER: usize = 1 << 20;
/// Bytes before a text that tell whether it begins in an escape.
const BEFORE: usize = 16;

/// Bytes of a source as they are stored together.
struct Chunk {
    start: i64,
    len: usize,
}

/// Covers the texts in the stored bytes of a source that reach behind `from`, and notes where. Returns the number of new
/// places.
pub(crate) async fn cover_source(
    step: &mut Step<'_>,
    masks: &Masks,
    (rid, id): (i64, &SourceId),
    from: u64,
) -> Result<u64, StoreError> {
    let from = from.saturating_sub((masks.longest() + BEFORE) as u64) as i64;
    let first: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT MAX(start_at) FROM record_chunk WHERE workspace_id = $1 AND source_rid = $2 AND start_at <= $3",
        )
        .bind(step.workspace).bind(rid).bind(from).fetch_one(c).await
    })?;
    let mut after = first.unwrap_or_default() - 1;
    let (mut count, mut chunks, mut bytes) = (0, Vec::<Chunk>::new(), Vec::<u8>::new());
    loop {
        let row: Option<(i64, i64, Option<i64>, Vec<u8>)> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT start_at, len, crc, data FROM record_chunk WHERE workspace_id = $1 AND source_rid = $2 \
                 AND start_at > $3 ORDER BY start_at LIMIT 1",
            )
            .bind(step.workspace).bind(rid).bind(after).fetch_optional(c).await
        })?;
        let is_last = row.is_none();
        if let Some((start, len, crc, data)) = row {
            after = start;
            // Bytes that are damaged or lost can't be looked at, and those around them don't belong together.
            let Ok(part) = verified(id, (start, len), crc, &data) else {
                count += cover_chunks(step, masks, rid, &chunks, &mut bytes).await?;
                chunks.clear();
                bytes.clear();
                continue;
            };
            chunks.push(Chunk { start, len: part.len() });
            bytes.extend_from_slice(&part);
        }
        if is_last || bytes.len() >= TOGETHER {
            count += cover_chunks(step, masks, rid, &chunks, &mut bytes).await?;
            // A text may go on in the next chunk.
            while let Some(first) = chunks.first()
                && bytes.len() - first.len > masks.longest() + BEFORE
            {
                bytes.drain(..first.len);
                chunks.remove(0);
            }
        }
        if is_last {
            return Ok(count);
        }
    }
}

/// Covers the texts in chunks whose bytes these are.
async fn cover_chunks(
    step: &mut Step<'_>,
    masks: &Masks,
    rid: i64,
    chunks: &[Chunk],
    bytes: &mut [u8],
) -> Result<u64, StoreError> {
    let Some(begin) = chunks.first().map(|chunk| chunk.start) else { return Ok(0) };
    let found = masks.cover(bytes);
    let mut at = 0;
    for chunk in chunks {
        let range = at..at + chunk.len;
        at = range.end;
        if !found.iter().any(|text| text.start < range.end && text.end > range.start) {
            continue;
        }
        let part = &bytes[range];
        let (data, crc) = (with_packer(|packer| packer.pack(part))?, crc32fast::hash(part));
        on_step!(step, c => {
            sqlx::query(
                "UPDATE record_chunk SET data = $1, crc = $2 WHERE workspace_id = $3 AND source_rid = $4 AND start_at = $5",
            )
            .bind(&data).bind(i64::from(crc)).bind(step.workspace).bind(rid).bind(chunk.start)
            .execute(c).await.map(drop)
        })?;
    }
    for text in &found {
        note_range(step, rid, begin + text.start as i64, text.len() as i64).await?;
    }
    Ok(found.len() as u64)
}

/// Notes that stored bytes of a source aren't those of its file.
pub(crate) async fn note_range(step: &mut Step<'_>, rid: i64, start: i64, len: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO erased_range (workspace_id, source_rid, start_at, len) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, source_rid, start_at) DO UPDATE SET len = excluded.len",
        )
        .bind(step.workspace).bind(rid).bind(start).bind(len).execute(c).await.map(drop)
    })?;
    Ok(())
}
