//! Makes recovered tables fit each other again: a row for each session that still has messages, a note in place of each
//! lost message, figures that follow from the rows, and a place for lost bytes of files.

use super::{DamagedSession, content};
use crate::StoreError;
use crate::pack::content_hash;
use crate::pack::with_packer;
use crate::read::messages::lost;
use crate::rollup;
use crate::step::RID_BITS;
use model::Micros;
use sqlx::{Connection as _, SqliteConnection};
use std::collections::HashSet;

/// More lost messages than this in one session are no number that anybody wrote.
const MOST_LOST: i64 = 1_000_000;
const LOST: &str = "This message was lost when the database was damaged";

/// Lost data.
pub(super) struct Losses {
    pub sessions: Vec<DamagedSession>,
    /// Paths of files, and how many of their bytes.
    pub sources: Vec<(String, i64)>,
    /// Digests.
    pub blobs: Vec<String>,
}

pub(super) async fn mend(connection: &mut SqliteConnection, now: Micros) -> Result<Losses, StoreError> {
    let mut tx = connection.begin().await?;
    let blobs = content::drop_damaged(&mut tx).await?;
    complete_workspaces(&mut tx).await?;
    let rebuilt = rebuild_sessions(&mut tx, now).await?;
    let sessions = fill_gaps(&mut tx, &rebuilt, now).await?;
    count(&mut tx).await?;
    let sources = fill_sources(&mut tx).await?;
    // The index of words is written anew from the messages, and what they changed.
    sqlx::query("DELETE FROM meta WHERE key = 'words'").execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(Losses { sessions, sources, blobs })
}

/// A workspace is further than all that it gave numbers to.
async fn complete_workspaces(tx: &mut SqliteConnection) -> Result<(), StoreError> {
    let insert = format!(
        "INSERT INTO workspace (id, no, feed_pos, last_rid) SELECT workspace_id, MIN(rid) >> {RID_BITS}, 0, MAX(rid) FROM \
         (SELECT workspace_id, rid FROM message UNION ALL SELECT workspace_id, rid FROM session) \
         WHERE workspace_id NOT IN (SELECT id FROM workspace) GROUP BY workspace_id"
    );
    sqlx::query(sqlx::AssertSqlSafe(insert)).execute(&mut *tx).await?;
    sqlx::query(
        "UPDATE workspace SET \
         last_rid = MAX(last_rid, COALESCE((SELECT MAX(rid) FROM message WHERE workspace_id = workspace.id), 0), \
         COALESCE((SELECT MAX(rid) FROM session WHERE workspace_id = workspace.id), 0), \
         COALESCE((SELECT MAX(rid) FROM source WHERE workspace_id = workspace.id), 0)), \
         feed_pos = MAX(feed_pos, COALESCE((SELECT MAX(pos) FROM feed WHERE workspace_id = workspace.id), 0))",
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes a session for messages whose own is lost. Returns the rids of these.
async fn rebuild_sessions(tx: &mut SqliteConnection, now: Micros) -> Result<HashSet<i64>, StoreError> {
    let rids = sqlx::query_scalar(
        "INSERT INTO session (rid, workspace_id, id, agent, key, own_title, created_at, last_at, last_seq, message_count, \
         lines_added, lines_removed, todos_open, todos_done, approvals_open, ask_seq, user_seq, runs_open, input, output, \
         cache_read, cache_write) \
         SELECT session_rid, workspace_id, 'recovered-' || session_rid, 'recovered', 'recovered-' || session_rid, \
         'Recovered session', COALESCE(MIN(created_at), $1), COALESCE(MAX(created_at), $1), MAX(seq), 0, \
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM message \
         WHERE session_rid NOT IN (SELECT rid FROM session) GROUP BY workspace_id, session_rid RETURNING rid",
    )
    .bind(now.0)
    .fetch_all(tx)
    .await?;
    Ok(rids.into_iter().collect())
}

type Torn = (i64, String, String, Option<String>, i64, i64);

/// Each `seq` has a message again.
async fn fill_gaps(
    tx: &mut SqliteConnection,
    rebuilt: &HashSet<i64>,
    now: Micros,
) -> Result<Vec<DamagedSession>, StoreError> {
    let torn: Vec<Torn> = sqlx::query_as(
        "SELECT s.rid, s.workspace_id, s.id, COALESCE(s.own_title, s.title, s.first_prompt), s.last_seq, s.last_at FROM session s \
         LEFT JOIN message m ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid GROUP BY s.rid \
         HAVING COUNT(m.seq) <> s.last_seq OR COALESCE(MAX(m.seq), 0) <> s.last_seq ORDER BY s.rid",
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut damaged = Vec::new();
    let mut whole = rebuilt.clone();
    for (rid, workspace, id, title, last_seq, last_at) in torn {
        let seqs: Vec<i64> =
            sqlx::query_scalar("SELECT seq FROM message WHERE session_rid = $1 AND seq > 0 ORDER BY seq")
                .bind(rid)
                .fetch_all(&mut *tx)
                .await?;
        let highest = seqs.last().copied().unwrap_or(0);
        let last = if last_seq - highest > MOST_LOST { highest } else { last_seq.max(highest) };
        let lost = gaps(&seqs, last);
        for (from, to) in &lost {
            for seq in *from..=*to {
                note(tx, &workspace, rid, seq, last_at, now).await?;
            }
        }
        sqlx::query("UPDATE session SET last_seq = $2 WHERE rid = $1").bind(rid).bind(last).execute(&mut *tx).await?;
        damaged.push(DamagedSession { id, title, lost, is_rebuilt: whole.remove(&rid) });
    }
    for rid in whole {
        let id: String =
            sqlx::query_scalar("SELECT id FROM session WHERE rid = $1").bind(rid).fetch_one(&mut *tx).await?;
        damaged.push(DamagedSession { id, title: None, lost: Vec::new(), is_rebuilt: true });
    }
    Ok(damaged)
}

/// Ranges between 1 and `last` that aren't among the ascending numbers.
fn gaps(seqs: &[i64], last: i64) -> Vec<(i64, i64)> {
    let mut gaps = Vec::new();
    let mut next = 1;
    for seq in seqs.iter().copied().chain([last + 1]) {
        if seq > next {
            gaps.push((next, seq - 1));
        }
        next = seq + 1;
    }
    gaps
}

/// Says in place of a message that it is lost.
async fn note(
    tx: &mut SqliteConnection,
    workspace: &str,
    session: i64,
    seq: i64,
    at: i64,
    now: Micros,
) -> Result<(), StoreError> {
    let id = format!("lost-{seq}");
    let draft = lost(&id, LOST, at)?;
    let json = serde_json::to_vec(&draft).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let body = with_packer(|packer| packer.pack(&json))?;
    let rid: i64 = sqlx::query_scalar("UPDATE workspace SET last_rid = last_rid + 1 WHERE id = $1 RETURNING last_rid")
        .bind(workspace)
        .fetch_one(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO message (rid, workspace_id, session_rid, seq, id, revision, role, sender, message_type, part, display, \
         copied, asks, created_at, received_at, hash, records, body) \
         VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, 0, 0, 0, $10, $11, $12, X'', $13)",
    )
    .bind(rid)
    .bind(workspace)
    .bind(session)
    .bind(seq)
    .bind(&id)
    .bind(draft.role.as_str())
    .bind(&draft.sender)
    .bind(draft.message_type())
    .bind(draft.part.as_str())
    .bind(at)
    .bind(now.0)
    .bind(content_hash(0, &json))
    .bind(body)
    .execute(tx)
    .await?;
    Ok(())
}

/// Figures that follow from the messages, requests and calls.
async fn count(tx: &mut SqliteConnection) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM message_count",
        "INSERT INTO message_count (workspace_id, session_rid, role, message_type, display, part, n) \
         SELECT workspace_id, session_rid, role, message_type, display, part, COUNT(*) FROM message WHERE copied = 0 \
         GROUP BY workspace_id, session_rid, role, message_type, display, part",
        "UPDATE session SET message_count = COALESCE((SELECT SUM(n) FROM message_count c WHERE \
         c.workspace_id = session.workspace_id AND c.session_rid = session.rid AND c.display < 2 AND c.part <> 'replaced'), 0)",
    ] {
        sqlx::query(sql).execute(&mut *tx).await?;
    }
    for sql in rollup::rebuild() {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *tx).await?;
    }
    Ok(())
}

/// A chunk that holds nothing stands where bytes of a file are lost: reading them is an error, reading on is none.
async fn fill_sources(tx: &mut SqliteConnection) -> Result<Vec<(String, i64)>, StoreError> {
    let sources: Vec<(i64, String, String, i64)> =
        sqlx::query_as("SELECT rid, workspace_id, path, size FROM source ORDER BY rid").fetch_all(&mut *tx).await?;
    let mut damaged = Vec::new();
    for (rid, workspace, path, size) in sources {
        let chunks: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT start_at, len FROM record_chunk WHERE workspace_id = $1 AND source_rid = $2 ORDER BY start_at",
        )
        .bind(&workspace)
        .bind(rid)
        .fetch_all(&mut *tx)
        .await?;
        let (mut at, mut lost) = (0, 0);
        for (start, len) in chunks.into_iter().chain([(size, 0)]) {
            if start > at {
                sqlx::query(
                    "INSERT INTO record_chunk (workspace_id, source_rid, start_at, len, data) VALUES ($1, $2, $3, $4, X'')",
                )
                .bind(&workspace)
                .bind(rid)
                .bind(at)
                .bind(start - at)
                .execute(&mut *tx)
                .await?;
                lost += start - at;
            }
            at = start + len;
        }
        if lost > 0 {
            damaged.push((path, lost));
        }
    }
    Ok(damaged)
}
