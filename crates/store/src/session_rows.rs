//! Databases in which an agent keeps a row for each session and one for each message: those of Crush and Goose. They
//! aren't ours: they are only read, and never locked for their owners.
//!
//! A session is handed out as a document, `{<agent>_session: {...}, messages: [{...}]}`: the columns of its row and
//! those of its messages, a message in each line. A column that holds JSON stands in it byte for byte.

use crate::foreign::{Foreign, ForeignError, ID};
use futures::TryStreamExt as _;
use serde_json::json;
use serde_json::value::RawValue;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Column as _, Row as _, TypeInfo as _, ValueRef as _};
use std::io::Write;
use std::path::Path;

/// The tables of an agent's database, as far as they are read.
#[derive(Debug)]
pub struct Layout {
    /// The agent's name in the store.
    pub agent: &'static str,
    /// Columns that a version of `sessions` that we know has, and those of `messages`.
    needed: [(&'static str, &'static [&'static str]); 2],
    /// The field of the document that holds the session's row.
    head: &'static str,
    /// When a session `s`, or a message of it, changed last, in milliseconds since 1970.
    updated: &'static str,
    /// The order of its messages.
    order: &'static str,
    /// A further field of the document, and the value that SQL gives for the session `$1`.
    more: Option<(&'static str, &'static str)>,
}

static LAYOUTS: [Layout; 2] = [
    Layout {
        agent: "crush",
        needed: [
            ("sessions", &["id", "parent_session_id", "title", "cost", "updated_at", "created_at"]),
            ("messages", &["id", "session_id", "role", "parts", "updated_at", "created_at"]),
        ],
        head: "crush_session",
        updated: "1000 * MAX(s.updated_at, COALESCE((SELECT MAX(m.updated_at) FROM messages m WHERE m.session_id = s.id), 0))",
        order: "created_at, rowid",
        // The cost of a session includes its sub-agents.
        more: Some((
            "cost_of_sub_agents",
            "SELECT CAST(COALESCE(SUM(cost), 0) AS REAL) FROM sessions WHERE parent_session_id = $1",
        )),
    },
    Layout {
        agent: "goose",
        needed: [
            ("sessions", &["id", "working_dir", "created_at", "updated_at"]),
            ("messages", &["id", "session_id", "role", "content_json", "created_timestamp"]),
        ],
        head: "goose_session",
        updated: "1000 * COALESCE(CAST(strftime('%s', s.updated_at) AS INTEGER), 0)",
        order: "id",
        more: None,
    },
];

/// Returns the layout of an agent's database.
pub fn layout(agent: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.agent == agent)
}

/// A session in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The agent's own id.
    pub id: String,
    /// When it, or a message of it, changed last, in milliseconds since 1970.
    pub updated_ms: i64,
}

/// An open database, as it is at one moment.
pub struct SessionRows(Foreign, &'static Layout);

impl SessionRows {
    /// Opens a database to read it. Nothing is written into its folder.
    ///
    /// # Errors
    ///
    /// Fails if it isn't laid out so.
    pub async fn open(path: &Path, layout: &'static Layout) -> Result<Self, ForeignError> {
        let mut database = Foreign::open(path).await?;
        for (table, columns) in layout.needed {
            database.require_columns(table, columns).await?;
        }
        Ok(Self(database, layout))
    }

    /// All sessions in which something was said, the one that changed first at the front.
    pub async fn sessions(&mut self) -> Result<Vec<StoredSession>, ForeignError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT s.id, CAST({} AS INTEGER) AS updated FROM sessions s WHERE octet_length(s.id) <= {ID} \
             AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id) ORDER BY updated, s.id",
            self.1.updated
        )))
        .fetch_all(&mut self.0.connection)
        .await?;
        self.0.still_at_rest()?;
        Ok(rows.into_iter().map(|(id, updated_ms)| StoredSession { id, updated_ms }).collect())
    }

    /// Writes a session as a document. `project` is the folder that it is about, where its row doesn't name it.
    pub async fn export(
        &mut self,
        id: &str,
        project: Option<&str>,
        to: &mut (dyn Write + Send),
    ) -> Result<(), ForeignError> {
        self.0.require_short("sessions", "id", id).await?;
        self.0.require_short("messages", "session_id", id).await?;
        let connection = &mut self.0.connection;
        let row = sqlx::query("SELECT * FROM sessions WHERE id = $1").bind(id).fetch_one(&mut *connection).await?;
        write!(to, "{{\"{}\":{}", self.1.head, object(&row))?;
        if let Some(project) = project {
            write!(to, ",\n\"project\":{}", json!(project))?;
        }
        if let Some((name, sql)) = self.1.more {
            let value: f64 = sqlx::query_scalar(sql).bind(id).fetch_one(&mut *connection).await?;
            write!(to, ",\n\"{name}\":{}", json!(value))?;
        }
        to.write_all(b",\n\"messages\":[")?;
        let sql = format!("SELECT * FROM messages WHERE session_id = $1 ORDER BY {}", self.1.order);
        let mut messages = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch(&mut *connection);
        let mut separator: &[u8] = b"\n";
        while let Some(row) = messages.try_next().await? {
            to.write_all(separator)?;
            separator = b",\n";
            to.write_all(object(&row).as_bytes())?;
        }
        drop(messages);
        to.write_all(b"\n]}\n")?;
        self.0.still_at_rest()
    }

    /// Ends the reading.
    pub async fn close(self) {
        self.0.close().await;
    }
}

/// A row as an object of its columns that have a value.
fn object(row: &SqliteRow) -> String {
    let field = |(n, column): (usize, &sqlx::sqlite::SqliteColumn)| {
        Some(format!("{}:{}", json!(column.name()), value(row, n)?))
    };
    let fields: Vec<String> = row.columns().iter().enumerate().filter_map(field).collect();
    format!("{{{}}}", fields.join(","))
}

/// The value of a column as JSON; None of one without a value. A text that is a JSON object or array stands for itself.
fn value(row: &SqliteRow, n: usize) -> Option<String> {
    let raw = row.try_get_raw(n).ok()?;
    if raw.is_null() {
        return None;
    }
    let kind = raw.type_info().name().to_owned();
    match kind.as_str() {
        "INTEGER" => row.try_get_unchecked::<i64, _>(n).ok().map(|number| number.to_string()),
        "REAL" => row.try_get_unchecked::<f64, _>(n).ok().map(|number| json!(number).to_string()),
        _ => {
            let bytes = row.try_get_unchecked::<Vec<u8>, _>(n).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(&text).is_ok();
            Some(if is_json { text.into_owned() } else { json!(text).to_string() })
        }
    }
}
