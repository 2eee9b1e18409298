//! How a store is opened: its connections, and the schema that it has then.

use crate::condition::Monitor;
use crate::store::{BEGIN_SQLITE, Database, Durability, POSTGRES_WRITERS, Pools, Store, Tuning};
use crate::{StoreError, files, integrity, migrations, statistics, transfer, update_copy};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Pool};
use std::path::Path;
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;

/// The first release without a bug that could corrupt a database with a write-ahead log.
const OLDEST_SQLITE: (&str, i32) = ("3.51.3", 3_051_003);
/// The writer's: a few lengths of each insert, beside what has one.
const STATEMENTS: usize = 256;
const READERS: u32 = 4;
/// How long a start waits for them.
const LONGEST_OPENING: Duration = Duration::from_secs(1);
const POSTGRES_READERS: u32 = 6;
/// A server that doesn't answer for so long is away: who asks is told to come back.
const POSTGRES_PATIENCE: Duration = Duration::from_secs(5);

impl Store {
    /// Opens the database, creates what is missing and brings its schema up to date.
    pub async fn open(database: &Database) -> Result<Self, StoreError> {
        Self::open_with(database, Tuning::default()).await
    }

    /// Like [`Self::open`], with other tuning.
    pub async fn open_with(database: &Database, tuning: Tuning) -> Result<Self, StoreError> {
        let store = Self::open_at(database, tuning, None).await?;
        if matches!(store, Self::Postgres(_)) {
            let mut tx = store.begin().await?;
            if transfer::has_begun(&mut tx).await? {
                return Err(StoreError::Incomplete);
            }
        }
        Ok(store)
    }

    /// Opens the database of a transfer, and brings its schema up to `schema` alone if it is given.
    pub(crate) async fn open_at(database: &Database, tuning: Tuning, schema: Option<i64>) -> Result<Self, StoreError> {
        match database {
            Database::Sqlite(file) => open_sqlite(file, tuning, schema).await.map(Self::Sqlite),
            Database::Postgres(url) => open_postgres(url, schema).await.map(Self::Postgres),
        }
    }
}

async fn open_sqlite(file: &Path, tuning: Tuning, schema: Option<i64>) -> Result<Pools<sqlx::Sqlite>, StoreError> {
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
    let steps = migrations::up_to(migrations::sqlite(), schema)?;
    let mut copied = None;
    if monitor.is_damaged() {
        integrity::require_schema(&steps, &writer).await?;
    } else {
        if tuning.copies_before_update {
            copied = update_copy::copy_if_due(file, &steps, &mut *writer.acquire().await?).await?;
        }
        migrate(&steps, steps.run(&writer).await)?;
        // Slower plans are no reason not to open: the disk may be full.
        if let Err(error) = monitor.observe(statistics::ensure(&writer, BEGIN_SQLITE).await) {
            tracing::warn!(%error, "the statistics that SQLite plans by can't be written");
        }
    }
    let readers = open_readers(options, tuning).await;
    let (committed, inspection) = (Arc::default(), Some(inspection));
    Ok(Pools {
        writer,
        readers,
        committed,
        checkpoint_pages: tuning.checkpoint_pages,
        monitor,
        inspection,
        update_copy: copied,
    })
}

/// Returns the options that a file's writer and readers share.
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

/// Opens all readers at once: a full disk lets none be opened, and those that are there read on. Where it is full
/// already, or the file is damaged, each is tried again when it is asked for.
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

async fn open_postgres(url: &str, schema: Option<i64>) -> Result<Pools<sqlx::Postgres>, StoreError> {
    let patient = PgConnectOptions::from_str(url)?.application_name("verbatim");
    let options = patient.clone().options([
        ("statement_timeout", "60s"),
        // A server that was stopped in the middle of a transaction holds up the others no longer than this.
        ("idle_in_transaction_session_timeout", "5s"),
        ("lock_timeout", "10s"),
        // Words are sorted into their index beside the writes; by a write, while all others wait, where there are far
        // too many.
        ("gin_pending_list_limit", "256MB"),
    ]);
    let pool = |most| PgPoolOptions::new().max_connections(most).acquire_timeout(POSTGRES_PATIENCE);
    let readers = pool(POSTGRES_READERS).connect_with(options.clone()).await?;
    // An index of a large table takes its time, and so does another server that makes it.
    let migrating = pool(1).connect_with(patient).await?;
    let steps = migrations::up_to(migrations::postgres(), schema)?;
    migrate(&steps, steps.run(&migrating).await)?;
    migrating.close().await;
    // Not tried before use, which would be a round trip more: a transaction that can't begin says so as well.
    let writer = pool(POSTGRES_WRITERS).test_before_acquire(false).connect_lazy_with(options);
    let (committed, monitor) = (Arc::default(), Arc::new(Monitor::new(None)));
    Ok(Pools { writer, readers, committed, checkpoint_pages: 0, monitor, inspection: None, update_copy: None })
}

fn migrate(steps: &Migrator, result: Result<(), MigrateError>) -> Result<(), StoreError> {
    let known = migrations::newest(steps);
    match result {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(found)) if found > known => Err(StoreError::Newer { found, known }),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => Err(error.into()),
        Err(error) => Err(StoreError::Migrate(error)),
    }
}
