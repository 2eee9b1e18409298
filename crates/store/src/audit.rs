//! The audit log: entries are only added, each with a hash that covers the hash of the one before.
//!
//! An entry is stored as canonical JSON beside its hash, so that it is checked byte by byte. It is the last thing that
//! its transaction writes: who holds the lock of the log waits for nobody.

use crate::columns::columns;
use crate::hex::hex;
use crate::store::{Tx, on, on_tx};
use crate::{StoreError, Workspace, dialect};
use model::Micros;
use model::audit::{Actor, AuditKind, Entry, Event, Note};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::QueryBuilder;

/// Entries that are read at once.
const PAGE: i64 = 500;

columns! {
    struct AuditRow {
        number: i64,
        kind: String,
        entry: String,
        hash: String,
    }
}

/// Result of a check of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditCheck {
    /// How many entries there are.
    pub entries: i64,
    /// Hash of the newest one, in hex.
    pub head: Option<String>,
    /// The first entry that doesn't fit.
    pub fault: Option<AuditFault>,
}

/// An entry that doesn't fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFault {
    pub number: i64,
    pub reason: FaultReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultReason {
    /// It isn't what its hash was made of.
    Changed,
    /// Entries before it are missing.
    Missing,
    /// It doesn't follow the entry before: that one was replaced, with its hash.
    Unchained,
}

impl Workspace {
    /// Writes an entry of its own, if the handle is signed.
    pub async fn record_event(&self, event: Event) -> Result<(), StoreError> {
        let tx = self.store.begin().await?;
        self.commit_telling(tx, [event]).await
    }

    /// Commits, with entries for what was done, if the handle is signed.
    pub(crate) async fn commit_telling(
        &self,
        tx: Tx,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<(), StoreError> {
        self.commit_noting(tx, &self.notes(events)).await
    }

    /// Commits, with entries. On a full disk what makes room goes first, and entries follow if they can be written.
    pub(crate) async fn commit_noting(&self, mut tx: Tx, notes: &[Note]) -> Result<(), StoreError> {
        if notes.is_empty() || !self.store.monitor().is_disk_full() {
            append(&mut tx, self.id(), notes).await?;
            return tx.commit().await;
        }
        tx.commit().await?;
        let written = async {
            let mut tx = self.store.begin().await?;
            append(&mut tx, self.id(), notes).await?;
            tx.commit().await
        };
        if let Err(error) = written.await {
            tracing::warn!(%error, entries = notes.len(), "the audit log can't be written to");
        }
        Ok(())
    }

    /// Entries with smaller numbers than `before`, newest first; of any of these kinds, or of all.
    pub async fn audit_before(&self, before: i64, kinds: &[AuditKind], limit: u32) -> Result<Vec<Entry>, StoreError> {
        let rows: Vec<AuditRow> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new("SELECT number, kind, entry, hash FROM audit WHERE workspace_id = ");
            q.push_bind(self.id()).push(" AND number < ").push_bind(before);
            if !kinds.is_empty() {
                let mut list = q.push(" AND kind IN (").separated(", ");
                for kind in kinds {
                    list.push_bind(kind.as_str());
                }
                list.push_unseparated(")");
            }
            q.push(" ORDER BY number DESC LIMIT ").push(limit);
            q.build_query_as().persistent(false).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(entry).collect())
    }

    /// Entries with greater numbers than `after`, as lines of JSON, and the number of the last one. None at the end.
    pub async fn audit_lines(&self, after: i64) -> Result<Option<(String, i64)>, StoreError> {
        let rows = self.audit_rows(after).await?;
        let Some(last) = rows.last().map(|row| row.number) else { return Ok(None) };
        Ok(Some((rows.iter().map(line).collect(), last)))
    }

    /// Checks the whole log.
    pub async fn check_audit(&self) -> Result<AuditCheck, StoreError> {
        let mut check = AuditCheck::default();
        let mut at = 0;
        loop {
            let rows = self.audit_rows(at).await?;
            if rows.is_empty() {
                return Ok(check);
            }
            for row in rows {
                if check.fault.is_none() {
                    let previous = check.head.as_deref().unwrap_or_default();
                    check.fault = fault(&row, at, previous).map(|reason| AuditFault { number: row.number, reason });
                }
                at = row.number;
                check.entries += 1;
                check.head = Some(row.hash);
            }
        }
    }

    async fn audit_rows(&self, after: i64) -> Result<Vec<AuditRow>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT number, kind, entry, hash FROM audit WHERE workspace_id = $1 AND number > $2 \
                 ORDER BY number LIMIT {PAGE}"
            )))
            .bind(self.id()).bind(after).fetch_all(pool).await
        })?)
    }
}

async fn append(tx: &mut Tx, workspace: &str, notes: &[Note]) -> Result<(), StoreError> {
    if notes.is_empty() {
        return Ok(());
    }
    dialect::lock_audit(tx).await?;
    let last: Option<(i64, String)> = on_tx!(tx, c => {
        sqlx::query_as("SELECT number, hash FROM audit WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1")
            .bind(workspace).fetch_optional(c).await
    })?;
    let (mut number, mut previous) = last.unwrap_or_default();
    for Note { at, who, what } in notes {
        number += 1;
        let entry = json!({ "number": number, "at": at, "who": who, "what": what, "previous": previous });
        let entry = canonical(&entry)?;
        let hash = sha256(&entry);
        on_tx!(tx, c => {
            sqlx::query("INSERT INTO audit (workspace_id, number, kind, entry, hash) VALUES ($1, $2, $3, $4, $5)")
                .bind(workspace).bind(number).bind(what.kind().as_str()).bind(&entry).bind(&hash)
                .execute(c).await.map(drop)
        })?;
        previous = hash;
    }
    Ok(())
}

fn canonical(value: &Value) -> Result<String, StoreError> {
    serde_json_canonicalizer::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// An entry that can't be read is `unknown`; the check finds it.
fn entry(row: AuditRow) -> Entry {
    let AuditRow { number, entry, hash, .. } = row;
    let stored: Value = serde_json::from_str(&entry).unwrap_or_default();
    let actor = serde_json::from_value(stored["who"].clone());
    let event = serde_json::from_value(stored["what"].clone());
    Entry {
        number,
        at: Micros(stored["at"].as_i64().unwrap_or_default()),
        who: actor.unwrap_or(Actor::Unknown),
        what: event.unwrap_or(Event::Unknown),
        previous: stored["previous"].as_str().unwrap_or_default().to_owned(),
        hash,
    }
}

/// The entry with its hash. `hash` comes between `at` and `number`, so that the line is canonical, too.
fn line(row: &AuditRow) -> String {
    let with_hash = || {
        let mut entry: Value = serde_json::from_str(&row.entry).ok()?;
        entry.as_object_mut()?.insert("hash".to_owned(), Value::from(row.hash.as_str()));
        serde_json_canonicalizer::to_string(&entry).ok()
    };
    // An entry that is no longer valid JSON is written unchanged.
    format!("{}\n", with_hash().unwrap_or_else(|| row.entry.replace('\n', " ")))
}

/// Why an entry doesn't follow the one with number `at` and hash `previous`.
fn fault(row: &AuditRow, at: i64, previous: &str) -> Option<FaultReason> {
    let stored: Value = serde_json::from_str(&row.entry).unwrap_or_default();
    let is_same = sha256(&row.entry) == row.hash
        && stored["number"].as_i64() == Some(row.number)
        && stored["what"]["kind"].as_str() == Some(&row.kind);
    if !is_same {
        Some(FaultReason::Changed)
    } else if row.number != at + 1 {
        Some(FaultReason::Missing)
    } else if stored["previous"].as_str() != Some(previous) {
        Some(FaultReason::Unchained)
    } else {
        None
    }
}
