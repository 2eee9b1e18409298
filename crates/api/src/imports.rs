//! Imports of files of this machine.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// Files to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// Absolute paths of files or folders on the server's machine.
    pub paths: Vec<String>,
}
impl Input for ImportRequest {
    // 422: no path can be read.
    const REFUSALS: &'static [u16] = &[422];
    const EXAMPLE: &'static str = r#"{"paths": ["/home/mara/.claude/projects"]}"#;
}

/// Path of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportPath {
    /// Number of the import, from the reply that started it.
    pub import: u64,
}

/// An import, running or completed. Counts grow while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportJob {
    /// Number of the import, from 1 since the server's start.
    pub id: u64,
    /// True if it has completed.
    pub done: bool,
    /// Number of transcripts found.
    pub files: u64,
    /// Number of transcripts that were read, or failed.
    pub files_done: u64,
    /// Size of all transcripts, in bytes.
    pub bytes: u64,
    /// Bytes read so far.
    pub bytes_done: u64,
    /// Number of sessions that were added or changed.
    pub sessions: u64,
    /// Number of added messages.
    pub messages: u64,
    /// Number of unreadable lines.
    pub notes: u64,
    /// Files that couldn't be read, with the reason.
    pub failed: Vec<FailedFile>,
}
impl Reply for ImportJob {
    const STATUSES: &'static [u16] = &[200, 202];
    fn status(&self) -> u16 {
        if self.done { 200 } else { 202 }
    }
}

/// A file or folder that isn't read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedFile {
    /// Its absolute path.
    pub path: String,
    /// Why it isn't read, for people.
    pub reason: String,
}

/// Imports since the server's start: the running ones, and at most 20 in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imports {
    /// Oldest first.
    pub imports: Vec<ImportJob>,
}
impl Reply for Imports {}
