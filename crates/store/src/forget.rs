//! Deletes data at a person's request, with everything that depends on it.
//!
//! Rows are deleted in transactions of limited length. Then their remains are removed: files without references, words
//! in the index, which is merged for that, and free pages of the file and its log. That remains exist is recorded with
//! the rows, so that they are removed after a crash too.

use crate::dialect::limited;
use crate::step::Step;
use crate::store::{Tx, on_step, on_tx};
use crate::write::{feed, forgotten, listed, rollup, sessions, source};
use crate::{FeedKind, FeedRow, StoreError, Workspace, dialect};
use model::audit::Event;
use model::{Micros, SessionId, SourceId};
use sqlx::QueryBuilder;
use std::collections::BTreeSet;
use std::ops::Range;

/// Messages that go in one transaction; the session that passes it goes whole.
const MESSAGES: i64 = 20_000;
/// Rows of the feed that go in one transaction.
const RANGES: i64 = 1_000;
/// Ids of sessions in one entry of the audit log.
const IDS: usize = 100;
/// The key of the small value that says that there is something to sweep: the position of the feed that told of it.
pub(crate) const TO_SWEEP: &str = "to_sweep";

/// A session that goes: rid, id, and how many messages it has.
type Gone = (i64, String, i64);

impl Workspace {
    /// Deletes for good what a person deleted from a time on and before another one, with all that hangs on it. Of a
    /// session that was read from a file the row stays, out of sight and without words, so that its file doesn't bring
    /// it back. Returns the ids.
    pub async fn forget_deleted(&self, deleted: Range<Micros>, now: Micros) -> Result<Vec<SessionId>, StoreError> {
        let mut forgotten = Vec::new();
        loop {
            let mut tx = self.store.begin().await?;
            let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
            let mut sessions: Vec<Gone> = on_step!(step, c => {
                sqlx::query_as(
                    "SELECT rid, id, last_seq FROM session WHERE workspace_id = $1 AND deleted_at >= $2 AND deleted_at < $3 \
                     AND purged_at IS NULL ORDER BY rid",
                )
                .bind(self.id()).bind(deleted.start.0).bind(deleted.end.0).fetch_all(c).await
            })?;
            let all = sessions.len();
            let mut messages = 0;
            sessions.retain(|(_, _, more)| {
                let fits = messages < MESSAGES;
                messages += more;
                fits
            });
            let deleted = delete_sessions(&mut step, &sessions, Rows::OfFilesStay(now)).await?;
            step.end().await?;
            self.commit_telling(tx, purged(&deleted)).await?;
            forgotten.extend(deleted);
            if sessions.len() == all {
                break;
            }
        }
        self.sweep().await?;
        Ok(forgotten)
    }

    /// Deletes sources, and the sessions that came from them alone. Returns their ids.
    pub async fn forget_sources(&self, mut sources: &[SourceId]) -> Result<Vec<SessionId>, StoreError> {
        let mut forgotten = Vec::new();
        while !sources.is_empty() {
            let mut tx = self.store.begin().await?;
            let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
            let mut messages = 0;
            let mut deleted = Vec::new();
            while messages < MESSAGES
                && let Some((source, rest)) = sources.split_first()
            {
                let sessions = forget_source(&mut step, source).await?;
                messages += sessions.iter().map(|(_, _, more)| *more).sum::<i64>();
                deleted.extend(delete_sessions(&mut step, &sessions, Rows::Go).await?);
                sources = rest;
            }
            step.end().await?;
            self.commit_telling(tx, purged(&deleted)).await?;
            forgotten.extend(deleted);
        }
        self.sweep().await?;
        Ok(forgotten)
    }

    /// Deletes what was uploaded before a time and is no message's. Tells how many files that were.
    pub async fn forget_uploads(&self, before: Micros) -> Result<u64, StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query(
                "DELETE FROM blob_upload WHERE workspace_id = $1 AND uploaded_at < $2 AND NOT EXISTS (SELECT 1 \
                 FROM session_blob l WHERE l.workspace_id = blob_upload.workspace_id AND l.sha256 = blob_upload.sha256)",
            )
            .bind(self.id()).bind(before.0).execute(c).await.map(drop)
        })?;
        let files = delete_orphans(&mut tx, self.id()).await?;
        tx.commit().await?;
        Ok(files)
    }

    /// Deletes what forgotten sessions left, if they did.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let Some(noted) = self.meta(TO_SWEEP).await? else { return Ok(()) };
        let mut tx = self.store.begin().await?;
        delete_orphans(&mut tx, self.id()).await?;
        tx.commit().await?;
        self.delete_ranges().await?;
        dialect::purge_search(&self.store).await?;
        // Pages that became free, now or before, are as they were: only those that are given back hold nothing.
        self.store.give_back().await?;
        self.store.empty_log().await?;
        let mut tx = self.store.begin().await?;
        // Data that was forgotten meanwhile is recorded again.
        on_tx!(&mut tx, c => {
            sqlx::query("DELETE FROM meta WHERE workspace_id = $1 AND key = $2 AND value = $3")
                .bind(self.id()).bind(TO_SWEEP).bind(noted).execute(c).await.map(drop)
        })?;
        tx.commit().await
    }
}

impl Workspace {
    /// Deletes the feed's ranges of deleted messages. They have no index by session, because every post would have to
    /// write it: all of the feed is read.
    async fn delete_ranges(&self) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let mut tx = dialect::begin_patient(&self.store).await?;
            let orphans: Vec<i64> = on_tx!(&mut tx, c => {
                sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
                    "SELECT f.pos FROM feed f WHERE f.workspace_id = $1 AND f.pos > $2 AND f.kind = 'range' AND NOT EXISTS \
                     (SELECT 1 FROM session s WHERE s.workspace_id = f.workspace_id AND s.id = f.session_id) ORDER BY f.pos{}",
                    limited(RANGES)
                )))
                .bind(self.id()).bind(after).fetch_all(c).await
            })?;
            drop(tx);
            let Some(last) = orphans.last() else { return Ok(()) };
            let mut tx = self.store.begin().await?;
            on_tx!(&mut tx, c => {
                let mut q = QueryBuilder::new("DELETE FROM feed WHERE workspace_id = ");
                q.push_bind(self.id()).push(" AND pos IN (");
                let mut list = q.separated(", ");
                for pos in &orphans {
                    list.push_bind(*pos);
                }
                list.push_unseparated(")");
                q.build().persistent(false).execute(c).await.map(drop)
            })?;
            tx.commit().await?;
            after = *last;
        }
    }
}

/// Returns the audit log's entries of deleted sessions, with ids only.
fn purged(sessions: &[SessionId]) -> impl Iterator<Item = Event> {
    let event = |part: &[SessionId]| Event::SessionsPurged { sessions: part.iter().map(ToString::to_string).collect() };
    sessions.chunks(IDS).map(event)
}

/// Deletes a source. Returns the sessions that came from it alone.
async fn forget_source(step: &mut Step<'_>, id: &SourceId) -> Result<Vec<Gone>, StoreError> {
    let rid: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT rid FROM source WHERE workspace_id = $1 AND id = $2")
            .bind(step.workspace).bind(id.as_str()).fetch_optional(c).await
    })?;
    let Some(rid) = rid else { return Ok(Vec::new()) };
    let sessions = on_step!(step, c => {
        sqlx::query_as(
            "SELECT s.rid, s.id, s.last_seq FROM session s WHERE s.workspace_id = $1 \
             AND s.rid IN (SELECT session_rid FROM session_source WHERE workspace_id = $1 AND source_rid = $2) \
             AND s.rid NOT IN (SELECT session_rid FROM session_source WHERE workspace_id = $1 AND source_rid <> $2) \
             ORDER BY s.rid",
        )
        .bind(step.workspace).bind(rid).fetch_all(c).await
    })?;
    source::delete(step, rid).await?;
    Ok(sessions)
}

/// Files that no session refers to and nobody uploaded, and pieces of uploads that ended in between.
async fn delete_orphans(tx: &mut Tx, workspace: &str) -> Result<u64, StoreError> {
    const ORPHANS: &str = "DELETE FROM blob WHERE workspace_id = $1 AND NOT EXISTS (SELECT 1 FROM session_blob l \
        WHERE l.workspace_id = blob.workspace_id AND l.sha256 = blob.sha256) AND NOT EXISTS (SELECT 1 FROM blob_upload u \
        WHERE u.workspace_id = blob.workspace_id AND u.sha256 = blob.sha256)";
    const PIECES: &str = "DELETE FROM blob_piece WHERE workspace_id = $1 AND NOT EXISTS (SELECT 1 FROM blob b \
        WHERE b.workspace_id = blob_piece.workspace_id AND b.upload_id = blob_piece.upload_id) AND NOT EXISTS (SELECT 1 \
        FROM blob_upload u WHERE u.workspace_id = blob_piece.workspace_id AND u.sha256 = blob_piece.upload_id)";
    let files = on_tx!(&mut *tx, c => {
        sqlx::query(ORPHANS).bind(workspace).execute(c).await.map(|done| done.rows_affected())
    })?;
    on_tx!(&mut *tx, c => sqlx::query(PIECES).bind(workspace).execute(c).await.map(drop))?;
    Ok(files)
}

/// Leaves the row of a session that was read from a file, without words, and deletes the bytes of files that hold
/// nothing else. False of a session that was posted.
async fn purge(step: &mut Step<'_>, id: &str, now: Micros) -> Result<bool, StoreError> {
    let mut sessions = sessions::load_by_id(step, &BTreeSet::from([id])).await?;
    let Some(index) = sessions.find(id) else { return Ok(false) };
    let row = sessions.row(index);
    if row.create_hash.is_some() {
        return Ok(false);
    }
    *row = row.purged(now);
    let rid = row.rid;
    sessions::store(step, &mut sessions).await?;
    let sources: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT source_rid FROM session_source WHERE workspace_id = $1 AND session_rid = $2")
            .bind(step.workspace).bind(rid).fetch_all(c).await
    })?;
    for source in sources {
        source::delete_purged_bytes(step, source).await?;
    }
    Ok(true)
}

/// Deletes the row of a session. Its sub-agents stand alone then.
async fn delete_row(step: &mut Step<'_>, rid: i64) -> Result<(), StoreError> {
    const ROW: [&str; 2] = [
        "DELETE FROM session_source WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM session WHERE workspace_id = $1 AND rid = $2",
    ];
    listed::leave(step, rid).await?;
    let (agent, key): (String, String) = on_step!(step, c => {
        sqlx::query_as("SELECT agent, key FROM session WHERE workspace_id = $1 AND rid = $2")
            .bind(step.workspace).bind(rid).fetch_one(c).await
    })?;
    for sql in ROW {
        on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(rid).execute(c).await.map(drop))?;
    }
    listed::orphan(step, &agent, &key).await
}

/// The deletion of sessions' rows.
#[derive(Clone, Copy)]
enum Rows {
    /// Their files are forgotten as well.
    Go,
    /// Those of sessions that were read from files stay, as purged at this time.
    OfFilesStay(Micros),
}

/// Deletes the rows of a session, by its row id.
const BY_RID: [&str; 16] = [
    "DELETE FROM session_spending WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM session_activity WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM memory WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM message_search WHERE rowid IN (SELECT rid FROM message WHERE workspace_id = $1 AND session_rid = $2)",
    "DELETE FROM message WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM tool_use WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM file_change WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM message_count WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM run WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM context_log WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM spent WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM session_blob WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM read_position WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM delivery WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM channel_session WHERE workspace_id = $1 AND session_rid = $2",
    "DELETE FROM channel_delivery WHERE workspace_id = $1 AND session_rid = $2",
];
/// Deletes the rows of a session, by its id.
const BY_ID: [&str; 12] = [
    "DELETE FROM schedule_run WHERE workspace_id = $1 AND schedule_id IN (SELECT id FROM schedule WHERE workspace_id = $1 AND session_id = $2)",
    "DELETE FROM schedule WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM meta WHERE workspace_id = $1 AND key = 'routing/' || $2",
    "DELETE FROM feed WHERE kind <> 'range' AND workspace_id = $1 AND session_id = $2",
    "DELETE FROM hook_request WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM push_notice WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM share_link WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM hook_owner WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM driven WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM agent_run WHERE workspace_id = $1 AND session_id = $2",
    "DELETE FROM growing_text WHERE workspace_id = $1 AND session_id = $2",
    "UPDATE session SET forked_from = NULL WHERE workspace_id = $1 AND forked_from = $2",
];

async fn delete_sessions(step: &mut Step<'_>, sessions: &[Gone], rows_of: Rows) -> Result<Vec<SessionId>, StoreError> {
    let mut forgotten = Vec::new();
    let mut rows = Vec::new();
    for (rid, id, _) in sessions {
        forgotten::keep_names(step, *rid).await?;
        rollup::leave(step, *rid).await?;
        for sql in BY_RID {
            on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(rid).execute(c).await.map(drop))?;
        }
        for sql in BY_ID {
            on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(id).execute(c).await.map(drop))?;
        }
        match rows_of {
            Rows::OfFilesStay(now) if purge(step, id, now).await? => {}
            Rows::OfFilesStay(_) | Rows::Go => delete_row(step, *rid).await?,
        }
        let session_id = SessionId::parse(id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        rows.push(FeedRow::of_session(step.pos(), FeedKind::Forgotten, &session_id));
        forgotten.push(session_id);
    }
    if let Some(last) = rows.last() {
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO meta (workspace_id, key, value) VALUES ($1, $2, $3) \
                 ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value",
            )
            .bind(step.workspace).bind(TO_SWEEP).bind(last.pos.to_string()).execute(c).await.map(drop)
        })?;
        feed::write_rows(step, &rows).await?;
    }
    Ok(forgotten)
}
