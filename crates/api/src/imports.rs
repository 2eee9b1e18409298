//! Imports: files of this machine become sessions.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRequest {
    /// Absolute paths of files or folders on the server's machine.
    pub paths: Vec<String>,
}
impl Input for ImportRequest {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportPath {
    pub import: u64,
}

/// An import, running or done. Counts grow while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    fn status(&self) -> u16 {
        if self.done { 200 } else { 202 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedFile {
    pub path: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imports {
    pub imports: Vec<ImportJob>,
}
impl Reply for Imports {}
