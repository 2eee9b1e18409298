//! Checks the integrity of stored data.

use crate::store::on_tx;
use crate::{Store, StoreError, dialect, rollup};

/// Faults that are told of one check at most.
const MOST: i64 = 20;

impl Store {
    /// Returns whether the server keeps checksums of its pages; None for `SQLite`, which has none.
    pub async fn data_checksums(&self) -> Option<bool> {
        let Self::Postgres(pools) = self else { return None };
        let setting: String = sqlx::query_scalar("SHOW data_checksums").fetch_one(&pools.readers).await.ok()?;
        Some(setting == "on")
    }

    /// Returns the problems of the database, for people; empty if there are none. Reads all of it.
    pub async fn faults(&self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        if let Self::Sqlite(sqlite) = self {
            let mut reader = sqlite.readers.begin().await?;
            // A connection that searched before checks the index by what it knew of it then, unless it looks into it
            // first.
            sqlx::query("SELECT rowid FROM message_search LIMIT 1").fetch_optional(&mut *reader).await?;
            let told: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)").fetch_all(&mut *reader).await?;
            reader.commit().await?;
            faults.extend(told.into_iter().filter(|line| line != "ok"));
        }
        let mut tx = dialect::begin_patient(self).await?;
        let gaps: Vec<(String, i64, i64, i64)> = on_tx!(&mut tx, c => {
            sqlx::query_as(
                "SELECT s.id, s.last_seq, COUNT(m.seq), COALESCE(MAX(m.seq), 0) FROM session s \
                 LEFT JOIN message m ON m.workspace_id = s.workspace_id AND m.session_rid = s.rid \
                 GROUP BY s.workspace_id, s.rid, s.id, s.last_seq \
                 HAVING COUNT(m.seq) <> s.last_seq OR COALESCE(MAX(m.seq), 0) <> s.last_seq LIMIT $1",
            )
            .bind(MOST).fetch_all(c).await
        })?;
        faults.extend(gaps.into_iter().map(|(id, last, count, highest)| {
            format!("session {id} counts {last} messages, but holds {count}, the last one with the `seq` {highest}")
        }));
        let ahead: Vec<(String, i64, i64)> = on_tx!(&mut tx, c => {
            sqlx::query_as(
                "SELECT w.id, w.feed_pos, MAX(f.pos) FROM workspace w JOIN feed f ON f.workspace_id = w.id \
                 GROUP BY w.id, w.feed_pos HAVING MAX(f.pos) > w.feed_pos LIMIT $1",
            )
            .bind(MOST).fetch_all(c).await
        })?;
        faults.extend(
            ahead
                .into_iter()
                .map(|(id, pos, last)| format!("the feed of workspace {id} is at {pos}, but holds a row at {last}")),
        );
        faults.extend(rollup::faults(&mut tx).await?);
        Ok(faults)
    }
}
