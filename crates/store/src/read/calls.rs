//! The tool calls that a decision covers: what they are to do, not what came of it.

use super::listing::{Listed, listed_columns};
use crate::store::on;
use crate::{StoreError, StoredMessage, Workspace};
use model::SessionId;
use serde_json::Value;

/// Bytes of JSON after which no further call is read. Nobody is shown as much, so that no decision holds for it.
const BYTES: usize = 1 << 20;

/// Selects the tool calls of a session (2) that go by a `call_id` (3).
pub(crate) fn calls_sql() -> String {
    format!(
        "SELECT {} FROM message m JOIN session s ON s.rid = m.session_rid \
         WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.message_type = 'TOOL_CALL' AND (m.id = $3 OR m.rid IN (\
         SELECT t.message_rid FROM tool_use t WHERE t.workspace_id = $1 AND t.session_rid = $2 AND t.call_id = $3)) \
         ORDER BY m.seq",
        listed_columns()
    )
}

/// Calls that are read one by one.
#[derive(Default)]
pub(crate) struct Calls {
    calls: Vec<StoredMessage>,
    bytes: usize,
}

impl Calls {
    /// Adds one without its content and its results. False if none after it is to be read.
    pub(crate) fn add(&mut self, mut call: StoredMessage) -> bool {
        let draft = &mut call.message.draft;
        draft.content = String::new();
        if let Some(metadata) = &mut draft.metadata {
            metadata.retain(|key, _| matches!(key.as_str(), "message_type" | "version" | "payload"));
            if let Some(payload) = metadata.get_mut("payload").and_then(Value::as_object_mut) {
                payload.retain(|key, _| matches!(key.as_str(), "tool_name" | "input"));
            }
            self.bytes += serde_json::to_string(metadata).map_or(0, |json| json.len());
        }
        self.calls.push(call);
        self.bytes <= BYTES
    }

    pub(crate) fn into_messages(self) -> Vec<StoredMessage> {
        self.calls
    }
}

impl Workspace {
    /// Tool calls of a session that were posted with a `call_id`, or that it names by their id, without their contents
    /// and results. Ascending by `seq`; none after those that have 1 MiB of JSON together.
    pub async fn calls(&self, session: &SessionId, call_id: &str) -> Result<Vec<StoredMessage>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        let sql = calls_sql();
        let rows: Vec<Listed> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone())).bind(self.id()).bind(rid).bind(call_id).fetch_all(pool).await
        })?;
        let mut calls = Calls::default();
        for listed in rows {
            let row = match listed.along() {
                Ok(row) => Some(row),
                Err(rid) => self.row(rid).await?,
            };
            let Some(row) = row else { continue };
            let draft = row.readable(row.json(), self.store.monitor())?;
            if !calls.add(row.with(draft, Vec::new())?) {
                break;
            }
        }
        Ok(calls.into_messages())
    }
}
