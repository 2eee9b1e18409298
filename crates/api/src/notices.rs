//! Notices that people set up for runs: information for the agent that isn't part of the conversation.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

model::words! {
    /// Kind of a notice. Its text is made anew for each run.
    NoticeKind {
        /// The text of `value`.
        Text = "text",
        /// The text of the file at the absolute path `value`.
        File = "file",
        /// The git branch and uncommitted changes of the session's working folder, if it is in one of the folders of
        /// `value`: absolute paths, one per line.
        Git = "git",
    }
}

/// A notice that agents get with each run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunNotice {
    /// Name of the notice. For a file, the text has it as its heading.
    pub name: String,
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// The text, the path or the folders.
    pub value: String,
    /// True if runs include it.
    pub on: bool,
}

/// Path of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoticePath {
    /// Name of the notice: one line of 1 to 80 characters.
    pub notice: String,
}

/// A notice to set. Absent fields of an existing notice stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SetNotice {
    /// Kind of the notice; `text` for a new one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<NoticeKind>,
    /// The text, the path or the folders, at most 16 KiB. Required for a new notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// True if runs include it; true for a new notice if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Index among the notices, from 0. A new notice without it is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}
impl Input for SetNotice {
    const EXAMPLE: &'static str = r#"{"kind": "text", "value": "Nothing is deployed on Fridays"}"#;
}

/// The notices, in the order in which agents get them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunNotices {
    /// At most 50.
    pub notices: Vec<RunNotice>,
    /// Descriptions of the notices that `notices.json` in the data directory sets up. They come first, and can only be
    /// changed there.
    pub from_file: Vec<String>,
}
impl Reply for RunNotices {}
