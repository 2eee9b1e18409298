//! Folders with transcripts, and what the owner said of them. Nothing is read without consent.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

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
    /// The folder.
    pub path: String,
    /// The working directory where known, else the folder's own name.
    pub name: String,
    pub agent: String,
    pub files: i64,
    pub bytes: i64,
    pub state: ProjectState,
    /// Sessions imported from it.
    pub sessions: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Projects {
    /// The folders that were looked into, for the page that found nothing.
    pub roots: Vec<String>,
    pub projects: Vec<Project>,
}
impl Reply for Projects {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetProject {
    /// Folders as listed; empty means all that wait.
    #[serde(default)]
    pub paths: Vec<String>,
    pub state: ProjectState,
}
impl Input for SetProject {
    const EXAMPLE: &'static str =
        r#"{"paths": ["/home/mara/.claude/projects/-home-mara-lantern"], "state": "following"}"#;
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ForgetProject {
    pub path: String,
}
impl Input for ForgetProject {
    const EXAMPLE: &'static str = r#"{"path": "/home/mara/.claude/projects/-home-mara-lantern"}"#;
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    pub sessions: i64,
}
impl Reply for Forgotten {}
