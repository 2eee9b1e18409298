//! Opening a database, and running one statement text on either engine.

use crate::condition::{Condition, Monitor};
use crate::{StoreError, Workspace, files, integrity, migrations, statistics};
use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Pool, Transaction};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

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
    /// Counts the steps of `SQLite`'s virtual machine, for tests: how much work reading and writing is, whatever the machine. A row that is
    /// read takes several. Statements become a tenth slower.
    pub steps: Option<&'static AtomicU64>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { durability: Durability::Full, checkpoint_pages: 4000, steps: None }
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
    /// Of `SQLite`: opens one more connection, which only reads.
    pub(crate) inspection: Option<SqliteConnectOptions>,
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

/// Runs a statement within a write transaction, on either engine; the connection is borrowed anew for each statement: `&mut *connection`.
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
const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";

/// The first release without a bug that could corrupt a database with a write-ahead log.
const OLDEST_SQLITE: (&str, i32) = ("3.51.3", 3_051_003);
/// The writer's: a few lengths of each insert, beside what has one.
const STATEMENTS: usize = 256;
const READERS: u32 = 4;
/// How long a start waits for them.
const LONGEST_OPENING: Duration = Duration::from_secs(1);
const POSTGRES_READERS: u32 = 6;
/// One writes while the other one comes back from its transaction.
const POSTGRES_WRITERS: u32 = 2;
/// A server that doesn't answer for so long is away: who asks is told to come back.
const POSTGRES_PATIENCE: Duration = Duration::from_secs(5);

impl Store {
    /// Opens the database, creates what is missing and brings its schema up to date.
    pub async fn open(database: &Database) -> Result<Self, StoreError> {
        Self::open_with(database, Tuning::default()).await
    }

    /// Like [`Self::open`], with other tuning.
    pub async fn open_with(database: &Database, tuning: Tuning) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(file) => open_sqlite(file, tuning).await.map(Self::Sqlite),
            Database::Postgres(url) => open_postgres(url).await.map(Self::Postgres),
        }
    }

    /// What keeps it from being written to, now and whenever that changes.
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

    /// Moves what the log holds into the database file, and empties it unless somebody reads in it. `PostgreSQL` sees to its
    /// own.
    pub(crate) async fn empty_log(&self) -> Result<(), StoreError> {
        if let Self::Sqlite(Pools { writer, .. }) = self {
            sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(writer).await?;
        }
        Ok(())
    }

    /// The handle on a workspace; `default` where nobody chose one.
    pub fn workspace(&self, id: &str) -> Workspace {
        Workspace::new(self.clone(), id)
    }

    pub(crate) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite(Pools { writer, committed, monitor, .. }) => {
                monitor.permit_write()?;
                let begun = match monitor.observe(writer.begin_with(BEGIN_SQLITE).await) {
                    // SQLite ended a transaction by itself, as it does on a full disk, and the driver waits for that end still.
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
                // As many as there are may be of a server that ended since: nothing was begun, and the pool lets go of each.
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

/// Did the connection end before it was used, as all do when their server ends?
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

async fn open_sqlite(file: &Path, tuning: Tuning) -> Result<Pools<sqlx::Sqlite>, StoreError> {
    let number = libsqlite3_sys::SQLITE_VERSION_NUMBER;
    if number < OLDEST_SQLITE.1 {
        return Err(StoreError::OldSqlite { found: number.to_string(), needed: OLDEST_SQLITE.0 });
    }
    if let Some(dir) = file.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        files::private_dir(dir)?;
    }
    drop(files::private_file(file)?);
    let monitor = Arc::new(Monitor::new(Some(file)));
    let was_left_open = integrity::was_left_open(file);
    let inspection = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
    let options = sqlite_options(file, tuning.durability);
    let writer = open_writer(options.clone(), tuning).await?;
    let found: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&writer).await?;
    if version_number(&found) < OLDEST_SQLITE.1 {
        return Err(StoreError::OldSqlite { found, needed: OLDEST_SQLITE.0 });
    }
    if was_left_open {
        integrity::check_at_start(file, &inspection, &monitor).await?;
    }
    let steps = migrations::sqlite();
    if monitor.is_damaged() {
        integrity::require_schema(&steps, &writer).await?;
    } else {
        migrate(&steps, steps.run(&writer).await)?;
        // Slower plans are no reason not to open: the disk may be full.
        if let Err(error) = monitor.observe(statistics::ensure(&writer, BEGIN_SQLITE).await) {
            tracing::warn!(%error, "the statistics that SQLite plans by can't be written");
        }
    }
    let readers = open_readers(options, tuning).await;
    let (committed, inspection) = (Arc::default(), Some(inspection));
    Ok(Pools { writer, readers, committed, checkpoint_pages: tuning.checkpoint_pages, monitor, inspection })
}

/// What the writer and the readers of a file have in common.
fn sqlite_options(file: &Path, durability: Durability) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::Relaxed => SqliteSynchronous::Normal,
            Durability::Off => SqliteSynchronous::Off,
        })
        .busy_timeout(Duration::from_secs(5))
        .foreign_keys(true)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .pragma("mmap_size", "0")
        .pragma("temp_store", "MEMORY")
        .pragma("fullfsync", "1")
        .pragma("checkpoint_fullfsync", "1")
        .disable_statement_logging()
}

async fn open_writer(options: SqliteConnectOptions, tuning: Tuning) -> Result<Pool<sqlx::Sqlite>, sqlx::Error> {
    let options = options
        .thread_name(|_| "store-writer".to_owned())
        .statement_cache_capacity(STATEMENTS)
        .pragma("cache_size", "-16384")
        .pragma("journal_size_limit", "67108864")
        // Where nobody moves the log beside the writes, or too slowly.
        .pragma("wal_autocheckpoint", tuning.checkpoint_pages.saturating_mul(2).to_string())
        .pragma("secure_delete", "FAST");
    one_for_ever(SqlitePoolOptions::new().max_connections(1), tuning).connect_with(options).await
}

/// Opens all readers at once: a full disk lets none be opened, and those that are there read on. Where it is full already, or the file
/// is damaged, each is tried again when it is asked for.
async fn open_readers(options: SqliteConnectOptions, tuning: Tuning) -> Pool<sqlx::Sqlite> {
    let options = options
        .thread_name(|n| format!("store-reader-{n}"))
        .pragma("cache_size", "-2048")
        .pragma("wal_autocheckpoint", "0")
        .pragma("query_only", "ON");
    let readers = SqlitePoolOptions::new().min_connections(READERS).max_connections(READERS);
    let readers = one_for_ever(readers, tuning).connect_lazy_with(options);
    let all = async {
        let mut held = Vec::new();
        for _ in 0..READERS {
            held.push(readers.acquire().await?);
        }
        Ok::<_, sqlx::Error>(())
    };
    let _ = timeout(LONGEST_OPENING, all).await;
    readers
}

/// A file's connections don't go stale: they are neither renewed nor tried before use.
fn one_for_ever(options: SqlitePoolOptions, tuning: Tuning) -> SqlitePoolOptions {
    let options = options.idle_timeout(None).max_lifetime(None).test_before_acquire(false);
    let Some(steps) = tuning.steps else { return options };
    options.after_connect(move |connection, _| {
        Box::pin(async move {
            connection.lock_handle().await?.set_progress_handler(1, move || {
                steps.fetch_add(1, Ordering::Relaxed);
                true
            });
            Ok(())
        })
    })
}

/// `3.51.3` as `SQLite` numbers its releases: 3051003. 0 for what isn't a version.
fn version_number(text: &str) -> i32 {
    let mut parts = text.split('.').map(|part| part.parse::<i32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    next() * 1_000_000 + next() * 1000 + next()
}

async fn open_postgres(url: &str) -> Result<Pools<sqlx::Postgres>, StoreError> {
    let patient = PgConnectOptions::from_str(url)?.application_name("verbatim");
    let options = patient.clone().options([
        ("statement_timeout", "60s"),
        // A server that was stopped in the middle of a transaction holds up the others no longer than this.
        ("idle_in_transaction_session_timeout", "5s"),
        ("lock_timeout", "10s"),
        // Words are sorted into their index beside the writes; by a write, while all others wait, where there are far too many.
        ("gin_pending_list_limit", "256MB"),
    ]);
    let pool = |most| PgPoolOptions::new().max_connections(most).acquire_timeout(POSTGRES_PATIENCE);
    let readers = pool(POSTGRES_READERS).connect_with(options.clone()).await?;
    // An index of a large table takes its time, and so does another server that makes it.
    let migrating = pool(1).connect_with(patient).await?;
    let steps = migrations::postgres();
    migrate(&steps, steps.run(&migrating).await)?;
    migrating.close().await;
    // Not tried before use, which would be a round trip more: a transaction that can't begin says so as well.
    let writer = pool(POSTGRES_WRITERS).test_before_acquire(false).connect_lazy_with(options);
    let (committed, monitor) = (Arc::default(), Arc::new(Monitor::new(None)));
    Ok(Pools { writer, readers, committed, checkpoint_pages: 0, monitor, inspection: None })
}

fn migrate(steps: &Migrator, result: Result<(), MigrateError>) -> Result<(), StoreError> {
    let known = steps.iter().map(|migration| migration.version).max().unwrap_or(0);
    match result {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(found)) if found > known => Err(StoreError::Newer { found, known }),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => Err(error.into()),
        Err(error) => Err(StoreError::Migrate(error)),
    }
}
