//! The database in which `OpenCode` keeps its sessions. It isn't ours: it is only read, and never locked for its owner.
//!
//! Rows of `message` and `part` hold the JSON that earlier versions kept in files. A session is handed out as the document that
//! `opencode export` prints, `{info, messages: [{info, parts}]}`, with these texts byte for byte behind the ids from their rows.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{Column as _, ConnectOptions as _, Connection as _, Row as _, TypeInfo as _, ValueRef as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a statement waits for a lock. `OpenCode` writes ahead, so that there is hardly ever one.
const PATIENCE: Duration = Duration::from_millis(500);
/// What a version of the database that we know has.
const NEEDED: [(&str, &[&str]); 3] = [
    ("session", &["id", "time_updated"]),
    ("message", &["id", "session_id", "time_created", "time_updated", "data"]),
    ("part", &["id", "message_id", "session_id", "time_updated", "data"]),
];
/// Columns that are fields of an object: `time_created` is `time.created`.
const GROUPS: [&str; 3] = ["time", "summary", "tokens"];

/// Why a database isn't read. The text goes on from its name.
#[derive(Debug, thiserror::Error)]
pub enum OpenCodeError {
    /// Another program locked the whole file.
    #[error("is locked: it is read once the program that writes to it lets go")]
    Locked,
    /// Another program's database, or one of a version to come.
    #[error("is no database of OpenCode that this program knows: it has no column `{0}.{1}`")]
    Schema(&'static str, &'static str),
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

impl From<sqlx::Error> for OpenCodeError {
    fn from(error: sqlx::Error) -> Self {
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .and_then(|code| code.parse::<i32>().ok());
        match code.map(|code| code & 0xff) {
            Some(libsqlite3_sys::SQLITE_BUSY | libsqlite3_sys::SQLITE_LOCKED) => Self::Locked,
            _ => Self::Sqlite(error),
        }
    }
}

/// A session in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCodeSession {
    /// `OpenCode`'s own id: `ses_...`.
    pub id: String,
    /// When it, a message or a part of it changed last, in milliseconds since 1970.
    pub updated_ms: i64,
}

/// An open database, as it is at one moment.
pub struct OpenCode {
    connection: SqliteConnection,
    /// Of a file that is read without locks, since nobody has it open: how it was when it was opened.
    at_rest: Option<(PathBuf, Stamp)>,
}

type Stamp = Option<(u64, SystemTime)>;

fn stamp(path: &Path) -> Stamp {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// The file beside a database to which it is written first.
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

impl OpenCode {
    /// Opens a database to read it. Nothing is written into its folder: where its owner isn't running, it is read without locks.
    pub async fn open(path: &Path) -> Result<Self, OpenCodeError> {
        let is_at_rest = is_at_rest(path);
        let at_rest = is_at_rest.then(|| (path.to_owned(), stamp(path)));
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .immutable(is_at_rest)
            .create_if_missing(false)
            .busy_timeout(PATIENCE)
            .disable_statement_logging();
        let mut connection = options.connect().await?;
        // All statements see the same moment, and hold up nobody.
        sqlx::query("BEGIN").execute(&mut connection).await?;
        let mut database = Self { connection, at_rest };
        database.check().await?;
        Ok(database)
    }

    async fn check(&mut self) -> Result<(), OpenCodeError> {
        for (table, columns) in NEEDED {
            let found: Vec<String> = sqlx::query_scalar("SELECT name FROM pragma_table_info($1)")
                .bind(table)
                .fetch_all(&mut self.connection)
                .await?;
            if let Some(missing) = columns.iter().find(|column| !found.iter().any(|name| name == *column)) {
                return Err(OpenCodeError::Schema(table, missing));
            }
        }
        Ok(())
    }

    /// All sessions, the one that changed first at the front.
    pub async fn sessions(&mut self) -> Result<Vec<OpenCodeSession>, OpenCodeError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT s.id, MAX(s.time_updated, \
             COALESCE((SELECT MAX(m.time_updated) FROM message m WHERE m.session_id = s.id), 0), \
             COALESCE((SELECT MAX(p.time_updated) FROM part p WHERE p.session_id = s.id), 0)) AS updated \
             FROM session s ORDER BY updated, s.id",
        )
        .fetch_all(&mut self.connection)
        .await?;
        self.still_at_rest()?;
        Ok(rows.into_iter().map(|(id, updated_ms)| OpenCodeSession { id, updated_ms }).collect())
    }

    /// Writes a session as a document, with a message in each line.
    pub async fn export(&mut self, id: &str, to: &mut (dyn Write + Send)) -> Result<(), OpenCodeError> {
        let row = sqlx::query("SELECT * FROM session WHERE id = $1").bind(id).fetch_one(&mut self.connection).await?;
        write!(to, "{{\"info\":{},\n\"messages\":[", info(&row))?;
        let messages: Vec<(String, Vec<u8>)> = sqlx::query_as(
            "SELECT id, CAST(data AS BLOB) FROM message WHERE session_id = $1 ORDER BY time_created, id",
        )
        .bind(id)
        .fetch_all(&mut self.connection)
        .await?;
        for (n, (message, data)) in messages.iter().enumerate() {
            to.write_all(if n == 0 { b"\n{\"info\":" } else { b",\n{\"info\":" })?;
            write_object(to, &[("id", message), ("sessionID", id)], data)?;
            to.write_all(b",\"parts\":[")?;
            let parts: Vec<(String, Vec<u8>)> =
                sqlx::query_as("SELECT id, CAST(data AS BLOB) FROM part WHERE message_id = $1 ORDER BY id")
                    .bind(message)
                    .fetch_all(&mut self.connection)
                    .await?;
            for (n, (part, data)) in parts.iter().enumerate() {
                to.write_all(if n == 0 { b"" } else { b",\n" })?;
                write_object(to, &[("id", part), ("messageID", message), ("sessionID", id)], data)?;
            }
            to.write_all(b"]}")?;
        }
        to.write_all(b"\n]}\n")?;
        self.still_at_rest()
    }

    /// Ends the reading.
    pub async fn close(self) {
        // It was only read.
        let _ = self.connection.close().await;
    }

    fn still_at_rest(&self) -> Result<(), OpenCodeError> {
        match &self.at_rest {
            Some((path, then)) if stamp(path) != *then || !is_at_rest(path) => Err(OpenCodeError::Changed),
            _ => Ok(()),
        }
    }
}

/// An object with the ids of its row in front of the fields that its data has.
fn write_object(to: &mut dyn Write, ids: &[(&str, &str)], data: &[u8]) -> std::io::Result<()> {
    let ids: Vec<String> = ids.iter().map(|(name, id)| format!("\"{name}\":{}", json!(id))).collect();
    write!(to, "{{{}", ids.join(","))?;
    let is_json = serde_json::from_slice::<&RawValue>(data).is_ok();
    let fields = data.trim_ascii().strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).filter(|_| is_json);
    match fields {
        Some(fields) if fields.trim_ascii().is_empty() => {}
        Some(fields) => {
            to.write_all(b",")?;
            to.write_all(fields)?;
        }
        None => write!(to, ",\"data\":{}", json!(String::from_utf8_lossy(data)))?,
    }
    to.write_all(b"}")
}

/// What a row says of a session: all its columns, as `OpenCode` calls them outside of its database.
fn info(row: &SqliteRow) -> Value {
    let mut info = Map::new();
    for (n, column) in row.columns().iter().enumerate() {
        let Some(value) = value(row, n) else { continue };
        let group = column.name().split_once('_').filter(|(group, _)| GROUPS.contains(group));
        let (fields, name) = match group {
            Some((group, name)) => {
                let fields = info.entry(group).or_insert_with(|| json!({})).as_object_mut();
                let Some(fields) = fields else { continue };
                (fields, name)
            }
            None => (&mut info, column.name()),
        };
        fields.insert(camel(name), value);
    }
    Value::Object(info)
}

/// The value of a column; None of one without a value. A text that is a JSON object or array counts as that.
fn value(row: &SqliteRow, n: usize) -> Option<Value> {
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

/// `project_id` as `projectID`, `share_url` as `shareUrl`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let start = letters.next().map(|letter| letter.to_ascii_uppercase());
        let rest = letters.as_str();
        name + &if word == "id" { "ID".to_owned() } else { start.into_iter().chain(rest.chars()).collect() }
    })
}
