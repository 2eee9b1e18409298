//! Channels: where sessions are shown besides the page.
//!
//! `deliveries`: what is sent there. `events`: what became of what people do there. Rows of deliveries are made with
//! the messages, in `write/deliveries.rs`.

mod deliveries;
pub(crate) mod events;

pub use deliveries::{
    ChannelCounts, Delivery, DeliveryChange, DeliveryKey, DeliveryState, DueDelivery, Queueing, Told,
};
pub use events::EventResult;

use crate::columns::columns;
use crate::settings::change;
use crate::step::Step;
use crate::store::{on, on_step, on_tx};
use crate::{StoreError, Workspace};
use model::audit::Event;
use model::{Micros, SessionId};

/// A channel. Its settings hold secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    pub id: String,
    /// Kind of the channel: `matrix`.
    pub kind: String,
    pub name: String,
    /// A JSON object that its kind reads.
    pub settings: String,
    /// A JSON object: addresses of people in the channel, each with a name.
    pub people: String,
    pub verbosity: String,
    /// It shows every session of the workspace, but for those of sub-agents.
    pub every_session: bool,
    pub created_at: Micros,
    pub paused_at: Option<Micros>,
    pub removed_at: Option<Micros>,
    /// How far what arrives was read.
    pub position: Option<String>,
}

/// A session of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub session: SessionId,
    /// A person chose it. Otherwise it only has a place in a channel of every session.
    pub bound: bool,
    /// Where in the channel it is shown.
    pub place: Option<String>,
}

impl ChannelRow {
    /// True if one of its sessions is shown at a place.
    pub fn shows(&self, sessions: &[Bound], place: &str) -> bool {
        sessions.iter().any(|of| (of.bound || self.every_session) && of.place.as_deref() == Some(place))
    }
}

columns! {
    struct StoredChannel {
        id: String,
        kind: String,
        name: String,
        settings: String,
        people: String,
        verbosity: String,
        every_session: i64,
        created_at: i64,
        paused_at: Option<i64>,
        removed_at: Option<i64>,
        position: Option<String>,
    }
}

/// After a session has left its room, its messages there can be neither edited nor answered; neither can those in the
/// room that it takes over.
macro_rules! leave_places {
    ($workspace:expr, $channel:expr, $session:expr, $taken:expr) => {
        sqlx::query(
            "UPDATE channel_delivery SET external_id = NULL WHERE workspace_id = $1 AND channel_id = $2 AND session_rid IN \
             (SELECT rid FROM session WHERE workspace_id = $1 AND id = $3 UNION \
             SELECT session_rid FROM channel_session WHERE workspace_id = $1 AND channel_id = $2 AND place = $4)",
        )
        .bind($workspace)
        .bind($channel)
        .bind($session.as_str())
        .bind($taken)
    };
}

impl Workspace {
    /// Returns all channels, removed ones as well, in the order in which they were added.
    pub async fn channels(&self) -> Result<Vec<ChannelRow>, StoreError> {
        let rows: Vec<StoredChannel> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT id, kind, name, settings, people, verbosity, every_session, created_at, paused_at, removed_at, position \
                 FROM channel WHERE workspace_id = $1 ORDER BY created_at, id",
            )
            .bind(self.id()).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(channel).collect())
    }

    /// Adds a channel, or changes one. Its position stays. What is written after this returns is told to it.
    pub async fn put_channel(&self, channel: &ChannelRow, now: Micros, event: Event) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO channel (workspace_id, id, kind, name, settings, people, verbosity, every_session, created_at, \
                 paused_at, removed_at, leased_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0) \
                 ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, settings = excluded.settings, \
                 people = excluded.people, verbosity = excluded.verbosity, every_session = excluded.every_session, \
                 paused_at = excluded.paused_at, removed_at = excluded.removed_at",
            )
            .bind(self.id()).bind(&channel.id).bind(&channel.kind).bind(&channel.name).bind(&channel.settings)
            .bind(&channel.people).bind(&channel.verbosity).bind(i64::from(channel.every_session))
            .bind(channel.created_at.0).bind(channel.paused_at.map(|at| at.0)).bind(channel.removed_at.map(|at| at.0))
            .execute(c).await.map(drop)
        })?;
        on_step!(step, c => {
            sqlx::query(
                "UPDATE workspace SET channels = (SELECT COUNT(*) FROM channel c WHERE c.workspace_id = workspace.id \
                 AND c.removed_at IS NULL) WHERE id = $1",
            )
            .bind(self.id()).execute(c).await.map(drop)
        })?;
        step.end().await?;
        self.commit_telling(tx, [event]).await
    }

    /// Shows a session in a channel, from its next message on: at a place, or at its own one. False without such a
    /// session.
    pub async fn bind_session(
        &self,
        channel: &str,
        (session, place): (&SessionId, Option<&str>),
        now: Micros,
        event: Event,
    ) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        // Under the workspace's lock: no message falls between.
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        if let Some(place) = place {
            on_step!(step, c => leave_places!(self.id(), channel, session, place).execute(c).await.map(drop))?;
            on_step!(step, c => {
                sqlx::query(
                    "UPDATE channel_session SET place = NULL WHERE workspace_id = $1 AND channel_id = $2 AND place = $3",
                )
                .bind(self.id()).bind(channel).bind(place).execute(c).await.map(drop)
            })?;
        }
        let rows = on_step!(step, c => {
            sqlx::query(
                "INSERT INTO channel_session (workspace_id, channel_id, session_rid, bound, from_seq, place) \
                 SELECT s.workspace_id, $2, s.rid, 1, s.last_seq, $4 FROM session s WHERE s.workspace_id = $1 AND s.id = $3 \
                 ON CONFLICT (workspace_id, channel_id, session_rid) DO UPDATE SET bound = 1, from_seq = excluded.from_seq, \
                 place = COALESCE(excluded.place, channel_session.place)",
            )
            .bind(self.id()).bind(channel).bind(session.as_str()).bind(place)
            .execute(c).await.map(|done| done.rows_affected())
        })?;
        step.end().await?;
        self.commit_telling(tx, (rows > 0).then_some(event)).await?;
        Ok(rows > 0)
    }

    /// Shows a session in a channel no longer, and forgets its place there. False where it wasn't shown.
    pub async fn unbind_session(&self, channel: &str, session: &SessionId, event: Event) -> Result<bool, StoreError> {
        let mut tx = self.store.begin().await?;
        let rows = on_tx!(&mut tx, c => {
            sqlx::query(
                "UPDATE channel_session SET bound = 0, place = NULL WHERE workspace_id = $1 AND channel_id = $2 AND bound = 1 \
                 AND session_rid IN (SELECT rid FROM session WHERE workspace_id = $1 AND id = $3)",
            )
            .bind(self.id()).bind(channel).bind(session.as_str()).execute(c).await.map(|done| done.rows_affected())
        })?;
        if rows > 0 {
            on_tx!(&mut tx, c => leave_places!(self.id(), channel, session, None::<&str>).execute(c).await.map(drop))?;
        }
        self.commit_telling(tx, (rows > 0).then_some(event)).await?;
        Ok(rows > 0)
    }

    /// Returns the sessions that a channel shows or has a place for.
    pub async fn bound_sessions(&self, channel: &str) -> Result<Vec<Bound>, StoreError> {
        let rows: Vec<(String, i64, Option<String>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT s.id, b.bound, b.place FROM channel_session b JOIN session s ON s.rid = b.session_rid \
                 WHERE b.workspace_id = $1 AND b.channel_id = $2 AND s.deleted_at IS NULL ORDER BY s.rid",
            )
            .bind(self.id()).bind(channel).fetch_all(pool).await
        })?;
        rows.into_iter()
            .map(|(session, bound, place)| Ok(Bound { session: session_id(session)?, bound: bound != 0, place }))
            .collect()
    }

    /// Stores the place of a session in a channel, unless it was bound to one meanwhile.
    pub async fn put_place(&self, channel: &str, session: &SessionId, place: &str) -> Result<(), StoreError> {
        change!(
            self,
            "INSERT INTO channel_session (workspace_id, channel_id, session_rid, bound, from_seq, place) \
             SELECT s.workspace_id, $2, s.rid, 0, 0, $4 FROM session s WHERE s.workspace_id = $1 AND s.id = $3 \
             ON CONFLICT (workspace_id, channel_id, session_rid) DO UPDATE \
             SET place = COALESCE(channel_session.place, excluded.place)",
            channel,
            session.as_str(),
            place
        );
        Ok(())
    }

    /// Returns the session that is shown at a place of a channel.
    pub async fn session_at(&self, channel: &str, place: &str) -> Result<Option<SessionId>, StoreError> {
        let id: Option<String> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT s.id FROM channel_session b JOIN session s ON s.rid = b.session_rid \
                 WHERE b.workspace_id = $1 AND b.channel_id = $2 AND b.place = $3 AND s.deleted_at IS NULL",
            )
            .bind(self.id()).bind(channel).bind(place).fetch_optional(pool).await
        })?;
        id.map(session_id).transpose()
    }

    /// Keeps how far what arrives in a channel was read.
    pub async fn put_position(&self, channel: &str, position: &str) -> Result<(), StoreError> {
        change!(self, "UPDATE channel SET position = $3 WHERE workspace_id = $1 AND id = $2", channel, position);
        Ok(())
    }
}

fn session_id(text: String) -> Result<SessionId, StoreError> {
    SessionId::parse(text).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn channel(row: StoredChannel) -> ChannelRow {
    ChannelRow {
        id: row.id,
        kind: row.kind,
        name: row.name,
        settings: row.settings,
        people: row.people,
        verbosity: row.verbosity,
        every_session: row.every_session != 0,
        created_at: Micros(row.created_at),
        paused_at: row.paused_at.map(Micros),
        removed_at: row.removed_at.map(Micros),
        position: row.position,
    }
}
