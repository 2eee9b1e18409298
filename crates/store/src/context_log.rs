//! The context log: the exact bytes that agents were given, in order, each entry with a hash that covers the one before.
//!
//! The entries of a run, joined, are its system prompt and its prompt. Notices of a run are stored here and nowhere else.

use crate::audit::FaultReason;
use crate::columns::columns;
use crate::hex::hex;
use crate::step::Step;
use crate::step::table::{Kind, Row as Cells, Table, Value, Verb};
use crate::store::{on, on_step};
use crate::{StoreError, Workspace};
use model::run_prompt::{Piece, PieceKind, PromptPart};
use model::{Micros, SessionId};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

/// Bytes of texts that are read at once.
const BYTES: i64 = 8 << 20;
/// Entries that a check reads at once.
const PAGE: i64 = 50;

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
        ("rendered", Kind::Blob),
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

/// What a check of a session's log found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextCheck {
    pub entries: i64,
    /// Hash of the last entry.
    pub head: Option<String>,
    /// Position of the first entry that doesn't fit, and why.
    pub fault: Option<(i64, FaultReason)>,
}

columns! {
    struct Row {
        position: i64,
        run_id: String,
        part: String,
        kind: String,
        seq: Option<i64>,
        given_at: i64,
        rendered: Vec<u8>,
        hash: String,
    }
}

const COLUMNS: &str = "position, run_id, part, kind, seq, given_at, rendered, hash";

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
        let lengths: Vec<(i64, i64)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT position, CAST(LENGTH(rendered) AS BIGINT) FROM context_log WHERE workspace_id = $1 \
                 AND session_rid = $2 AND position > $3 AND ($4 IS NULL OR run_id = $4) ORDER BY position LIMIT $5",
            )
            .bind(self.id()).bind(rid).bind(after).bind(run).bind(i64::from(limit)).fetch_all(pool).await
        })?;
        let mut bytes = 0;
        let fits = lengths.iter().enumerate().take_while(|(index, (_, len))| {
            bytes += len;
            *index == 0 || bytes <= BYTES
        });
        let Some((_, (last, _))) = fits.last() else { return Ok(Vec::new()) };
        let rows: Vec<Row> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM context_log \
                 WHERE workspace_id = $1 AND session_rid = $2 AND position > $3 AND position <= $5 \
                 AND ($4 IS NULL OR run_id = $4) ORDER BY position"
            )))
            .bind(self.id()).bind(rid).bind(after).bind(run).bind(last).fetch_all(pool).await
        })?;
        rows.into_iter().map(Row::entry).collect()
    }

    /// Checks the log of a session: that each entry is what was written, and that none is missing before the last one.
    pub async fn check_context_log(&self, session: &SessionId) -> Result<ContextCheck, StoreError> {
        let mut check = ContextCheck::default();
        let Some(rid) = self.session_rid(session).await? else { return Ok(check) };
        let mut at = 0;
        loop {
            let rows: Vec<Row> = on!(&self.store, pool => {
                sqlx::query_as(sqlx::AssertSqlSafe(format!(
                    "SELECT {COLUMNS} FROM context_log \
                     WHERE workspace_id = $1 AND session_rid = $2 AND position > $3 ORDER BY position LIMIT {PAGE}"
                )))
                .bind(self.id()).bind(rid).bind(at).fetch_all(pool).await
            })?;
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

impl Row {
    fn entry(self) -> Result<ContextEntry, StoreError> {
        let corrupt = || StoreError::Corrupt(format!("entry {} of a context log", self.position));
        let piece = Piece {
            part: PromptPart::parse(&self.part).ok_or_else(corrupt)?,
            kind: PieceKind::parse(&self.kind).ok_or_else(corrupt)?,
            seq: self.seq,
            text: String::from_utf8_lossy(&self.rendered).into_owned(),
        };
        Ok(ContextEntry {
            position: self.position,
            run: self.run_id,
            piece,
            given_at: Micros(self.given_at),
            hash: self.hash,
        })
    }

    /// The hash that its fields have behind an entry with the hash `previous`. Each field but the text is JSON, so that no two
    /// entries have the same bytes.
    fn digest(&self, previous: &str) -> Result<String, StoreError> {
        let head = json!({
            "given_at": self.given_at, "kind": self.kind, "part": self.part, "position": self.position,
            "previous": previous, "run": self.run_id, "seq": self.seq,
        });
        let head =
            serde_json_canonicalizer::to_string(&head).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let mut hash = Sha256::new();
        hash.update(head.as_bytes());
        hash.update(b"\n");
        hash.update(&self.rendered);
        Ok(hex(&hash.finalize()))
    }

    /// Why it doesn't follow the entry at `at` with the hash `previous`.
    fn fault(&self, at: i64, previous: &str) -> Result<Option<FaultReason>, StoreError> {
        Ok(if self.position != at + 1 {
            Some(FaultReason::Missing)
        } else if self.digest(previous)? != self.hash {
            Some(FaultReason::Changed)
        } else {
            None
        })
    }
}

/// Adds what is given in a run.
pub(crate) async fn append(
    step: &mut Step<'_>,
    session_rid: i64,
    run: &str,
    pieces: &[Piece],
) -> Result<(), StoreError> {
    let last: Option<(i64, String)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT position, hash FROM context_log WHERE workspace_id = $1 AND session_rid = $2 \
             ORDER BY position DESC LIMIT 1",
        )
        .bind(step.workspace).bind(session_rid).fetch_optional(c).await
    })?;
    let (mut position, mut previous) = last.unwrap_or_default();
    let mut rows = Vec::with_capacity(pieces.len());
    for piece in pieces {
        position += 1;
        let mut row = Row {
            position,
            run_id: run.to_owned(),
            part: piece.part.as_str().to_owned(),
            kind: piece.kind.as_str().to_owned(),
            seq: piece.seq,
            given_at: step.now.0,
            rendered: piece.text.clone().into_bytes(),
            hash: String::new(),
        };
        row.hash = row.digest(&previous)?;
        previous.clone_from(&row.hash);
        rows.push(row);
    }
    let cells: Vec<Cells<'_>> = rows
        .iter()
        .map(|row| {
            vec![
                session_rid.into(),
                row.position.into(),
                row.run_id.as_str().into(),
                row.part.as_str().into(),
                row.kind.as_str().into(),
                Value::Int(row.seq),
                row.given_at.into(),
                row.rendered.as_slice().into(),
                row.hash.as_str().into(),
            ]
        })
        .collect();
    step.write(&CONTEXT_LOG, &cells).await
}

/// What was given in a run.
pub(crate) async fn given(step: &mut Step<'_>, session_rid: i64, run: &str) -> Result<Vec<Piece>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM context_log WHERE workspace_id = $1 AND session_rid = $2 AND run_id = $3 ORDER BY position"
    );
    let rows: Vec<Row> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(session_rid).bind(run).fetch_all(c).await
    })?;
    rows.into_iter().map(|row| row.entry().map(|entry| entry.piece)).collect()
}
