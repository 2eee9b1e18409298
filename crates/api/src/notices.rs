//! Notices of a run that people set: what an agent should know at its beginning, and needn't remember.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

model::words! {
    /// What a notice is made of, anew for each run.
    NoticeKind {
        /// The words of `value`.
        Text = "text",
        /// The text of the file at `value`, an absolute path.
        File = "file",
        /// The branch and what isn't committed, of a session whose working folder lies in a folder of `value`: absolute paths, one a
        /// line.
        Git = "git",
    }
}

/// A notice that agents are given with each run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunNotice {
    /// Its name, for people; that of a file stands before its text.
    pub name: String,
    /// What it is made of.
    pub kind: NoticeKind,
    /// The words, the file or the folders.
    pub value: String,
    /// Whether runs have it.
    pub on: bool,
}

/// Names a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoticePath {
    /// Its name: one line of 1 to 80 characters.
    pub notice: String,
}

/// A notice as it is from now on. Absent fields of one that exists stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SetNotice {
    /// What it is made of; of a new one, `text` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<NoticeKind>,
    /// The words, the file or the folders, of at most 16 KiB. A new one needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether runs have it; of a new one, true if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Its place among the notices, from 0. A new one without comes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}
impl Input for SetNotice {
    const EXAMPLE: &'static str = r#"{"kind": "text", "value": "Nothing is deployed on Fridays"}"#;
}

/// The notices of runs, in the order in which they are given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunNotices {
    /// At most 50.
    pub notices: Vec<RunNotice>,
    /// What `notices.json` in the data directory sets up, for people: it is given before them. Changed there alone.
    pub from_file: Vec<String>,
}
impl Reply for RunNotices {}
