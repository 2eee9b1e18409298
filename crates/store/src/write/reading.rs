//! How far people have read, and what agents were given of what people wrote.

use super::feed;
use crate::dialect::limited;
use crate::step::Step;
use crate::store::{on, on_step};
use crate::{FeedKind, FeedRow, Sight, StoreError, StoredMessage, Unread, Workspace};

use model::{Micros, SessionId};
use sqlx::QueryBuilder;

/// Sessions whose unread messages are told at most.
const MOST: i64 = 500;

impl Workspace {
    /// A person has read a session up to `seq`. Never goes back. Position of the feed, if that was news.
    pub async fn mark_read(
        &self,
        person: &str,
        session: &SessionId,
        seq: i64,
        now: Micros,
    ) -> Result<Option<i64>, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let changed: u64 = on_step!(step, c => {
            sqlx::query(
                "INSERT INTO read_position (workspace_id, person, session_rid, seq, read_at) \
                 SELECT s.workspace_id, $2, s.rid, CASE WHEN s.last_seq < $4 THEN s.last_seq ELSE $4 END, $5 \
                 FROM session s WHERE s.workspace_id = $1 AND s.id = $3 \
                 ON CONFLICT (workspace_id, person, session_rid) DO UPDATE SET seq = excluded.seq, \
                 read_at = excluded.read_at WHERE excluded.seq > read_position.seq",
            )
            .bind(step.workspace).bind(person).bind(session.as_str()).bind(seq).bind(now.0)
            .execute(c).await.map(|done| done.rows_affected())
        })?;
        if changed == 0 {
            return Ok(None);
        }
        // Other pages of the person show it too.
        let pos = step.pos();
        let row = FeedRow::of_session(pos, FeedKind::Session, session);
        feed::write_rows(&mut step, &[row]).await?;
        step.end().await?;
        tx.commit().await?;
        Ok(Some(pos))
    }

    /// Sessions that a person has read before and that went on since, the latest first. `many` messages of each are
    /// counted at most.
    pub async fn unread(&self, person: &str, sight: &Sight, many: i64) -> Result<Vec<Unread>, StoreError> {
        let counted = format!(
            "SELECT s.id, r.seq, (SELECT COUNT(*) FROM (SELECT m.seq FROM message m \
             WHERE m.workspace_id = s.workspace_id AND m.session_rid = s.rid AND m.seq > r.seq AND m.display < 2 \
             AND (m.role <> 'user' OR m.create_hash IS NULL) AND m.copied = 0 AND m.part <> 'replaced'{}) AS counted) \
             AS unread FROM read_position r JOIN session s ON s.rid = r.session_rid \
             WHERE s.last_seq > r.seq AND s.deleted_at IS NULL AND s.archived_at IS NULL AND r.workspace_id = ",
            limited(many),
        );
        let rows: Vec<(String, i64, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(&counted);
            q.push_bind(self.id()).push(" AND r.person = ").push_bind(person);
            sight.narrow(&mut q);
            q.push(" ORDER BY s.last_at DESC, s.rid").push(limited(MOST));
            q.build_query_as().fetch_all(pool).await
        })?;
        let rows = rows.into_iter().filter(|(_, _, unread)| *unread > 0);
        rows.map(|(session, seq, unread)| {
            let session = SessionId::parse(session).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            Ok(Unread { session, seq, unread })
        })
        .collect()
    }

    /// People's messages to an agent with a `seq` in `from..=to`, and when the agent was given each.
    pub async fn deliveries(
        &self,
        session: &SessionId,
        from: i64,
        to: i64,
    ) -> Result<Vec<(i64, Option<Micros>)>, StoreError> {
        let Some(rid) = self.session_rid(session).await? else { return Ok(Vec::new()) };
        // Written out: the index of queued messages holds just those.
        let rows: Vec<(i64, Option<i64>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT m.seq, (SELECT MIN(d.delivered_at) FROM delivery d WHERE d.workspace_id = m.workspace_id \
                 AND d.session_rid = m.session_rid AND d.seq >= m.seq) FROM message m \
                 WHERE m.queued = 1 AND m.workspace_id = $1 AND m.session_rid = $2 AND m.seq >= $3 AND m.seq <= $4 \
                 ORDER BY m.seq",
            )
            .bind(self.id()).bind(rid).bind(from).bind(to).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(seq, at)| (seq, at.map(Micros))).collect())
    }
}

/// The agent has everything that people wrote up to the last of these, and readers are told of those above `before`, up
/// to which it had everything already.
pub(in crate::write) async fn delivered(
    step: &mut Step<'_>,
    session_rid: i64,
    before: i64,
    taken: &[StoredMessage],
) -> Result<(), StoreError> {
    let new = &taken[taken.partition_point(|stored| stored.message.seq <= before)..];
    let Some(last) = new.last() else { return Ok(()) };
    let (seq, now) = (last.message.seq, step.now.0);
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO delivery (workspace_id, session_rid, seq, delivered_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, session_rid, seq) DO NOTHING",
        )
        .bind(step.workspace).bind(session_rid).bind(seq).bind(now).execute(c).await.map(drop)
    })?;
    let rows: Vec<_> = new
        .iter()
        .map(|stored| FeedRow {
            pos: step.pos(),
            kind: FeedKind::Message,
            session_id: stored.message.session_id.clone(),
            from_seq: stored.message.seq,
            to_seq: stored.message.seq,
            revision: stored.message.revision,
        })
        .collect();
    feed::write_rows(step, &rows).await
}
