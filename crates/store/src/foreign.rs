//! Databases that aren't ours: they are only read, and never locked for their owners.
//!
//! Such a file may be anybody's. Only plain tables are read, so that nothing in it is run: a view or a generated column
//! could compute for ever. What is read takes as much work as the size of the file explains, and each cell has a bound.

use serde_json::Value;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, TypeInfo as _, ValueRef as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a statement waits for a lock. Who writes ahead hardly ever has one.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest cell, in bytes.
pub(crate) const CELL: i64 = 64 << 20;
/// The longest id, in bytes: what has a longer one isn't listed.
pub(crate) const ID: i64 = 1000;
/// Rows that are in memory at a time.
const ROWS: usize = 8;
/// Steps of `SQLite`'s machine between two looks at how many there were.
const STEPS: i32 = 100_000;
/// Steps that the smallest file may take, and those for each of its bytes: tables whose pages lead in a circle have no
/// end.
const LEAST: u64 = 100_000_000;
const PER_BYTE: u64 = 64;

/// Why a database isn't read. The text goes on from its name.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// Another program locked the whole file.
    #[error("is locked: it is read once the program that writes to it lets go")]
    Locked,
    /// Another program's database, or one of a version to come.
    #[error("is no database that this program knows: it has no column `{0}.{1}`")]
    Schema(&'static str, &'static str),
    /// A table isn't plain.
    #[error("isn't read: `{0}` must be a table without generated columns")]
    NotPlain(&'static str),
    /// A cell is too long.
    #[error("isn't read: a cell of `{0}` has more than 64 MiB")]
    Cell(&'static str),
    /// Reading it came to no end.
    #[error("isn't read: it takes more work than its size explains")]
    Endless,
    /// It was written to while it was read without locks.
    #[error("was written to while it was read")]
    Changed,
    /// It is damaged, or can't be opened.
    #[error("can't be read as a database: {0}")]
    Sqlite(#[source] sqlx::Error),
    /// The document couldn't be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<sqlx::Error> for ForeignError {
    fn from(error: sqlx::Error) -> Self {
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .and_then(|code| code.parse::<i32>().ok());
        match code.map(|code| code & 0xff) {
            Some(libsqlite3_sys::SQLITE_INTERRUPT) => Self::Endless,
            Some(libsqlite3_sys::SQLITE_BUSY | libsqlite3_sys::SQLITE_LOCKED) => Self::Locked,
            _ => Self::Sqlite(error),
        }
    }
}

/// An open database, as it is at one moment.
pub(crate) struct Foreign {
    pub connection: SqliteConnection,
    /// Path and state at the time of opening, for a file that is read without locks because nobody has it open.
    at_rest: Option<(PathBuf, Stamp)>,
}

type Stamp = Option<(u64, SystemTime)>;

fn stamp(path: &Path) -> Stamp {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Names of the tables of a database, the first thousand.
pub async fn tables(path: &Path) -> Result<Vec<String>, ForeignError> {
    let mut database = Foreign::open(path).await?;
    let names = sqlx::query_scalar(AssertSqlSafe(format!(
        "SELECT name FROM pragma_table_list WHERE octet_length(name) <= {ID} ORDER BY name LIMIT 1000"
    )))
    .fetch_all(&mut database.connection)
    .await;
    database.close().await;
    Ok(names?)
}

/// Writes a copy of a database as it is at one moment, to a file that isn't there yet.
///
/// # Errors
///
/// Those of reading it, and of the disk of the copy.
pub async fn copy(path: &Path, to: &Path) -> Result<(), ForeignError> {
    let mut database = Foreign::open(path).await?;
    let copied = database.copy(to).await;
    database.close().await;
    copied
}

/// Returns the file beside a database to which it is written first.
pub fn ahead_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Has nobody the database open to write to it? Else there is a file of what isn't in it yet, or of what to take back.
fn is_at_rest(path: &Path) -> bool {
    ["-wal", "-journal"].iter().all(|ending| !beside(path, ending).exists())
}

impl Foreign {
    /// Opens a database to read it.
    pub async fn open(path: &Path) -> Result<Self, ForeignError> {
        let is_at_rest = is_at_rest(path);
        let at_rest = is_at_rest.then(|| (path.to_owned(), stamp(path)));
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .immutable(is_at_rest)
            .create_if_missing(false)
            .busy_timeout(PATIENCE)
            .row_buffer_size(ROWS)
            .pragma("query_only", "ON")
            .pragma("trusted_schema", "OFF")
            .disable_statement_logging();
        let mut connection = options.connect().await?;
        let bytes: u64 = [path, &ahead_of(path)].iter().filter_map(|path| Some(path.metadata().ok()?.len())).sum();
        let mut left = LEAST.saturating_add(bytes.saturating_mul(PER_BYTE));
        connection.lock_handle().await?.set_progress_handler(STEPS, move || {
            left = left.saturating_sub(u64::from(STEPS.unsigned_abs()));
            left > 0
        });
        // All statements see the same moment, and hold up nobody.
        sqlx::query("BEGIN").execute(&mut connection).await?;
        Ok(Self { connection, at_rest })
    }

    /// `SQLite` copies outside of transactions, in one of its own, and only where something may be written.
    async fn copy(&mut self, to: &Path) -> Result<(), ForeignError> {
        for sql in ["ROLLBACK", "PRAGMA query_only = OFF"] {
            sqlx::query(sql).execute(&mut self.connection).await?;
        }
        let to = to.to_string_lossy().into_owned();
        sqlx::query("VACUUM INTO $1").bind(to).execute(&mut self.connection).await?;
        self.still_at_rest()
    }

    /// Names of the columns of a table; none if there is no such table.
    pub async fn columns(&mut self, table: &str) -> Result<Vec<String>, ForeignError> {
        Ok(sqlx::query_scalar("SELECT name FROM pragma_table_info($1)")
            .bind(table)
            .fetch_all(&mut self.connection)
            .await?)
    }

    /// Fails unless there is a plain table with these columns.
    pub async fn require_columns(&mut self, table: &'static str, columns: &[&'static str]) -> Result<(), ForeignError> {
        let found = self.columns(table).await?;
        if let Some(missing) = columns.iter().find(|column| !found.iter().any(|name| name == *column)) {
            return Err(ForeignError::Schema(table, missing));
        }
        self.require_plain(table).await
    }

    /// Fails unless it is a plain table: then reading it runs nothing but what is asked.
    pub async fn require_plain(&mut self, table: &'static str) -> Result<(), ForeignError> {
        let kinds: Vec<String> =
            sqlx::query_scalar("SELECT type FROM pragma_table_list WHERE name = $1 COLLATE NOCASE")
                .bind(table)
                .fetch_all(&mut self.connection)
                .await?;
        let hidden: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM pragma_table_xinfo($1) WHERE hidden <> 0")
            .bind(table)
            .fetch_one(&mut self.connection)
            .await?;
        if kinds == ["table"] && hidden == 0 { Ok(()) } else { Err(ForeignError::NotPlain(table)) }
    }

    /// Fails if a cell of the rows with this value in the column is longer than may be read.
    pub async fn require_short(
        &mut self,
        table: &'static str,
        column: &'static str,
        value: &str,
    ) -> Result<(), ForeignError> {
        let columns = self.columns(table).await?;
        let long: Vec<String> = columns.iter().map(|name| format!("octet_length({}) > {CELL}", quoted(name))).collect();
        let (table_name, long) = (quoted(table), long.join(" OR "));
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table_name} WHERE {} = $1 AND ({long}))", quoted(column));
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(value);
        let has_long: bool = query.fetch_one(&mut self.connection).await?;
        if has_long { Err(ForeignError::Cell(table)) } else { Ok(()) }
    }

    /// Fails if a file that is read without locks was written to.
    pub fn still_at_rest(&self) -> Result<(), ForeignError> {
        match &self.at_rest {
            Some((path, then)) if stamp(path) != *then || !is_at_rest(path) => Err(ForeignError::Changed),
            _ => Ok(()),
        }
    }

    /// Ends the reading.
    pub async fn close(self) {
        // It was only read.
        let _ = self.connection.close().await;
    }
}

/// A name as SQL has it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The value of a column; None of one without a value. A text that is a JSON object or array counts as that.
pub(crate) fn value(row: &SqliteRow, n: usize) -> Option<Value> {
    let raw = row.try_get_raw(n).ok()?;
    if raw.is_null() {
        return None;
    }
    let kind = raw.type_info().name().to_owned();
    match kind.as_str() {
        "INTEGER" => row.try_get_unchecked::<i64, _>(n).ok().map(Value::from),
        "REAL" => row.try_get_unchecked::<f64, _>(n).ok().map(Value::from),
        _ => {
            let text = row.try_get_unchecked::<String, _>(n).ok()?;
            let nested = Some(&text).filter(|text| text.starts_with(['{', '[']));
            Some(nested.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::String(text)))
        }
    }
}
