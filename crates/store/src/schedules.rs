//! Prompts that are sent at a time, and what became of each time.

use crate::columns::columns;
use crate::settings::change;
use crate::store::on;
use crate::{StoreError, Workspace};
use model::audit::Event;
use model::{Micros, SessionId};

/// A prompt with its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub id: String,
    pub session: SessionId,
    pub prompt: String,
    /// The one moment; None with a `cron`.
    pub at: Option<Micros>,
    pub cron: Option<String>,
    /// The time zone of the cron expression, and in which people read its times.
    pub zone: String,
    /// The next run that nobody has claimed; None where there is none.
    pub next_at: Option<Micros>,
    pub created_at: Micros,
    pub paused_at: Option<Micros>,
    /// It can be restored.
    pub removed_at: Option<Micros>,
}

/// Outcome of a scheduled time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRun {
    /// When it was due; of several that were missed, the last of them.
    pub due_at: Micros,
    pub outcome: Outcome,
    /// How many in a row were missed; 0 if none was.
    pub missed: i64,
    /// The message that was posted.
    pub message_id: Option<String>,
    /// Why it was refused, for people.
    pub reason: Option<String>,
    pub ran_at: Micros,
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Sent,
    /// The server wasn't there.
    Missed,
    /// The session didn't take it.
    Refused,
}

impl Outcome {
    const ALL: [Self; 3] = [Self::Sent, Self::Missed, Self::Refused];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Missed => "missed",
            Self::Refused => "refused",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word)
    }
}

columns! {
    struct ScheduleRow {
        id: String,
        session_id: String,
        prompt: String,
        at: Option<i64>,
        cron: Option<String>,
        zone: String,
        next_at: Option<i64>,
        created_at: i64,
        paused_at: Option<i64>,
        removed_at: Option<i64>,
    }
}

columns! {
    struct RunRow {
        schedule_id: String,
        due_at: i64,
        outcome: String,
        missed: i64,
        message_id: Option<String>,
        reason: Option<String>,
        ran_at: i64,
    }
}

const COLUMNS: &str = "id, session_id, prompt, at, cron, zone, next_at, created_at, paused_at, removed_at";
const RUN_COLUMNS: &str = "schedule_id, due_at, outcome, missed, message_id, reason, ran_at";

impl Workspace {
    /// Stores a schedule, over what was known of it. What became of earlier runs stays.
    pub async fn put_schedule(&self, schedule: &Schedule, event: Event) -> Result<(), StoreError> {
        change!(
            self,
            tells event,
            "INSERT INTO schedule (workspace_id, id, session_id, prompt, at, cron, zone, next_at, created_at, paused_at, removed_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (workspace_id, id) DO UPDATE SET \
             session_id = excluded.session_id, prompt = excluded.prompt, at = excluded.at, cron = excluded.cron, \
             zone = excluded.zone, next_at = excluded.next_at, paused_at = excluded.paused_at, \
             removed_at = excluded.removed_at",
            &schedule.id,
            schedule.session.as_str(),
            &schedule.prompt,
            schedule.at.map(|at| at.0),
            &schedule.cron,
            &schedule.zone,
            schedule.next_at.map(|at| at.0),
            schedule.created_at.0,
            schedule.paused_at.map(|at| at.0),
            schedule.removed_at.map(|at| at.0)
        );
        Ok(())
    }

    /// Returns a schedule, also a removed one.
    pub async fn schedule(&self, id: &str) -> Result<Option<Schedule>, StoreError> {
        let row: Option<ScheduleRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM schedule WHERE workspace_id = $1 AND id = $2"
            )))
            .bind(self.id()).bind(id).fetch_optional(pool).await
        })?;
        row.map(schedule).transpose()
    }

    /// Returns those that aren't removed: the next to run first, then those that don't run any more, newest first.
    pub async fn schedules(&self) -> Result<Vec<Schedule>, StoreError> {
        let rows: Vec<ScheduleRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM schedule WHERE workspace_id = $1 AND removed_at IS NULL \
                 ORDER BY (next_at IS NULL OR paused_at IS NOT NULL), next_at, created_at DESC, id"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(schedule).collect()
    }

    /// Returns those whose next run is due at `now`.
    pub async fn due_schedules(&self, now: Micros) -> Result<Vec<Schedule>, StoreError> {
        let rows: Vec<ScheduleRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {COLUMNS} FROM schedule WHERE workspace_id = $1 AND next_at <= $2 \
                 AND paused_at IS NULL AND removed_at IS NULL ORDER BY next_at, id"
            )))
            .bind(self.id()).bind(now.0).fetch_all(pool).await
        })?;
        rows.into_iter().map(schedule).collect()
    }

    /// Returns when the next run of all is due; None if there is none.
    pub async fn next_schedule(&self) -> Result<Option<Micros>, StoreError> {
        let next: Option<i64> = on!(&self.store, pool => {
            sqlx::query_scalar(
                "SELECT MIN(next_at) FROM schedule WHERE workspace_id = $1 AND paused_at IS NULL AND removed_at IS NULL",
            )
            .bind(self.id()).fetch_one(pool).await
        })?;
        Ok(next.map(Micros))
    }

    /// Returns the last run of each schedule that ran, by its id.
    pub async fn last_schedule_runs(&self) -> Result<Vec<(String, ScheduleRun)>, StoreError> {
        let rows: Vec<RunRow> = on!(&self.store, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {RUN_COLUMNS} FROM schedule s CROSS JOIN schedule_run r WHERE r.workspace_id = s.workspace_id \
                 AND r.schedule_id = s.id AND s.workspace_id = $1 AND r.due_at = (SELECT MAX(l.due_at) \
                 FROM schedule_run l WHERE l.workspace_id = s.workspace_id AND l.schedule_id = s.id)"
            )))
            .bind(self.id()).fetch_all(pool).await
        })?;
        rows.into_iter().map(run).collect()
    }
}

fn schedule(row: ScheduleRow) -> Result<Schedule, StoreError> {
    Ok(Schedule {
        id: row.id,
        session: SessionId::parse(row.session_id).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        prompt: row.prompt,
        at: row.at.map(Micros),
        cron: row.cron,
        zone: row.zone,
        next_at: row.next_at.map(Micros),
        created_at: Micros(row.created_at),
        paused_at: row.paused_at.map(Micros),
        removed_at: row.removed_at.map(Micros),
    })
}

fn run(row: RunRow) -> Result<(String, ScheduleRun), StoreError> {
    let outcome = Outcome::parse(&row.outcome);
    let run = ScheduleRun {
        due_at: Micros(row.due_at),
        outcome: outcome.ok_or_else(|| StoreError::Corrupt("an unknown outcome of a schedule".to_owned()))?,
        missed: row.missed,
        message_id: row.message_id,
        reason: row.reason,
        ran_at: Micros(row.ran_at),
    };
    Ok((row.schedule_id, run))
}
