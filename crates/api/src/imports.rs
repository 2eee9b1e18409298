//! Imports: files of this machine become sessions.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// Absolute paths of files or folders on the server's machine.
    pub paths: Vec<String>,
}
impl Input for ImportRequest {
    // Nothing there can be read.
    const REFUSALS: &'static [u16] = &[422];
    const EXAMPLE: &'static str = r#"{"paths": ["/home/mara/.claude/projects"]}"#;
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportPath {
    /// Number of the import, as its start answered.
    pub import: u64,
}

/// An import, running or done. Counts grow while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportJob {
    pub id: u64,
    pub done: bool,
    pub files: u64,
    pub files_done: u64,
    pub bytes: u64,
    pub bytes_done: u64,
    /// Sessions that were touched.
    pub sessions: u64,
    /// Newly added messages.
    pub messages: u64,
    /// Unreadable lines.
    pub notes: u64,
    /// Files that could not be read, with the reason.
    pub failed: Vec<FailedFile>,
}
impl Reply for ImportJob {
    const STATUSES: &'static [u16] = &[200, 202];
    fn status(&self) -> u16 {
        if self.done { 200 } else { 202 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedFile {
    pub path: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imports {
    pub imports: Vec<ImportJob>,
}
impl Reply for Imports {}
