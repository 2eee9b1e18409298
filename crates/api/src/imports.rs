//! Imports: files of this machine become sessions.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// What to import.
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
    /// Number of the import, as its start answered.
    pub import: u64,
}

/// An import, running or done. Counts grow while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportJob {
    /// Number of the import, from 1 since the server's start.
    pub id: u64,
    /// Nothing more happens.
    pub done: bool,
    /// Transcripts that were found.
    pub files: u64,
    /// Transcripts that were read, or failed.
    pub files_done: u64,
    /// Bytes of all transcripts.
    pub bytes: u64,
    /// Bytes that were read so far.
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

/// A file or folder that isn't read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedFile {
    /// Its absolute path.
    pub path: String,
    /// Why it isn't read, for people.
    pub reason: String,
}

/// Imports since the server's start: those that run, and at most 20 in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imports {
    /// The newest last.
    pub imports: Vec<ImportJob>,
}
impl Reply for Imports {}
