//! Sessions: list, one, children.

use crate::endpoint::{Input, Reply};
use model::Session;
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
    Pinned,
    /// Those that were put away.
    Archived,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionSort {
    #[default]
    Activity,
    Created,
    Title,
    Project,
    Messages,
    Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Asc,
    Desc,
}

/// A page of top-level sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPage {
    pub sessions: Vec<Session>,
    /// Sessions that match, on all pages.
    pub total: i64,
    /// Sessions there are without any filter.
    pub all: i64,
    pub next: Option<String>,
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
    pub projects: Vec<Facet>,
    pub agents: Vec<Facet>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facet {
    pub value: String,
    pub sessions: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionDetail {
    pub session: Session,
    /// Our ids and titles of the sessions above, outermost first.
    pub ancestors: Vec<SessionRef>,
    pub forked_from: Option<SessionRef>,
    pub sources: Vec<SourceInfo>,
    /// Shell command that resumes the session with its agent.
    pub resume_command: Option<String>,
    /// Messages by display: what the dev toggle reveals.
    pub hidden_count: i64,
    pub cursor: String,
}
impl Reply for SessionDetail {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRef {
    pub id: String,
    pub title: String,
}

/// A file that a session was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceInfo {
    pub id: String,
    pub path: String,
    pub size: u64,
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sessions {
    pub sessions: Vec<Session>,
}
impl Reply for Sessions {}
