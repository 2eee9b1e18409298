//! The database in which `OpenCode` keeps its sessions. It isn't ours: it is only read, and never locked for its owner.
//!
//! Rows of `message` and `part` hold the JSON that earlier versions kept in files. A session is handed out as the
//! document that `opencode export` prints, `{info, messages: [{info, parts}]}`, with these texts byte for byte behind
//! the ids from their rows.

use crate::foreign::{CELL, Foreign, ForeignError, ID, value};
use futures::TryStreamExt as _;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Column as _, Row as _};
use std::io::Write;
use std::path::Path;

/// Required tables and columns of a supported database version.
const NEEDED: [(&str, &[&str]); 3] = [
    ("session", &["id", "time_updated"]),
    ("message", &["id", "session_id", "time_created", "time_updated", "data"]),
    ("part", &["id", "message_id", "session_id", "time_updated", "data"]),
];
/// Columns that are fields of an object: `time_created` is `time.created`.
const GROUPS: [&str; 3] = ["time", "summary", "tokens"];

/// A session in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCodeSession {
    /// `OpenCode`'s own id: `ses_...`.
    pub id: String,
    /// When it, a message or a part of it changed last, in milliseconds since 1970.
    pub updated_ms: i64,
}

/// An open database of `OpenCode`, as it is at one moment.
pub struct OpenCode(Foreign);

impl OpenCode {
    /// Opens a database to read it. Nothing is written into its folder: where its owner isn't running, it is read
    /// without locks.
    pub async fn open(path: &Path) -> Result<Self, ForeignError> {
        let mut database = Foreign::open(path).await?;
        for (table, columns) in NEEDED {
            database.require_columns(table, columns).await?;
        }
        Ok(Self(database))
    }

    /// All sessions, the one that changed first at the front.
    pub async fn sessions(&mut self) -> Result<Vec<OpenCodeSession>, ForeignError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT s.id, MAX(s.time_updated, \
             COALESCE((SELECT MAX(m.time_updated) FROM message m WHERE m.session_id = s.id), 0), \
             COALESCE((SELECT MAX(p.time_updated) FROM part p WHERE p.session_id = s.id), 0)) AS updated \
             FROM session s WHERE octet_length(s.id) <= {ID} ORDER BY updated, s.id"
        )))
        .fetch_all(&mut self.0.connection)
        .await?;
        self.0.still_at_rest()?;
        Ok(rows.into_iter().map(|(id, updated_ms)| OpenCodeSession { id, updated_ms }).collect())
    }

    /// Writes a session as a document, with a message in each line.
    pub async fn export(&mut self, id: &str, to: &mut (dyn Write + Send)) -> Result<(), ForeignError> {
        self.0.require_short("session", "id", id).await?;
        let row = sqlx::query("SELECT * FROM session WHERE id = $1").bind(id).fetch_one(&mut self.0.connection).await?;
        write!(to, "{{\"info\":{},\n\"messages\":[", info(&row))?;
        let messages: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!(
            "SELECT id FROM message WHERE session_id = $1 AND octet_length(id) <= {ID} ORDER BY time_created, id"
        )))
        .bind(id)
        .fetch_all(&mut self.0.connection)
        .await?;
        for (n, message) in messages.iter().enumerate() {
            let data: Option<Vec<u8>> = sqlx::query_scalar(AssertSqlSafe(format!(
                "SELECT {} FROM message WHERE id = $1 AND session_id = $2",
                short("data")
            )))
            .bind(message)
            .bind(id)
            .fetch_one(&mut self.0.connection)
            .await?;
            let data = data.ok_or(ForeignError::Cell("message"))?;
            to.write_all(if n == 0 { b"\n{\"info\":" } else { b",\n{\"info\":" })?;
            write_object(to, &[("id", message), ("sessionID", id)], &data)?;
            to.write_all(b",\"parts\":[")?;
            let sql = format!(
                "SELECT id, {} FROM part WHERE message_id = $1 AND octet_length(id) <= {ID} ORDER BY id",
                short("data")
            );
            let mut parts = sqlx::query_as(AssertSqlSafe(sql)).bind(message).fetch(&mut self.0.connection);
            let mut separator: &[u8] = b"";
            while let Some((part, data)) = parts.try_next().await? {
                let (part, data): (String, Option<Vec<u8>>) = (part, data);
                let data = data.ok_or(ForeignError::Cell("part"))?;
                to.write_all(separator)?;
                separator = b",\n";
                write_object(to, &[("id", &part), ("messageID", message), ("sessionID", id)], &data)?;
            }
            to.write_all(b"]}")?;
        }
        to.write_all(b"\n]}\n")?;
        self.0.still_at_rest()
    }

    /// Ends the reading.
    pub async fn close(self) {
        self.0.close().await;
    }
}

/// A column as bytes; NULL where they are more than may be read.
fn short(column: &str) -> String {
    format!("CASE WHEN COALESCE(octet_length({column}), 0) <= {CELL} THEN CAST(COALESCE({column}, '') AS BLOB) END")
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

/// Returns all columns of a session's row, by `OpenCode`'s names outside of its database.
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
