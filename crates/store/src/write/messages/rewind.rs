//! Messages that a person left behind by rewinding the conversation: they keep their row, place and words, and say so.

use crate::columns::columns;
use crate::pack::{Packer, content_hash, unpack_draft};
use crate::step::Step;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::sessions::Sessions;
use crate::{Rewind, StoreError};

columns! {
    struct RewoundRow {
        rid: i64,
        seq: i64,
        revision: i64,
        display: i64,
        body: Vec<u8>,
    }
}

/// Marks the messages of each rewind. The sessions are those of the batch.
pub(crate) async fn mark(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    rewinds: &[Rewind],
    changes: &mut Changes,
) -> Result<(), StoreError> {
    if rewinds.is_empty() {
        return Ok(());
    }
    let mut packer = Packer::new()?;
    for Rewind { session_key, from, before, left } in rewinds {
        let index = sessions.index(session_key)?;
        let session_rid = sessions.row(index).rid;
        let rows: Vec<RewoundRow> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT m.rid, m.seq, m.revision, m.display, m.body FROM message m \
                 JOIN message f ON f.workspace_id = m.workspace_id AND f.session_rid = m.session_rid AND f.id = $3 \
                 JOIN message b ON b.workspace_id = m.workspace_id AND b.session_rid = m.session_rid AND b.id = $4 \
                 WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq >= f.seq AND m.seq < b.seq \
                 AND m.create_hash IS NULL ORDER BY m.seq",
            )
            .bind(step.workspace).bind(session_rid).bind(from.as_str()).bind(before.as_str()).fetch_all(c).await
        })?;
        for row in rows {
            let mut draft = unpack_draft(&row.body)?;
            if std::mem::replace(&mut draft.left_behind, *left) == *left {
                continue;
            }
            let json = serde_json::to_vec(&draft).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            on_step!(step, c => {
                sqlx::query("UPDATE message SET revision = $2, hash = $3, body = $4 WHERE rid = $1")
                    .bind(row.rid).bind(row.revision + 1).bind(content_hash(row.display as i16, &json))
                    .bind(packer.pack(&json)?).execute(c).await.map(drop)
            })?;
            changes.change(session_rid, row.seq, row.revision + 1);
        }
    }
    Ok(())
}
