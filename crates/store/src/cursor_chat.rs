//! The database of one chat of Cursor's command line: a table `meta`, whose row is JSON in hexadecimal digits, and a
//! table `blobs` with values by their hashes. It isn't ours: it is only read, and never locked for its owner.
//!
//! `latestRootBlobId` names the value that holds the chat as it is now: a Protocol Buffers message whose field 1
//! repeats the hash of each message, in order, and whose field 9 is the address of the folder. A message is JSON. A
//! chat is handed out as a document, `{cursor_chat: {...}, workspace, changed_at, messages: [{id, message}]}`, with
//! these texts byte for byte.

use crate::foreign::{CELL, Foreign, ForeignError};
use crate::hex;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

/// The columns of a version that we know.
const NEEDED: [(&str, &[&str]); 2] = [("blobs", &["id", "data"]), ("meta", &["key", "value"])];
/// Bytes of a hash.
const HASH: usize = 32;
/// The field of a root that names a message, or a part of the chat that names messages.
const CHILD: u64 = 1;
/// The field of a root with the address of the folder.
const FOLDER: u64 = 9;

/// An open database, as it is at one moment.
pub struct CursorChat {
    database: Foreign,
    /// Cursor's data about the chat, as JSON.
    about: String,
    /// Hashes of the messages, in order.
    messages: Vec<String>,
    /// The address of the folder that it is about.
    folder: Option<String>,
}

impl CursorChat {
    /// Opens a database to read it, if it is one of a chat: None of any other.
    pub async fn open(path: &Path) -> Result<Option<Self>, ForeignError> {
        let mut database = Foreign::open(path).await?;
        for (table, needed) in NEEDED {
            let columns = database.columns(table).await?;
            if !needed.iter().all(|name| columns.iter().any(|column| column == name)) {
                database.close().await;
                return Ok(None);
            }
            database.require_plain(table).await?;
        }
        let about: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!(
            "SELECT CAST(value AS TEXT) FROM meta WHERE octet_length(value) <= {CELL} ORDER BY key LIMIT 100"
        )))
        .fetch_all(&mut database.connection)
        .await?;
        let Some((about, fields)) = about.into_iter().find_map(object) else {
            database.close().await;
            return Ok(None);
        };
        let root = fields.get("latestRootBlobId").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut chat = Self { database, about, messages: Vec::new(), folder: None };
        chat.list(root).await?;
        Ok(Some(chat))
    }

    /// Cursor's own id of the chat, where the database names it.
    pub fn id(&self) -> Option<String> {
        let (_, fields) = object(self.about.clone())?;
        fields.get("agentId").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned)
    }

    /// Whether nothing was said in it.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Writes the chat as a document, with a message in each line. `changed_ms` is when the database changed last.
    pub async fn export(&mut self, changed_ms: i64, to: &mut (dyn Write + Send)) -> Result<(), ForeignError> {
        write!(to, "{{\"cursor_chat\":{}", self.about)?;
        if let Some(folder) = &self.folder {
            write!(to, ",\n\"workspace\":{}", json!(folder))?;
        }
        write!(to, ",\n\"changed_at\":{changed_ms},\n\"messages\":[")?;
        for (n, id) in self.messages.iter().enumerate() {
            to.write_all(if n == 0 { b"\n" } else { b",\n" })?;
            let data = blob(&mut self.database, id).await?.unwrap_or_default();
            match text(&data) {
                Some(message) => write!(to, "{{\"id\":\"{id}\",\"message\":{message}}}")?,
                None => write!(to, "{{\"id\":\"{id}\"}}")?,
            }
        }
        to.write_all(b"\n]}\n")?;
        self.database.still_at_rest()
    }

    /// Lists the messages, given the hash of the value with the chat as it is now. That is empty before anything was
    /// said.
    async fn list(&mut self, root: String) -> Result<(), ForeignError> {
        let mut seen = HashSet::new();
        let mut left = vec![root.clone()];
        while let Some(id) = left.pop() {
            // A value that names others is gone through once; a message may come again.
            if seen.contains(&id) {
                continue;
            }
            let data = blob(&mut self.database, &id).await?;
            let fields = data.as_deref().filter(|data| text(data).is_none()).and_then(fields).unwrap_or_default();
            let children = fields.iter().filter(|(field, value)| *field == CHILD && value.len() == HASH);
            let children: Vec<String> = children.map(|(_, value)| hex::hex(value)).collect();
            if id == root {
                let address = fields.iter().find(|(field, _)| *field == FOLDER);
                self.folder = address.and_then(|(_, value)| std::str::from_utf8(value).ok()).map(str::to_owned);
            }
            if children.is_empty() {
                if id != root {
                    self.messages.push(id);
                }
            } else {
                seen.insert(id);
                left.extend(children.into_iter().rev());
            }
        }
        self.database.still_at_rest()
    }

    /// Ends the reading.
    pub async fn close(self) {
        self.database.close().await;
    }
}

/// The value with this hash. None where it isn't there.
async fn blob(database: &mut Foreign, id: &str) -> Result<Option<Vec<u8>>, ForeignError> {
    let sql = format!(
        "SELECT CASE WHEN octet_length(data) <= {CELL} THEN CAST(data AS BLOB) END FROM blobs WHERE id = $1 LIMIT 1"
    );
    let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(id);
    let data: Option<Option<Vec<u8>>> = query.fetch_optional(&mut database.connection).await?;
    match data {
        Some(None) => Err(ForeignError::Cell("blobs")),
        data => Ok(data.flatten()),
    }
}

/// A value of `meta`, as JSON and by its fields: an object, in hexadecimal digits or as it is.
fn object(value: String) -> Option<(String, serde_json::Map<String, Value>)> {
    let text = hex::bytes(value.trim()).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or(value);
    let fields = serde_json::from_str(&text).ok()?;
    Some((text, fields))
}

/// A value that is an object in JSON.
fn text(data: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(data).ok().filter(|text| text.trim_start().starts_with('{'))?;
    serde_json::from_str::<&RawValue>(text).is_ok().then_some(text)
}

/// The fields of a Protocol Buffers message that have bytes, with their numbers. None where the bytes are no such
/// message.
fn fields(data: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let (mut rest, mut fields) = (data, Vec::new());
    while !rest.is_empty() {
        let key = number(&mut rest)?;
        let length = match key & 7 {
            0 => {
                number(&mut rest)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(number(&mut rest)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, behind) = rest.split_at_checked(length)?;
        rest = behind;
        if key & 7 == 2 {
            fields.push((key >> 3, value));
        }
    }
    Some(fields)
}

/// A number at the beginning: seven bits in each byte, the lowest first.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
