//! What a person wants gone, with all that hangs on it.

use crate::store::on_step;
use crate::write::{Step, feed, source};
use crate::{FeedKind, FeedRow, StoreError, Workspace, dialect};
use model::{Micros, SessionId, SourceId};
use sqlx::QueryBuilder;
use std::collections::BTreeSet;

/// Rids per statement.
const MANY: usize = 500;

impl Workspace {
    /// Deletes every session that was read of the project, the sources that only they came from, and all that hangs on them. Sessions of
    /// their sub-agents go with them. Returns the ids of the deleted sessions.
    pub async fn forget_sessions_of_project(&self, project: &str) -> Result<Vec<SessionId>, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
        let sessions: Vec<(i64, String)> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT s.rid, s.id FROM session s LEFT JOIN session p ON p.workspace_id = s.workspace_id \
                 AND p.agent = s.agent AND p.key = s.parent_key \
                 WHERE s.workspace_id = $1 AND s.create_hash IS NULL AND (s.project = $2 OR p.project = $2) \
                 ORDER BY s.rid",
            )
            .bind(self.id()).bind(project).fetch_all(c).await
        })?;
        let rids: Vec<i64> = sessions.iter().map(|(rid, _)| *rid).collect();
        let mut sources = linked_sources(&mut step, &rids).await?;
        let forgotten = delete_sessions(&mut step, &sessions).await?;
        sources = without_sessions(&mut step, sources).await?;
        for rid in sources {
            source::delete(&mut step, rid).await?;
        }
        step.end().await?;
        tx.commit().await?;
        Ok(forgotten)
    }

    /// Deletes for good what a person deleted before a time, with all that hangs on it. Sessions that were read from a file
    /// stay as they are, out of sight: their file would bring them back. Returns the ids.
    pub async fn forget_deleted(&self, before: Micros) -> Result<Vec<SessionId>, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
        let sessions: Vec<(i64, String)> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT rid, id FROM session WHERE workspace_id = $1 AND deleted_at < $2 AND create_hash IS NOT NULL \
                 ORDER BY rid",
            )
            .bind(self.id()).bind(before.0).fetch_all(c).await
        })?;
        let forgotten = delete_sessions(&mut step, &sessions).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(forgotten)
    }

    /// Deletes a source, and the sessions that came from it alone. Returns their ids.
    pub async fn forget_source(&self, source: &SourceId) -> Result<Vec<SessionId>, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
        let rid: Option<i64> = on_step!(step, c => {
            sqlx::query_scalar("SELECT rid FROM source WHERE workspace_id = $1 AND id = $2")
                .bind(self.id()).bind(source.as_str()).fetch_optional(c).await
        })?;
        let Some(rid) = rid else { return Ok(Vec::new()) };
        let sessions: Vec<(i64, String)> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT s.rid, s.id FROM session s WHERE s.workspace_id = $1 \
                 AND s.rid IN (SELECT session_rid FROM session_source WHERE workspace_id = $1 AND source_rid = $2) \
                 AND s.rid NOT IN (SELECT session_rid FROM session_source WHERE workspace_id = $1 AND source_rid <> $2) \
                 ORDER BY s.rid",
            )
            .bind(self.id()).bind(rid).fetch_all(c).await
        })?;
        let forgotten = delete_sessions(&mut step, &sessions).await?;
        source::delete(&mut step, rid).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(forgotten)
    }
}

async fn linked_sources(step: &mut Step<'_>, sessions: &[i64]) -> Result<BTreeSet<i64>, StoreError> {
    let mut sources = BTreeSet::new();
    for chunk in sessions.chunks(MANY) {
        let found: Vec<i64> = on_step!(step, c => {
            let mut q = QueryBuilder::new("SELECT source_rid FROM session_source WHERE workspace_id = ");
            q.push_bind(step.workspace).push(" AND session_rid IN (");
            let mut list = q.separated(", ");
            for rid in chunk {
                list.push_bind(*rid);
            }
            list.push_unseparated(")");
            q.build_query_scalar().persistent(false).fetch_all(c).await
        })?;
        sources.extend(found);
    }
    Ok(sources)
}

/// Those of the sources that no session came from.
async fn without_sessions(step: &mut Step<'_>, sources: BTreeSet<i64>) -> Result<BTreeSet<i64>, StoreError> {
    let mut orphans = BTreeSet::new();
    for rid in sources {
        let used: i64 = on_step!(step, c => {
            sqlx::query_scalar("SELECT COUNT(*) FROM session_source WHERE workspace_id = $1 AND source_rid = $2")
                .bind(step.workspace).bind(rid).fetch_one(c).await
        })?;
        if used == 0 {
            orphans.insert(rid);
        }
    }
    Ok(orphans)
}

async fn delete_sessions(step: &mut Step<'_>, sessions: &[(i64, String)]) -> Result<Vec<SessionId>, StoreError> {
    const BY_RID: [&str; 10] = [
        "DELETE FROM message_search WHERE rowid IN (SELECT rid FROM message WHERE workspace_id = $1 AND session_rid = $2)",
        "DELETE FROM message WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM tool_use WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM message_count WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM run WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM session_source WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM session_blob WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM read_position WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM delivery WHERE workspace_id = $1 AND session_rid = $2",
        "DELETE FROM session WHERE workspace_id = $1 AND rid = $2",
    ];
    const BY_ID: [&str; 2] = [
        "DELETE FROM feed WHERE workspace_id = $1 AND session_id = $2",
        "UPDATE session SET forked_from = NULL WHERE workspace_id = $1 AND forked_from = $2",
    ];
    const ORPHAN_BLOBS: &str = "DELETE FROM blob WHERE workspace_id = $1 AND NOT EXISTS (SELECT 1 FROM session_blob l \
        WHERE l.workspace_id = blob.workspace_id AND l.sha256 = blob.sha256) AND NOT EXISTS (SELECT 1 FROM blob_upload u \
        WHERE u.workspace_id = blob.workspace_id AND u.sha256 = blob.sha256)";
    let mut forgotten = Vec::new();
    let mut rows = Vec::new();
    for (rid, id) in sessions {
        for sql in BY_RID {
            on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(rid).execute(c).await.map(drop))?;
        }
        for sql in BY_ID {
            on_step!(step, c => sqlx::query(sql).bind(step.workspace).bind(id).execute(c).await.map(drop))?;
        }
        let session_id = SessionId::parse(id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let pos = step.pos();
        let kind = FeedKind::Forgotten;
        rows.push(FeedRow { pos, kind, session_id: session_id.clone(), from_seq: 0, to_seq: 0, revision: 0 });
        forgotten.push(session_id);
    }
    if !forgotten.is_empty() {
        on_step!(step, c => sqlx::query(ORPHAN_BLOBS).bind(step.workspace).execute(c).await.map(drop))?;
        step.flush(None).await?;
        dialect::purge_search(step.tx).await?;
        feed::write_rows(step, &rows).await?;
    }
    Ok(forgotten)
}
