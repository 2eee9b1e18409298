//! Maintenance after commits, done beside writes. Otherwise the commit that exceeds a limit would do it, and all writes
//! behind it would wait. For `SQLite` it moves the log to the database (20 milliseconds and more). For `PostgreSQL` it
//! merges new words to their index (100 milliseconds), and analyzes tables that grew.

use crate::store::Pools;
use crate::{Store, StoreError};
use sqlx::{Connection as _, Postgres};
use std::time::Duration;

/// How long to wait for more commits.
const SQLITE_PAUSE: Duration = Duration::from_millis(100);
const POSTGRES_PAUSE: Duration = Duration::from_millis(250);
/// Looks at young tables between two times that new words are sorted: each word of the index that they name is written
/// anew, however often it was named. A search reads what isn't sorted yet from its beginning to its end.
const LOOKS: usize = 16;

impl Store {
    /// Gives back the memory that much writing leaves: pages of the file and statements, which are read and prepared
    /// anew where they are needed again. `PostgreSQL` has them on its side.
    pub async fn rest(&self) -> Result<(), StoreError> {
        const SHRINK: &str = "PRAGMA shrink_memory";
        let Self::Sqlite(pools) = self else { return Ok(()) };
        let mut writer = pools.writer.acquire().await?;
        writer.clear_cached_statements().await?;
        sqlx::raw_sql(SHRINK).execute(&mut *writer).await?;
        drop(writer);
        let mut idle = Vec::new();
        while let Some(mut reader) = pools.readers.try_acquire() {
            sqlx::raw_sql(SHRINK).execute(&mut *reader).await?;
            idle.push(reader);
        }
        Ok(())
    }

    /// Does it for as long as it is polled.
    pub async fn keep_up(&self) {
        match self {
            Self::Sqlite(pools) => keep_up_sqlite(pools).await,
            Self::Postgres(pools) => keep_up_postgres(pools).await,
        }
    }
}

async fn keep_up_sqlite(pools: &Pools<sqlx::Sqlite>) {
    loop {
        pools.committed.notified().await;
        tokio::time::sleep(SQLITE_PAUSE).await;
        if !pools.monitor.is_damaged() {
            tell(pools.monitor.observe(move_log(pools).await));
        }
    }
}

async fn keep_up_postgres(pools: &Pools<Postgres>) {
    // How far the workspaces had come at the last look.
    let mut rids = Vec::new();
    loop {
        pools.committed.notified().await;
        for _ in 0..LOOKS {
            tokio::time::sleep(POSTGRES_PAUSE).await;
            tell(look_at_young(pools, &mut rids).await);
        }
        tell(sort_words(pools).await);
    }
}

/// Logs failed maintenance. A writer does it if much more has to be done.
fn tell(done: Result<(), StoreError>) {
    if let Err(error) = done {
        tracing::debug!(%error, "what commits left stays as it is");
    }
}

async fn move_log(pools: &Pools<sqlx::Sqlite>) -> Result<(), StoreError> {
    // A reader's connection may: it changes nothing that is stored.
    let looked = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)");
    let (_, pages, moved): (i64, i64, i64) = looked.fetch_one(&pools.readers).await?;
    // On a full disk the log has only the room that the reserve had.
    let enough = if pools.monitor.is_disk_full() { 1 } else { i64::from(pools.checkpoint_pages) };
    if pages - moved >= enough {
        sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)").execute(&pools.readers).await?;
    }
    Ok(())
}

/// `PostgreSQL` plans by what it knows of the rows, and looks at them once a minute at most. As long as it thinks that
/// they are few, it finds sixty ids by reading all messages of the workspace.
async fn look_at_young(pools: &Pools<Postgres>, rids: &mut Vec<i64>) -> Result<(), StoreError> {
    let now: Vec<i64> =
        sqlx::query_scalar("SELECT last_rid FROM workspace ORDER BY no").fetch_all(&pools.readers).await?;
    if now.iter().enumerate().any(|(index, now)| rids.get(index).is_none_or(|before| has_doubled(*before, *now))) {
        sqlx::raw_sql("ANALYZE workspace, session, message, message_count").execute(&pools.readers).await?;
    }
    *rids = now;
    Ok(())
}

/// By a row that finds too many words, sorts what was there before it, and is taken back. `gin_clean_pending_list`
/// would go on until there are none: while others write, that is never, and it would soon sort the words of a few
/// messages at a time, which takes four times as long for each.
const SORT: &str = "SET LOCAL gin_pending_list_limit = '64kB'; SET LOCAL work_mem = '16MB'; \
    INSERT INTO message_search (rowid, words) VALUES (-1, '')";

async fn sort_words(pools: &Pools<Postgres>) -> Result<(), StoreError> {
    let mut transaction = pools.readers.begin().await?;
    sqlx::raw_sql(SORT).execute(&mut *transaction).await?;
    transaction.rollback().await?;
    Ok(())
}

/// Do so many rows make those before them a small part? True a few times in the life of a young workspace.
fn has_doubled(before: i64, now: i64) -> bool {
    const YOUNG: std::ops::RangeInclusive<u32> = 8..=17;
    let magnitude = |rid: i64| (rid & ((1 << crate::step::RID_BITS) - 1)).checked_ilog2();
    magnitude(before) != magnitude(now) && magnitude(now).is_some_and(|now| YOUNG.contains(&now))
}
