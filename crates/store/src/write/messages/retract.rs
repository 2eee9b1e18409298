//! Messages that their files no longer hold: they keep their row and place, and leave search and what waits for a
//! person.

use super::rows::Old;
use super::{count, files, find_question, memory, rows, tools};
use crate::columns::columns;
use crate::display;
use crate::pack::{Packer, content_hash, unpack_draft, unpack_references};
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::store::on_step;
use crate::write::changes::{Changes, CountKey};
use crate::write::sessions::{self, Sessions};
use crate::{Retraction, StoreError};
use model::Status;
use sqlx::QueryBuilder;
use std::collections::BTreeSet;

/// Rids per statement.
const MANY: usize = 500;

columns! {
    struct RetractedRow of old: Old {
        body: Vec<u8>,
    }
}

/// Retracts what came from bytes of the source that are gone, and from nowhere else.
pub(crate) async fn vanished(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    source: i64,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let linked: Vec<i64> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT session_rid FROM session_source WHERE workspace_id = $1 AND source_rid = $2 ORDER BY session_rid",
        )
        .bind(step.workspace).bind(source).fetch_all(c).await
    })?;
    for session_rid in linked {
        let gone = gone(step, session_rid).await?;
        if !gone.is_empty() {
            let index = sessions::loaded(step, sessions, session_rid).await?;
            retract(step, sessions, index, &gone, changes).await?;
        }
    }
    on_step!(step, c => {
        sqlx::query("UPDATE source SET replaces = NULL WHERE workspace_id = $1 AND rid = $2")
            .bind(step.workspace).bind(source).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Retracts single messages; those that aren't stored are passed over.
pub(crate) async fn named(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    retractions: &[Retraction],
    changes: &mut Changes,
) -> Result<(), StoreError> {
    for Retraction { agent, session_key, id } in retractions {
        let found: Option<(i64, i64)> = on_step!(step, c => {
            sqlx::query_as(
                "SELECT m.rid, m.session_rid FROM session s JOIN message m ON m.workspace_id = s.workspace_id \
                 AND m.session_rid = s.rid WHERE s.workspace_id = $1 AND s.agent = $2 AND s.key = $3 AND m.id = $4",
            )
            .bind(step.workspace).bind(agent).bind(session_key).bind(id.as_str()).fetch_optional(c).await
        })?;
        if let Some((rid, session_rid)) = found {
            let index = sessions::loaded(step, sessions, session_rid).await?;
            retract(step, sessions, index, &[rid], changes).await?;
        }
    }
    Ok(())
}

/// The session's messages that came from sources, none of which is there any more.
async fn gone(step: &mut Step<'_>, session_rid: i64) -> Result<Vec<i64>, StoreError> {
    let messages: Vec<(i64, Vec<u8>)> = on_step!(step, c => {
        sqlx::query_as("SELECT rid, records FROM message WHERE workspace_id = $1 AND session_rid = $2 ORDER BY seq")
            .bind(step.workspace).bind(session_rid).fetch_all(c).await
    })?;
    let mut came_from = Vec::with_capacity(messages.len());
    for (rid, records) in &messages {
        let sources: BTreeSet<i64> = unpack_references(records)?.iter().map(|reference| reference.source).collect();
        came_from.push((*rid, sources));
    }
    let all: BTreeSet<i64> = came_from.iter().flat_map(|(_, sources)| sources).copied().collect();
    let mut there = BTreeSet::new();
    for source in all {
        let found: Option<i64> = on_step!(step, c => {
            sqlx::query_scalar("SELECT rid FROM source WHERE workspace_id = $1 AND rid = $2")
                .bind(step.workspace).bind(source).fetch_optional(c).await
        })?;
        there.extend(found);
    }
    came_from.retain(|(_, sources)| !sources.is_empty() && sources.is_disjoint(&there));
    Ok(came_from.into_iter().map(|(rid, _)| rid).collect())
}

async fn retract(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    index: usize,
    rids: &[i64],
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let mut packer = Packer::new()?;
    let last = sessions.row(index).ask_seq;
    for chunk in rids.chunks(MANY) {
        let found: Vec<RetractedRow> = on_step!(step, c => {
            let mut q = QueryBuilder::new(format!("SELECT {}, body FROM message WHERE rid IN (", rows::OLD_COLUMNS));
            let mut list = q.separated(", ");
            for rid in chunk {
                list.push_bind(*rid);
            }
            list.push_unseparated(") ORDER BY seq");
            q.build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
        })?;
        let rid = sessions.row(index).rid;
        tools::delete(step, sessions, rid, chunk).await?;
        let edits: Vec<i64> = found.iter().filter(|row| row.old.is_edit()).map(|row| row.old.seq).collect();
        files::delete(step, rid, &edits).await?;
        for row in found {
            retract_one(step, sessions.row(index), row, &mut packer, changes).await?;
        }
    }
    if sessions.row(index).ask_seq < last {
        find_question(step, sessions, index).await?;
    }
    Ok(())
}

/// Takes one message back, unless it is.
async fn retract_one(
    step: &mut Step<'_>,
    session: &mut SessionRow,
    RetractedRow { old, body }: RetractedRow,
    packer: &mut Packer,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let mut draft = unpack_draft(&body)?;
    if draft.status == Status::Retracted {
        return Ok(());
    }
    draft.status = Status::Retracted;
    let is_dev = old.display() == i64::from(display::DEV);
    let display = if is_dev { i64::from(display::UNCOUNTED) } else { old.display() };
    let json = serde_json::to_vec(&draft).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    on_step!(step, c => {
        sqlx::query(
            "UPDATE message SET revision = $2, display = $3, asks = 0, asks_input = 0, hash = $4, records = $5, body = $6, \
             lines_added = 0, lines_removed = 0 \
             WHERE rid = $1",
        )
        .bind(old.rid).bind(old.revision + 1).bind(display).bind(content_hash(display as i16, &json))
        .bind(Vec::<u8>::new()).bind(packer.pack(&json)?).execute(c).await.map(drop)
    })?;
    on_step!(step, c => {
        sqlx::query("DELETE FROM message_search WHERE rowid = $1").bind(old.rid).execute(c).await.map(drop)
    })?;
    memory::delete(step, old.rid).await?;
    changes.change(session.rid, old.seq, old.revision + 1);
    if old.copied == 0 {
        session.approvals_open -= old.asks;
        session.count_lines(old.lines(), (0, 0));
        if session.ask_seq == old.seq {
            session.ask_seq = 0;
        }
        let key = old.count_key();
        count(session, changes, key.clone(), (old.created_at, -1));
        count(session, changes, CountKey { display, ..key }, (old.created_at, 1));
    }
    Ok(())
}
