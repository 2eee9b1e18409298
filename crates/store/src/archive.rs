//! A session with everything that hangs on it, as JSON lines. `docs/user/archive.md` has the format.
//!
//! - [`Archive`] writes: the bytes of the files, then the session's row, its blobs, its messages, and the rows of each
//!   table in [`PARTS`]. The same session always gives the same bytes.
//! - `write/restore.rs` reads. - `cells`: a row as an object.
//!
//! Message bodies are copied as they are stored, so that a message that is read back has the hash that it had.

pub(crate) mod cells;
mod lines;

use crate::archive::lines::Lines;
use crate::hex::hex;
use crate::pack::{Reference, unpack_references, unpacked_len};
use crate::read::messages::intact;
use crate::session_row::{SELECTED as SESSION_SELECTED, SESSION_COLUMNS, SessionRow};
use crate::step::table::{Kind, Table, Verb};
use crate::store::on;
use crate::{Blob, BlobReader, SourceChunk, StoreError, Workspace};
use cells::{bytes_json, cells, object};
use model::policy::model_may_read;
use model::source::Source;
use model::{Draft, SessionId, SourceId};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Version of the format. It grows when a reader of the version before can't read a line.
pub(crate) const VERSION: i64 = 1;
/// Prefix of the first line.
pub const BEGINS: &str = r#"{"verbatim":{"version":"#;
/// Messages, and bytes of them, that are read at once: one message at least.
const MESSAGES: i64 = 256;
const BYTES: u64 = 1 << 20;
/// Columns of a session that belong to the database, or follow from others.
pub(crate) const NOT_KEPT: [&str; 8] =
    ["rid", "changed_pos", "has_parent", "listed", "needs_you", "driven", "beats", "machine_id"];

/// A table whose rows belong to a session. The first column names the session; it isn't written.
pub(crate) struct ArchivePart {
    pub table: Table,
    order: &'static str,
    /// Rows that are read at once.
    rows: i64,
    /// A masked archive leaves it out: its texts are covered by a hash, or say how this server works.
    only_whole: bool,
}

macro_rules! part {
    ($name:literal by $session:literal $kind:ident, $order:literal, $rows:literal, $only_whole:literal:
     $($column:ident $Column:ident),+) => {
        ArchivePart {
            table: Table {
                name: $name,
                columns: Cow::Borrowed(&[($session, Kind::$kind), $((stringify!($column), Kind::$Column)),+]),
                has_workspace: true,
                verb: Verb::Insert(Cow::Borrowed("")),
            },
            order: $order,
            rows: $rows,
            only_whole: $only_whole,
        }
    };
}

/// All of them. `tests/conformance/archive.rs` compares them with the schema.
pub(crate) static PARTS: [ArchivePart; 7] = [
    part!("run" by "session_rid" Int, "id", 500, false:
        id Text, copied Int, model Text, started_at Int, ended_at Int, outcome Text, input Int, output Int,
        cache_read Int, cache_write Int, cost_usd Real, copied_input Int, copied_output Int, copied_cache_read Int,
        copied_cache_write Int, copied_cost_usd Real, format Text, placement Text, given_after Int, given_to Int,
        omitted_to Int),
    part!("spent" by "session_rid" Int, "run_id, id", 2000, false:
        id Text, run_id Text, copied Int, is_copy Int, input Int, output Int, cache_read Int, cache_write Int,
        cost_usd Real, cache_write_1h Int, model Text, began_at Int, ended_at Int, first_token_ms Int, stop_reason Text,
        context Int, message_id Text),
    part!("context_log" by "session_rid" Int, "position", 20, true:
        position Int, run_id Text, part Text, kind Text, seq Int, given_at Int, rendered Packed, same_as Int,
        hash Text),
    part!("delivery" by "session_rid" Int, "seq", 2000, false: seq Int, delivered_at Int),
    part!("read_position" by "session_rid" Int, "person", 2000, true: person Text, seq Int, read_at Int),
    part!("hook_request" by "session_id" Text, "message_id", 500, true: message_id Text, until Int, ended_at Int),
    part!("driven" by "session_id" Text, "started_at", 10, true:
        program Text, command Text, folder Text, mode Text, model Text, state Text, reason Text, started_at Int,
        ended_at Int, server Text),
];

/// Columns of a message that are written as they are. The id and the body are in its draft, and the hash follows from
/// that.
pub(crate) const MESSAGE: &[(&str, Kind)] = &[
    ("seq", Kind::Int),
    ("revision", Kind::Int),
    ("display", Kind::Int),
    ("copied", Kind::Int),
    ("is_copy", Kind::Int),
    ("twin", Kind::Text),
    ("lines_added", Kind::Int),
    ("lines_removed", Kind::Int),
    ("asks", Kind::Int),
    ("asks_input", Kind::Int),
    ("work", Kind::Int),
    ("received_at", Kind::Int),
    ("create_hash", Kind::Blob),
    ("queued_after", Kind::Int),
    ("queued", Kind::Int),
];
/// Columns of statistics for a message that is a tool call.
pub(crate) const TOOL: &[(&str, Kind)] = &[
    ("tool", Kind::Text),
    ("failed", Kind::Int),
    ("created_at", Kind::Int),
    ("call_id", Kind::Text),
    ("duration_ms", Kind::Int),
];

/// Masks the texts of a value.
pub type Mask = Arc<dyn Fn(&mut Value) + Send + Sync>;

/// Writes sessions, piece by piece.
pub struct Archive {
    workspace: Workspace,
    todo: VecDeque<Todo>,
    mask: Option<Mask>,
    /// A model may read it.
    is_for_model: bool,
    hash: Sha256,
    lines: u64,
    /// Files and blobs that are written already, by their ids.
    written: BTreeSet<String>,
}

/// The next parts to write. Most of them add further parts before the following ones.
enum Todo {
    Head,
    Session(SessionId),
    Source(Source),
    SourceBytes(Source, u64),
    Blob(Blob),
    BlobBytes(Box<BlobReader>, String),
    Row(Box<SessionRow>, Vec<String>, Vec<String>),
    Messages {
        rid: i64,
        id: String,
        after: i64,
        last: i64,
    },
    Rows {
        part: &'static ArchivePart,
        rid: i64,
        id: String,
        offset: i64,
    },
    /// Checks that the session is unchanged since its row was written.
    Unchanged(Box<SessionRow>),
    End,
}

impl Workspace {
    /// Writes these sessions, in this order. With a mask their texts are masked, and files, blobs and logs are left
    /// out, since what is masked isn't what they were.
    pub fn archive(&self, sessions: Vec<SessionId>, mask: Option<Mask>) -> Archive {
        let sessions = sessions.into_iter().map(Todo::Session);
        let todo = std::iter::once(Todo::Head).chain(sessions).chain([Todo::End]).collect();
        let (hash, written) = (Sha256::new(), BTreeSet::new());
        Archive { workspace: self.clone(), todo, mask, is_for_model: false, hash, lines: 0, written }
    }

    async fn session_row(&self, id: &SessionId) -> Result<SessionRow, StoreError> {
        let row: Option<SessionRow> = on!(&self.store, pool => {
            sqlx::query_as(AssertSqlSafe(format!(
                "SELECT {} FROM session WHERE workspace_id = $1 AND id = $2", &*SESSION_SELECTED
            )))
            .bind(self.id()).bind(id.as_str()).fetch_optional(pool).await
        })?;
        row.ok_or_else(|| StoreError::Archive(format!("session `{id}` was deleted meanwhile")))
    }

    /// Returns how many files belong to a session.
    pub async fn session_blob_count(&self, session: &SessionId) -> Result<i64, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM session_blob l JOIN session s ON s.workspace_id = l.workspace_id \
                 AND s.rid = l.session_rid WHERE l.workspace_id = $1 AND s.id = $2",
            )
            .bind(self.id()).bind(session.as_str()).fetch_one(pool).await
        })?)
    }

    /// The files that people or agents sent to a session, those that aren't stored left out.
    async fn session_blobs(&self, rid: i64) -> Result<Vec<Blob>, StoreError> {
        let digests: Vec<String> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT sha256 FROM session_blob WHERE workspace_id = $1 AND session_rid = $2 ORDER BY sha256",
            )
            .bind(self.id()).bind(rid).fetch_all(pool).await
        })?;
        let mut blobs = Vec::with_capacity(digests.len());
        for digest in digests {
            blobs.extend(self.blob(&digest).await?);
        }
        Ok(blobs)
    }
}

impl Archive {
    /// Leaves out what no model may be given: what such messages say, and files with messages of the host.
    #[must_use]
    pub fn for_model(self) -> Self {
        Self { is_for_model: true, ..self }
    }

    /// Returns the next lines; None at the end.
    ///
    /// # Errors
    ///
    /// Fails where something is damaged, or changed since its session was begun: what was written so far is no archive
    /// then, and lacks its last line.
    pub async fn next_piece(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        while let Some(todo) = self.todo.pop_front() {
            let mut lines = Lines::default();
            self.write(todo, &mut lines).await?;
            let (piece, count) = lines.finish();
            if !piece.is_empty() {
                self.hash.update(&piece);
                self.lines += count;
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    async fn write(&mut self, todo: Todo, lines: &mut Lines) -> Result<(), StoreError> {
        match todo {
            Todo::Head => {
                let mut head = json!({ "version": VERSION });
                if self.mask.is_some() {
                    head["masked"] = json!(true);
                }
                lines.push("verbatim", &head)
            }
            Todo::Session(id) => self.begin_session(&id).await,
            Todo::Source(source) => {
                let erased = self.workspace.erased_ranges(&source.id).await?;
                let mut line = source_json(&source);
                if !erased.is_empty() {
                    line["sha256"] = json!(self.workspace.stored_sha256(&source.id).await?);
                    line["erased"] = json!(erased);
                }
                lines.push("source", &line)?;
                self.todo.push_front(Todo::SourceBytes(source, 0));
                Ok(())
            }
            Todo::SourceBytes(source, offset) => self.source_bytes(source, offset, lines).await,
            Todo::Blob(blob) => {
                lines.push("blob", &json!({ "sha256": blob.sha256, "mime": blob.mime, "size": blob.size }))?;
                let reader = self.workspace.read_blob(&blob, 0..blob.size);
                self.todo.push_front(Todo::BlobBytes(Box::new(reader), blob.sha256));
                Ok(())
            }
            Todo::BlobBytes(mut reader, sha256) => {
                if let Some(bytes) = reader.next_part().await? {
                    lines.push("blob_bytes", &json!({ "sha256": sha256, "bytes": bytes_json(&bytes) }))?;
                    self.todo.push_front(Todo::BlobBytes(reader, sha256));
                }
                Ok(())
            }
            Todo::Row(row, sources, blobs) => {
                let mut session = object(SESSION_COLUMNS, &row.values());
                session.retain(|name, _| !NOT_KEPT.contains(&name.as_str()));
                session.insert("sources".to_owned(), json!(sources));
                session.insert("blobs".to_owned(), json!(blobs));
                self.push(lines, "session", Value::Object(session))
            }
            Todo::Messages { rid, id, after, last } => self.messages(rid, id, (after, last), lines).await,
            Todo::Rows { part, rid, id, offset } => self.rows(part, rid, id, offset, lines).await,
            Todo::Unchanged(row) => {
                let id = SessionId::parse(row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
                let now = self.workspace.session_row(&id).await?;
                if now == *row {
                    return Ok(());
                }
                Err(StoreError::Archive(format!("session `{id}` changed while it was written")))
            }
            Todo::End => {
                let sha256 = hex(&self.hash.clone().finalize());
                lines.push("end", &json!({ "lines": self.lines, "sha256": sha256 }))
            }
        }
    }

    async fn begin_session(&mut self, id: &SessionId) -> Result<(), StoreError> {
        let row = self.workspace.session_row(id).await?;
        let (rid, last, name) = (row.rid, row.last_seq, row.id.clone());
        let (mut before, mut sources, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
        if self.mask.is_none() {
            for source in self.workspace.session_sources(id).await? {
                if self.is_for_model && self.workspace.has_host_records(id, &source.id).await? {
                    continue;
                }
                sources.push(source.id.to_string());
                if self.written.insert(format!("source {}", source.id)) {
                    before.push(Todo::Source(source));
                }
            }
            for blob in self.workspace.session_blobs(rid).await? {
                blobs.push(blob.sha256.clone());
                if self.written.insert(format!("blob {}", blob.sha256)) {
                    before.push(Todo::Blob(blob));
                }
            }
        }
        let parts = PARTS.iter().filter(|part| self.mask.is_none() || !part.only_whole);
        let rows = parts.map(|part| Todo::Rows { part, rid, id: name.clone(), offset: 0 }).collect::<Vec<_>>();
        let todo = before
            .into_iter()
            .chain([Todo::Row(Box::new(row.clone()), sources, blobs), Todo::Messages { rid, id: name, after: 0, last }])
            .chain(rows)
            .chain([Todo::Unchanged(Box::new(row))])
            .collect::<Vec<_>>();
        for todo in todo.into_iter().rev() {
            self.todo.push_front(todo);
        }
        Ok(())
    }

    async fn source_bytes(&mut self, source: Source, offset: u64, lines: &mut Lines) -> Result<(), StoreError> {
        if source.size == 0 {
            return Ok(());
        }
        let changed = || StoreError::Archive(format!("`{}` changed while it was written", source.path));
        let chunk = self.workspace.source_chunk(&source.id, offset).await?;
        let SourceChunk { bytes, next } = chunk.ok_or_else(changed)?;
        if offset + bytes.len() as u64 > source.size {
            return Err(changed());
        }
        lines.push("bytes", &json!({ "source": source.id, "offset": offset, "bytes": bytes_json(&bytes) }))?;
        if let Some(next) = next.filter(|next| *next < source.size) {
            self.todo.push_front(Todo::SourceBytes(source, next));
        }
        Ok(())
    }

    async fn messages(
        &mut self,
        rid: i64,
        id: String,
        (after, last): (i64, i64),
        lines: &mut Lines,
    ) -> Result<(), StoreError> {
        let workspace = self.workspace.clone();
        // A body begins with its length.
        let heads: Vec<(i64, Vec<u8>)> = on!(&workspace.store, pool => {
            sqlx::query_as(
                "SELECT seq, SUBSTR(body, 1, 5) FROM message WHERE workspace_id = $1 AND session_rid = $2 AND seq > $3 \
                 AND seq <= $4 ORDER BY seq LIMIT $5",
            )
            .bind(workspace.id()).bind(rid).bind(after).bind(last).bind(MESSAGES).fetch_all(pool).await
        })?;
        let mut bytes = 0;
        let fits = heads.iter().enumerate().take_while(|(index, (_, head))| {
            bytes += unpacked_len(head);
            *index == 0 || bytes <= BYTES
        });
        let Some((_, (to, _))) = fits.last() else { return Ok(()) };
        let columns = |of: &str, columns: &[(&str, Kind)]| {
            columns.iter().map(|(name, _)| format!("{of}.{name}")).collect::<Vec<_>>().join(", ")
        };
        let sql = format!(
            "SELECT {}, {}, m.records, m.hash, m.body FROM message m LEFT JOIN tool_use t ON t.workspace_id = m.workspace_id \
             AND t.session_rid = m.session_rid AND t.message_rid = m.rid \
             WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq > $3 AND m.seq <= $4 ORDER BY m.seq",
            columns("m", MESSAGE),
            columns("t", TOOL)
        );
        let (tool_at, rest_at) = (MESSAGE.len(), MESSAGE.len() + TOOL.len());
        let rows: Vec<Stored> = on!(&workspace.store, pool => {
            sqlx::query(AssertSqlSafe(sql.clone()))
            .bind(workspace.id()).bind(rid).bind(after).bind(*to).fetch_all(pool).await.and_then(|rows| {
                rows.iter().map(|row| {
                    use sqlx::Row as _;
                    Ok(Stored {
                        fields: cells(row, 0, MESSAGE)?,
                        tool: cells(row, tool_at, TOOL)?,
                        records: row.try_get(rest_at)?,
                        hash: row.try_get(rest_at + 1)?,
                        body: row.try_get(rest_at + 2)?,
                    })
                }).collect()
            })
        })?;
        for row in rows {
            self.message(&id, row, lines).await?;
        }
        self.todo.push_front(Todo::Messages { rid, id, after: *to, last });
        Ok(())
    }

    async fn message(&self, session: &str, row: Stored, lines: &mut Lines) -> Result<(), StoreError> {
        let Stored { mut fields, tool, records, hash, body } = row;
        let number = |name: &str| fields.get(name).and_then(Value::as_i64).unwrap_or_default();
        let (seq, display) = (number("seq"), number("display"));
        let damaged = || StoreError::DamagedMessage { session: session.to_owned(), seq };
        let json = intact(&body, display as i16, &hash).ok_or_else(damaged)?;
        drop(body);
        if !tool.is_empty() {
            fields.insert("tool".to_owned(), Value::Object(tool));
        }
        if self.is_for_model {
            let draft: Draft = serde_json::from_slice(&json).map_err(|_| damaged())?;
            if !model_may_read(&draft) {
                fields.remove("tool");
                fields
                    .insert("draft".to_owned(), serde_json::to_value(draft.without_content()).map_err(|_| damaged())?);
                return lines.push("message", &Value::Object(fields));
            }
        }
        if let Some(mask) = &self.mask {
            let mut draft: Value = serde_json::from_slice(&json).map_err(|_| damaged())?;
            mask(&mut draft);
            fields.insert("draft".to_owned(), draft);
            return lines.push("message", &Value::Object(fields));
        }
        let references = unpack_references(&records)?;
        let records = self.records(&references).await?;
        if !records.is_empty() {
            fields.insert("records".to_owned(), Value::Array(records));
        }
        let draft = String::from_utf8(json).map_err(|_| damaged())?;
        let draft = RawValue::from_string(draft).map_err(|_| damaged())?;
        lines.push_with("message", fields, "draft", &draft)
    }

    async fn records(&self, references: &[Reference]) -> Result<Vec<Value>, StoreError> {
        let rids: BTreeSet<i64> = references.iter().map(|reference| reference.source).collect();
        let ids = self.workspace.source_ids(&rids.into_iter().collect::<Vec<_>>()).await?;
        let record = |reference: &Reference| {
            let source: &SourceId = ids.get(&reference.source)?;
            // A file that isn't for a model isn't named either.
            let is_here = !self.is_for_model || self.written.contains(&format!("source {source}"));
            is_here.then(|| json!({ "source": source, "offset": reference.offset, "len": reference.len }))
        };
        Ok(references.iter().filter_map(record).collect())
    }

    async fn rows(
        &mut self,
        part: &'static ArchivePart,
        rid: i64,
        id: String,
        offset: i64,
        lines: &mut Lines,
    ) -> Result<(), StoreError> {
        let workspace = self.workspace.clone();
        let Some((&(session, kind), columns)) = part.table.columns.split_first() else { return Ok(()) };
        let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT {names} FROM {} WHERE workspace_id = $1 AND {session} = $2 ORDER BY {} LIMIT {} OFFSET {offset}",
            part.table.name, part.order, part.rows
        );
        let found: Vec<Map<String, Value>> = on!(&workspace.store, pool => {
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(workspace.id());
            let query = if kind == Kind::Int { query.bind(rid) } else { query.bind(id.clone()) };
            query.fetch_all(pool).await.and_then(|rows| rows.iter().map(|row| cells(row, 0, columns)).collect())
        })?;
        let count = found.len() as i64;
        for row in found {
            self.push(lines, part.table.name, Value::Object(row))?;
        }
        if count == part.rows {
            self.todo.push_front(Todo::Rows { part, rid, id, offset: offset + count });
        }
        Ok(())
    }

    fn push(&self, lines: &mut Lines, kind: &str, mut value: Value) -> Result<(), StoreError> {
        if let Some(mask) = &self.mask {
            mask(&mut value);
        }
        lines.push(kind, &value)
    }
}

/// A message as its row.
struct Stored {
    fields: Map<String, Value>,
    tool: Map<String, Value>,
    records: Vec<u8>,
    hash: Vec<u8>,
    body: Vec<u8>,
}

fn source_json(source: &Source) -> Value {
    let mut line = json!({
        "id": source.id, "path": source.path, "size": source.size, "sha256": source.sha256, "reader": source.reader,
        "reader_version": source.reader_version, "imported_at": source.imported_at.0,
    });
    if let Some(at) = source.modified_at {
        line["modified_at"] = json!(at.0);
    }
    line
}
