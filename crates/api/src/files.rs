//! The files that all sessions changed.

use crate::endpoint::{Input, Reply};
use model::Micros;
use model::view::FileChange;
use serde::{Deserialize, Serialize};

/// Which changes of files. Repeated parameters mean "any of".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FilesQuery {
    /// Part of the path, like `derive-ipns.ts` or `src/lib.rs`: whole words, of which the last may go on, in any case. At most 500
    /// characters. Looked for among the 2,000 matching changes that arrived last.
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In sessions of any of these projects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// In sessions of any of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
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
    /// 1 to 2000; 200 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2000)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for FilesQuery {}

/// Changes of files, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesPage {
    /// At most `limit`.
    pub edits: Vec<FileEdit>,
    /// Cursor of the next page. Null at the end.
    pub next: Option<String>,
}
impl Reply for FilesPage {}

/// What one message did to one file. Edits that were only proposed, or were undone, aren't listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileEdit {
    /// As the agent named it.
    pub path: String,
    /// Our id of the session.
    pub session_id: String,
    /// Title of the session.
    pub session_title: String,
    /// Key of the session's project.
    pub project: String,
    /// Agent of the session.
    pub agent: String,
    /// Place of the message in the session.
    pub seq: i64,
    /// Whether it was added, modified or deleted.
    pub change: FileChange,
    /// Lines.
    pub added: i64,
    /// Lines.
    pub removed: i64,
    /// When the message was said, as its writer states it.
    pub changed_at: Micros,
}
