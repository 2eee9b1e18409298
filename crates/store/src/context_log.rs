//! The context log: the exact bytes that agents were given, in order, each entry with a hash that covers the one
//! before.
//!
//! The entries of a run, joined, are its system prompt and its prompt. Notices of a run are stored here and nowhere
//! else. Texts are packed. One that its message was given with before isn't stored again: the entry names the one that
//! has it.

use crate::audit::FaultReason;
use crate::columns::columns;
use crate::hex::hex;
use crate::masks::{Masks, cover_packed};
use crate::pack::{unpack, unpacked_len, with_packer};
use crate::step::Step;
use crate::step::table::{Kind, Row as Cells, Table, Value, Verb};
use crate::store::{on, on_step};
use crate::{MessageQuery, StoreError, Workspace};
use model::run_prompt::{Piece, PieceKind, PromptPart, Rendered};
use model::{Micros, SessionId};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;

/// Bytes of texts that are read at once.
const BYTES: u64 = MessageQuery::BYTES;
/// Entries that a check reads at once.
const PAGE: u32 = 500;
/// Entries that are covered at once.
const COVERED: u32 = 50;
/// No bytes, packed: of an entry whose text another one has.
const NOTHING: [u8; 1] = [0];
/// Prompts that may join a run.
const JOINED: usize = 100;
/// Approximate size of an entry without its text, in bytes.
const ENTRY: usize = 256;

static CONTEXT_LOG: Table = Table {
    name: "context_log",
    columns: Cow::Borrowed(&[
        ("session_rid", Kind::Int),
        ("position", Kind::Int),
        ("run_id", Kind::Text),
        ("part", Kind::Text),
        ("kind", Kind::Text),
        ("seq", Kind::Int),
        ("given_at", Kind::Int),
        ("rendered", Kind::Packed),
        ("same_as", Kind::Int),
        ("hash", Kind::Text),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed("")),
};

/// An entry: a piece of what was given in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextEntry {
    /// From 1, gap-free in its session.
    pub position: i64,
    pub run: String,
    pub piece: Piece,
    pub given_at: Micros,
    /// SHA-256 in hex, over the entry and the hash of the one before.
    pub hash: String,
}

/// Result of a check of a session's log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextCheck {
    pub entries: i64,
    /// Hash of the last entry.
    pub head: Option<String>,
    /// Position of the first entry that doesn't fit, and why.
    pub fault: Option<(i64, FaultReason)>,
}

columns! {
    struct ContextRow {
        position: i64,
        run_id: String,
        part: String,
        kind: String,
        seq: Option<i64>,
        given_at: i64,
        /// Packed.
        rendered: Vec<u8>,
        hash: String,
    }
}

const COLUMNS: &str = "c.position, c.run_id, c.part, c.kind, c.seq, c.given_at, \
    COALESCE(o.rendered, c.rendered) AS rendered, c.hash";
/// With the entry that has the text.
const ENTRIES: &str = "context_log c LEFT JOIN context_log o ON o.workspace_id = c.workspace_id \
    AND o.session_rid = c.session_rid AND o.position = c.same_as WHERE c.workspace_id = $1 AND c.session_rid = $2";

impl Workspace {
    /// Returns entries of a session behind `after`, of one run or of all: `limit` at most, and about 8 MiB.
    pub async fn context_log(
        &self,
        session: &SessionId,
        run: Option<&str>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ContextEntry>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let rows = self.context_rows(rid, run, after, limit).await?;
        rows.into_iter().map(ContextRow::entry).collect()
    }

    async fn context_rows(
        &self,
        rid: i64,
        run: Option<&str>,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ContextRow>, StoreError> {
        // A packed text begins with its length.
        let heads: Vec<(i64, i64, Vec<u8>)> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT c.position, CAST(LENGTH(COALESCE(o.rendered, c.rendered)) AS BIGINT), \
                 SUBSTR(COALESCE(o.rendered, c.rendered), 1, 5) FROM {ENTRIES} AND c.position > $3 \
                 AND ($4 IS NULL OR c.run_id = $4) ORDER BY c.position LIMIT $5"
            )))
            .bind(self.id()).bind(rid).bind(after).bind(run).bind(i64::from(limit)).fetch_all(pool).await
        })?;
        let mut bytes = 0;
        let fits = heads.iter().enumerate().take_while(|(index, (_, len, head))| {
            bytes += unpacked_len(head).max(len.unsigned_abs());
            *index == 0 || bytes <= BYTES
        });
        let Some((_, (last, ..))) = fits.last() else { return Ok(Vec::new()) };
        Ok(on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM {ENTRIES} AND c.position > $3 AND c.position <= $5 \
                 AND ($4 IS NULL OR c.run_id = $4) ORDER BY c.position"
            )))
            .bind(self.id()).bind(rid).bind(after).bind(run).bind(last).fetch_all(pool).await
        })?)
    }

    /// Returns the notices in the system prompt of a run. Where the log has no such run: of the last one that was given
    /// by a time. None if there were none.
    pub async fn notices_given(
        &self,
        session: &SessionId,
        run: Option<&str>,
        by: Micros,
    ) -> Result<Option<String>, StoreError> {
        let mut entries = match run {
            Some(run) => self.context_log(session, Some(run), 0, PAGE).await?,
            None => Vec::new(),
        };
        let Some(rid) = self.session_rid(session).await? else { return Ok(None) };
        let mut before = i64::MAX;
        for _ in 0..JOINED {
            if entries.is_empty() {
                let last: Option<String> = on!(&self.store, pool => {
                    sqlx::query_scalar(
                        "SELECT run_id FROM context_log WHERE workspace_id = $1 AND session_rid = $2 AND position < $3 \
                         AND given_at <= $4 ORDER BY position DESC LIMIT 1",
                    )
                    .bind(self.id()).bind(rid).bind(before).bind(by.0).fetch_optional(pool).await
                })?;
                let Some(last) = last else { return Ok(None) };
                entries = self.context_log(session, Some(&last), 0, PAGE).await?;
            }
            before = entries.first().map_or(0, |entry| entry.position);
            let is_of_system = |piece: &Piece| piece.part == PromptPart::System;
            let pieces: Vec<Piece> = entries.drain(..).map(|entry| entry.piece).filter(is_of_system).collect();
            if pieces != [joining()] {
                return Ok(Rendered { pieces }.system());
            }
        }
        Ok(None)
    }

    /// Checks the log of a session: that each entry is what was written, and that none is missing before the last one.
    pub async fn check_context_log(&self, session: &SessionId) -> Result<ContextCheck, StoreError> {
        let mut check = ContextCheck::default();
        let Some(rid) = self.session_rid(session).await? else { return Ok(check) };
        let mut at = 0;
        loop {
            let rows = self.context_rows(rid, None, at, PAGE).await?;
            if rows.is_empty() {
                return Ok(check);
            }
            for row in rows {
                if check.fault.is_none() {
                    let previous = check.head.as_deref().unwrap_or_default();
                    check.fault = row.fault(at, previous)?.map(|reason| (row.position, reason));
                }
                at = row.position;
                check.entries += 1;
                check.head = Some(row.hash);
            }
        }
    }
}

impl ContextRow {
    fn entry(self) -> Result<ContextEntry, StoreError> {
        let corrupt = || StoreError::Corrupt(format!("entry {} of a context log", self.position));
        let piece = Piece {
            part: PromptPart::parse(&self.part).ok_or_else(corrupt)?,
            kind: PieceKind::parse(&self.kind).ok_or_else(corrupt)?,
            seq: self.seq,
            text: String::from_utf8(unpack(&self.rendered)?).map_err(|_| corrupt())?,
        };
        Ok(ContextEntry {
            position: self.position,
            run: self.run_id,
            piece,
            given_at: Micros(self.given_at),
            hash: self.hash,
        })
    }

    /// The hash that its fields and its text have behind an entry with the hash `previous`. Each field but the text is
    /// JSON, so that no two entries have the same bytes.
    fn digest(&self, text: &[u8], previous: &str) -> Result<String, StoreError> {
        let head = json!({
            "given_at": self.given_at, "kind": self.kind, "part": self.part, "position": self.position,
            "previous": previous, "run": self.run_id, "seq": self.seq,
        });
        let head =
            serde_json_canonicalizer::to_string(&head).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let mut hash = Sha256::new();
        hash.update(head.as_bytes());
        hash.update(b"\n");
        hash.update(text);
        Ok(hex(&hash.finalize()))
    }

    /// Why it doesn't follow the entry at `at` with the hash `previous`.
    fn fault(&self, at: i64, previous: &str) -> Result<Option<FaultReason>, StoreError> {
        if self.position != at + 1 {
            return Ok(Some(FaultReason::Missing));
        }
        let text = unpack(&self.rendered).ok();
        let digest = text.map(|text| self.digest(&text, previous)).transpose()?;
        Ok((digest.as_ref() != Some(&self.hash)).then_some(FaultReason::Changed))
    }
}

/// Says that a prompt joins the run before: its system prompt, with its notices, stays.
pub(crate) fn joining() -> Piece {
    Piece { part: PromptPart::System, kind: PieceKind::Frame, seq: None, text: String::new() }
}

/// Adds what is given in a run. Returns the bytes that it takes, before they are packed.
pub(crate) async fn append(
    step: &mut Step<'_>,
    session_rid: i64,
    run: &str,
    pieces: &[Piece],
) -> Result<i64, StoreError> {
    let last: Option<(i64, String)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT position, hash FROM context_log WHERE workspace_id = $1 AND session_rid = $2 \
             ORDER BY position DESC LIMIT 1",
        )
        .bind(step.workspace).bind(session_rid).fetch_optional(c).await
    })?;
    let (mut position, mut previous) = last.unwrap_or_default();
    let before = given_before(step, session_rid, pieces).await?;
    let (mut rows, mut bytes) = (Vec::with_capacity(pieces.len()), 0);
    for piece in pieces {
        position += 1;
        let text = piece.text.as_bytes();
        let packed = with_packer(|packer| packer.pack(text))?;
        let same = piece.seq.and_then(|seq| before.get(&seq)).filter(|(_, before)| *before == packed);
        let same = same.map(|(position, _)| *position);
        bytes += ENTRY + if same.is_none() { text.len() } else { 0 };
        let mut row = ContextRow {
            position,
            run_id: run.to_owned(),
            part: piece.part.as_str().to_owned(),
            kind: piece.kind.as_str().to_owned(),
            seq: piece.seq,
            given_at: step.now.0,
            rendered: if same.is_none() { packed } else { NOTHING.to_vec() },
            hash: String::new(),
        };
        row.hash = row.digest(text, &previous)?;
        previous.clone_from(&row.hash);
        rows.push((row, same));
    }
    let cells: Vec<Cells<'_>> = rows
        .iter()
        .map(|(row, same)| {
            vec![
                session_rid.into(),
                row.position.into(),
                row.run_id.as_str().into(),
                row.part.as_str().into(),
                row.kind.as_str().into(),
                Value::Int(row.seq),
                row.given_at.into(),
                row.rendered.as_slice().into(),
                Value::Int(*same),
                row.hash.as_str().into(),
            ]
        })
        .collect();
    step.write(&CONTEXT_LOG, &cells).await?;
    Ok(i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// The text that each message of these pieces was given with last: its position, and the text as it is packed.
async fn given_before(
    step: &mut Step<'_>,
    session_rid: i64,
    pieces: &[Piece],
) -> Result<HashMap<i64, (i64, Vec<u8>)>, StoreError> {
    let seqs = pieces.iter().filter_map(|piece| piece.seq);
    let (Some(from), Some(to)) = (seqs.clone().min(), seqs.max()) else { return Ok(HashMap::new()) };
    let rows: Vec<(i64, i64, Vec<u8>)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT c.seq, c.position, c.rendered FROM context_log c WHERE c.workspace_id = $1 AND c.session_rid = $2 \
             AND c.seq IS NOT NULL AND c.same_as IS NULL AND c.seq >= $3 AND c.seq <= $4 AND NOT EXISTS \
             (SELECT 1 FROM context_log l WHERE l.workspace_id = c.workspace_id AND l.session_rid = c.session_rid \
             AND l.seq IS NOT NULL AND l.same_as IS NULL AND l.seq = c.seq AND l.position > c.position)",
        )
        .bind(step.workspace).bind(session_rid).bind(from).bind(to).fetch_all(c).await
    })?;
    Ok(rows.into_iter().map(|(seq, position, packed)| (seq, (position, packed))).collect())
}

/// Returns the pieces that were given in a run.
pub(crate) async fn given(step: &mut Step<'_>, session_rid: i64, run: &str) -> Result<Vec<Piece>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM {ENTRIES} AND c.run_id = $3 ORDER BY c.position");
    let rows: Vec<ContextRow> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(session_rid).bind(run).fetch_all(c).await
    })?;
    rows.into_iter().map(|row| row.entry().map(|entry| entry.piece)).collect()
}

/// An entry as it is stored: with its own text, unless another entry has it.
type StoredEntry = (i64, String, String, String, Option<i64>, i64, Vec<u8>, Option<i64>, String);

/// Covers texts in the log of a session, whose hashes are made anew from there on. Returns the number of entries.
pub(crate) async fn cover(step: &mut Step<'_>, session_rid: i64, masks: &Masks) -> Result<u64, StoreError> {
    let (mut count, mut after, mut previous) = (0, 0, None::<String>);
    let mut head = String::new();
    loop {
        let rows: Vec<StoredEntry> = on_step!(step, c => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT position, run_id, part, kind, seq, given_at, rendered, same_as, hash FROM context_log \
                 WHERE workspace_id = $1 AND session_rid = $2 AND position > $3 ORDER BY position LIMIT {COVERED}"
            )))
            .bind(step.workspace).bind(session_rid).bind(after).fetch_all(c).await
        })?;
        let Some(last) = rows.last() else { return Ok(count) };
        after = last.0;
        for (position, run_id, part, kind, seq, given_at, rendered, same_as, hash) in rows {
            let new = cover_packed(masks, &rendered)?;
            count += u64::from(new.is_some());
            // Behind the first one that changes, each hash covers another one.
            if new.is_some() && previous.is_none() {
                previous = Some(std::mem::take(&mut head));
            }
            let Some(before) = &previous else {
                head = hash;
                continue;
            };
            let rendered = new.unwrap_or(rendered);
            let text = match same_as {
                Some(other) => on_step!(step, c => {
                    sqlx::query_scalar(
                        "SELECT rendered FROM context_log WHERE workspace_id = $1 AND session_rid = $2 AND position = $3",
                    )
                    .bind(step.workspace).bind(session_rid).bind(other).fetch_one(c).await
                })?,
                None => rendered.clone(),
            };
            let mut row = ContextRow { position, run_id, part, kind, seq, given_at, rendered, hash };
            row.hash = row.digest(&unpack(&text)?, before)?;
            on_step!(step, c => {
                sqlx::query(
                    "UPDATE context_log SET rendered = $1, hash = $2 WHERE workspace_id = $3 AND session_rid = $4 AND position = $5",
                )
                .bind(&row.rendered).bind(&row.hash).bind(step.workspace).bind(session_rid).bind(position)
                .execute(c).await.map(drop)
            })?;
            previous = Some(row.hash);
        }
    }
}
