//! The database of the older chat host: its table `messages` is read, and written.
//!
//! A chat is handed out as lines: `{"chat_jid", "chat": {...}}` with what the table `chats` says of it, then one line
//! for each row, `{"chat_jid", "row": {...}}`, with all columns that it has. Rows are in the order of their times;
//! those of the same time in the order in which they were written.

use crate::StoreError;
use crate::foreign::{Foreign, ForeignError, ID, quoted, value};
use futures::TryStreamExt as _;
use serde_json::{Map, Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Row as _};
use std::io::Write;
use std::path::Path;

/// Required columns of a table `messages`.
const NEEDED: [&str; 7] = ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me"];
const SCHEMA: &str = "CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, content TEXT, \
    timestamp TEXT, is_from_me INTEGER, message_type TEXT DEFAULT 'user', metadata TEXT, PRIMARY KEY (id, chat_jid)); \
    CREATE INDEX idx_messages_by_chat ON messages(chat_jid, timestamp)";
/// Columns that each written table has.
const COLUMNS: [&str; 9] =
    ["id", "chat_jid", "sender", "sender_name", "content", "timestamp", "is_from_me", "message_type", "metadata"];

/// An open database, as it is at one moment.
pub struct ChatHost {
    database: Foreign,
    has_chats: bool,
}

impl ChatHost {
    /// Opens a database to read it, if it is one of the chat host: None of any other.
    pub async fn open(path: &Path) -> Result<Option<Self>, ForeignError> {
        let mut database = Foreign::open(path).await?;
        let found = database.columns("messages").await?;
        if !found.iter().any(|name| name == "chat_jid") {
            database.close().await;
            return Ok(None);
        }
        if let Some(missing) = NEEDED.iter().find(|column| !found.iter().any(|name| name == *column)) {
            return Err(ForeignError::Schema("messages", missing));
        }
        let has_chats = database.columns("chats").await?.iter().any(|name| name == "jid");
        for table in ["messages"].into_iter().chain(has_chats.then_some("chats")) {
            database.require_plain(table).await?;
        }
        Ok(Some(Self { database, has_chats }))
    }

    /// Returns the ids of all chats that have messages, in the order of their first one.
    pub async fn chats(&mut self) -> Result<Vec<String>, ForeignError> {
        let sql = format!(
            "SELECT chat_jid FROM messages WHERE octet_length(chat_jid) <= {ID} GROUP BY chat_jid ORDER BY MIN(rowid)"
        );
        let chats = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut self.database.connection).await?;
        self.database.still_at_rest()?;
        Ok(chats)
    }

    /// Writes a chat as lines.
    pub async fn export(&mut self, jid: &str, to: &mut (dyn Write + Send)) -> Result<(), ForeignError> {
        let mut chat = json!({ "jid": jid });
        self.database.require_short("messages", "chat_jid", jid).await?;
        if self.has_chats {
            self.database.require_short("chats", "jid", jid).await?;
            let row = sqlx::query("SELECT * FROM chats WHERE jid = $1").bind(jid);
            if let Some(row) = row.fetch_optional(&mut self.database.connection).await? {
                chat = Value::Object(cells(&row));
            }
        }
        writeln!(to, "{}", json!({ "chat_jid": jid, "chat": chat }))?;
        let sql = "SELECT * FROM messages WHERE chat_jid = $1 ORDER BY timestamp, rowid";
        let mut rows = sqlx::query(sql).bind(jid).fetch(&mut self.database.connection);
        while let Some(row) = rows.try_next().await? {
            let mut cells = cells(&row);
            cells.shift_remove("chat_jid");
            writeln!(to, "{}", json!({ "chat_jid": jid, "row": cells }))?;
        }
        drop(rows);
        self.database.still_at_rest()
    }

    /// Ends the reading.
    pub async fn close(self) {
        self.database.close().await;
    }
}

/// All cells of a row that hold something. A text stays a text, whatever it says.
fn cells(row: &SqliteRow) -> Map<String, Value> {
    let mut cells = Map::new();
    for (n, column) in row.columns().iter().enumerate() {
        let text = row.try_get::<Option<String>, _>(n).ok().flatten().map(Value::String);
        if let Some(value) = text.or_else(|| value(row, n)) {
            cells.insert(column.name().to_owned(), value);
        }
    }
    cells
}

/// Writes a database of the chat host.
pub struct ChatHostWriter {
    connection: SqliteConnection,
    columns: Vec<String>,
}

impl ChatHostWriter {
    /// Creates the file. It may not exist.
    pub async fn create(path: &Path) -> Result<Self, StoreError> {
        // So that nothing that was there is written to.
        std::fs::File::create_new(path)?;
        let options = SqliteConnectOptions::new().filename(path).disable_statement_logging();
        let mut connection = options.connect().await?;
        sqlx::raw_sql(SCHEMA).execute(&mut connection).await?;
        sqlx::query("BEGIN").execute(&mut connection).await?;
        Ok(Self { connection, columns: COLUMNS.iter().map(|name| (*name).to_owned()).collect() })
    }

    /// Adds a row: its cells by their columns. A column that the table lacks is added; one without a cell is NULL,
    /// whatever its default.
    pub async fn add(&mut self, jid: &str, cells: &Map<String, Value>) -> Result<(), StoreError> {
        for name in cells.keys().filter(|name| !name.is_empty()) {
            if !self.columns.contains(name) {
                let sql = format!("ALTER TABLE messages ADD COLUMN {}", quoted(name));
                sqlx::query(AssertSqlSafe(sql)).execute(&mut self.connection).await?;
                self.columns.push(name.clone());
            }
        }
        let empty = COLUMNS.into_iter().filter(|name| *name != "chat_jid" && !cells.contains_key(*name));
        let cells: Vec<(&str, &Value)> = cells
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .chain(empty.map(|name| (name, &Value::Null)))
            .collect();
        let names: Vec<String> = cells.iter().map(|(name, _)| quoted(name)).collect();
        let slots: Vec<String> = (2..names.len() + 2).map(|n| format!("${n}")).collect();
        let sql = format!("INSERT INTO messages (chat_jid, {}) VALUES ($1, {})", names.join(", "), slots.join(", "));
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(jid);
        for (_, value) in cells {
            query = match value {
                Value::Null => query.bind(None::<String>),
                Value::Bool(it) => query.bind(*it),
                Value::Number(number) => match number.as_i64() {
                    Some(number) => query.bind(number),
                    None => query.bind(number.as_f64()),
                },
                Value::String(text) => query.bind(text.as_str()),
                other => query.bind(other.to_string()),
            };
        }
        query.execute(&mut self.connection).await?;
        Ok(())
    }

    /// Keeps what was added.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut self.connection).await?;
        Ok(self.connection.close().await?)
    }
}
