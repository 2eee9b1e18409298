//! What commits leave to be done, done beside the writes: the commit that finds too much of it would do it otherwise, and
//! everybody behind it waits. Of `SQLite` that is the log, which is moved into the database (20 milliseconds and more); of
//! `PostgreSQL` new words, which are sorted into their index (100 milliseconds), and a look at tables that grew.

use crate::store::Pools;
use crate::{Store, StoreError};
use sqlx::Postgres;
use std::time::Duration;

/// How long to wait for more commits.
const SQLITE_PAUSE: Duration = Duration::from_millis(100);
const POSTGRES_PAUSE: Duration = Duration::from_millis(250);

impl Store {
    /// Does it for as long as it is polled.
    pub async fn keep_up(&self) {
        let (committed, pause) = match self {
            Self::Sqlite(pools) => (&pools.committed, SQLITE_PAUSE),
            Self::Postgres(pools) => (&pools.committed, POSTGRES_PAUSE),
        };
        // How far the workspaces had come at the last look.
        let mut rids = Vec::new();
        loop {
            committed.notified().await;
            tokio::time::sleep(pause).await;
            let done = match self {
                Self::Sqlite(pools) => move_log(pools).await,
                Self::Postgres(pools) => sort_words(pools, &mut rids).await,
            };
            if let Err(error) = done {
                // Then a writer does it, when it is far more.
                tracing::debug!(%error, "what commits left stays as it is");
            }
        }
    }
}

async fn move_log(pools: &Pools<sqlx::Sqlite>) -> Result<(), StoreError> {
    // A reader's connection may: it changes nothing that is stored.
    let looked = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)");
    let (_, pages, moved): (i64, i64, i64) = looked.fetch_one(&pools.readers).await?;
    if pages - moved >= i64::from(pools.checkpoint_pages) {
        sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)").execute(&pools.readers).await?;
    }
    Ok(())
}

async fn sort_words(pools: &Pools<Postgres>, rids: &mut Vec<i64>) -> Result<(), StoreError> {
    // It plans by what it knows of the rows, and looks at them once a minute at most. As long as it thinks that they are few,
    // it finds sixty ids by reading all messages of the workspace.
    let now: Vec<i64> =
        sqlx::query_scalar("SELECT last_rid FROM workspace ORDER BY no").fetch_all(&pools.readers).await?;
    if now.iter().enumerate().any(|(index, now)| rids.get(index).is_none_or(|before| has_doubled(*before, *now))) {
        sqlx::raw_sql("ANALYZE workspace, session, message, message_count").execute(&pools.readers).await?;
    }
    *rids = now;
    sqlx::raw_sql("SELECT gin_clean_pending_list('message_search_words')").execute(&pools.readers).await?;
    Ok(())
}

/// Do so many rows make those before them a small part? True a few times in the life of a young workspace.
fn has_doubled(before: i64, now: i64) -> bool {
    const YOUNG: std::ops::RangeInclusive<u32> = 8..=17;
    let magnitude = |rid: i64| (rid & ((1 << crate::write::RID_BITS) - 1)).checked_ilog2();
    magnitude(before) != magnitude(now) && magnitude(now).is_some_and(|now| YOUNG.contains(&now))
}
