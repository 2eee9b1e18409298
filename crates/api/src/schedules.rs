//! Prompts that are sent at a time, or again and again.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// Path of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchedulePath {
    /// Its id, or a unique beginning of it.
    pub schedule: String,
}

/// A prompt for a session, at a moment (`at`) or by a cron expression (`cron`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewSchedule {
    /// The session: our id, the agent's own id, or a unique beginning of either.
    pub session: String,
    /// What the agent is told, 1 to 100,000 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 100_000)))]
    pub prompt: String,
    /// The one moment: with its zone (RFC 3339), or a day and a time in `zone`: `2026-12-01 09:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Five fields: minute, hour, day of the month, month, day of the week. `0 9 * * 1-5` is nine o'clock on working days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone of `cron`, and of an `at` without one: `Europe/Berlin`. The server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}
impl Input for NewSchedule {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
    const EXAMPLE: &'static str = r#"{"session": "5e551008", "prompt": "Run the tests and say what broke.", "cron": "0 9 * * 1-5", "zone": "Europe/Berlin"}"#;
}

/// What changes of a schedule. Absent fields stay; `at` takes the place of `cron`, and `cron` that of `at`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSchedule {
    /// What the agent is told, 1 to 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The one moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Five fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Time zone of the times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// True pauses it, false lets it go on: with the next time from now, and nothing counts as missed meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}
impl Input for EditSchedule {
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"paused": true}"#;
}

model::words! {
    /// How it goes on with a schedule.
    ScheduleState {
        /// It has a next run.
        Active = "active",
        /// A person paused it.
        Paused = "paused",
        /// Its time is over.
        Over = "over",
    }
    /// What became of a time that came.
    ScheduleOutcome {
        /// The prompt is in the session.
        Sent = "sent",
        /// No server ran then. It isn't made up for.
        Missed = "missed",
        /// The session didn't take it.
        Refused = "refused",
    }
}

/// A schedule, and how it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Schedule {
    /// Names it.
    pub id: String,
    /// Our id of the session.
    pub session: String,
    /// Title of the session. Null where it was deleted.
    pub session_title: Option<String>,
    /// What the agent is told.
    pub prompt: String,
    /// The one moment. Null with `cron`.
    pub at: Option<Micros>,
    /// Null with `at`.
    pub cron: Option<String>,
    /// Time zone of the times.
    pub zone: String,
    /// Whether it goes on.
    pub state: ScheduleState,
    /// The next run. Null while it is paused, and when its time is over.
    pub next_at: Option<Micros>,
    /// What became of the last time that came. Null before the first one.
    pub last: Option<ScheduleRun>,
    /// When it was made.
    pub created_at: Micros,
}
impl Reply for Schedule {}

/// What became of a time that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduleRun {
    /// When it was due; of several that were missed in a row, the last of them.
    pub due_at: Micros,
    /// How it went.
    pub outcome: ScheduleOutcome,
    /// How many in a row were missed; 0 if none was.
    pub missed: i64,
    /// Id of the message. Null if none was posted.
    pub message_id: Option<String>,
    /// Why it was refused. Null if it wasn't.
    pub reason: Option<String>,
}

/// A schedule that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduleMade {
    /// As it is now.
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
    /// The next to run first, then those that don't run any more.
    pub schedules: Vec<Schedule>,
}
impl Reply for Schedules {}
