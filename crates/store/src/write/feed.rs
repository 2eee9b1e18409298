//! The rows of the feed that tell of a batch.

use super::Step;
use super::changes::{Changes, SessionChanges};
use super::chunks::chunks;
use super::sessions::Sessions;
use crate::store::on_tx;
use crate::{FeedKind, FeedRow, StoreError, Touched};
use model::SessionId;
use sqlx::QueryBuilder;

/// More changed messages than this in one session are told as one range.
const SINGLE: usize = 64;
const ROWS: usize = 128;

/// Writes the rows and tells what was touched, in the order of the sessions.
pub(crate) async fn write(
    step: &mut Step<'_>,
    sessions: &Sessions,
    changes: &Changes,
) -> Result<Vec<Touched>, StoreError> {
    let nothing = SessionChanges::default();
    let mut touched = Vec::new();
    let mut rows = Vec::new();
    for loaded in sessions.iter() {
        let change = changes.sessions.get(&loaded.row.rid).unwrap_or(&nothing);
        if change.added.is_none() && change.changed.is_empty() && !loaded.changed() {
            continue;
        }
        let session_id =
            SessionId::parse(loaded.row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let (from_seq, to_seq) = change.added.unwrap_or((0, 0));
        rows.extend(session_rows(step, &session_id, change));
        touched.push(Touched { session_id, from_seq, to_seq, changed_seqs: change.changed.keys().copied().collect() });
    }
    write_rows(step, &rows).await?;
    Ok(touched)
}

/// Writes rows in place of outdated ones.
pub(crate) async fn write_rows(step: &mut Step<'_>, rows: &[FeedRow]) -> Result<(), StoreError> {
    drop_outdated(step, rows).await?;
    insert(step, rows).await
}

fn session_rows(step: &mut Step<'_>, session_id: &SessionId, change: &SessionChanges) -> Vec<FeedRow> {
    let mut row = |kind, from_seq, to_seq, revision| FeedRow {
        pos: step.pos(),
        kind,
        session_id: session_id.clone(),
        from_seq,
        to_seq,
        revision,
    };
    let mut rows = Vec::new();
    if let Some((from, to)) = change.added {
        rows.push(row(FeedKind::Range, from, to, 0));
    }
    if change.changed.len() > SINGLE {
        let (first, last) = (change.changed.keys().next(), change.changed.keys().next_back());
        rows.push(row(FeedKind::Range, first.copied().unwrap_or(0), last.copied().unwrap_or(0), 0));
    } else {
        rows.extend(change.changed.iter().map(|(seq, revision)| row(FeedKind::Message, *seq, *seq, *revision as i32)));
    }
    if rows.is_empty() {
        rows.push(row(FeedKind::Session, 0, 0, 0));
    }
    rows
}

/// The feed carries the newest state: an update takes the place of the earlier row of the same message or session.
async fn drop_outdated(step: &mut Step<'_>, rows: &[FeedRow]) -> Result<(), StoreError> {
    for row in rows.iter().filter(|row| row.kind != FeedKind::Range) {
        on_tx!(&mut *step.tx, c => {
            sqlx::query("DELETE FROM feed WHERE workspace_id = $1 AND session_id = $2 AND kind = $3 AND from_seq = $4")
                .bind(step.workspace).bind(row.session_id.as_str()).bind(row.kind.as_str()).bind(row.from_seq)
                .execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

async fn insert(step: &mut Step<'_>, rows: &[FeedRow]) -> Result<(), StoreError> {
    for chunk in chunks(rows, ROWS) {
        on_tx!(&mut *step.tx, c => {
            let mut q =
                QueryBuilder::new("INSERT INTO feed (workspace_id, pos, kind, session_id, from_seq, to_seq, revision) ");
            q.push_values(chunk, |mut b, row| {
                b.push_bind(step.workspace)
                    .push_bind(row.pos)
                    .push_bind(row.kind.as_str())
                    .push_bind(row.session_id.as_str())
                    .push_bind(row.from_seq)
                    .push_bind(row.to_seq)
                    .push_bind(i64::from(row.revision));
            });
            q.build().execute(c).await.map(drop)
        })?;
    }
    Ok(())
}
