//! Sessions from the outside: made, changed, ended, put away, deleted.

use crate::endpoint::{Input, Reply};
use model::Session;
use serde::{Deserialize, Serialize};

/// A session of an agent that posts by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// Ours; give one to be able to repeat the request. A `UUIDv7` if absent.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which agent: `claude_code`, `nightly-bot`. 1 to 255 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 255)))]
    pub agent: String,
    /// The agent's own id. Known already: that session is gone on with, by the key that made it. To another key the name is
    /// taken (409 `session_taken`); one that a person deleted is told of (409 `session_deleted`).
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    /// Made of the first prompt if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Key of the project; the working folder if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The branch that is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Our id of the session that this one was started by: one of the same `agent`, made with the same key. Agents of other
    /// names have sessions of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The parent's tool call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}
impl Input for NewSession {
    // 404: `parent` names no session.
    const REFUSALS: &'static [u16] = &[404];
    const EXAMPLE: &'static str =
        r#"{"agent": "nightly-bot", "title": "Nightly dependency check", "cwd": "/srv/lantern"}"#;
}

/// A session of this agent, without any other field.
impl From<&str> for NewSession {
    fn from(agent: &str) -> Self {
        Self { agent: agent.to_owned(), ..Self::default() }
    }
}

/// The session that was made, or the one that was there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionMade {
    /// As it is now.
    #[serde(flatten)]
    pub session: Session,
    /// The same request came before, or the agent's own id is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}
impl Reply for SessionMade {
    const STATUSES: &'static [u16] = &[201, 200];
    fn status(&self) -> u16 {
        if self.replayed { 200 } else { 201 }
    }
    fn replayed(&self) -> bool {
        self.replayed
    }
}

/// What changes in a session. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSession {
    /// A person's title wins over the agent's; an empty one takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Key of the project, an absolute path where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The branch that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Put away, or taken back. People only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Kept at the top of the list. People only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
}
impl Input for EditSession {
    const EXAMPLE: &'static str = r#"{"title": "Fix the parser crash"}"#;
}

/// What changes in many sessions. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSessions {
    /// Our ids, 1 to 500.
    pub sessions: Vec<String>,
    /// Put away, or taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Kept at the top of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Deleted with the sessions of its sub-agents, or restored with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<bool>,
}
impl Input for EditSessions {
    const EXAMPLE: &'static str = r#"{"sessions": ["$SESSION"], "archived": true}"#;
}

/// The sessions that there were to change. Ids that name none are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditedSessions {
    /// Our ids.
    pub sessions: Vec<String>,
}
impl Reply for EditedSessions {}

/// A session as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReply {
    /// With the sums that lists show.
    #[serde(flatten)]
    pub session: Session,
}
impl Reply for SessionReply {}

/// How a session ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EndSession {
    /// The first one holds: of a session that is over nothing changes, until a person writes and it goes on.
    pub outcome: EndOutcome,
}
impl Input for EndSession {
    const EXAMPLE: &'static str = r#"{"outcome": "done"}"#;
}

/// How the agent reports its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndOutcome {
    /// It did what it was to do: the session becomes `done`.
    #[default]
    Done,
    /// It gave up: the session becomes `failed`.
    Failed,
}

/// A deleted session comes back with `POST /v1/sessions/{session}/restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDeleted {
    /// Our id of the session.
    pub id: String,
}
impl Reply for SessionDeleted {}
