//! The files that all sessions changed.

use crate::endpoint::{Input, Reply};
use model::Micros;
use model::view::FileChange;
use serde::{Deserialize, Serialize};

/// Filter and page of file changes. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FilesQuery {
    /// Part of the path, like `derive-ipns.ts` or `src/lib.rs`: whole words, except that the last may be a prefix.
    /// Case-insensitive, at most 500 characters. Only the 2,000 matching changes that arrived last are searched.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only in sessions of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Only in sessions of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
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
    /// Page size, 1 to 2000; 200 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for FilesQuery {}

/// A page of file changes, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesPage {
    /// At most `limit`.
    pub edits: Vec<FileEdit>,
    /// Cursor of the next page. Null on the last page.
    pub next: Option<String>,
}
impl Reply for FilesPage {}

/// The change of one file by one message. Edits that were only proposed or were undone aren't listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileEdit {
    /// Path, as the agent named it.
    pub path: String,
    /// Our id of the session.
    pub session_id: String,
    /// Title of the session.
    pub session_title: String,
    /// Key of the session's project.
    pub project: String,
    /// Agent of the session.
    pub agent: String,
    /// `seq` of the message.
    pub seq: i64,
    /// Whether it was added, modified or deleted.
    pub change: FileChange,
    /// Number of added lines.
    pub added: i64,
    /// Number of removed lines.
    pub removed: i64,
    /// Time of the message, as its sender states it.
    pub changed_at: Micros,
}
