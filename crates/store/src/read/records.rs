//! Sources, their bytes, and blobs.

use super::corrupt;
use crate::columns::columns;
use crate::pack::unpack;
use crate::store::on;
use crate::{FileSession, SourceChunk, StoreError, Workspace};
use model::source::{PACKED, Source};
use model::{Micros, SessionId, SourceId};
use sqlx::QueryBuilder;
use std::collections::HashMap;

columns! {
    struct SourceRow {
        id: String,
        path: String,
        size: i64,
        sha256: String,
        reader: String,
        reader_version: i64,
        modified_at: Option<i64>,
        imported_at: i64,
    }
}

columns! {
    /// A chunk, and how many bytes its source has.
    struct ChunkRow {
        size: i64,
        start_at: i64,
        len: i64,
        crc: Option<i64>,
        data: Vec<u8>,
    }
}

/// How many bytes a source has; of a chunk, where there is one: its length, its checksum and what is packed.
type Next = (i64, Option<i64>, Option<i64>, Option<Vec<u8>>);

const COLUMNS: &str = "s.id, s.path, s.size, s.sha256, s.reader, s.reader_version, s.modified_at, s.imported_at";

impl SourceRow {
    fn into_source(self) -> Result<Source, StoreError> {
        Ok(Source {
            id: SourceId::parse(self.id).map_err(corrupt)?,
            path: self.path,
            size: self.size as u64,
            sha256: self.sha256,
            reader: self.reader,
            reader_version: self.reader_version as i32,
            modified_at: self.modified_at.map(Micros),
            imported_at: Micros(self.imported_at),
        })
    }
}

/// The bytes of a chunk, given its place in the source (start, length) and its checksum, where that is known. Where
/// they are lost, a recovery left a chunk of nothing.
pub(crate) fn verified(
    source: &SourceId,
    (start, len): (i64, i64),
    crc: Option<i64>,
    packed: &[u8],
) -> Result<Vec<u8>, StoreError> {
    let (source_id, offset, length) = (source.clone(), start as u64, len as u64);
    if packed.is_empty() {
        return Err(StoreError::LostRecord { source_id, offset, len: length });
    }
    whole(len, crc, packed).ok_or(StoreError::DamagedRecord { source_id, offset, len: length })
}

/// None if they aren't what was written.
pub(crate) fn whole(len: i64, crc: Option<i64>, packed: &[u8]) -> Option<Vec<u8>> {
    let bytes = unpack(packed).ok().filter(|bytes| bytes.len() as i64 == len)?;
    crc.is_none_or(|crc| crc == i64::from(crc32fast::hash(&bytes))).then_some(bytes)
}

impl Workspace {
    pub async fn source(&self, id: &SourceId) -> Result<Option<Source>, StoreError> {
        Ok(self.sources_where("s.id = ", Some(id.as_str())).await?.pop())
    }

    /// The one that was imported last, where several had the path.
    pub async fn source_by_path(&self, path: &str) -> Result<Option<Source>, StoreError> {
        Ok(self.sources_where("s.path = ", Some(path)).await?.pop())
    }

    /// In the order of their first import.
    pub async fn sources(&self) -> Result<Vec<Source>, StoreError> {
        self.sources_where("", None).await
    }

    /// The sources that a session's messages came from.
    pub async fn session_sources(&self, session: &SessionId) -> Result<Vec<Source>, StoreError> {
        // Messages have no bytes in a packed file.
        let of_session = format!(
            "s.reader <> '{PACKED}' AND s.rid IN (SELECT l.source_rid FROM session_source l JOIN session o \
            ON o.workspace_id = l.workspace_id AND o.rid = l.session_rid WHERE l.workspace_id = s.workspace_id AND o.id = "
        );
        self.sources_where(&of_session, Some(session.as_str())).await
    }

    /// Paths of the files that the session with this id of an agent came from. Empty if there is no such session.
    pub async fn paths_of_key(&self, agent: &str, key: &str) -> Result<Vec<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT f.path FROM session s \
                 JOIN session_source l ON l.workspace_id = s.workspace_id AND l.session_rid = s.rid \
                 JOIN source f ON f.workspace_id = l.workspace_id AND f.rid = l.source_rid \
                 WHERE s.workspace_id = $1 AND s.agent = $2 AND s.key = $3 ORDER BY f.rid",
            )
            .bind(self.id()).bind(agent).bind(key).fetch_all(pool).await
        })?)
    }

    /// Which sessions each file holds; files in the order of their first import.
    pub async fn file_sessions(&self) -> Result<Vec<FileSession>, StoreError> {
        let rows: Vec<(String, String, Option<String>, Option<String>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT f.path, s.key, s.parent_key, s.project FROM session_source l \
                 JOIN source f ON f.workspace_id = l.workspace_id AND f.rid = l.source_rid \
                 JOIN session s ON s.workspace_id = l.workspace_id AND s.rid = l.session_rid \
                 WHERE l.workspace_id = $1 ORDER BY f.rid, s.rid",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let file_session = |(path, key, parent_key, project)| FileSession { path, key, parent_key, project };
        Ok(rows.into_iter().map(file_session).collect())
    }

    async fn sources_where(&self, condition: &str, value: Option<&str>) -> Result<Vec<Source>, StoreError> {
        let rows: Vec<SourceRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!("SELECT {COLUMNS} FROM source s WHERE s.workspace_id = "));
            q.push_bind(self.id());
            if let Some(value) = value {
                q.push(" AND ").push(condition).push_bind(value);
                q.push(if condition.contains('(') { ")" } else { "" });
            }
            q.push(" ORDER BY s.rid").build_query_as().fetch_all(pool).await
        })?;
        rows.into_iter().map(SourceRow::into_source).collect()
    }

    /// `len` stored bytes at `offset`; None if the source doesn't hold them all.
    pub async fn record(&self, source: &SourceId, offset: u64, len: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let end = offset.saturating_add(len);
        let rows: Vec<ChunkRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT s.size, c.start_at, c.len, c.crc, c.data FROM source s JOIN record_chunk c \
                 ON c.workspace_id = s.workspace_id AND c.source_rid = s.rid \
                 WHERE s.workspace_id = $1 AND s.id = $2 AND c.start_at < $4 AND c.start_at >= \
                 (SELECT MAX(b.start_at) FROM record_chunk b WHERE b.workspace_id = s.workspace_id \
                 AND b.source_rid = s.rid AND b.start_at <= $3) ORDER BY c.start_at",
            )
            .bind(self.id()).bind(source.as_str()).bind(offset as i64).bind(end.max(offset + 1) as i64)
            .fetch_all(pool).await
        })?;
        let Some(&ChunkRow { size, start_at: start, .. }) = rows.first() else { return Ok(None) };
        if end > size as u64 {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for ChunkRow { start_at, len, crc, data, .. } in &rows {
            bytes.extend(self.store.monitor().observe(verified(source, (*start_at, *len), *crc, data))?);
        }
        let from = (offset - start as u64) as usize;
        let found = bytes.get(from..from + len as usize);
        found.map(|found| Some(found.to_vec())).ok_or_else(|| corrupt(format_args!("bytes of source `{source}`")))
    }

    /// The next stored bytes of a source from `offset` on: call with 0, then with `next` until it is None.
    /// None if there is no such source, or `offset` isn't the start of a chunk.
    pub async fn source_chunk(&self, source: &SourceId, offset: u64) -> Result<Option<SourceChunk>, StoreError> {
        let row: Option<Next> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT s.size, c.len, c.crc, c.data FROM source s LEFT JOIN record_chunk c \
                 ON c.workspace_id = s.workspace_id AND c.source_rid = s.rid AND c.start_at = $3 \
                 WHERE s.workspace_id = $1 AND s.id = $2",
            )
            .bind(self.id()).bind(source.as_str()).bind(offset as i64).fetch_optional(pool).await
        })?;
        Ok(match row {
            Some((size, Some(len), crc, Some(data))) => {
                let next = offset + len as u64;
                let bytes = self.store.monitor().observe(verified(source, (offset as i64, len), crc, &data))?;
                Some(SourceChunk { bytes, next: (next < size as u64).then_some(next) })
            }
            Some((0, ..)) if offset == 0 => Some(SourceChunk { bytes: Vec::new(), next: None }),
            _ => None,
        })
    }

    /// Ids of the sources with these rids; rewritten and forgotten ones are missing.
    pub(crate) async fn source_ids(&self, rids: &[i64]) -> Result<HashMap<i64, SourceId>, StoreError> {
        if rids.is_empty() {
            return Ok(HashMap::new());
        }
        let rows: Vec<(i64, String)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("SELECT rid, id FROM source WHERE workspace_id = ");
            q.push_bind(self.id()).push(" AND rid IN (");
            let mut list = q.separated(", ");
            for rid in rids {
                list.push_bind(*rid);
            }
            list.push_unseparated(")");
            q.build_query_as().persistent(rids.len() == 1).fetch_all(pool).await
        })?;
        rows.into_iter().map(|(rid, id)| Ok((rid, SourceId::parse(id).map_err(corrupt)?))).collect()
    }
}
