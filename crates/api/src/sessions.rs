//! Sessions: list, one, children.

use crate::cost::{ContextMeter, Cost};
use crate::endpoint::{Input, Reply};
use model::{AssistantName, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Path of everything that belongs to a session: our id, the agent's own id, or a unique prefix of either.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPath {
    /// Our id, the agent's own id, or a unique beginning of either.
    pub session: String,
}

/// Filters, order and page of the sessions list. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListSessions {
    /// Words of the title, project or branch. At most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Of any of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Of any of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// One of the views; if absent, all that aren't put away and in which something was said. What `q` names is found even
    /// if nothing was said in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<SessionShow>,
    /// First day or moment of last activity: `2026-11-01` or RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day (inclusive) or moment of last activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The time zone whose days are meant, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// By last activity if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<SessionSort>,
    /// The sort's own direction if absent: newest, or most, first; names from A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Cursor: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// 1 to 500; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `1`: with what the agent said last in each session.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<u8>,
}
impl Input for ListSessions {}

/// Which sessions a list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionShow {
    /// Those that wait for a person.
    NeedsYou,
    /// Those that a person pinned.
    Pinned,
    /// Those that were put away.
    Archived,
}

/// What a list of sessions is ordered by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionSort {
    /// Last activity, latest first.
    #[default]
    Activity,
    /// When it began, latest first.
    Created,
    /// Title, from A.
    Title,
    /// Project, from A.
    Project,
    /// Messages as people count them, most first.
    Messages,
    /// Tokens of all kinds, most first.
    Tokens,
}

/// Direction of an order.
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
    /// At most `limit`, in the order that was asked for.
    pub sessions: Vec<Session>,
    /// Sessions that match, on all pages.
    pub total: i64,
    /// Sessions there are without any filter.
    pub all: i64,
    /// Cursor of the next page. Null at the end.
    pub next: Option<String>,
    /// What the list can be filtered by.
    pub facets: Facets,
    /// By the id of its session, as one line: the last text of the agent, if it is among the latest messages there. Only if
    /// it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<BTreeMap<String, String>>,
    /// Cursor of the event stream at the time of this answer.
    pub cursor: String,
}
impl Reply for SessionPage {}

/// Values to filter by, most frequent first, over all sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facets {
    /// By the project's key.
    pub projects: Vec<Facet>,
    /// By the agent's name.
    pub agents: Vec<Facet>,
}

/// A value to filter by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facet {
    /// As the filter takes it.
    pub value: String,
    /// How many sessions have it.
    pub sessions: i64,
}

/// A session and what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDetail {
    /// With the sums that lists show.
    pub session: Session,
    /// What its assistant is called. Earlier servers didn't say it.
    #[serde(default)]
    pub assistant: AssistantName,
    /// Our ids and titles of the sessions above, outermost first.
    pub ancestors: Vec<SessionRef>,
    /// The session whose messages it begins with. Null for no fork, and where the caller may not read that one.
    pub forked_from: Option<SessionRef>,
    /// Files that it was imported from. Empty for a session of an agent that posts by itself.
    pub sources: Vec<SourceInfo>,
    /// Shell command that resumes the session with its agent.
    pub resume_command: Option<String>,
    /// What its requests to models cost, without those of its sub-agents. Earlier servers didn't say it.
    #[serde(default)]
    pub cost: Cost,
    /// What its requests cost, including those of its sub-agents at every depth; absent without sub-agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_with_sub_agents: Option<Cost>,
    /// How full its context is; absent where that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter: Option<ContextMeter>,
    /// Messages by display: what the dev toggle reveals.
    pub hidden_count: i64,
    /// Cursor of the event stream at the time of this answer.
    pub cursor: String,
}
impl Reply for SessionDetail {}

/// A session as a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRef {
    /// Our id.
    pub id: String,
    /// Its title, never empty.
    pub title: String,
}

/// A file that a session was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceInfo {
    /// Ours.
    pub id: String,
    /// Absolute path of the file.
    pub path: String,
    /// Bytes that are stored.
    pub size: u64,
    /// SHA-256 of these bytes, in hex.
    pub sha256: String,
}

/// Sessions, without a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sessions {
    /// Oldest first.
    pub sessions: Vec<Session>,
}
impl Reply for Sessions {}
