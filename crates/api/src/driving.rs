//! Agents that the server starts and controls.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// The agents that can be started on this machine, and the folders to start them in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agents {
    /// All known agents, installed ones first.
    pub agents: Vec<AgentProgram>,
    /// Folders of earlier sessions, latest first. Folders in which agents were started come first.
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
    /// True if its program is in the server's `PATH`.
    pub installed: bool,
    /// Permission modes in which it can start, by the agent's own names. The first is the default.
    pub modes: Vec<String>,
}

/// Agents that run on this machine in their own terminals, and that can be joined there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunningAgents {
    /// The sessions that are open in a terminal.
    pub sessions: Vec<RunningAgent>,
    /// The folders of agents that are looked into.
    pub homes: Vec<AgentHome>,
}
impl Reply for RunningAgents {}

/// An agent that runs in its own terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunningAgent {
    /// Our id of the session. Absent until its transcript is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's name in requests: `codex`.
    pub agent: String,
    /// The agent's own id of the session.
    pub agent_session_id: String,
    /// Its working folder.
    pub folder: String,
    /// Its title, by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `working`, `waiting` or `idle`.
    pub state: AgentState,
    /// True if it is joined: people write to it here.
    pub joined: bool,
    /// Why it isn't joined, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A folder of an agent that is looked into for running sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentHome {
    /// The agent's name in requests: `codex`.
    pub agent: String,
    /// The folder: `/home/ada/.codex`.
    pub folder: String,
    /// Version of the agent that answers there. Absent if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why none can be joined there, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An agent to start, as a new session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartAgent {
    /// Name of the agent, as listed by `GET /v1/agents`.
    pub agent: String,
    /// Absolute path of the working folder. Its transcripts are read from then on.
    pub folder: String,
    /// First prompt. Without one, the agent waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Permission mode, by the agent's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Model, by the agent's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for StartAgent {
    // 409: the folder isn't read; 502: the agent didn't start.
    const REFUSALS: &'static [u16] = &[409, 502];
    const EXAMPLE: &'static str = r#"{"agent": "claude", "folder": "/srv/lantern", "prompt": "Fix the parser crash"}"#;
}

/// How to restart the agent of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ResumeAgent {
    /// True to continue in a new session, which begins with a copy of this one.
    pub fork: bool,
    /// Prompt for the agent. Without one, it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Permission mode; the previous one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Model; the previous one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for ResumeAgent {
    // 409: it runs, or the folder isn't read; 502: the agent didn't start.
    const REFUSALS: &'static [u16] = &[409, 502];
    const EXAMPLE: &'static str = r#"{"fork": false}"#;
}

/// Changes to a running agent. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditAgent {
    /// Permission mode, by the agent's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Model, by the agent's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
impl Input for EditAgent {
    // 409: the agent isn't running, or doesn't do that now.
    const REFUSALS: &'static [u16] = &[409];
    const EXAMPLE: &'static str = r#"{"mode": "plan"}"#;
}

/// An action of a running agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TellAgent {
    /// The action.
    pub action: AgentAction,
    /// With `dismiss`: number of the last notice to dismiss; all if absent.
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
    /// An action of a running agent.
    AgentAction {
        /// Stops the current turn, and waits for the next prompt.
        Interrupt = "interrupt",
        /// Passes on what people wrote during the turn. Otherwise the agent gets it after the turn.
        Steer = "steer",
        /// Ends the agent. The session can be resumed.
        End = "end",
        /// Dismisses notices. The agent isn't affected.
        Dismiss = "dismiss",
        /// Joins an agent that runs in its own terminal.
        Join = "join",
        /// Leaves a joined agent to its terminal, where it goes on.
        Leave = "leave",
    }
    /// Where an agent is held: who writes to it.
    AgentHolder {
        /// The server started it.
        Page = "page",
        /// It runs in its own terminal.
        Terminal = "terminal",
        /// It runs in its own terminal, and the server joined it there.
        Both = "both",
    }
    /// Something that a person can do with an agent from here, now.
    AgentAbility {
        /// Write to it: it gets the message when it waits for a prompt.
        Write = "write",
        /// Have it take the messages that wait, in the middle of its turn.
        Steer = "steer",
        /// Interrupt its turn.
        Interrupt = "interrupt",
        /// Decide what it asks.
        Approve = "approve",
        /// Change its mode and its model.
        Configure = "configure",
        /// End it.
        End = "end",
        /// Leave it to its terminal.
        Leave = "leave",
        /// Join it in its terminal.
        Join = "join",
        /// Start it again in this session.
        Resume = "resume",
        /// Start it in a copy of this session.
        Fork = "fork",
    }
    /// State of an agent.
    AgentState {
        /// It is starting.
        Starting = "starting",
        /// It is working on a prompt.
        Working = "working",
        /// It waits for a person's decision or answer.
        Waiting = "waiting",
        /// It waits for a prompt.
        Idle = "idle",
        /// It was ended, or ended itself.
        Ended = "ended",
        /// It failed to start, or crashed.
        Failed = "failed",
        /// The server stopped while it was running.
        Interrupted = "interrupted",
        /// It wasn't started by this server. Its session comes from a transcript, and can be resumed or forked.
        Observed = "observed",
        /// It rests in its own terminal, where a hook passes on at once what people write.
        Terminal = "terminal",
        /// It works in its own terminal, where a hook passes on what people write when the turn is over.
        TerminalBusy = "terminal_busy",
    }
}

/// The agent of a session: started by this server, or in its own terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrivenAgent {
    /// Our id of the session.
    pub session: String,
    /// The agent's name in requests: `claude`.
    pub agent: String,
    /// Its name for people: `Claude Code`.
    pub title: String,
    /// Its working folder.
    pub folder: String,
    /// Its state.
    pub state: AgentState,
    /// Where it is held. Absent if it isn't known to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<AgentHolder>,
    /// What can be done with it from here, now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub can: Vec<AgentAbility>,
    /// Why it isn't running, or why it can't be joined, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Current permission mode, by the agent's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Current model, by the agent's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Modes that can be chosen while it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<AgentChoice>,
    /// Models that can be chosen while it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<AgentChoice>,
    /// Texts that are being written, until the transcript contains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growing: Vec<GrowingText>,
    /// Tokens of this turn so far, without cached ones.
    #[serde(default)]
    pub tokens: i64,
    /// Notices about it for people, newest last, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<AgentNotice>,
    /// If it runs in its own terminal: messages of people that it hasn't taken yet, oldest first, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingMessage>,
}
impl Reply for DrivenAgent {}

impl DrivenAgent {
    /// Returns whether a person can do something with it from here, now.
    pub fn can(&self, ability: AgentAbility) -> bool {
        self.can.contains(&ability)
    }
}

impl AgentState {
    /// Returns true if the agent is in a turn.
    pub fn is_busy(self) -> bool {
        matches!(self, Self::Working | Self::Waiting | Self::TerminalBusy)
    }
}

/// A message of a person that an agent hasn't taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingMessage {
    /// Id of the message.
    pub id: String,
    /// Its text in one line, at most 200 characters.
    pub text: String,
}

/// A notice about an agent, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentNotice {
    /// Number of the notice, from 1 since the agent's start.
    pub id: i64,
    /// Text for people.
    pub text: String,
    /// Time of the notice.
    pub at: Micros,
    /// True if it belongs to the agent's current turn, or to the last turn while the agent waits for a prompt, and
    /// isn't dismissed.
    pub current: bool,
}

/// The agent of a new session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentStarted {
    /// The agent with its present state.
    #[serde(flatten)]
    pub agent: DrivenAgent,
}
impl Reply for AgentStarted {
    const STATUSES: &'static [u16] = &[201];
}

/// A mode or a model to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentChoice {
    /// The agent's own name for it.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Further description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A text that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrowingText {
    /// True if it is reasoning, not a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thought: bool,
    /// The text so far. Only the end of a long one.
    pub text: String,
}

/// Stream event: the state of an agent that this server started has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrivenEvent {
    /// Our id of the session.
    pub session: String,
}
