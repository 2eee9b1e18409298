//! Folders with transcripts, and the owner's consent. Nothing is read without consent.

use crate::endpoint::{Input, Reply};
use crate::imports::FailedFile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The owner's decision on a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    /// Found, but not read. Waits for consent.
    Waiting,
    /// Imported, and followed as its files grow.
    Following,
    /// Imported sessions stay; nothing new is read.
    Paused,
    /// Never read.
    Excluded,
}

/// A folder inside an agent's `projects` folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Project {
    /// Path of the folder. A byte that isn't UTF-8 is written as U+FFFD and two hex digits.
    pub path: String,
    /// Target of the folder, if it is a link. It isn't read without consent to that target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// The working directory if known, otherwise the name of the folder.
    pub name: String,
    /// The agent that wrote the transcripts: `claude_code`.
    pub agent: String,
    /// Number of transcripts.
    pub files: i64,
    /// Size of the transcripts, in bytes.
    pub bytes: i64,
    /// The owner's decision.
    pub state: ProjectState,
    /// True if the system doesn't report changes in it, as for a network drive. Then it is polled every 15 seconds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polled: bool,
    /// Number of sessions imported from it.
    pub sessions: i64,
    /// Files in it that aren't read, with the reason: pipes, devices, links to other places. At most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FailedFile>,
}

/// Files of a known agent that can't be read, in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadFolder {
    /// The folder.
    pub path: String,
    /// The agent: `hermes`.
    pub agent: String,
    /// Kind of the files: `a database of Hermes`.
    pub what: String,
    /// Number of files.
    pub files: i64,
    /// Size of the files, in bytes.
    pub bytes: i64,
}

/// The folders that agents keep their transcripts in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Projects {
    /// The folders that were searched, to show if nothing was found.
    pub roots: Vec<String>,
    /// Folders that exist now, or were known before.
    pub projects: Vec<Project>,
    /// Files of known agents whose format isn't supported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFolder>,
}
impl Reply for Projects {}

/// The new state of folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetProject {
    /// Paths as listed. If empty, all waiting folders except links.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The new state. `waiting` withdraws consent.
    pub state: ProjectState,
    /// For folders that are links: the path, and the target as listed.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
}
impl Input for SetProject {
    const EXAMPLE: &'static str =
        r#"{"paths": ["/home/mara/.claude/projects/-home-mara-lantern"], "state": "following"}"#;
}

/// A folder to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ForgetProject {
    /// Path as listed.
    pub path: String,
}
impl Input for ForgetProject {
    const EXAMPLE: &'static str = r#"{"path": "/home/mara/.claude/projects/-home-mara-lantern"}"#;
}

/// The result of forgetting a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// Number of deleted sessions.
    pub sessions: i64,
}
impl Reply for Forgotten {}
