//! Full-text search over all history.

use crate::endpoint::{Input, Reply};
use model::{Micros, Provenance, Role};
use serde::{Deserialize, Serialize};

/// What to look for, and where. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchQuery {
    /// Words that all must occur; the last one may be the beginning of a word. At most 500 characters. Empty only with `file`.
    // A bound from below, as it is what examples have a value for.
    #[cfg_attr(feature = "schema", schemars(length(min = 0, max = 500)))]
    pub q: String,
    /// Part of the path of a file that the message changed, like `derive-ipns.ts`: whole words, of which the last may go on. `q` may
    /// be empty then. At most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// In sessions of any of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// In sessions of any of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// Of any of these message types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Of any of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Only within this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// First day or moment: `2026-11-01` or RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day (inclusive) or moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The time zone whose days are meant, like `Europe/Berlin`; the server's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Cursor: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// 1 to 200; 50 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for SearchQuery {
    // 404 and 409: `session` names no session, or several.
    const REFUSALS: &'static [u16] = &[404, 409];
}

/// A page of messages that match, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchPage {
    /// At most `limit`.
    pub hits: Vec<Hit>,
    /// Messages that match; `total_is_floor` says that there are more.
    pub total: i64,
    /// `total` is 1,000, and there may be more.
    pub total_is_floor: bool,
    /// Cursor of the next page. Null at the end.
    pub next: Option<String>,
    /// Hits by message type and by role, most first: each without the filter by itself, so that it can be changed.
    pub counts: SearchCounts,
}
impl Reply for SearchPage {}

/// How the hits divide, for the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchCounts {
    /// By message type.
    pub types: Vec<HitCount>,
    /// By role.
    pub roles: Vec<HitCount>,
}

/// How many hits have a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HitCount {
    /// A message type or a role.
    pub value: String,
    /// Hits with it, among those that are counted.
    pub hits: i64,
}

/// One message that matches.
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
    /// Its place in the session.
    pub seq: i64,
    /// Whose voice it is.
    pub role: Role,
    /// Who wrote the message into the store.
    pub provenance: Provenance,
    /// The tag of its type.
    pub message_type: String,
    /// When it was said, as its writer states it.
    pub created_at: Micros,
    /// Paths of the files that it edits, as it names them; the first 20.
    pub files: Vec<String>,
    /// What of it matches.
    pub snippet: Snippet,
}

/// Text around the match. `marks` are byte ranges of `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snippet {
    /// One line of plain text.
    pub text: String,
    /// First byte of each match, and the byte behind it.
    pub marks: Vec<(usize, usize)>,
}
