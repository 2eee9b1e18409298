//! A session's row, and what links it to files and blobs.

use super::super::{feed, listed, rollup};
use super::{ids, nothing_left, wrong};
use crate::archive::cells::{Fields, Held};
use crate::session_row::SESSION;
use crate::session_row::SESSION_COLUMNS;
use crate::step::Step;
use crate::step::table::Row;
use crate::store::on_step;
use crate::{FeedKind, FeedRow, StoreError};
use model::SessionId;
use std::collections::{BTreeSet, HashMap};

/// A session whose messages come.
pub(super) struct Open {
    pub rid: i64,
    id: SessionId,
    /// `seq` of the last message that came.
    pub last_seq: i64,
    expected: i64,
    blobs: BTreeSet<String>,
}

impl Open {
    pub fn id(&self) -> &str {
        self.id.as_str()
    }
}

pub(super) async fn begin(
    step: &mut Step<'_>,
    sources: &HashMap<String, i64>,
    mut line: Fields,
) -> Result<Open, StoreError> {
    let (rid, pos) = (step.rid(), step.next_pos());
    let (of_sources, blobs) = (ids(&mut line, "sources")?, ids(&mut line, "blobs")?);
    let mut row = Vec::with_capacity(SESSION_COLUMNS.len());
    for (name, kind) in SESSION_COLUMNS {
        row.push(match *name {
            "rid" => Held::Int(Some(rid)),
            "changed_pos" => Held::Int(Some(pos)),
            "has_parent" | "listed" | "needs_you" | "driven" | "beats" => Held::Int(Some(0)),
            "machine_id" => Held::Text(None),
            name => Held::take(&mut line, name, *kind).map_err(StoreError::Archive)?,
        });
    }
    nothing_left(&line)?;
    let text = |wanted: &str| {
        let at = SESSION_COLUMNS.iter().position(|(name, _)| *name == wanted);
        match at.and_then(|at| row.get(at)) {
            Some(Held::Text(Some(text))) => Ok(text.clone()),
            _ => Err(wrong(format!("`{wanted}`: expected a string, got nothing"))),
        }
    };
    let (id, agent, key) = (text("id")?, text("agent")?, text("key")?);
    let expected = SESSION_COLUMNS.iter().zip(&row).find_map(|((name, _), held)| match held {
        Held::Int(last) if *name == "last_seq" => *last,
        _ => None,
    });
    refuse_known(step, &id, &agent, &key).await?;
    let id = SessionId::parse(id).map_err(|error| wrong(format!("`id`: {error}")))?;
    let cells: Row<'_> = row.iter().map(Held::cell).collect();
    step.write(&SESSION, &[cells]).await?;
    for source in of_sources {
        let Some(source) = sources.get(&source) else {
            return Err(wrong(format!("`sources`: the archive doesn't hold the file `{source}`")));
        };
        on_step!(step, c => {
            sqlx::query("DELETE FROM session_source WHERE workspace_id = $1 AND source_rid = $2 AND session_rid NOT IN (SELECT rid FROM session)")
                .bind(step.workspace).bind(source).execute(c).await.map(drop)
        })?;
        on_step!(step, c => {
            sqlx::query("INSERT INTO session_source (workspace_id, session_rid, source_rid) VALUES ($1, $2, $3)")
                .bind(step.workspace).bind(rid).bind(source).execute(c).await.map(drop)
        })?;
    }
    Ok(Open { rid, id, last_seq: 0, expected: expected.unwrap_or_default(), blobs })
}

/// A session is stored once: what is here may have gone on since.
async fn refuse_known(step: &mut Step<'_>, id: &str, agent: &str, key: &str) -> Result<(), StoreError> {
    // A permanently deleted session can be restored from an archive.
    on_step!(step, c => {
        sqlx::query(
            "DELETE FROM session WHERE workspace_id = $1 AND purged_at IS NOT NULL AND (id = $2 OR (agent = $3 AND key = $4))",
        )
        .bind(step.workspace).bind(id).bind(agent).bind(key).execute(c).await.map(drop)
    })?;
    let found: Option<(String, Option<i64>)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT id, deleted_at FROM session WHERE workspace_id = $1 AND (id = $2 OR (agent = $3 AND key = $4)) LIMIT 1",
        )
        .bind(step.workspace).bind(id).bind(agent).bind(key).fetch_optional(c).await
    })?;
    match found {
        None => Ok(()),
        Some((id, None)) => {
            Err(wrong(format!("session `{id}` is stored already: delete it for good to read it from here")))
        }
        Some((id, Some(_))) => {
            Err(wrong(format!("session `{id}` is deleted and can be restored: nothing has to be read")))
        }
    }
}

pub(super) async fn finish(step: &mut Step<'_>, open: &Open) -> Result<SessionId, StoreError> {
    if open.last_seq != open.expected {
        return Err(wrong(format!(
            "session `{}` has {} messages, and {} of them are here",
            open.id, open.expected, open.last_seq
        )));
    }
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO message_count (workspace_id, session_rid, role, message_type, display, part, n) \
             SELECT workspace_id, session_rid, role, message_type, display, part, COUNT(*) FROM message \
             WHERE workspace_id = $1 AND session_rid = $2 AND copied = 0 \
             GROUP BY workspace_id, session_rid, role, message_type, display, part",
        )
        .bind(step.workspace).bind(open.rid).execute(c).await.map(drop)
    })?;
    rollup::restored(step, open.rid).await?;
    listed::restored(step, open.rid).await?;
    for blob in &open.blobs {
        on_step!(step, c => {
            sqlx::query("INSERT INTO session_blob (workspace_id, session_rid, sha256) VALUES ($1, $2, $3)")
                .bind(step.workspace).bind(open.rid).bind(blob).execute(c).await.map(drop)
        })?;
    }
    let row = match open.last_seq {
        0 => FeedRow::of_session(step.pos(), FeedKind::Session, &open.id),
        to_seq => FeedRow { from_seq: 1, to_seq, ..FeedRow::of_session(step.pos(), FeedKind::Range, &open.id) },
    };
    feed::write_rows(step, &[row]).await?;
    Ok(open.id.clone())
}
