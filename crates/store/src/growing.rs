//! Texts that driven agents are writing, for the case that the server is killed: no transcript has them yet.

use crate::columns::{columns, text};
use crate::store::{on, on_tx};
use crate::{StoreError, Workspace};
use model::{MessageId, SessionId};

/// A text that an agent is writing, or was writing when it broke off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowingText {
    pub session: SessionId,
    /// The message that it becomes if it breaks off.
    pub message: MessageId,
    /// It is what the agent thinks, not what it says.
    pub thought: bool,
    pub content: String,
}

columns! {
    struct GrowingRow {
        session_id: String,
        message_id: String,
        thought: i64,
        content: String,
    }
}

impl Workspace {
    /// Stores texts of a session as they are now, and deletes those that are over.
    pub async fn put_growing_texts(
        &self,
        session: &SessionId,
        texts: &[GrowingText],
        over: &[MessageId],
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        for message in over {
            on_tx!(&mut tx, c => {
                sqlx::query("DELETE FROM growing_text WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3")
                    .bind(self.id()).bind(session.as_str()).bind(message.as_str()).execute(c).await.map(drop)
            })?;
        }
        for growing in texts {
            on_tx!(&mut tx, c => {
                sqlx::query(
                    "INSERT INTO growing_text (workspace_id, session_id, message_id, thought, content) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (workspace_id, session_id, message_id) DO UPDATE SET content = excluded.content",
                )
                .bind(self.id()).bind(session.as_str()).bind(growing.message.as_str()).bind(i64::from(growing.thought))
                .bind(text(&growing.content)).execute(c).await.map(drop)
            })?;
        }
        tx.commit().await
    }

    /// Returns the texts that were being written: of a session, or of all.
    pub async fn growing_texts(&self, session: Option<&SessionId>) -> Result<Vec<GrowingText>, StoreError> {
        let rows: Vec<GrowingRow> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT session_id, message_id, thought, content FROM growing_text \
                 WHERE workspace_id = $1 AND ($2 IS NULL OR session_id = $2) ORDER BY session_id, message_id",
            )
            .bind(self.id()).bind(session.map(SessionId::as_str)).fetch_all(pool).await
        })?;
        rows.into_iter().map(growing).collect()
    }
}

fn growing(row: GrowingRow) -> Result<GrowingText, StoreError> {
    let corrupt = |error: model::id::IdError| StoreError::Corrupt(error.to_string());
    Ok(GrowingText {
        session: SessionId::parse(row.session_id).map_err(corrupt)?,
        message: MessageId::parse(row.message_id).map_err(corrupt)?,
        thought: row.thought != 0,
        content: row.content,
    })
}
