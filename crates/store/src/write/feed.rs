//! The rows of the feed that tell of a batch.

use super::changes::{Changes, SessionChanges};
use super::deliveries;
use super::sessions::Sessions;
use crate::step::Step;
use crate::step::table::{Kind, Row, Table, Verb};
use crate::store::on_step;
use crate::{FeedKind, FeedRow, StoreError, Workspace};
use model::{ALL_SESSIONS, Micros, SessionId};
use std::borrow::Cow;

/// More changed messages than this in one session are told as one range.
const SINGLE: usize = 64;

/// Writes the rows, in the order of the sessions, and what channels are told.
pub(crate) async fn write(step: &mut Step<'_>, sessions: &Sessions, changes: &Changes) -> Result<(), StoreError> {
    let nothing = SessionChanges::default();
    let mut rows = Vec::new();
    for loaded in sessions.iter() {
        let change = changes.sessions.get(&loaded.row.rid).unwrap_or(&nothing);
        if change.added.is_none() && change.changed.is_empty() && !loaded.changed() {
            continue;
        }
        let session_id =
            SessionId::parse(loaded.row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        rows.extend(session_rows(step, &session_id, change));
    }
    write_rows(step, &rows).await?;
    deliveries::write(step, sessions, changes).await
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
        let kind = if change.grows { FeedKind::Growth } else { FeedKind::Message };
        rows.extend(change.changed.iter().map(|(seq, revision)| row(kind, *seq, *seq, *revision as i32)));
    }
    if rows.is_empty() {
        rows.push(row(FeedKind::Session, 0, 0, 0));
    }
    rows
}

/// The feed carries the newest state: an update takes the place of the earlier row of the same message or session.
async fn drop_outdated(step: &mut Step<'_>, rows: &[FeedRow]) -> Result<(), StoreError> {
    for row in rows.iter().filter(|row| row.kind != FeedKind::Range) {
        let [kind, other] = row.kind.replaces();
        on_step!(step, c => {
            // Written out: the index of replaced rows holds no ranges.
            sqlx::query(
                "DELETE FROM feed WHERE kind <> 'range' AND workspace_id = $1 AND session_id = $2 \
                 AND kind IN ($3, $4) AND from_seq = $5",
            )
                .bind(step.workspace).bind(row.session_id.as_str()).bind(kind.as_str())
                .bind(other.as_str()).bind(row.from_seq)
                .execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

static FEED: Table = Table {
    name: "feed",
    columns: Cow::Borrowed(&[
        ("pos", Kind::Int),
        ("kind", Kind::Text),
        ("session_id", Kind::Text),
        ("from_seq", Kind::Int),
        ("to_seq", Kind::Int),
        ("revision", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed("")),
};

async fn insert(step: &mut Step<'_>, rows: &[FeedRow]) -> Result<(), StoreError> {
    let rows: Vec<Row<'_>> = rows
        .iter()
        .map(|row| {
            vec![
                row.pos.into(),
                row.kind.as_str().into(),
                row.session_id.as_str().into(),
                row.from_seq.into(),
                row.to_seq.into(),
                i64::from(row.revision).into(),
            ]
        })
        .collect();
    step.write(&FEED, &rows).await
}

impl Workspace {
    /// Tells the feed that a setting changed which a session is shown with, or all of them without one. Returns the
    /// feed's new end.
    pub async fn tell_shown(&self, session: Option<&SessionId>, now: Micros) -> Result<i64, StoreError> {
        let all = SessionId::parse(ALL_SESSIONS).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let row = FeedRow::of_session(step.pos(), FeedKind::Session, session.unwrap_or(&all));
        let pos = row.pos;
        write_rows(&mut step, &[row]).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(pos)
    }
}
