//! Sessions from an archive: rows as they were, with numbers of this database. Everything comes in one transaction, so
//! that of an archive that is torn, changed or here already nothing is stored.

mod message;
mod session;

use super::covered::{cover_source, note_range};
use super::messages::MESSAGE_SEARCH;
use super::messages::files::FILE_CHANGE;
use super::messages::memory::MEMORY;
use crate::archive::cells::{Fields, Held, bytes};
use crate::archive::{PARTS, VERSION};
use crate::blobs;
use crate::hex::hex;
use crate::masks::Masks;
use crate::pack::Packer;
use crate::step::Step;
use crate::step::table::Kind;
use crate::step::table::{Row, Value as Cell};
use crate::store::on_step;
use crate::{Derive, DrivenState, StoreError, Workspace};
use message::{MESSAGE_ROW, RestoredMessage, TOOL_USE};
use model::{Micros, SessionId, SourceId};
use serde::Deserialize;
use serde_json::value::RawValue;
use session::Open;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeSet, HashMap};

/// Messages, and bytes of them, that are written at once.
const MESSAGES: usize = 64;
const BYTES: usize = 1 << 20;

/// Gives the next line of an archive, without its end; None behind the last one.
pub type NextLine<'a> = &'a mut (dyn FnMut() -> std::io::Result<Option<String>> + Send);

/// Result of a restored archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    pub sessions: Vec<SessionId>,
    pub messages: u64,
    /// Position of the feed after it.
    pub pos: i64,
}

#[derive(Deserialize)]
struct SourceLine {
    id: String,
    path: String,
    size: i64,
    sha256: String,
    reader: String,
    reader_version: i64,
    imported_at: i64,
    #[serde(default)]
    modified_at: Option<i64>,
    /// Where the bytes aren't those of the file: offset and length.
    #[serde(default)]
    erased: Vec<(i64, i64)>,
}

/// A file whose bytes come.
struct OpenSource {
    line: SourceLine,
    rid: i64,
    /// It is here already: its bytes are compared, not stored.
    known: bool,
    size: i64,
    hash: Sha256,
}

#[derive(Deserialize)]
struct BlobLine {
    sha256: String,
    mime: String,
    size: u64,
}

/// A blob whose bytes come.
struct OpenBlob {
    line: BlobLine,
    /// It is new: its pieces are stored.
    new: bool,
    /// Upload id of a value that is in pieces.
    upload: Option<String>,
    size: u64,
    hash: Sha256,
}

struct Restoring<'a, 'b> {
    step: &'a mut Step<'b>,
    packer: Packer,
    derive: Derive,
    masks: Masks,
    sources: HashMap<String, i64>,
    source: Option<OpenSource>,
    blob: Option<OpenBlob>,
    session: Option<Open>,
    waiting: Vec<RestoredMessage>,
    waiting_bytes: usize,
    done: Restored,
}

impl Workspace {
    /// Stores the sessions of an archive.
    ///
    /// # Errors
    ///
    /// [`StoreError::Archive`] names the line and says what is wrong with it. Nothing is stored then.
    pub async fn restore(&self, now: Micros, next: NextLine<'_>, derive: Derive) -> Result<Restored, StoreError> {
        let masks = self.masks().await?;
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        if masks.count() as i64 != step.erased {
            return Err(StoreError::TextErased);
        }
        let mut restoring = Restoring {
            step: &mut step,
            packer: Packer::new()?,
            derive,
            masks,
            sources: HashMap::new(),
            source: None,
            blob: None,
            session: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            done: Restored::default(),
        };
        let mut number = 0_u64;
        while let Some(mut line) = next()? {
            number += 1;
            if restoring.step.erased > 0 {
                restoring.masks.cover_text(&mut line);
            }
            restoring.line(&line).await.map_err(|error| match error {
                StoreError::Archive(reason) => StoreError::Archive(format!("line {number}: {reason}")),
                other => other,
            })?;
        }
        restoring.end().await?;
        let mut done = restoring.done;
        step.end().await?;
        done.pos = step.feed_pos;
        tx.commit().await?;
        Ok(done)
    }
}

impl Restoring<'_, '_> {
    async fn line(&mut self, line: &str) -> Result<(), StoreError> {
        let mut outer: Fields = parsed(line)?;
        let (Some((kind, raw)), true) = (outer.pop_first(), outer.is_empty()) else {
            return Err(wrong("expected an object with one field, which says what the line is"));
        };
        if kind != "message" {
            self.flush().await?;
        }
        match kind.as_str() {
            "verbatim" => head(&raw),
            "source" => {
                self.close_source().await?;
                self.begin_source(parsed(raw.get())?).await
            }
            "bytes" => self.bytes(parsed(raw.get())?).await,
            "blob" => {
                self.close_blob()?;
                self.begin_blob(parsed(raw.get())?).await
            }
            "blob_bytes" => self.blob_bytes(parsed(raw.get())?).await,
            "session" => {
                self.close().await?;
                self.session = Some(session::begin(self.step, &self.sources, parsed(raw.get())?).await?);
                Ok(())
            }
            "message" => self.message(parsed(raw.get())?).await,
            "end" => Ok(()),
            name => self.row(name, parsed(raw.get())?).await,
        }
    }

    async fn begin_source(&mut self, line: SourceLine) -> Result<(), StoreError> {
        let found: Option<(i64, i64, String, i64)> = on_step!(self.step, c => {
            sqlx::query_as(
                "SELECT s.rid, s.size, s.sha256, (SELECT COUNT(*) FROM record_chunk c WHERE c.workspace_id = s.workspace_id \
                 AND c.source_rid = s.rid) FROM source s WHERE s.workspace_id = $1 AND s.id = $2",
            )
                .bind(self.step.workspace).bind(&line.id).fetch_optional(c).await
        })?;
        let (rid, is_new, known) = match found {
            // The bytes of one whose sessions were deleted for good are gone.
            Some((rid, size, sha256, chunks)) if (size, &sha256) == (line.size, &line.sha256) => {
                (rid, false, chunks > 0)
            }
            Some(_) => return Err(wrong(format!("the file `{}` is stored already, with other bytes", line.path))),
            None => (self.step.rid(), true, false),
        };
        if is_new {
            on_step!(self.step, c => {
                sqlx::query(
                    "INSERT INTO source (rid, workspace_id, id, path, size, sha256, reader, reader_version, imported_at, \
                     modified_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                )
                .bind(rid).bind(self.step.workspace).bind(&line.id).bind(&line.path).bind(line.size).bind(&line.sha256)
                .bind(&line.reader).bind(line.reader_version).bind(line.imported_at).bind(line.modified_at)
                .execute(c).await.map(drop)
            })?;
            for (start, len) in &line.erased {
                note_range(self.step, rid, *start, *len).await?;
            }
        }
        self.sources.insert(line.id.clone(), rid);
        self.source = Some(OpenSource { line, rid, known, size: 0, hash: Sha256::new() });
        Ok(())
    }

    async fn bytes(&mut self, mut line: Fields) -> Result<(), StoreError> {
        let bytes = content(&mut line)?;
        let offset = number(&mut line, "offset")?;
        let Some(source) = &mut self.source else { return Err(wrong("expected the `source` that the bytes are of")) };
        if offset != source.size {
            return Err(wrong(format!("`offset`: expected {}, where the bytes before end; got {offset}", source.size)));
        }
        source.hash.update(&bytes);
        source.size += bytes.len() as i64;
        if source.known {
            return Ok(());
        }
        let (data, crc) = (self.packer.pack(&bytes)?, i64::from(crc32fast::hash(&bytes)));
        let rid = source.rid;
        on_step!(self.step, c => {
            sqlx::query(
                "INSERT INTO record_chunk (workspace_id, source_rid, start_at, len, data, crc) VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(self.step.workspace).bind(rid).bind(offset).bind(bytes.len() as i64).bind(&data).bind(crc)
            .execute(c).await.map(drop)
        })?;
        Ok(())
    }

    async fn close_source(&mut self) -> Result<(), StoreError> {
        let Some(source) = self.source.take() else { return Ok(()) };
        if source.size != source.line.size || hex(&source.hash.finalize()) != source.line.sha256 {
            return Err(wrong(format!(
                "the bytes of the file `{}` aren't those that `sha256` names",
                source.line.path
            )));
        }
        if self.step.erased > 0 && !source.known {
            let id = SourceId::parse(source.line.id).map_err(|error| wrong(error.to_string()))?;
            cover_source(self.step, &self.masks, (source.rid, &id), 0).await?;
        }
        Ok(())
    }

    async fn begin_blob(&mut self, line: BlobLine) -> Result<(), StoreError> {
        self.close_source().await?;
        let in_pieces = line.size > blobs::PIECE as u64;
        let upload = in_pieces.then(|| format!("archive-{}", line.sha256));
        let mut new = false;
        if let Some(upload) = &upload {
            let pieces = Some((upload.as_str(), line.size));
            self.step.flush().await?;
            let row = (line.sha256.as_str(), line.mime.as_str());
            new = blobs::insert_row(self.step.tx, self.step.workspace, row, pieces, Vec::new()).await?;
        }
        self.blob = Some(OpenBlob { line, new, upload, size: 0, hash: Sha256::new() });
        Ok(())
    }

    async fn blob_bytes(&mut self, mut line: Fields) -> Result<(), StoreError> {
        let bytes = content(&mut line)?;
        let Some(blob) = &mut self.blob else { return Err(wrong("expected the `blob` that the bytes are of")) };
        blob.hash.update(&bytes);
        let start = blob.size;
        blob.size += bytes.len() as u64;
        self.step.flush().await?;
        let (tx, workspace) = (&mut *self.step.tx, self.step.workspace);
        match &blob.upload {
            Some(upload) if blob.new => blobs::insert_piece(tx, workspace, upload, start, bytes).await,
            Some(_) => Ok(()),
            None => {
                let row = (blob.line.sha256.as_str(), blob.line.mime.as_str());
                blobs::insert_row(tx, workspace, row, None, bytes).await.map(drop)
            }
        }
    }

    fn close_blob(&mut self) -> Result<(), StoreError> {
        let Some(blob) = self.blob.take() else { return Ok(()) };
        if blob.size != blob.line.size || hex(&blob.hash.finalize()) != blob.line.sha256 {
            return Err(wrong(format!("the bytes of the blob `{}` aren't those that it names", blob.line.sha256)));
        }
        Ok(())
    }

    async fn message(&mut self, line: Fields) -> Result<(), StoreError> {
        let Some(session) = &mut self.session else { return Err(wrong("expected a `session` before its messages")) };
        let rid = self.step.rid();
        let message = message::read(line, (rid, session), &self.sources, &mut self.packer, self.derive)?;
        self.waiting_bytes += message.bytes();
        self.waiting.push(message);
        if self.waiting.len() == MESSAGES || self.waiting_bytes >= BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    /// Writes the messages that wait.
    async fn flush(&mut self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let rows: Vec<Row<'_>> = waiting.iter().map(RestoredMessage::row).collect();
        self.step.write(&MESSAGE_ROW, &rows).await?;
        let tools: Vec<Row<'_>> = waiting.iter().filter_map(RestoredMessage::tool_row).collect();
        self.step.write(&TOOL_USE, &tools).await?;
        let files: Vec<Row<'_>> = waiting.iter().flat_map(RestoredMessage::file_rows).collect();
        self.step.write(&FILE_CHANGE, &files).await?;
        let words: Vec<Row<'_>> =
            waiting.iter().filter_map(|it| Some(vec![it.rid.into(), it.words.as_deref()?.into()])).collect();
        self.step.write(&MESSAGE_SEARCH, &words).await?;
        let remembered = waiting.iter().filter(|it| it.remembered);
        let memory: Vec<Row<'_>> = remembered.map(|it| vec![it.rid.into(), it.session_rid.into()]).collect();
        self.step.write(&MEMORY, &memory).await
    }

    async fn row(&mut self, name: &str, mut line: Fields) -> Result<(), StoreError> {
        let Some(part) = PARTS.iter().find(|part| part.table.name == name) else {
            return Err(wrong(format!("`{name}` is no line that this version of Verbatim knows")));
        };
        let Some(session) = &self.session else { return Err(wrong("expected a `session` before its rows")) };
        let Some((&(key, _), columns)) = part.table.columns.split_first() else { return Ok(()) };
        let held = columns.iter().map(|(name, kind)| Held::take(&mut line, name, *kind));
        let mut held: Vec<Held> = held.collect::<Result<_, _>>().map_err(StoreError::Archive)?;
        nothing_left(&line)?;
        if part.table.name == "driven" {
            forget_start(columns, &mut held);
        }
        let id = if key == "session_id" { Cell::Text(Some(session.id())) } else { session.rid.into() };
        let cells = std::iter::once(id).chain(held.iter().map(Held::cell)).collect();
        self.step.write(&part.table, &[cells]).await
    }

    async fn close(&mut self) -> Result<(), StoreError> {
        self.close_source().await?;
        self.close_blob()?;
        if let Some(session) = self.session.take() {
            let id = session::finish(self.step, &session).await?;
            self.done.messages += session.last_seq.unsigned_abs();
            self.done.sessions.push(id);
        }
        Ok(())
    }

    async fn end(&mut self) -> Result<(), StoreError> {
        self.flush().await?;
        self.close().await?;
        if self.done.sessions.is_empty() {
            return Err(wrong("the archive holds no session"));
        }
        Ok(())
    }
}

/// Nobody here chose how the agent was started: its next start takes nothing of that, and it runs nowhere.
fn forget_start(columns: &[(&str, Kind)], held: &mut [Held]) {
    for ((name, _), held) in columns.iter().zip(held) {
        match (*name, &*held) {
            ("folder", _) => *held = Held::Text(Some(String::new())),
            ("command" | "mode" | "model" | "server", _) => *held = Held::Text(None),
            ("state", Held::Text(Some(state))) if state == DrivenState::Running.as_str() => {
                *held = Held::Text(Some(DrivenState::Interrupted.as_str().to_owned()));
            }
            _ => {}
        }
    }
}

fn head(raw: &RawValue) -> Result<(), StoreError> {
    let mut fields: Fields = parsed(raw.get())?;
    match number(&mut fields, "version")? {
        VERSION => Ok(()),
        version => Err(wrong(format!(
            "`version`: this version of Verbatim reads archives of version {VERSION}, and this one has {version}; update Verbatim"
        ))),
    }
}

fn parsed<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| wrong(error.to_string()))
}

fn content(line: &mut Fields) -> Result<Vec<u8>, StoreError> {
    let raw = line.remove("bytes").ok_or_else(|| wrong("`bytes`: expected them, got nothing"))?;
    bytes(&raw).map_err(StoreError::Archive)
}

fn number(fields: &mut Fields, name: &str) -> Result<i64, StoreError> {
    match Held::take(fields, name, Kind::Int).map_err(StoreError::Archive)? {
        Held::Int(Some(number)) => Ok(number),
        _ => Err(wrong(format!("`{name}`: expected an integer, got nothing"))),
    }
}

/// Refuses unknown fields, which would be lost.
fn nothing_left(fields: &Fields) -> Result<(), StoreError> {
    match fields.keys().next() {
        Some(name) => Err(wrong(format!("`{name}` is an unknown field: a newer version of Verbatim may read it"))),
        None => Ok(()),
    }
}

fn wrong(reason: impl Into<String>) -> StoreError {
    StoreError::Archive(reason.into())
}

/// Ids that a line lists.
fn ids(fields: &mut Fields, name: &str) -> Result<BTreeSet<String>, StoreError> {
    fields.remove(name).map_or_else(|| Ok(BTreeSet::new()), |raw| parsed(raw.get()))
}
