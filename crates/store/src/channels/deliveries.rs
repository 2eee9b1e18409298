//! Deliveries: queued messages of channels, and their outcomes.

use super::session_id;
use crate::columns::columns;
use crate::columns::text;
use crate::dialect::limited;
use crate::settings::change;
use crate::store::{Tx, on, on_tx};
use crate::{Store, StoreError, Workspace};
use model::{Micros, SessionId};

/// How a channel goes through what waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queueing {
    /// In order: nothing passes what failed.
    InOrder,
    /// Deliveries that are due overtake others.
    AsDue,
}

/// Names a delivery within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryKey {
    pub session_rid: i64,
    pub seq: i64,
}

/// A delivery that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub key: DeliveryKey,
    pub session: SessionId,
    /// The feed's position at the message's last change.
    pub latest: i64,
    /// How much was sent of the message.
    pub sends: i64,
    /// How often the sending failed since the last success.
    pub attempts: i64,
    pub next_at: Micros,
    /// The body that is being sent, once sending has begun.
    pub body: Option<String>,
    /// Whether that stands in the talk of the session.
    pub is_talk: bool,
    /// Text of the last body.
    pub said: Option<String>,
    pub queued_at: Micros,
    /// The other side's id of what was sent.
    pub external_id: Option<String>,
}

/// A change of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryChange {
    /// The sending of a body begins: until it ends, this body is sent and no other.
    Begun { key: DeliveryKey, latest: i64, body: String, said: String, shown: Option<String>, is_talk: bool },
    /// There is nothing to say of the message as it was at `latest`.
    Skipped { key: DeliveryKey, latest: i64 },
    Sent {
        key: DeliveryKey,
        external_id: Option<String>,
        /// When the other side had it.
        at: Micros,
    },
    /// It is sent again at a time.
    Failed { key: DeliveryKey, error: String, next_at: Micros },
    /// It was refused for good.
    Dead { key: DeliveryKey, error: String },
}

impl DeliveryChange {
    /// Which delivery it is about.
    pub fn key(&self) -> DeliveryKey {
        match self {
            Self::Begun { key, .. }
            | Self::Skipped { key, .. }
            | Self::Sent { key, .. }
            | Self::Failed { key, .. }
            | Self::Dead { key, .. } => *key,
        }
    }
}

/// How far a delivery got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    Pending,
    Sent,
    Skipped,
    Dead,
    Cleared,
}

impl DeliveryState {
    const ALL: [Self; 5] = [Self::Pending, Self::Sent, Self::Skipped, Self::Dead, Self::Cleared];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sent => "sent",
            Self::Skipped => "skipped",
            Self::Dead => "dead",
            Self::Cleared => "cleared",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// A delivery, to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub channel: String,
    pub session: SessionId,
    pub seq: i64,
    pub state: DeliveryState,
    pub said: Option<String>,
    pub attempts: i64,
    pub next_at: Micros,
    pub error: Option<String>,
    pub queued_at: Micros,
    pub sent_at: Option<Micros>,
}

/// A channel's deliveries in figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelCounts {
    pub channel: String,
    pub waiting: i64,
    pub dead: i64,
    pub sent_at: Option<Micros>,
    /// Why what waits wasn't sent, and when it is tried again.
    pub error: Option<String>,
    pub next_at: Option<Micros>,
}

/// The message that was sent under an id of the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub session: SessionId,
    pub seq: i64,
    /// Hash of the shown request, which a decision must have.
    pub shown: Option<String>,
    /// When it was sent last, as it is.
    pub sent_at: Option<Micros>,
}

columns! {
    struct DueRow {
        session_rid: i64,
        seq: i64,
        session: String,
        latest: i64,
        sends: i64,
        attempts: i64,
        next_at: i64,
        body: Option<String>,
        is_talk: Option<i64>,
        said: Option<String>,
        queued_at: i64,
        external_id: Option<String>,
    }
}

columns! {
    struct ShownRow {
        channel_id: String,
        session: String,
        seq: i64,
        state: String,
        said: Option<String>,
        attempts: i64,
        next_at: i64,
        error: Option<String>,
        queued_at: i64,
        sent_at: Option<i64>,
    }
}

const SHOWN: &str =
    "d.channel_id, s.id AS session, d.seq, d.state, d.said, d.attempts, d.next_at, d.error, d.queued_at, d.sent_at";

type Counted = (String, i64, i64, Option<i64>);
type Waiting = (String, Option<String>, i64);

impl Workspace {
    /// Returns what waits in a channel, at most `limit` of it.
    pub async fn due_deliveries(
        &self,
        channel: &str,
        queueing: Queueing,
        now: Micros,
        limit: u32,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let until = match queueing {
            Queueing::InOrder => i64::MAX,
            Queueing::AsDue => now.0,
        };
        let sql = format!(
            "SELECT d.session_rid, d.seq, s.id AS session, d.latest, d.sends, d.attempts, d.next_at, d.body, d.is_talk, d.said, d.queued_at, d.external_id \
             FROM channel_delivery d JOIN session s ON s.rid = d.session_rid WHERE d.workspace_id = $1 AND d.channel_id = $2 \
             AND d.state = 'pending' AND d.next_at <= $3 ORDER BY d.pos, d.session_rid, d.seq{}",
            limited(i64::from(limit))
        );
        let rows: Vec<DueRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(self.id()).bind(channel).bind(until).fetch_all(pool).await
        })?;
        let due = |row: DueRow| {
            Ok(DueDelivery {
                key: DeliveryKey { session_rid: row.session_rid, seq: row.seq },
                session: session_id(row.session)?,
                latest: row.latest,
                sends: row.sends,
                attempts: row.attempts,
                next_at: Micros(row.next_at),
                body: row.body,
                is_talk: row.is_talk == Some(1),
                said: row.said,
                queued_at: Micros(row.queued_at),
                external_id: row.external_id,
            })
        };
        rows.into_iter().map(due).collect()
    }

    /// Stores what became of deliveries, as the server that sends for this channel: `lease` names it. False where
    /// another one does; then nothing is stored. With one server alone, no lease of an earlier one counts.
    pub async fn settle_deliveries(
        &self,
        channel: &str,
        (lease, until): (&str, Micros),
        now: Micros,
        changes: &[DeliveryChange],
    ) -> Result<bool, StoreError> {
        let is_alone = matches!(self.store, Store::Sqlite(_));
        let mut tx = self.store.begin().await?;
        let held = on_tx!(&mut tx, c => {
            sqlx::query(
                "UPDATE channel SET lease = $3, leased_until = $4 WHERE workspace_id = $1 AND id = $2 \
                 AND (lease IS NULL OR lease = $3 OR leased_until < $5 OR leased_until > $6)",
            )
            .bind(self.id()).bind(channel).bind(lease).bind(until.0).bind(if is_alone { i64::MAX } else { now.0 })
            // Twice as far away as any lease is: of a server whose clock was ahead.
            .bind(until.0.saturating_add(until.since(now)))
            .execute(c).await.map(|done| done.rows_affected())
        })?;
        if held == 0 {
            return Ok(false);
        }
        for change in changes {
            settle(&mut tx, (self.id(), channel), change).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Returns the other side's id of the last message of a session's talk.
    pub async fn last_talk(&self, channel: &str, session: &SessionId) -> Result<Option<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT d.external_id FROM channel_delivery d JOIN session s ON s.rid = d.session_rid \
                 WHERE d.workspace_id = $1 AND d.channel_id = $2 AND s.id = $3 AND d.is_talk = 1 AND d.external_id IS NOT NULL \
                 ORDER BY d.seq DESC LIMIT 1",
            )
            .bind(self.id()).bind(channel).bind(session.as_str()).fetch_optional(pool).await
        })?)
    }

    /// Returns the message that was sent under an id of the other side.
    pub async fn told(&self, channel: &str, external_id: &str) -> Result<Option<Told>, StoreError> {
        let row: Option<(String, i64, Option<String>, Option<i64>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT s.id, d.seq, d.shown, d.sent_at FROM channel_delivery d JOIN session s ON s.rid = d.session_rid \
                 WHERE d.workspace_id = $1 AND d.channel_id = $2 AND d.external_id = $3",
            )
            .bind(self.id()).bind(channel).bind(external_id).fetch_optional(pool).await
        })?;
        let told = |(session, seq, shown, sent_at): (String, i64, Option<String>, Option<i64>)| {
            Ok(Told { session: session_id(session)?, seq, shown, sent_at: sent_at.map(Micros) })
        };
        row.map(told).transpose()
    }

    /// Returns the last message of a session that a channel showed with what a decision is bound to.
    pub async fn last_shown(&self, channel: &str, session: &SessionId) -> Result<Vec<Told>, StoreError> {
        let rows: Vec<(i64, Option<String>, Option<i64>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT d.seq, d.shown, d.sent_at FROM channel_delivery d JOIN session s ON s.rid = d.session_rid \
                 WHERE d.workspace_id = $1 AND d.channel_id = $2 AND s.id = $3 AND d.shown IS NOT NULL AND d.sends > 0 \
                 ORDER BY d.seq DESC LIMIT 50",
            )
            .bind(self.id()).bind(channel).bind(session.as_str()).fetch_all(pool).await
        })?;
        let told = |(seq, shown, sent_at): (i64, Option<String>, Option<i64>)| Told {
            session: session.clone(),
            seq,
            shown,
            sent_at: sent_at.map(Micros),
        };
        Ok(rows.into_iter().map(told).collect())
    }

    /// Returns a channel's deliveries in a state, the latest first. None: in every state in which something was or is
    /// to be said.
    pub async fn channel_deliveries(
        &self,
        channel: &str,
        state: Option<DeliveryState>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN} \
             FROM channel_delivery d JOIN session s ON s.rid = d.session_rid WHERE d.workspace_id = $1 AND d.channel_id = $2 \
             AND (d.state = $3 OR ($3 = '' AND d.state <> 'skipped')) ORDER BY d.pos DESC, d.session_rid DESC, d.seq DESC{}",
            limited(i64::from(limit))
        );
        let rows: Vec<ShownRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(self.id()).bind(channel).bind(state.map_or("", DeliveryState::as_str)).fetch_all(pool).await
        })?;
        rows.into_iter().map(delivery).collect()
    }

    /// Returns what channels are told of a message, in the order of their ids. Channels that have nothing to say of it
    /// aren't listed.
    pub async fn message_deliveries(&self, session: &SessionId, seq: i64) -> Result<Vec<Delivery>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN} FROM session s CROSS JOIN channel c CROSS JOIN channel_delivery d WHERE s.workspace_id = $1 \
             AND s.id = $2 AND c.workspace_id = s.workspace_id AND d.workspace_id = c.workspace_id AND d.channel_id = c.id \
             AND d.session_rid = s.rid AND d.seq = $3 AND d.state <> 'skipped' ORDER BY c.id"
        );
        let rows: Vec<ShownRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(self.id()).bind(session.as_str()).bind(seq).fetch_all(pool).await
        })?;
        rows.into_iter().map(delivery).collect()
    }

    /// Deletes what is known of deliveries that ended before a time; returns how many. What was refused stays until a
    /// person says more, and of each channel the last one that it took.
    pub async fn forget_deliveries(&self, before: Micros) -> Result<u64, StoreError> {
        Ok(change!(
            self,
            "DELETE FROM channel_delivery WHERE workspace_id = $1 AND state IN ('sent', 'skipped', 'cleared') \
             AND COALESCE(sent_at, queued_at) < $2 AND (channel_id, COALESCE(sent_at, 0)) NOT IN \
             (SELECT l.channel_id, MAX(l.sent_at) FROM channel_delivery l WHERE l.workspace_id = $1 \
             AND l.sent_at IS NOT NULL GROUP BY l.channel_id)",
            before.0
        ))
    }

    /// Returns the figures of each channel. What was sent isn't counted, which may be much: each figure has an index of
    /// its own.
    pub async fn channel_counts(&self) -> Result<Vec<ChannelCounts>, StoreError> {
        let counted: Vec<Counted> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT c.id, (SELECT COUNT(*) FROM channel_delivery p WHERE p.workspace_id = c.workspace_id \
                 AND p.channel_id = c.id AND p.state = 'pending'), (SELECT COUNT(*) FROM channel_delivery d \
                 WHERE d.workspace_id = c.workspace_id AND d.channel_id = c.id AND d.state = 'dead'), \
                 (SELECT MAX(l.sent_at) FROM channel_delivery l WHERE l.workspace_id = c.workspace_id \
                 AND l.channel_id = c.id AND l.sent_at IS NOT NULL) FROM channel c WHERE c.workspace_id = $1 ORDER BY c.id",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let failing: Vec<Waiting> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT channel_id, error, next_at FROM channel_delivery WHERE workspace_id = $1 AND state = 'pending' \
                 AND attempts > 0 ORDER BY pos DESC",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        let counts = |(channel, waiting, dead, sent_at): Counted| {
            // The last one is the first in the channel's order.
            let first = failing.iter().rfind(|(of, ..)| *of == channel);
            ChannelCounts {
                waiting,
                dead,
                sent_at: sent_at.map(Micros),
                error: first.and_then(|(_, error, _)| error.clone()),
                next_at: first.map(|(.., at)| Micros(*at)),
                channel,
            }
        };
        Ok(counted.into_iter().map(counts).collect())
    }

    /// Sends again what was refused, in its old order; returns how much that is.
    pub async fn retry_dead(&self, channel: &str, now: Micros) -> Result<u64, StoreError> {
        Ok(change!(
            self,
            "UPDATE channel_delivery SET state = 'pending', attempts = 0, next_at = $3 \
             WHERE workspace_id = $1 AND channel_id = $2 AND state = 'dead'",
            channel,
            now.0
        ))
    }

    /// Gives up what was refused; returns how much that is.
    pub async fn clear_dead(&self, channel: &str) -> Result<u64, StoreError> {
        Ok(change!(
            self,
            "UPDATE channel_delivery SET state = 'cleared', body = NULL \
             WHERE workspace_id = $1 AND channel_id = $2 AND state = 'dead'",
            channel
        ))
    }

    /// Makes due what waits for more than `beyond` microseconds after failures, as when a channel's settings were
    /// changed; returns how much that is.
    pub async fn hurry_deliveries(&self, channel: &str, now: Micros, beyond: i64) -> Result<u64, StoreError> {
        Ok(change!(
            self,
            "UPDATE channel_delivery SET next_at = $3 WHERE workspace_id = $1 AND channel_id = $2 AND state = 'pending' \
             AND next_at > $4",
            channel,
            now.0,
            now.0.saturating_add(beyond)
        ))
    }
}

async fn settle(tx: &mut Tx, (workspace, channel): (&str, &str), change: &DeliveryChange) -> Result<(), StoreError> {
    macro_rules! set {
        ($key:expr, $set:literal $(, $value:expr)*) => {
            on_tx!(&mut *tx, c => {
                sqlx::query(concat!(
                    "UPDATE channel_delivery SET ", $set,
                    " WHERE workspace_id = $1 AND channel_id = $2 AND session_rid = $3 AND seq = $4",
                ))
                .bind(workspace).bind(channel).bind($key.session_rid).bind($key.seq)$(.bind($value))*
                .execute(c).await.map(drop)
            })
        };
    }
    match change {
        DeliveryChange::Begun { key, latest, body, said, shown, is_talk } => set!(
            key,
            "body = $5, body_latest = $6, said = $7, begun_shown = $8, is_talk = $9",
            text(body).into_owned(),
            *latest,
            text(said).into_owned(),
            shown.as_deref(),
            i64::from(*is_talk)
        )?,
        DeliveryChange::Skipped { key, latest } => set!(
            key,
            "state = CASE WHEN state <> 'pending' OR latest > $5 THEN state WHEN sends > 0 THEN 'sent' ELSE 'skipped' END",
            *latest
        )?,
        DeliveryChange::Sent { key, external_id, at } => set!(
            key,
            "state = CASE WHEN state = 'pending' AND latest > body_latest THEN 'pending' ELSE 'sent' END, body = NULL, \
             sends = sends + 1, attempts = 0, shown = COALESCE(begun_shown, shown), begun_shown = NULL, error = NULL, sent_at = $5, external_id = COALESCE($6, external_id)",
            at.0,
            external_id.as_deref()
        )?,
        DeliveryChange::Failed { key, error, next_at } => {
            set!(key, "attempts = attempts + 1, error = $5, next_at = $6", text(error).into_owned(), next_at.0)?;
        }
        DeliveryChange::Dead { key, error } => {
            set!(key, "state = 'dead', attempts = attempts + 1, error = $5", text(error).into_owned())?;
        }
    }
    Ok(())
}

fn delivery(row: ShownRow) -> Result<Delivery, StoreError> {
    let state = DeliveryState::parse(&row.state);
    Ok(Delivery {
        channel: row.channel_id,
        session: session_id(row.session)?,
        seq: row.seq,
        state: state.ok_or_else(|| StoreError::Corrupt(format!("a delivery in the state `{}`", row.state)))?,
        said: row.said,
        attempts: row.attempts,
        next_at: Micros(row.next_at),
        error: row.error,
        queued_at: Micros(row.queued_at),
        sent_at: row.sent_at.map(Micros),
    })
}
