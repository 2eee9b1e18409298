//! Results of people's events in channels. A repeated event has no further effect.

use crate::live::ChannelEvent;
use crate::settings::change;
use crate::step::Step;
use crate::store::{on, on_step};
use crate::{StoreError, Workspace};
use model::Micros;

/// Result of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventResult {
    /// It decided the message at this place.
    Decided { seq: i64 },
    /// It changed the message at this place.
    Changed { seq: i64 },
    /// It said nothing to us.
    Ignored,
    /// It was refused: the problem as JSON.
    Refused { problem: String },
}

impl EventResult {
    /// Returns the columns `result`, `seq` and `problem`.
    fn columns(&self) -> (&'static str, Option<i64>, Option<&str>) {
        match self {
            Self::Decided { seq } => ("decided", Some(*seq), None),
            Self::Changed { seq } => ("changed", Some(*seq), None),
            Self::Ignored => ("ignored", None, None),
            Self::Refused { problem } => ("refused", None, Some(problem)),
        }
    }

    fn read((result, seq, problem): (String, Option<i64>, Option<String>)) -> Result<Self, StoreError> {
        match (result.as_str(), seq, problem) {
            ("decided", Some(seq), _) => Ok(Self::Decided { seq }),
            ("changed", Some(seq), _) => Ok(Self::Changed { seq }),
            ("ignored", ..) => Ok(Self::Ignored),
            ("refused", _, Some(problem)) => Ok(Self::Refused { problem }),
            _ => Err(StoreError::Corrupt(format!("an event of a channel with the result `{result}`"))),
        }
    }
}

impl Workspace {
    /// Returns what became of an event; None of one that didn't come yet, was posted as a message, or came long ago.
    pub async fn channel_event(&self, channel: &str, event: &str) -> Result<Option<EventResult>, StoreError> {
        let row: Option<(String, Option<i64>, Option<String>)> = on!(&self.store, pool => {
            sqlx::query_as(
                "SELECT result, seq, problem FROM channel_event WHERE workspace_id = $1 AND channel_id = $2 AND event = $3",
            )
            .bind(self.id()).bind(channel).bind(event).fetch_optional(pool).await
        })?;
        row.map(EventResult::read).transpose()
    }

    /// Keeps what became of an event that changed nothing. The first result holds.
    pub async fn put_channel_event(
        &self,
        channel: &str,
        event: &str,
        result: &EventResult,
        now: Micros,
    ) -> Result<(), StoreError> {
        let (word, seq, problem) = result.columns();
        change!(
            self,
            "INSERT INTO channel_event (workspace_id, channel_id, event, at, result, seq, problem) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (workspace_id, channel_id, event) DO NOTHING",
            channel,
            event,
            now.0,
            word,
            seq,
            problem
        );
        Ok(())
    }

    /// Deletes what became of events before a time. Returns how many there were.
    pub async fn forget_channel_events(&self, before: Micros) -> Result<u64, StoreError> {
        Ok(change!(self, "DELETE FROM channel_event WHERE workspace_id = $1 AND at < $2", before.0))
    }
}

/// Returns whether it is known what became of an event.
pub(crate) async fn is_known(step: &mut Step<'_>, event: &ChannelEvent) -> Result<bool, StoreError> {
    let found: Option<i64> = on_step!(step, c => {
        sqlx::query_scalar("SELECT at FROM channel_event WHERE workspace_id = $1 AND channel_id = $2 AND event = $3")
            .bind(step.workspace).bind(&event.channel).bind(&event.event).fetch_optional(c).await
    })?;
    Ok(found.is_some())
}

/// Keeps what became of an event, with what it did.
pub(crate) async fn put(step: &mut Step<'_>, event: &ChannelEvent, seq: i64) -> Result<(), StoreError> {
    let result = if event.decides { EventResult::Decided { seq } } else { EventResult::Changed { seq } };
    let (word, seq, _) = result.columns();
    let now = step.now.0;
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO channel_event (workspace_id, channel_id, event, at, result, seq) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(step.workspace).bind(&event.channel).bind(&event.event).bind(now).bind(word).bind(seq)
        .execute(c).await.map(drop)
    })?;
    Ok(())
}
