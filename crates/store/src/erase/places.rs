//! The places of a session's text besides its messages.

use super::Erased;
use crate::masks::Masks;
use crate::step::Step;
use crate::store::{on, on_step, on_tx};
use crate::write::covered::cover_source;
use crate::write::source;
use crate::{StoreError, Workspace, context_log};
use model::source::PACKED;
use model::{Micros, SessionId, SourceId};

/// Texts of a session in tables of their own: how they are selected, with their key, and how one is written.
const TEXTS: [(&str, &str); 3] = [
    (
        "SELECT id, prompt FROM schedule WHERE workspace_id = $1 AND session_id = $2",
        "UPDATE schedule SET prompt = $1 WHERE workspace_id = $2 AND session_id = $3 AND id = $4",
    ),
    (
        "SELECT message_id, content FROM growing_text WHERE workspace_id = $1 AND session_id = $2",
        "UPDATE growing_text SET content = $1 WHERE workspace_id = $2 AND session_id = $3 AND message_id = $4",
    ),
    (
        "SELECT id, label FROM share_link WHERE workspace_id = $1 AND session_id = $2",
        "UPDATE share_link SET label = $1 WHERE workspace_id = $2 AND session_id = $3 AND id = $4",
    ),
];

impl Workspace {
    /// Counts the text in all places of a session but its messages, and covers it there if `writes`.
    pub(super) async fn erase_places(
        &self,
        (session_rid, session): (i64, &SessionId),
        masks: &Masks,
        writes: bool,
        erased: &mut Erased,
    ) -> Result<(), StoreError> {
        let sources: Vec<(i64, String, String)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT l.source_rid, f.id, f.reader FROM session_source l JOIN source f ON f.rid = l.source_rid \
                 WHERE l.workspace_id = $1 AND l.session_rid = $2 ORDER BY l.source_rid",
            )
            .bind(self.id()).bind(session_rid).fetch_all(pool).await
        })?;
        let (packed, plain): (Vec<_>, Vec<_>) = sources.into_iter().partition(|(.., reader)| reader == PACKED);
        let before = erased.ranges;
        for (rid, id, _) in plain {
            let id = SourceId::parse(id).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            let mut tx = self.store.begin().await?;
            let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
            erased.ranges += cover_source(&mut step, masks, (rid, &id), 0).await?;
            step.end().await?;
            if writes {
                tx.commit().await?;
            }
        }
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), Micros::default()).await?;
        if erased.ranges > before {
            // Nothing can be covered in a packed file. What was packed in it is exported instead.
            for (rid, ..) in packed {
                source::delete(&mut step, rid).await?;
            }
        }
        erased.context_entries += context_log::cover(&mut step, session_rid, masks).await?;
        erased.texts += cover_texts(&mut step, session, masks).await?;
        step.end().await?;
        if writes {
            tx.commit().await?;
        }
        for sha256 in self.blobs_with(session_rid, masks).await? {
            if writes {
                self.delete_blob(session_rid, &sha256).await?;
            }
            if !erased.blobs.contains(&sha256) {
                erased.blobs.push(sha256);
            }
        }
        Ok(())
    }

    async fn blobs_with(&self, session_rid: i64, masks: &Masks) -> Result<Vec<String>, StoreError> {
        let all: Vec<String> = on!(&self.store, pool => {
            sqlx::query_scalar("SELECT sha256 FROM session_blob WHERE workspace_id = $1 AND session_rid = $2 ORDER BY sha256")
                .bind(self.id()).bind(session_rid).fetch_all(pool).await
        })?;
        let mut found = Vec::new();
        for sha256 in all {
            let Some(blob) = self.blob(&sha256).await? else { continue };
            let (mut reader, mut bytes) = (self.read_blob(&blob, 0..blob.size), Vec::new());
            while let Some(part) = reader.next_part().await? {
                bytes.extend_from_slice(&part);
                if !masks.find(&bytes).is_empty() {
                    found.push(sha256);
                    break;
                }
                bytes.drain(..bytes.len().saturating_sub(masks.longest()));
            }
        }
        Ok(found)
    }

    /// The session doesn't refer to the blob any more, and nobody has uploaded it: it goes where no other session has it.
    async fn delete_blob(&self, session_rid: i64, sha256: &str) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        on_tx!(&mut tx, c => {
            sqlx::query("DELETE FROM session_blob WHERE workspace_id = $1 AND session_rid = $2 AND sha256 = $3")
                .bind(self.id()).bind(session_rid).bind(sha256).execute(c).await.map(drop)
        })?;
        on_tx!(&mut tx, c => {
            sqlx::query("DELETE FROM blob_upload WHERE workspace_id = $1 AND sha256 = $2")
                .bind(self.id()).bind(sha256).execute(c).await.map(drop)
        })?;
        tx.commit().await
    }
}

async fn cover_texts(step: &mut Step<'_>, session: &SessionId, masks: &Masks) -> Result<u64, StoreError> {
    let mut count = 0;
    for (select, update) in TEXTS {
        let texts: Vec<(String, String)> = on_step!(step, c => {
            sqlx::query_as(select).bind(step.workspace).bind(session.as_str()).fetch_all(c).await
        })?;
        for (key, mut text) in texts {
            if masks.cover_text(&mut text) {
                count += 1;
                on_step!(step, c => {
                    sqlx::query(update).bind(&text).bind(step.workspace).bind(session.as_str()).bind(&key)
                        .execute(c).await.map(drop)
                })?;
            }
        }
    }
    Ok(count)
}
