//! Runs of an agent that takes its input from Verbatim, and the log of the exact bytes that it was given.

use crate::endpoint::{Input, Reply};
use model::run_prompt::{NoticePlacement, PieceKind, PromptPart, RunFormat};
use model::{Micros, Run, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Path of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunPath {
    /// Our id of the session, the agent's own id, or a unique prefix of either.
    pub session: String,
    /// Id of the run, from the reply that began it.
    pub run: String,
}

/// Options of a run. All fields are optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BeginRun {
    /// Format of the prompt; `messages` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<RunFormat>,
    /// Place of the run's notices; `system_prompt` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notices: Option<NoticePlacement>,
    /// Further notices for this run, placed after those of the server: at most 32 strings of at most 16 KiB. They are
    /// stored only in the context log. An open run keeps those with which it began.
    #[cfg_attr(feature = "schema", schemars(length(max = 32)))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_notices: Vec<String>,
    /// For an agent that keeps no conversation of its own: returns all messages after this `seq`, including its own; 0
    /// for all, at most 5,000 messages. If absent, only messages that the agent wasn't given yet. If they exceed about
    /// 8 MiB, the oldest are omitted: see `omitted_to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_after: Option<i64>,
    /// Seconds to wait for a message that wakes the agent, 0 to 60. If none comes, no run begins and `run` is null. If
    /// absent, a run begins at once, even without messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 60)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}
impl Input for BeginRun {
    const EXAMPLE: &'static str = r#"{"format": "anthropic", "system_notices": ["2 files aren't committed"]}"#;
}

/// The input of a run: what people and the system said since the last run, once and in order, and the notices of this
/// run. An open run is returned again, byte for byte, for example after a crash. A prompt has at most about 8 MiB, or a
/// single longer message; the rest is given in the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunBegun {
    /// Id of the run, needed to end it. Null if no message came within `wait`.
    pub run: Option<String>,
    /// True if an open run is returned again.
    pub resumed: bool,
    /// Format of `prompt`.
    pub format: RunFormat,
    /// Place of the notices.
    pub notices: NoticePlacement,
    /// Text for the agent's system prompt, in this run only. Null if there are no notices, or they are in the prompt.
    pub system: Option<String>,
    /// The notices in `system`, separately.
    pub system_notices: Vec<String>,
    /// The messages: an array in the format of `format`, or a string for `text`.
    pub prompt: Value,
    /// All messages have a higher `seq` than this.
    pub after: i64,
    /// Messages of people up to this `seq` count as given.
    pub to: i64,
    /// Messages after `after` up to this `seq` were omitted because they didn't fit, except those that the agent wasn't
    /// given before. Read them with `GET /v1/sessions/{session}/messages`. Absent if none were omitted.
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
    /// Outcome of a run, as its agent reports it.
    EndedAs {
        /// The agent finished its turn.
        Done = "done",
        /// A person stopped it.
        Interrupted = "interrupted",
        /// An error ended it. The session shows `error`.
        Failed = "failed",
    }
}

/// How to end a run. The first outcome counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EndRun {
    /// Outcome; `done` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<EndedAs>,
    /// Error message of a failed run, for people. At most 2,000 characters; the model never reads it.
    #[cfg_attr(feature = "schema", schemars(length(max = 2000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Name of the model.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens that the run used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
impl Input for EndRun {
    const EXAMPLE: &'static str = r#"{"outcome": "done"}"#;
}

/// A completed run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunEnded {
    /// The run as it is stored.
    #[serde(flatten)]
    pub run: Run,
    /// True if the same outcome was reported before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}
impl Reply for RunEnded {
    fn replayed(&self) -> bool {
        self.replayed
    }
}

/// Page and filter of a context log. All runs if `run` is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextLogQuery {
    /// Only entries of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Only entries after this position; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Page size, 1 to 500; 200 if absent. A page has fewer entries if they exceed about 8 MiB.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for ContextLogQuery {}

/// A page of a session's context log, oldest entry first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLog {
    /// Entries in order. The texts of one run and part, joined, are what the agent was given.
    pub entries: Vec<ContextLogEntry>,
    /// `after` of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}
impl Reply for ContextLog {}

/// A part of the text that an agent was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLogEntry {
    /// Position in the session's log, from 1 without gaps.
    pub position: i64,
    /// Id of the run.
    pub run: String,
    /// Whether it belongs to the system prompt or to the prompt.
    pub part: PromptPart,
    /// Whether it is a message, a notice, or text between them.
    pub kind: PieceKind,
    /// `seq` of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// When it was given.
    pub given_at: Micros,
    /// The exact text.
    pub text: String,
    /// SHA-256 of the entry and the hash of the previous entry, in hex.
    pub sha256: String,
}

/// Result of a check of a session's context log: whether each entry is unchanged and none is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextLogCheck {
    /// Number of entries.
    pub entries: i64,
    /// Hash of the last entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The first entry that fails the check. Absent if all pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<crate::audit::AuditFault>,
}
impl Reply for ContextLogCheck {}
