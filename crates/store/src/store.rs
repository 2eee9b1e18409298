//! One statement text on either engine.

use crate::StoreError;
use crate::condition::{Condition, Monitor};
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Pool, Transaction};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::{Notify, watch};

/// Where the data lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    /// The file.
    Sqlite(PathBuf),
    /// A URL: `postgres://user@host/database`.
    Postgres(String),
}

/// How much a commit to `SQLite` promises. `PostgreSQL` has a setting of its own, `synchronous_commit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It is on the disk: no loss of power takes it back.
    Full,
    /// It is in order, but a loss of power may take the last ones back.
    Relaxed,
    /// A loss of power may destroy the database. The test of power cuts must notice that.
    Off,
}

/// How a database is opened.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub durability: Durability,
    /// Pages of the write-ahead log from which on it is moved into the database.
    pub checkpoint_pages: u32,
    /// Whether a file is copied before it is migrated. `SQLite` only.
    pub copies_before_update: bool,
    /// Counts the steps of `SQLite`'s virtual machine, for tests: how much work reading and writing is, whatever the
    /// machine. A row that is read takes several. Statements become a tenth slower.
    pub steps: Option<&'static AtomicU64>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { durability: Durability::Full, checkpoint_pages: 4000, copies_before_update: true, steps: None }
    }
}

/// An open database. Clones share it.
#[derive(Debug, Clone)]
pub enum Store {
    Sqlite(Pools<sqlx::Sqlite>),
    Postgres(Pools<sqlx::Postgres>),
}

/// Connections that write, and connections that read.
#[derive(Debug)]
pub struct Pools<DB: sqlx::Database> {
    pub(crate) writer: Pool<DB>,
    pub(crate) readers: Pool<DB>,
    /// Rings at commits.
    pub(crate) committed: Arc<Notify>,
    pub(crate) checkpoint_pages: u32,
    pub(crate) monitor: Arc<Monitor>,
    /// Options to open one more read-only connection. `SQLite` only.
    pub(crate) inspection: Option<SqliteConnectOptions>,
    /// The copy that was made when this was opened.
    pub(crate) update_copy: Option<PathBuf>,
}

// Derived, it would ask for databases that can be cloned.
impl<DB: sqlx::Database> Clone for Pools<DB> {
    fn clone(&self) -> Self {
        Self {
            writer: self.writer.clone(),
            readers: self.readers.clone(),
            committed: Arc::clone(&self.committed),
            checkpoint_pages: self.checkpoint_pages,
            monitor: Arc::clone(&self.monitor),
            inspection: self.inspection.clone(),
            update_copy: self.update_copy.clone(),
        }
    }
}

/// A write transaction; rolled back unless it is committed.
pub(crate) enum Tx {
    // Each with what rings when it is committed.
    Sqlite(Transaction<'static, sqlx::Sqlite>, Arc<Notify>, Arc<Monitor>),
    Postgres(Transaction<'static, sqlx::Postgres>, Arc<Notify>),
}

/// Runs one body on the engine of a store, for reading: `on!(store, pool => query.fetch_all(pool).await)`.
macro_rules! on {
    ($store:expr, $pool:ident => $body:expr) => {
        match $store {
            $crate::Store::Sqlite(pools) => {
                let $pool = &pools.readers;
                pools.monitor.observe($body)
            }
            $crate::Store::Postgres(pools) => {
                let $pool = &pools.readers;
                $body
            }
        }
    };
}

/// Runs a statement within a write transaction, on either engine; the connection is borrowed anew for each statement:
/// `&mut *connection`.
macro_rules! on_tx {
    ($tx:expr, $connection:ident => $body:expr) => {
        match $tx {
            $crate::store::Tx::Sqlite(transaction, _, monitor) => {
                let $connection = &mut **transaction;
                monitor.observe($body)
            }
            $crate::store::Tx::Postgres(transaction, ..) => {
                let $connection = &mut **transaction;
                $body
            }
        }
    };
}

/// Runs a statement within a [`crate::step::Step`], after the rows that were written in it before.
macro_rules! on_step {
    ($step:expr, $connection:ident => $body:expr) => {{
        $step.flush().await?;
        $crate::store::on_tx!(&mut *$step.tx, $connection => $body)
    }};
}
pub(crate) use {on, on_step, on_tx};

/// `SQLite`'s plain BEGIN takes the write lock at the first write, which fails if another connection wrote in between.
pub(crate) const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";

/// One writes while the other one comes back from its transaction.
pub(crate) const POSTGRES_WRITERS: u32 = 2;

impl Store {
    /// Returns the condition in which it can't be written, with its changes.
    pub fn condition(&self) -> watch::Receiver<Condition> {
        self.monitor().subscribe()
    }

    pub(crate) fn monitor(&self) -> &Monitor {
        match self {
            Self::Sqlite(pools) => &pools.monitor,
            Self::Postgres(pools) => &pools.monitor,
        }
    }

    /// Moves what the log holds into the database file and closes every connection.
    pub async fn close(&self) {
        on!(self, readers => readers.close().await);
        if !self.monitor().is_damaged()
            && let Err(error) = self.empty_log().await
        {
            tracing::warn!(%error, "the log stays beside the database until the next start");
        }
        match self {
            Self::Sqlite(Pools { writer, .. }) => writer.close().await,
            Self::Postgres(Pools { writer, .. }) => writer.close().await,
        }
    }

    /// Moves what the log holds into the database file, and empties it unless somebody reads in it. `PostgreSQL` sees
    /// to its own.
    pub(crate) async fn empty_log(&self) -> Result<(), StoreError> {
        if let Self::Sqlite(Pools { writer, .. }) = self {
            sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(writer).await?;
        }
        Ok(())
    }

    pub(crate) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite(Pools { writer, committed, monitor, .. }) => {
                monitor.permit_write()?;
                let begun = match monitor.observe(writer.begin_with(BEGIN_SQLITE).await) {
                    // SQLite ended a transaction by itself, as it does on a full disk, and the driver waits for that
                    // end still.
                    Err(sqlx::Error::InvalidSavePointStatement) => {
                        writer.acquire().await?.close().await?;
                        writer.begin_with(BEGIN_SQLITE).await?
                    }
                    begun => begun?,
                };
                Tx::Sqlite(begun, Arc::clone(committed), Arc::clone(monitor))
            }
            Self::Postgres(Pools { writer, committed, .. }) => {
                let mut begun = writer.begin().await;
                // As many as there are may be of a server that ended since: nothing was begun, and the pool lets go of
                // each.
                for _ in 0..POSTGRES_WRITERS {
                    if begun.as_ref().is_err_and(is_stale) {
                        begun = writer.begin().await;
                    }
                }
                Tx::Postgres(begun?, Arc::clone(committed))
            }
        })
    }
}

/// Returns true if the connection was closed before it was used, for example by a restart of its server.
fn is_stale(error: &sqlx::Error) -> bool {
    let told = || error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code.starts_with("57P0"));
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_)) || told()
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        let committed = match self {
            Self::Sqlite(transaction, committed, monitor) => {
                monitor.observe(transaction.commit().await)?;
                committed
            }
            Self::Postgres(transaction, committed) => {
                transaction.commit().await?;
                committed
            }
        };
        committed.notify_one();
        Ok(())
    }
}
