//! Full-text search over all history.

use crate::endpoint::{Input, Reply};
use model::{Micros, Provenance, Role};
use serde::{Deserialize, Serialize};

/// Query, filters and page of a search. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchQuery {
    /// Words that must all occur; the last may be a prefix. At most 500 characters. Can only be empty with `file`.
    // A bound from below, as it is what examples have a value for.
    #[cfg_attr(feature = "schema", schemars(length(min = 0, max = 500)))]
    pub q: String,
    /// Part of the path of a file that the message changed, like `derive-ipns.ts`: whole words, except that the last
    /// may be a prefix. At most 500 characters. With it, `q` can be empty.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Only in sessions of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Only in sessions of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// Only messages of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Only in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// First day or time: `2026-11-01` or RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day (inclusive) or time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Time zone of the days, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Cursor: `next` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Page size, 1 to 200; 50 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for SearchQuery {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
}

/// A page of matching messages, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchPage {
    /// At most `limit`.
    pub hits: Vec<Hit>,
    /// Number of matching messages, at most 1,000.
    pub total: i64,
    /// True if there may be more than `total`.
    pub total_is_floor: bool,
    /// Cursor of the next page. Null on the last page.
    pub next: Option<String>,
    /// Matches by message type and by role, most first. Each count ignores the filter of its own kind.
    pub counts: SearchCounts,
}
impl Reply for SearchPage {}

/// Numbers of matches for the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchCounts {
    /// By message type.
    pub types: Vec<HitCount>,
    /// By role.
    pub roles: Vec<HitCount>,
}

/// Number of matches with a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HitCount {
    /// A message type or a role.
    pub value: String,
    /// Number of matches.
    pub hits: i64,
}

/// A matching message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// Our id of its session.
    pub session_id: String,
    /// Title of its session.
    pub session_title: String,
    /// Key of its session's project.
    pub project: String,
    /// Agent of its session.
    pub agent: String,
    /// Id of the message.
    pub message_id: String,
    /// `seq` of the message.
    pub seq: i64,
    /// Role of the message.
    pub role: Role,
    /// Who wrote the message to the store.
    pub provenance: Provenance,
    /// Message type.
    pub message_type: String,
    /// Time of the message, as its sender states it.
    pub created_at: Micros,
    /// Paths of the files that it changes, as it names them; at most 20.
    pub files: Vec<String>,
    /// The matching text.
    pub snippet: Snippet,
}

/// Text around the match. `marks` are byte ranges of `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snippet {
    /// One line of plain text.
    pub text: String,
    /// Start and exclusive end of each match.
    pub marks: Vec<(usize, usize)>,
}
