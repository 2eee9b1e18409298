//! A session: one conversation with one agent.

use crate::message_type::todo::TodoProgress;
use crate::{Micros, SessionId, words};
use serde::{Deserialize, Serialize};

words! {
    /// The state of a session: a function of its messages and runs.
    SessionState {
        /// An APPROVAL is open, or a question in words waits for an answer.
        NeedsYou = "needs_you",
        /// A turn runs, or its agent gave a sign of life within a minute.
        Working = "working",
        /// Of an agent that sends heartbeats: a call that runs or a text that is being written, without a sign of life for a minute.
        Lost = "lost",
        /// Broken off in the middle of something a minute ago or longer. The agent may work, may wait in its terminal, or may be
        /// gone: a transcript has no signs of life, nor has an agent that never sent a heartbeat.
        Quiet = "quiet",
        /// Its last turn failed, or its agent reported its end as a failure.
        Failed = "failed",
        /// Its agent reported its end.
        Done = "done",
        /// Nothing runs and nothing is asked.
        Idle = "idle",
    }
    /// What an agent's hooks report of it.
    LiveState {
        /// It works on a prompt.
        Working = "working",
        /// It waits for a person, in its terminal or here.
        Waiting = "waiting",
        /// Its turn is over.
        Idle = "idle",
        /// Its turn broke off with an error.
        Failed = "failed",
        /// It has ended.
        Done = "done",
    }
}

/// The reason of an agent whose turn is over; what goes on in the background follows it.
pub const TURN_OVER: &str = "Its turn is over";

/// What the agent's hooks reported last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Live {
    /// What the agent does.
    pub state: LiveState,
    /// Why, in a few words: `Runs Bash`.
    pub reason: String,
    /// When it was reported.
    pub at: Micros,
}

impl Live {
    /// Returns the reason of an agent that is idle while something of it goes on in the background.
    pub fn background(&self) -> Option<&str> {
        let rest = self.reason.strip_prefix(TURN_OVER).filter(|rest| !rest.is_empty());
        rest.filter(|_| self.state == LiveState::Idle).map(|_| self.reason.as_str())
    }
}

/// A stored session, with the sums that lists show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Our id. It never changes.
    pub id: SessionId,
    /// Which agent: `claude_code`, `demo`.
    pub agent: String,
    /// The agent's own id. Of a sub-agent: `<parent's own id>/<agent id>`.
    pub agent_session_id: Option<String>,
    /// Of a sub-agent: the session that started it.
    pub parent: Option<SessionId>,
    /// Of a sub-agent: the session that started it isn't stored, so this one stands by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parent_missing: bool,
    /// The session whose messages this one begins with, as it was forked or resumed into another file.
    pub forked_from: Option<SessionId>,
    /// Of a child: the parent's tool call that started it.
    pub call_id: Option<String>,
    /// Never empty: a title, else the first prompt, else the agent's own id.
    pub title: String,
    /// Key of the project, a path where known: the folder in which the agent was started.
    pub project: String,
    /// The latest working folder.
    pub cwd: Option<String>,
    /// The git branch that was checked out last.
    pub branch: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The agent's latest version.
    pub version: Option<String>,
    /// Computed when it is read.
    pub state: SessionState,
    /// The earliest time of its messages, or when it was made.
    pub created_at: Micros,
    /// The latest time of its messages, never in the future.
    pub last_activity_at: Micros,
    /// When a person put it away. Null while it is in the list.
    pub archived_at: Option<Micros>,
    /// Kept at the top of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Micros>,
    /// When a person deleted it. It can be restored for a while.
    pub deleted_at: Option<Micros>,
    /// When the agent said that it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Micros>,
    /// The last sign of life of an agent that posts by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_at: Option<Micros>,
    /// What the agent's hooks reported last, if it is newer than all messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
    /// Its agent posts by itself, and takes what people write. Others are read from files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub registered: bool,
    /// The agent key that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// People's messages up to this `seq` were given to the agent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered_seq: i64,
    /// Highest `seq`.
    pub last_seq: i64,
    /// Messages as people count them: without system, model, note and replaced rows.
    pub message_count: i64,
    /// Lines added and removed by applied edits.
    pub lines_added: i64,
    /// Lines removed by applied edits.
    pub lines_removed: i64,
    /// Items of the latest to-do list that aren't completed.
    pub todos_open: i64,
    /// Items of the latest to-do list that are completed.
    pub todos_done: i64,
    /// Items of the latest to-do list that were given up: they are neither open nor completed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub todos_cancelled: i64,
    /// Sessions of its sub-agents, without theirs.
    pub child_count: i64,
    /// Sum over its turns, each API message counted once.
    pub usage: crate::Usage,
    /// US dollars of all tokens whose price is known: as agents say, else by the price table. What it has in common with another
    /// session counts there.
    pub cost_usd: Option<f64>,
    /// Of these, dollars that the price table gives; absent where agents said all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_usd: Option<f64>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a reader learned of a session. Absent fields leave what is stored; later facts win.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionFacts {
    /// Title given by a person or the agent.
    pub title: Option<String>,
    /// Title to fall back on: the first prompt, cut to 120 characters.
    pub first_prompt: Option<String>,
    /// The conversation was rewound to its very beginning: an earlier first prompt is none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarted: Option<bool>,
    /// Key of the project: the folder in which the agent was started.
    pub project: Option<String>,
    /// The latest working folder.
    pub cwd: Option<String>,
    /// The git branch that was checked out last.
    pub branch: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The agent's latest version.
    pub version: Option<String>,
    /// The parent's own id, of a sub-agent's session.
    pub parent: Option<String>,
    /// Of a sub-agent: the parent's tool call that started it.
    pub call_id: Option<String>,
    /// The earliest time of its lines.
    pub first_at: Option<Micros>,
    /// The latest time of its lines.
    pub last_at: Option<Micros>,
    /// How far the latest to-do list has got.
    pub todos: Option<TodoProgress>,
}

impl Session {
    /// Returns how far its latest to-do list has got.
    pub fn todos(&self) -> TodoProgress {
        let count = |count: i64| usize::try_from(count).unwrap_or_default();
        TodoProgress {
            done: count(self.todos_done),
            open: count(self.todos_open),
            cancelled: count(self.todos_cancelled),
        }
    }
}

/// What the state of a session is computed from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct StateFacts {
    /// An open approval, or an unanswered message that requires input.
    pub asks: bool,
    /// A turn has begun and not ended, a call runs, or a text is being written.
    pub run_open: bool,
    /// Its agent sends heartbeats. A transcript, and an agent that sends none, tell what happened and not whether somebody is there.
    pub promises_signs: bool,
    /// Age of the last sign of life in microseconds.
    pub heartbeat_age: Option<i64>,
    /// The agent reported its end, and no person wrote since.
    pub ended: bool,
    /// The last turn failed, or the end was reported as a failure.
    pub ended_with_error: bool,
    /// What the agent's hooks report, while nothing newer is known.
    pub live: Option<LiveState>,
}

/// Returns the state of a session: that of the first rule that holds.
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
