//! Sessions: lists and details.

use crate::cost::{ContextMeter, Cost};
use crate::endpoint::{Input, Reply};
use model::{AssistantName, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Path of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPath {
    /// Our id, the agent's own id, or a unique prefix of either.
    pub session: String,
}

/// Filters, order and page of the session list. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListSessions {
    /// Words in the title, project or branch. At most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only sessions of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Only sessions of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// Only sessions of these machines, by their names; `local` is the server's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<String>,
    /// A view. If absent, all sessions that have messages and aren't archived; sessions that match `q` need no
    /// messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<SessionShow>,
    /// First day or time of the last activity: `2026-11-01` or RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day (inclusive) or time of the last activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Time zone of the days, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Sort key; last activity if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<SessionSort>,
    /// Direction. If absent: newest or most first, names from A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Cursor: `next` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Page size, 1 to 500; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `1`: includes the agent's last text in each session.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<u8>,
}
impl Input for ListSessions {}

/// Views of the session list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionShow {
    /// Sessions that wait for a person.
    NeedsYou,
    /// Pinned sessions.
    Pinned,
    /// Archived sessions.
    Archived,
}

/// Sort key of the session list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionSort {
    /// Last activity, latest first.
    #[default]
    Activity,
    /// Creation, latest first.
    Created,
    /// Title, from A.
    Title,
    /// Project, from A.
    Project,
    /// Number of messages that people see by default, most first.
    Messages,
    /// Number of tokens of all kinds, most first.
    Tokens,
}

/// Direction of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Oldest, fewest or A first.
    Asc,
    /// Latest, most or Z first.
    Desc,
}

/// A page of top-level sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPage {
    /// At most `limit`, in the requested order.
    pub sessions: Vec<Session>,
    /// Number of matching sessions on all pages.
    pub total: i64,
    /// Number of sessions without any filter.
    pub all: i64,
    /// Cursor of the next page. Null on the last page.
    pub next: Option<String>,
    /// Values for the filters.
    pub facets: Facets,
    /// The agent's last text by session id, as one line, if it is among the session's latest messages. Only if
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<BTreeMap<String, String>>,
    /// Cursor of the event stream at the time of this reply.
    pub cursor: String,
}
impl Reply for SessionPage {}

/// Filter values of all sessions, most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facets {
    /// Project keys.
    pub projects: Vec<Facet>,
    /// Agent names.
    pub agents: Vec<Facet>,
    /// Names of machines; `local` is the server's own. Empty if there are no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<Facet>,
}

/// A filter value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facet {
    /// The value, as the filter accepts it.
    pub value: String,
    /// Number of sessions with it.
    pub sessions: i64,
}

/// A session and its context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDetail {
    /// The session with its counts.
    pub session: Session,
    /// Name of its assistant. Earlier servers didn't return it.
    #[serde(default)]
    pub assistant: AssistantName,
    /// Our ids and titles of the parent sessions, outermost first.
    pub ancestors: Vec<SessionRef>,
    /// The session that it was forked from. Null if it isn't a fork, or the caller can't read that session.
    pub forked_from: Option<SessionRef>,
    /// Files that it was imported from. Empty for a session that an agent posted.
    pub sources: Vec<SourceInfo>,
    /// Shell command that resumes the session with its agent.
    pub resume_command: Option<String>,
    /// Cost of its requests to models, without those of sub-agents. Earlier servers didn't return it.
    #[serde(default)]
    pub cost: Cost,
    /// Cost including sub-agents of every depth. Absent without sub-agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_with_sub_agents: Option<Cost>,
    /// How full its context is. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter: Option<ContextMeter>,
    /// Number of messages that the dev toggle shows.
    pub hidden_count: i64,
    /// Cursor of the event stream at the time of this reply.
    pub cursor: String,
}
impl Reply for SessionDetail {}

/// A reference to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRef {
    /// Our id.
    pub id: String,
    /// Title, never empty.
    pub title: String,
}

/// A file that a session was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceInfo {
    /// Our id of the file.
    pub id: String,
    /// Absolute path of the file.
    pub path: String,
    /// Number of stored bytes.
    pub size: u64,
    /// SHA-256 of the stored bytes, in hex.
    pub sha256: String,
}

/// A list of sessions without pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sessions {
    /// Sessions, oldest first.
    pub sessions: Vec<Session>,
}
impl Reply for Sessions {}
