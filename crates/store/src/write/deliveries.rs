//! Deliveries of a batch to channels: one row per channel and message, in the same transaction as the message.

use super::changes::{Changes, SessionChanges};
use super::sessions::Sessions;
use crate::StoreError;
use crate::step::Step;
use crate::step::table::{Kind, Row, Table, Verb};
use crate::store::on_step;
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// A message that waits keeps its place, whatever becomes of it meanwhile. What a person gave up, or hasn't looked at,
/// stays so.
static DELIVERY: Table = Table {
    name: "channel_delivery",
    columns: Cow::Borrowed(&[
        ("channel_id", Kind::Text),
        ("session_rid", Kind::Int),
        ("seq", Kind::Int),
        ("pos", Kind::Int),
        ("latest", Kind::Int),
        ("state", Kind::Text),
        ("sends", Kind::Int),
        ("attempts", Kind::Int),
        ("next_at", Kind::Int),
        ("queued_at", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, channel_id, session_rid, seq) DO UPDATE SET latest = excluded.latest, \
         pos = CASE WHEN channel_delivery.state IN ('sent', 'skipped') THEN excluded.pos ELSE channel_delivery.pos END, \
         next_at = CASE WHEN channel_delivery.state IN ('sent', 'skipped') THEN excluded.next_at ELSE channel_delivery.next_at END, \
         state = CASE WHEN channel_delivery.state IN ('dead', 'cleared') THEN channel_delivery.state ELSE 'pending' END",
    )),
};

/// A channel of the workspace.
struct Channel {
    id: String,
    every_session: bool,
    created_at: i64,
}

/// Writes the rows. Without channels it asks nothing.
pub(crate) async fn write(step: &mut Step<'_>, sessions: &Sessions, changes: &Changes) -> Result<(), StoreError> {
    if !step.has_channels || changes.sessions.is_empty() {
        return Ok(());
    }
    let channels = channels(step).await?;
    let rids: Vec<i64> = changes.sessions.keys().copied().collect();
    let bound = bound(step, &rids).await?;
    let (pos, now) = (step.feed_pos, step.now.0);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for loaded in sessions.iter() {
        let session = &loaded.row;
        let Some(change) = changes.sessions.get(&session.rid) else { continue };
        for channel in &channels {
            let after = match bound.get(&(channel.id.as_str(), session.rid)) {
                Some(from_seq) => *from_seq,
                // Messages from before the channel's creation aren't sent, unless the clock was ahead at that time.
                None if channel.every_session
                    && session.parent_key.is_none()
                    && (session.last_at >= channel.created_at || channel.created_at > now) =>
                {
                    0
                }
                None => continue,
            };
            let row = |seq: i64| -> Row<'_> {
                vec![
                    channel.id.as_str().into(),
                    session.rid.into(),
                    seq.into(),
                    pos.into(),
                    pos.into(),
                    "pending".into(),
                    0_i64.into(),
                    0_i64.into(),
                    now.into(),
                    now.into(),
                ]
            };
            rows.extend(seqs(change).into_iter().filter(|seq| *seq > after).map(row));
        }
    }
    step.has_deliveries |= !rows.is_empty();
    step.write(&DELIVERY, &rows).await
}

/// Each message that is new or looks different, once.
fn seqs(change: &SessionChanges) -> BTreeSet<i64> {
    let added = change.added.into_iter().flat_map(|(from, to)| from..=to);
    added.chain(change.changed.keys().copied()).collect()
}

async fn channels(step: &mut Step<'_>) -> Result<Vec<Channel>, StoreError> {
    let rows: Vec<(String, i64, i64)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT id, every_session, created_at FROM channel WHERE workspace_id = $1 AND removed_at IS NULL ORDER BY id",
        )
        .bind(step.workspace).fetch_all(c).await
    })?;
    let channel = |(id, every, created_at): (String, i64, i64)| Channel { id, every_session: every != 0, created_at };
    Ok(rows.into_iter().map(channel).collect())
}

/// From which `seq` on a channel is told of a session, by channel and session.
struct Bindings(HashMap<i64, Vec<(String, i64)>>);

impl Bindings {
    fn get(&self, (channel, rid): &(&str, i64)) -> Option<&i64> {
        self.0.get(rid)?.iter().find(|(id, _)| id == channel).map(|(_, from)| from)
    }
}

async fn bound(step: &mut Step<'_>, rids: &[i64]) -> Result<Bindings, StoreError> {
    let rows: Vec<(String, i64, i64)> = on_step!(step, c => {
        let mut q = QueryBuilder::new(
            "SELECT channel_id, session_rid, from_seq FROM channel_session WHERE bound = 1 AND workspace_id = ",
        );
        q.push_bind(step.workspace).push(" AND session_rid IN (");
        let mut list = q.separated(", ");
        for rid in rids {
            list.push_bind(*rid);
        }
        list.push_unseparated(")");
        q.build_query_as().persistent(false).fetch_all(c).await
    })?;
    let mut bindings: HashMap<i64, Vec<(String, i64)>> = HashMap::new();
    for (channel, rid, from) in rows {
        bindings.entry(rid).or_default().push((channel, from));
    }
    Ok(Bindings(bindings))
}
