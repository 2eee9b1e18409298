//! Runs of an agent that takes its input from here: begun, ended, and the log of the exact bytes that were given.

use crate::endpoint::{Input, Reply};
use model::run_prompt::{NoticePlacement, PieceKind, PromptPart, RunFormat};
use model::{Micros, Run, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Path of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunPath {
    /// Our id of the session, the agent's own id, or a unique beginning of either.
    pub session: String,
    /// Id of the run, as the answer to its beginning holds it.
    pub run: String,
}

/// How a run begins. All fields are optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BeginRun {
    /// How the prompt is written; `messages` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<RunFormat>,
    /// Where the notices of this run go; `system_prompt` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notices: Option<NoticePlacement>,
    /// Notices of the agent's own harness for this run alone, behind those of the server: at most 32 strings of at most 16 KiB. They
    /// stand in the context log, and nowhere else. A run that is open keeps those with which it began.
    #[cfg_attr(feature = "schema", schemars(length(max = 32)))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_notices: Vec<String>,
    /// For an agent that keeps no conversation of its own: everything that was said after this `seq`, its own messages
    /// included; 0 for all, 5,000 messages at most. Absent: only what the agent wasn't given yet. Of what doesn't fit into about
    /// 8 MiB the oldest is left out: `omitted_to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_after: Option<i64>,
    /// Waits for a message that wakes the agent, 0 to 60 seconds; without one, no run begins and `run` is null. Absent: a run
    /// begins at once, with or without messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 60)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}
impl Input for BeginRun {
    const EXAMPLE: &'static str = r#"{"format": "anthropic", "system_notices": ["2 files aren't committed"]}"#;
}

/// What an agent is given for a run: what people and the system said since the last run, once and in order, and the notices
/// of this run. A run that is open is given again, byte for byte: after a crash, or a lost answer. A prompt has about 8 MiB of
/// messages, or one that is longer: what waits behind them is given in the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunBegun {
    /// Id of the run, to end it. Null if nothing came within `wait`.
    pub run: Option<String>,
    /// It was begun before and hasn't ended.
    pub resumed: bool,
    /// How `prompt` is written.
    pub format: RunFormat,
    /// Where the notices went.
    pub notices: NoticePlacement,
    /// For the agent's system prompt parameter, in this run only. Null without notices, or where they stand in the prompt.
    pub system: Option<String>,
    /// The notices of `system`, one by one.
    pub system_notices: Vec<String>,
    /// The messages: an array in the form that `format` names, or a string for `text`.
    pub prompt: Value,
    /// The messages have a greater `seq` than this.
    pub after: i64,
    /// What people wrote up to this `seq` counts as given.
    pub to: i64,
    /// The messages above `after` up to this `seq` didn't fit, but for those that the agent wasn't given before: read them with
    /// `GET /v1/sessions/{session}/messages`. Absent if all are here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_to: Option<i64>,
}
impl Reply for RunBegun {
    const STATUSES: &'static [u16] = &[201, 200];
    fn status(&self) -> u16 {
        if self.run.is_none() || self.resumed { 200 } else { 201 }
    }
}

model::words! {
    /// How a run ended, as its agent reports it.
    EndedAs {
        /// The agent finished its turn.
        Done = "done",
        /// A person stopped it.
        Interrupted = "interrupted",
        /// An error ended it. The session shows `error`.
        Failed = "failed",
    }
}

/// How a run ended. The first outcome holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EndRun {
    /// `done` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<EndedAs>,
    /// Of a run that failed: what went wrong, for people. At most 2,000 characters; the model never reads it.
    #[cfg_attr(feature = "schema", schemars(length(max = 2000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The model that answered.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// In US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
impl Input for EndRun {
    const EXAMPLE: &'static str = r#"{"outcome": "done"}"#;
}

/// A run that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunEnded {
    /// As it is stored.
    #[serde(flatten)]
    pub run: Run,
    /// The same was reported before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}
impl Reply for RunEnded {
    fn replayed(&self) -> bool {
        self.replayed
    }
}

/// Which entries of a context log; all without `run`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextLogQuery {
    /// Of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Behind this position; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// 1 to 500; 200 if absent. About 8 MiB of text end a page sooner.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for ContextLogQuery {}

/// A part of a session's context log, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLog {
    /// In the order in which they were given. The texts of one run and part, joined, are what the agent was given.
    pub entries: Vec<ContextLogEntry>,
    /// What to ask for next, as `after`. Absent where no entries were left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}
impl Reply for ContextLog {}

/// A piece of what an agent was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLogEntry {
    /// From 1, without a gap in its session.
    pub position: i64,
    /// Id of the run that it was given in.
    pub run: String,
    /// Whether it is a piece of the system prompt or of the prompt.
    pub part: PromptPart,
    /// Whether it is a message, a notice, or what stands around them.
    pub kind: PieceKind,
    /// The `seq` of its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// When it was given.
    pub given_at: Micros,
    /// The exact text.
    pub text: String,
    /// SHA-256 in hex, over the entry and the hash of the one before.
    pub sha256: String,
}

/// Whether each entry of a session's context log is what was written, and none is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLogCheck {
    /// How many there are.
    pub entries: i64,
    /// Hash of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The first entry that doesn't fit; absent if all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<crate::audit::AuditFault>,
}
impl Reply for ContextLogCheck {}
