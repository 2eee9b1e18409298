//! Scheduled prompts.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// Path of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchedulePath {
    /// Id of the schedule, or a unique prefix of it.
    pub schedule: String,
}

/// A prompt to schedule: at a time (`at`) or by a cron expression (`cron`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewSchedule {
    /// The session: our id, the agent's own id, or a unique prefix of either.
    pub session: String,
    /// The prompt, 1 to 100,000 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 100_000)))]
    pub prompt: String,
    /// The time: RFC 3339 with an offset, or a day and a time in `zone`: `2026-12-01 09:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Cron expression of five fields: minute, hour, day of month, month, day of week. `0 9 * * 1-5`: 9:00, Monday to
    /// Friday.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone of `cron`, and of an `at` without an offset: `Europe/Berlin`. The server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}
impl Input for NewSchedule {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
    const EXAMPLE: &'static str = r#"{"session": "5e551008", "prompt": "Run the tests and say what broke.", "cron": "0 9 * * 1-5", "zone": "Europe/Berlin"}"#;
}

/// Changes to a schedule. Absent fields stay unchanged; `at` replaces `cron`, and `cron` replaces `at`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSchedule {
    /// The prompt, 1 to 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Cron expression of five fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// True to pause it, false to resume it. Times in the pause don't count as missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}
impl Input for EditSchedule {
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"paused": true}"#;
}

model::words! {
    /// State of a schedule.
    ScheduleState {
        /// It has a next run.
        Active = "active",
        /// A person paused it.
        Paused = "paused",
        /// It has no next run.
        Over = "over",
    }
    /// Outcome of a scheduled time.
    ScheduleOutcome {
        /// The prompt was posted to the session.
        Sent = "sent",
        /// The server wasn't running. The run isn't made up for.
        Missed = "missed",
        /// The session refused it.
        Refused = "refused",
    }
}

/// A schedule with its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Schedule {
    /// Id of the schedule.
    pub id: String,
    /// Our id of the session.
    pub session: String,
    /// Title of the session. Null if it was deleted.
    pub session_title: Option<String>,
    /// The prompt.
    pub prompt: String,
    /// The time. Null with `cron`.
    pub at: Option<Micros>,
    /// The cron expression. Null with `at`.
    pub cron: Option<String>,
    /// Time zone.
    pub zone: String,
    /// State of the schedule.
    pub state: ScheduleState,
    /// Time of the next run. Null if it is paused or over.
    pub next_at: Option<Micros>,
    /// The last run. Null before the first one.
    pub last: Option<ScheduleRun>,
    /// When it was created.
    pub created_at: Micros,
}
impl Reply for Schedule {}

/// A run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduleRun {
    /// Scheduled time; of several missed ones in a row, the last.
    pub due_at: Micros,
    /// Outcome of the run.
    pub outcome: ScheduleOutcome,
    /// Number of missed times in a row; 0 if none.
    pub missed: i64,
    /// Id of the posted message. Null if none was posted.
    pub message_id: Option<String>,
    /// Why it was refused. Null if it wasn't.
    pub reason: Option<String>,
}

/// A new schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduleMade {
    /// The schedule.
    #[serde(flatten)]
    pub schedule: Schedule,
}
impl Reply for ScheduleMade {
    const STATUSES: &'static [u16] = &[201];
}

/// All schedules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Schedules {
    /// Ordered by the next run; those without one come last.
    pub schedules: Vec<Schedule>,
}
impl Reply for Schedules {}
