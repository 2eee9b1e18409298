//! Sessions: creation, changes, archiving, end and deletion.

use crate::endpoint::{Input, Reply};
use model::Session;
use serde::{Deserialize, Serialize};

/// A session to create, for an agent that posts by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// Our id of the session; a `UUIDv7` if absent. An id makes the request repeatable.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the agent: `claude_code`, `nightly-bot`. 1 to 255 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 255)))]
    pub agent: String,
    /// The agent's own id. If it is known, the key that created the session continues it; another key gets 409
    /// `session_taken`. If a person deleted the session: 409 `session_deleted`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    /// Title; derived from the first prompt if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Key of the project; the working folder if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Git branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Our id of the session that started this one. It must have the same `agent`, and be created with the same key.
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

/// Makes a session of this agent, without any other field.
impl From<&str> for NewSession {
    fn from(agent: &str) -> Self {
        Self { agent: agent.to_owned(), ..Self::default() }
    }
}

/// The created session, or the existing one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionMade {
    /// The session.
    #[serde(flatten)]
    pub session: Session,
    /// True if the request was repeated, or the agent's own id is known.
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

/// Changes to a session. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSession {
    /// Title. A person's title has priority over the agent's; an empty one removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Key of the project; an absolute path if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Git branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True to archive it, false to take it back. People only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// True to pin it to the top of the list. People only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
}
impl Input for EditSession {
    const EXAMPLE: &'static str = r#"{"title": "Fix the parser crash"}"#;
}

/// Changes to many sessions. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditSessions {
    /// Our ids, 1 to 500.
    pub sessions: Vec<String>,
    /// True to archive them, false to take them back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// True to pin them to the top of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// True to delete them with their sub-agents' sessions, false to restore them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<bool>,
}
impl Input for EditSessions {
    const EXAMPLE: &'static str = r#"{"sessions": ["$SESSION"], "archived": true}"#;
}

/// The sessions that were changed. Unknown ids are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditedSessions {
    /// Our ids.
    pub sessions: Vec<String>,
}
impl Reply for EditedSessions {}

/// A session after the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReply {
    /// The session with its counts.
    #[serde(flatten)]
    pub session: Session,
}
impl Reply for SessionReply {}

/// How to end a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EndSession {
    /// The outcome. The first one counts: an ended session doesn't change until a person writes and it goes on.
    pub outcome: EndOutcome,
}
impl Input for EndSession {
    const EXAMPLE: &'static str = r#"{"outcome": "done"}"#;
}

/// Outcome of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndOutcome {
    /// Success: the state becomes `done`.
    #[default]
    Done,
    /// Failure: the state becomes `failed`.
    Failed,
}

/// A deleted session. `POST /v1/sessions/{session}/restore` restores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDeleted {
    /// Our id of the session.
    pub id: String,
}
impl Reply for SessionDeleted {}
