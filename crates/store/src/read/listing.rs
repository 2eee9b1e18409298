//! Messages that were chosen and not read yet. Contents may be long: they are read as far as there is room for them.

use super::corrupt;
use super::messages::{COLUMNS, MessageRow};
use crate::columns::columns;
use crate::pack::unpacked_len;
use crate::store::on;
use crate::{StoreError, StoredMessage, Workspace};
use model::{Draft, SessionId};
use std::collections::VecDeque;

columns! {
    /// A message as it is listed.
    pub(crate) struct Listed of pub(super) message: MessageRow {
        pub(super) rid: i64,
        /// Bytes of its content, packed.
        size: i64,
    }
}

impl Listed {
    /// The message, or the rid of one whose content didn't come along.
    pub(crate) fn along(self) -> Result<MessageRow, i64> {
        if self.size > ALONG { Err(self.rid) } else { Ok(self.message) }
    }
}

/// Packed contents of at most so many bytes come along with their rows. Others are read one by one.
pub(super) const ALONG: i64 = 16 * 1024;
/// Bytes that a value of JSON takes in memory, beside its own.
const VALUE: u64 = 200;

/// Like [`COLUMNS`], with an empty content where it is long.
pub(super) fn listed_columns() -> String {
    let along = format!("CASE WHEN length(m.body) <= {ALONG} THEN m.body ELSE substr(m.hash, 1, 0) END AS body");
    format!("m.rid, CAST(length(m.body) AS BIGINT) AS size, {}", COLUMNS.replace("m.body", &along))
}

/// Messages in an order of their own, to be read with [`Workspace::read_next`].
#[derive(Default)]
pub struct Listing(VecDeque<Listed>);

impl Listing {
    pub(super) fn new(rows: Vec<Listed>) -> Self {
        Self(rows.into())
    }

    /// The sessions of the messages that are left, in their order.
    pub fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let id = |listed: &Listed| SessionId::parse(listed.message.session_id.as_str()).map_err(corrupt);
        self.0.iter().map(id).collect()
    }

    /// Returns true if nothing is left to read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes that the messages of an answer may still take.
pub(crate) struct Room {
    left: u64,
    is_untouched: bool,
}

impl Room {
    pub(crate) fn new(bytes: u64) -> Self {
        Self { left: bytes, is_untouched: true }
    }

    /// Makes it larger.
    pub(super) fn add(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes);
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The first message always has room.
    pub(crate) fn has(&self, bytes: u64) -> bool {
        self.is_untouched || bytes <= self.left
    }

    pub(crate) fn take(&mut self, bytes: u64) {
        self.is_untouched = false;
        self.left = self.left.saturating_sub(bytes);
    }
}

impl Workspace {
    /// Reads on in a listing: as many messages as take about so many bytes, at least one. None are left if it returns
    /// none.
    ///
    /// # Errors
    ///
    /// Those of the database. A damaged message is a note in its place.
    pub async fn read_next(&self, listing: &mut Listing, bytes: u64) -> Result<Vec<StoredMessage>, StoreError> {
        let rows = self.read_within(listing, &mut Room::new(bytes)).await?;
        self.stored_messages(rows).await
    }

    /// Reads the rows that there is room for. The listing continues with the first one that there is none for.
    pub(super) async fn read_within(
        &self,
        listing: &mut Listing,
        room: &mut Room,
    ) -> Result<Vec<(MessageRow, Draft)>, StoreError> {
        let monitor = self.store.monitor();
        let mut read = Vec::new();
        while let Some(listed) = listing.0.front() {
            // A message takes at least as much as it does packed.
            if !room.has(listed.size.cast_unsigned()) {
                break;
            }
            let mut long = None;
            if listed.size > ALONG {
                long = self.row(listed.rid).await?;
                // It is gone since it was listed.
                if long.is_none() {
                    listing.0.pop_front();
                    continue;
                }
            }
            let row = long.as_ref().unwrap_or(&listed.message);
            if !room.has(unpacked_len(&row.body)) {
                break;
            }
            let json = row.json();
            let bytes = json.as_deref().map_or(0, weight);
            if !room.has(bytes) {
                break;
            }
            room.take(bytes);
            let Some(listed) = listing.0.pop_front() else { break };
            let mut row = long.unwrap_or(listed.message);
            row.body = Vec::new();
            let draft = row.readable(json, monitor)?;
            read.push((row, draft));
        }
        Ok(read)
    }

    /// A message by its rid.
    pub(super) async fn row(&self, rid: i64) -> Result<Option<MessageRow>, StoreError> {
        let sql = row_sql();
        Ok(on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone())).bind(self.id()).bind(rid).fetch_optional(pool).await
        })?)
    }
}

/// Selects a message by its rid (2).
pub(crate) fn row_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = $1 AND m.rid = $2"
    )
}

/// Bytes that a message takes in memory, about: those of its JSON, and what each of its values takes beside them.
pub(crate) fn weight(json: &[u8]) -> u64 {
    let (mut values, mut bytes) = (0, json.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' | b',' | b':' => values += 1,
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => drop(bytes.next()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    json.len() as u64 + VALUE * values
}

#[cfg(test)]
mod tests {
    use super::{VALUE, weight};

    #[test]
    fn values_weigh_and_what_strings_hold_does_not() {
        let weigh = |json: &str| weight(json.as_bytes()) - json.len() as u64;
        assert_eq!(weigh(r#"{"a":[1,2],"b":{}}"#), 7 * VALUE);
        assert_eq!(weigh(r#""a, \"b\": [c] \\""#), 0);
    }
}
