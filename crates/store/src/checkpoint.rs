//! `SQLite`'s log is moved into the database beside the writes. The commit that finds the log full would do it otherwise,
//! and everybody behind it waits: 20 milliseconds and more.

use crate::{Store, StoreError};
use std::time::Duration;

/// How long to wait for more commits.
const PAUSE: Duration = Duration::from_millis(100);

impl Store {
    /// Moves what commits leave in the log, for as long as it is polled. `PostgreSQL` sees to its own.
    pub async fn move_log(&self) {
        let Self::Sqlite(pools) = self else { return };
        loop {
            pools.committed.notified().await;
            tokio::time::sleep(PAUSE).await;
            if let Err(error) = self.move_full_log().await {
                // The writer moves it when it is twice as long.
                tracing::debug!(%error, "the log stays as it is");
            }
        }
    }

    async fn move_full_log(&self) -> Result<(), StoreError> {
        let Self::Sqlite(pools) = self else { return Ok(()) };
        // A reader's connection may: it changes nothing that is stored.
        let looked = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)");
        let (_, pages, moved): (i64, i64, i64) = looked.fetch_one(&pools.readers).await?;
        if pages - moved >= i64::from(pools.checkpoint_pages) {
            sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)").execute(&pools.readers).await?;
        }
        Ok(())
    }
}
