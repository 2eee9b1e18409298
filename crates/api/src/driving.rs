//! Agents that the server starts itself, and what people do with them.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// The agents that can be started on this machine, and the folders to start them in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agents {
    /// All that are known, installed ones first.
    pub agents: Vec<AgentProgram>,
    /// Folders of earlier sessions, the latest first; those in which agents were started come before the others.
    pub folders: Vec<String>,
}
impl Reply for Agents {}

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentProgram {
    /// Its name in requests: `claude`.
    pub name: String,
    /// Its name for people: `Claude Code`.
    pub title: String,
    /// Its program was found in the server's `PATH`.
    pub installed: bool,
    /// Permission modes that it can begin in, in its own words. The first one is the default.
    pub modes: Vec<String>,
}

/// A session to be started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartAgent {
    /// Which agent: a name as listed by `GET /v1/agents`.
    pub agent: String,
    /// Absolute path of the folder that it works in. Its transcripts are read from then on.
    pub folder: String,
    /// What it is told first. Without it, the agent waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The permission mode, in the agent's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The model, in the agent's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for StartAgent {
    // 409: the folder isn't read; 502: the agent didn't start.
    const REFUSALS: &'static [u16] = &[409, 502];
    const EXAMPLE: &'static str = r#"{"agent": "claude", "folder": "/srv/lantern", "prompt": "Fix the parser crash"}"#;
}

/// How a session goes on whose agent ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ResumeAgent {
    /// In a new session that begins with a copy of this one.
    pub fork: bool,
    /// What the agent is told. Without it, it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The permission mode; that of before if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The model; that of before if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for ResumeAgent {
    // 409: it runs, or the folder isn't read; 502: the agent didn't start.
    const REFUSALS: &'static [u16] = &[409, 502];
    const EXAMPLE: &'static str = r#"{"fork": false}"#;
}

/// What changes of a running agent. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditAgent {
    /// The permission mode, in the agent's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The model, in the agent's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for EditAgent {
    // 409: the agent isn't running, or doesn't do that now.
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"mode": "plan"}"#;
}

/// What a running agent is to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TellAgent {
    /// What to do.
    pub action: AgentAction,
    /// With `dismiss`, the last notice that was read, by its number. Without it, all are dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<i64>,
}
impl From<AgentAction> for TellAgent {
    fn from(action: AgentAction) -> Self {
        Self { action, notice: None }
    }
}
impl Input for TellAgent {
    // 409: the agent isn't running, or doesn't do that now.
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"action": "interrupt"}"#;
}

model::words! {
    /// Something that a running agent does.
    AgentAction {
        /// Stop what it does, and wait for the next prompt.
        Interrupt = "interrupt",
        /// Take what people wrote at once, in the middle of its turn. Otherwise it gets that after the turn.
        Steer = "steer",
        /// End. The session can be resumed.
        End = "end",
        /// Nothing: its notices were read, and aren't current any more.
        Dismiss = "dismiss",
    }
    /// What an agent does that was started here.
    AgentState {
        /// It begins.
        Starting = "starting",
        /// It works on a prompt.
        Working = "working",
        /// It waits for an answer to a question or a request.
        Waiting = "waiting",
        /// It waits for a prompt.
        Idle = "idle",
        /// It was ended, or ended by itself.
        Ended = "ended",
        /// It didn't start, or broke off.
        Failed = "failed",
        /// The server ended while it ran.
        Interrupted = "interrupted",
        /// It wasn't started here. Its session was read from a transcript, and can be resumed or forked here.
        Observed = "observed",
    }
}

/// An agent that was started here, as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrivenAgent {
    /// Our id of the session.
    pub session: String,
    /// The agent's name in requests: `claude`.
    pub agent: String,
    /// Its name for people: `Claude Code`.
    pub title: String,
    /// The folder that it works in.
    pub folder: String,
    /// What it does.
    pub state: AgentState,
    /// Why it isn't running, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The permission mode, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The model, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Modes that it can be switched to while it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<AgentChoice>,
    /// Models that it can be switched to while it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<AgentChoice>,
    /// Texts that are being written, until the transcript has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growing: Vec<GrowingText>,
    /// Tokens of this turn so far, without those from the cache.
    #[serde(default)]
    pub tokens: i64,
    /// What people should know of it, the latest last, 20 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<AgentNotice>,
}
impl Reply for DrivenAgent {}

/// Something that people should know of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentNotice {
    /// Its number: 1 is the first one since the agent was started.
    pub id: i64,
    /// For people.
    pub text: String,
    /// When it came.
    pub at: Micros,
    /// It belongs to the agent's present turn, or to its last one while the agent waits for a prompt, and nobody dismissed it.
    pub current: bool,
}

/// A session that was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentStarted {
    /// As it is now.
    #[serde(flatten)]
    pub agent: DrivenAgent,
}
impl Reply for AgentStarted {
    const STATUSES: &'static [u16] = &[201];
}

/// A mode or a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentChoice {
    /// In the agent's own words.
    pub id: String,
    /// For people.
    pub label: String,
    /// More for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A text that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrowingText {
    /// It is what the agent thinks, not what it says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thought: bool,
    /// The whole text so far. Of a long one, its end.
    pub text: String,
}

/// Event of the stream: something of an agent that was started here changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrivenEvent {
    /// Our id of the session.
    pub session: String,
}
