//! A session: one conversation with one agent.

use crate::message_type::todo::TodoProgress;
use crate::{Micros, SessionId, words};
use serde::{Deserialize, Serialize};

words! {
    /// State of a session, computed from its messages and runs.
    SessionState {
        /// An APPROVAL is open, or a question in words waits for an answer.
        NeedsYou = "needs_you",
        /// A turn is running, or its agent sent a heartbeat within a minute.
        Working = "working",
        /// A call is running or a text is streaming, but an agent that sends heartbeats sent none for a minute.
        Lost = "lost",
        /// Interrupted a minute ago or longer. The agent may be working, waiting in its terminal, or gone: transcripts
        /// and agents without heartbeats don't show it.
        Quiet = "quiet",
        /// Its last turn failed, or its agent reported a failure as its end.
        Failed = "failed",
        /// Its agent reported that it is done.
        Done = "done",
        /// Nothing is running, and nothing is asked.
        Idle = "idle",
    }
    /// State of an agent, as its hooks report it.
    LiveState {
        /// It works on a prompt.
        Working = "working",
        /// It waits for a person, in its terminal or here.
        Waiting = "waiting",
        /// Its turn is over.
        Idle = "idle",
        /// Its turn ended with an error.
        Failed = "failed",
        /// It has ended.
        Done = "done",
    }
}

/// Reason of an agent whose turn is over, followed by its background tasks.
pub const TURN_OVER: &str = "Its turn is over";

/// The latest report of the agent's hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Live {
    /// State of the agent.
    pub state: LiveState,
    /// Reason in a few words: `Runs Bash`.
    pub reason: String,
    /// When it was reported.
    pub at: Micros,
}

impl Live {
    /// Returns the reason of an idle agent with background tasks.
    pub fn background(&self) -> Option<&str> {
        let rest = self.reason.strip_prefix(TURN_OVER).filter(|rest| !rest.is_empty());
        rest.filter(|_| self.state == LiveState::Idle).map(|_| self.reason.as_str())
    }
}

/// The machine that a session is from, where that isn't the server's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionMachine {
    /// Its name.
    pub name: String,
    /// When it was last heard of, if it is offline: for 90 seconds, nothing came from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Micros>,
}

/// A stored session, with the counts that lists show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Our id. It never changes.
    pub id: SessionId,
    /// Name of the agent: `claude_code`, `demo`.
    pub agent: String,
    /// The agent's own id. For a sub-agent: `<parent's own id>/<agent id>`.
    pub agent_session_id: Option<String>,
    /// For a sub-agent: the session that started it.
    pub parent: Option<SessionId>,
    /// For a sub-agent: true if the session that started it isn't stored, so that this one has no parent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parent_missing: bool,
    /// The session whose messages this one begins with, because it was forked or resumed to another file.
    pub forked_from: Option<SessionId>,
    /// For a sub-agent: the parent's tool call that started it.
    pub call_id: Option<String>,
    /// Title; otherwise the first prompt, otherwise the agent's own id. Never empty.
    pub title: String,
    /// The machine that it is from. Absent for the server's own sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<SessionMachine>,
    /// Key of the project: the folder in which the agent was started, if known.
    pub project: String,
    /// The latest working folder.
    pub cwd: Option<String>,
    /// The latest git branch.
    pub branch: Option<String>,
    /// Name of the latest model.
    pub model: Option<String>,
    /// The agent's latest version.
    pub version: Option<String>,
    /// State, computed when it is read.
    pub state: SessionState,
    /// The earliest time of its messages, or when it was created.
    pub created_at: Micros,
    /// The latest time of its messages, never in the future.
    pub last_activity_at: Micros,
    /// When a person archived it. Null if it isn't archived.
    pub archived_at: Option<Micros>,
    /// When a person pinned it to the top of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Micros>,
    /// When a person deleted it. It can be restored for some time.
    pub deleted_at: Option<Micros>,
    /// When the agent reported its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// Last heartbeat of an agent that posts by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_at: Option<Micros>,
    /// The latest report of the agent's hooks, if it is newer than all messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
    /// True if its agent posts by itself, and gets people's messages. Others are read from files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub registered: bool,
    /// Id of the agent key that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Messages of people up to this `seq` were given to the agent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered_seq: i64,
    /// Highest `seq`.
    pub last_seq: i64,
    /// Number of messages that people see by default: without system, model, note and replaced messages.
    pub message_count: i64,
    /// Number of lines that applied edits added.
    pub lines_added: i64,
    /// Number of lines that applied edits removed.
    pub lines_removed: i64,
    /// Open items of the latest todo list.
    pub todos_open: i64,
    /// Completed items of the latest todo list.
    pub todos_done: i64,
    /// Cancelled items of the latest todo list, which are neither open nor completed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub todos_cancelled: i64,
    /// Number of direct sub-agents' sessions.
    pub child_count: i64,
    /// Sum over its turns. Each API message counts once.
    pub usage: crate::Usage,
    /// US dollars of all tokens with a known price: as agents report it, otherwise from the price table. Messages that
    /// it shares with another session count there.
    pub cost_usd: Option<f64>,
    /// The part of `cost_usd` that was computed from the price table. Absent if agents reported all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Facts about a session from a reader. Absent fields leave stored values unchanged; later facts have priority.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionFacts {
    /// Title given by a person or the agent.
    pub title: Option<String>,
    /// Fallback title: the first prompt, cut to 120 characters.
    pub first_prompt: Option<String>,
    /// True if the conversation was rewound to its start, so that an earlier first prompt no longer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarted: Option<bool>,
    /// Key of the project: the folder in which the agent was started.
    pub project: Option<String>,
    /// The latest working folder.
    pub cwd: Option<String>,
    /// The latest git branch.
    pub branch: Option<String>,
    /// Name of the latest model.
    pub model: Option<String>,
    /// The agent's latest version.
    pub version: Option<String>,
    /// For a sub-agent: the parent's own id.
    pub parent: Option<String>,
    /// For a sub-agent: the parent's tool call that started it.
    pub call_id: Option<String>,
    /// The earliest time of its lines.
    pub first_at: Option<Micros>,
    /// The latest time of its lines.
    pub last_at: Option<Micros>,
    /// Progress of the latest todo list.
    pub todos: Option<TodoProgress>,
}

impl Session {
    /// Returns the progress of its latest todo list.
    pub fn todos(&self) -> TodoProgress {
        let count = |count: i64| usize::try_from(count).unwrap_or_default();
        TodoProgress {
            done: count(self.todos_done),
            open: count(self.todos_open),
            cancelled: count(self.todos_cancelled),
        }
    }
}

/// Input for the state of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct StateFacts {
    /// True if an approval is open, or a message that requires input is unanswered.
    pub asks: bool,
    /// True if a turn hasn't ended, a call is running, or a text is streaming.
    pub run_open: bool,
    /// True if its agent sends heartbeats. Without them it is unknown whether the agent is running.
    pub promises_signs: bool,
    /// Age of the last heartbeat in microseconds.
    pub heartbeat_age: Option<i64>,
    /// True if the agent reported its end, and no person wrote since.
    pub ended: bool,
    /// True if the last turn failed, or the end was reported as a failure.
    pub ended_with_error: bool,
    /// The hooks' report, unless something newer is known.
    pub live: Option<LiveState>,
}

/// Returns the state of a session, by the first matching rule.
pub fn session_state(facts: StateFacts) -> SessionState {
    if facts.asks {
        return SessionState::NeedsYou;
    }
    if let Some(live) = facts.live {
        return match live {
            LiveState::Waiting => SessionState::NeedsYou,
            LiveState::Working => SessionState::Working,
            LiveState::Idle => SessionState::Idle,
            LiveState::Failed => SessionState::Failed,
            LiveState::Done => SessionState::Done,
        };
    }
    let alive = facts.heartbeat_age.is_some_and(|age| age < 60 * Micros::SECOND);
    if alive || (facts.run_open && facts.heartbeat_age.is_none()) {
        SessionState::Working
    } else if facts.run_open {
        if facts.promises_signs { SessionState::Lost } else { SessionState::Quiet }
    } else if facts.ended_with_error {
        SessionState::Failed
    } else if facts.ended {
        SessionState::Done
    } else {
        SessionState::Idle
    }
}

#[cfg(test)]
mod tests {
    use super::{LiveState, SessionState, StateFacts, session_state};
    use crate::Micros;

    #[test]
    fn the_first_rule_that_holds_decides() {
        let running = StateFacts { run_open: true, ..StateFacts::default() };
        let ended = StateFacts { ended: true, ..StateFacts::default() };
        let age = |seconds: i64| Some(seconds * Micros::SECOND);
        let states = [
            StateFacts { asks: true, heartbeat_age: age(1), ..running },
            running,
            StateFacts { heartbeat_age: age(59), ..StateFacts::default() },
            StateFacts { heartbeat_age: age(60), promises_signs: true, ..running },
            StateFacts { heartbeat_age: age(60), ..running },
            StateFacts { ended_with_error: true, ..ended },
            ended,
            StateFacts::default(),
            StateFacts { live: Some(LiveState::Waiting), ..running },
            StateFacts { live: Some(LiveState::Idle), asks: true, ..running },
            StateFacts { live: Some(LiveState::Working), heartbeat_age: age(90), ..running },
            StateFacts { live: Some(LiveState::Idle), ..running },
            StateFacts { live: Some(LiveState::Failed), ..running },
            StateFacts { live: Some(LiveState::Done), ..running },
        ]
        .map(session_state);
        assert_eq!(
            states.map(SessionState::as_str),
            [
                "needs_you",
                "working",
                "working",
                "lost",
                "quiet",
                "failed",
                "done",
                "idle",
                "needs_you",
                "needs_you",
                "working",
                "idle",
                "failed",
                "done"
            ]
        );
    }
}
