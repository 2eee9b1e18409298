//! Folders with transcripts, and what the owner said of them. Nothing is read without consent.

use crate::endpoint::{Input, Reply};
use crate::imports::FailedFile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the owner said of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    /// Found, not read: waits for consent.
    Waiting,
    /// Imported, and followed as its files grow.
    Following,
    /// What was imported stays; nothing new is read.
    Paused,
    /// Never read.
    Excluded,
}

/// One folder below an agent's `projects` folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Project {
    /// The folder. A byte that is no UTF-8 is written as U+FFFD and two hex digits.
    pub path: String,
    /// Where the folder leads, if it is a link. It isn't read without agreement to that place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// The working directory where known, else the folder's own name.
    pub name: String,
    /// The agent whose transcripts it holds: `claude_code`.
    pub agent: String,
    /// Transcripts in it.
    pub files: i64,
    /// Their size together.
    pub bytes: i64,
    /// What the owner said of it.
    pub state: ProjectState,
    /// The system doesn't report its changes, as that of a network drive: it is looked at every 15 seconds instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polled: bool,
    /// Sessions imported from it.
    pub sessions: i64,
    /// What isn't read of it, with the reason: pipes and devices, links that lead elsewhere. At most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FailedFile>,
}

/// Files of a known agent that aren't read, in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadFolder {
    /// The folder.
    pub path: String,
    /// The agent: `hermes`.
    pub agent: String,
    /// What each file is: `a database of Hermes`.
    pub what: String,
    /// How many files there are.
    pub files: i64,
    /// Their size together.
    pub bytes: i64,
}

/// The folders that agents keep their transcripts in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Projects {
    /// The folders that were looked into, for the page that found nothing.
    pub roots: Vec<String>,
    /// Found on the disk now, or known from before.
    pub projects: Vec<Project>,
    /// Files of known agents for which there is no reader yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFolder>,
}
impl Reply for Projects {}

/// What to do with folders from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetProject {
    /// Folders as listed; empty means all that wait, without those that lead elsewhere.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The state from now on. `waiting` takes consent back.
    pub state: ProjectState,
    /// To follow a folder that is a link: its path, and where it leads as listed.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
}
impl Input for SetProject {
    const EXAMPLE: &'static str =
        r#"{"paths": ["/home/mara/.claude/projects/-home-mara-lantern"], "state": "following"}"#;
}

/// Which folder to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ForgetProject {
    /// The folder as listed.
    pub path: String,
}
impl Input for ForgetProject {
    const EXAMPLE: &'static str = r#"{"path": "/home/mara/.claude/projects/-home-mara-lantern"}"#;
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// How many sessions.
    pub sessions: i64,
}
impl Reply for Forgotten {}
