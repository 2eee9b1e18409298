//! Looks for damage of a `SQLite` file: at the start after an unclean end, and now and then in the background.
//!
//! Each look has a connection of its own, which only reads, so that no write waits for it. It ends when its time is
//! over.

use crate::condition::{Monitor, note_beside};
use crate::files::{remove_if_there, with_suffix};
use crate::{Store, StoreError, migrations};
use sqlx::error::DatabaseError;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Pool, Sqlite};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// A start waits so long for the whole check of a file; a larger one is checked on in the background.
const AT_START: Duration = Duration::from_secs(1);
/// Steps of `SQLite`'s machine, or pages of a check, between two looks at the clock.
const STEPS: i32 = 1000;
/// `SQLite`'s result code of a statement that was stopped.
const INTERRUPTED: &str = "9";

/// Where the checks in the background are: they take one table after the other, and go on with the next one an hour
/// later where their time is over.
#[derive(Debug, Default)]
pub struct Checkup {
    next: usize,
}

/// Did the last process end without closing the file, or find it damaged? A clean end leaves no log beside it.
pub(crate) fn was_left_open(file: &Path) -> bool {
    with_suffix(file, "-wal").exists() || note_beside(file).exists()
}

/// Checks a file that was left open. Damage is noted; the note of an earlier damage goes once the file is whole.
pub(crate) async fn check_at_start(
    file: &Path,
    inspection: &SqliteConnectOptions,
    monitor: &Monitor,
) -> Result<(), StoreError> {
    match look(inspection, "PRAGMA quick_check(1)".to_owned(), &Patience::of(AT_START)).await? {
        Verdict::Whole => remove_if_there(&note_beside(file))?,
        Verdict::Damaged(finding) => monitor.damaged(&finding),
        Verdict::OutOfTime => {
            tracing::info!("the database is large: it is checked on in the background");
            monitor.set_unchecked();
        }
    }
    Ok(())
}

/// A damaged file isn't migrated: it is only read if its schema is the one that this program knows.
pub(crate) async fn require_schema(steps: &Migrator, writer: &Pool<Sqlite>) -> Result<(), StoreError> {
    let known = migrations::newest(steps);
    let found: i64 =
        sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations").fetch_one(writer).await?;
    match found.cmp(&known) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(StoreError::Newer { found, known }),
        std::cmp::Ordering::Less => {
            Err(StoreError::Protected(format!("its schema is {found}, this program needs {known}")))
        }
    }
}

enum Verdict {
    Whole,
    Damaged(String),
    OutOfTime,
}

/// The time that a check may take.
struct Patience {
    is_over: Arc<AtomicBool>,
    timer: JoinHandle<()>,
}

impl Patience {
    fn of(patience: Duration) -> Self {
        let is_over = Arc::new(AtomicBool::default());
        let over = Arc::clone(&is_over);
        let timer = tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            over.store(true, Ordering::Relaxed);
        });
        Self { is_over, timer }
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.timer.abort();
    }
}

/// Runs a `PRAGMA` that answers `ok` or what is wrong.
async fn look(options: &SqliteConnectOptions, pragma: String, patience: &Patience) -> Result<Verdict, StoreError> {
    let mut connection = match options.connect().await {
        Ok(connection) => connection,
        Err(error) => return damage(error),
    };
    let is_over = Arc::clone(&patience.is_over);
    let looked = async {
        let mut handle = connection.lock_handle().await?;
        handle.set_progress_handler(STEPS, move || !is_over.load(Ordering::Relaxed));
        drop(handle);
        sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(pragma)).fetch_all(&mut connection).await
    }
    .await;
    let _ = connection.close().await;
    match looked {
        Ok(lines) if lines.iter().all(|line| line == "ok") => Ok(Verdict::Whole),
        Ok(lines) => {
            Ok(Verdict::Damaged(lines.join("; ").replace("*** in database main ***\n", "").replace('\n', "; ")))
        }
        Err(error) => damage(error),
    }
}

/// An error of a check that says something of the file.
fn damage(error: sqlx::Error) -> Result<Verdict, StoreError> {
    if error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == INTERRUPTED) {
        return Ok(Verdict::OutOfTime);
    }
    match StoreError::from(error) {
        StoreError::Damaged(error) => Ok(Verdict::Damaged(error.to_string())),
        error => Err(error),
    }
}

impl Store {
    /// Returns true if a check is due, since the file was left open and the start didn't wait for the whole of it.
    pub fn is_unchecked(&self) -> bool {
        self.monitor().is_unchecked()
    }

    /// Checks tables and their indexes for at most `patience`, one after the other. What is damaged makes the database
    /// read-only. `PostgreSQL` has tools of its own.
    pub async fn check(&self, checkup: &mut Checkup, patience: Duration) -> Result<(), StoreError> {
        let Self::Sqlite(pools) = self else { return Ok(()) };
        let Some(inspection) = &pools.inspection else { return Ok(()) };
        let patience = Patience::of(patience);
        let tables = match tables(inspection).await {
            Ok(tables) => tables,
            Err(error) => return pools.monitor.observe(Err(error)),
        };
        for _ in 0..tables.len() {
            let Some(table) = tables.get(checkup.next % tables.len()) else { break };
            checkup.next = (checkup.next + 1) % tables.len();
            match look(inspection, format!("PRAGMA quick_check('{table}')"), &patience).await? {
                Verdict::Whole => {}
                Verdict::Damaged(finding) => {
                    pools.monitor.damaged(&finding);
                    break;
                }
                Verdict::OutOfTime => {
                    tracing::info!(table, "the check of the database goes on at the next time");
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Names of all tables, those of the index of words included.
async fn tables(inspection: &SqliteConnectOptions) -> Result<Vec<String>, StoreError> {
    let mut connection: SqliteConnection = inspection.connect().await?;
    let tables = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%''%' ORDER BY name",
    );
    let tables = tables.fetch_all(&mut connection).await;
    let _ = connection.close().await;
    Ok(tables?)
}
