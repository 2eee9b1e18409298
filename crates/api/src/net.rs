//! Net changes of files by the edits of a session.

use crate::endpoint::{Input, Reply};
use crate::messages::EditRef;
use model::view::FileChange;
use serde::{Deserialize, Serialize};

/// Selects the edits; all of them if no field is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NetQuery {
    /// Only edits after this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Only edits up to this `seq`, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// `1`: only edits since a person's last message. Can't be combined with `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u8>,
    /// Only the file with this path. The reply then has its texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
impl Input for NetQuery {}

/// Net changes of files, ordered by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetChanges {
    /// Files with an edit in the range.
    pub files: Vec<NetFile>,
    /// Number of lines that only the new files have.
    pub added: i64,
    /// Number of lines that only the old files have.
    pub removed: i64,
    /// Number of changed places in all files.
    pub changes: i64,
}
impl Reply for NetChanges {}

/// The net change of a file. Edits that weren't applied don't count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetFile {
    /// Path, as the agent names the file.
    pub path: String,
    /// The change from before the first edit of the range to after the last one.
    pub change: FileChange,
    /// Previous path, if the file was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Number of lines that only the new text has.
    pub added: i64,
    /// Number of lines that only the old text has.
    pub removed: i64,
    /// Number of changed places.
    pub changes: i64,
    /// Hash of the net change.
    pub hash: String,
    /// True if something else changed the file between the edits. Then `parts` has the changes before and after that
    /// separately.
    pub broken: bool,
    /// True if its edits have more than 16 MiB of text. Then no net change is computed: `added`, `removed` and
    /// `changes` are sums over the applied edits, and `texts` is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_large: bool,
    /// Language for syntax highlighting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// All edits in their order, including failed ones.
    pub edits: Vec<EditRef>,
    /// The texts. Only present if the query has a `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<NetTexts>,
}

/// The net change of a file as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetTexts {
    /// Changed parts of the file. Empty if the edits cancel each other.
    pub parts: Vec<NetPart>,
    /// Unified diffs of edits whose full texts are unknown.
    pub patches: Vec<String>,
}

/// A part of a file before and after. Without `old` the file was created, without `new` it was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetPart {
    /// The text before all edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The text after all edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// First line of the old and the new text in the file, from 1. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<(u32, u32)>,
    /// True if the texts are the whole file.
    pub whole: bool,
    /// The first edit of a part whose position in the file is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditPlace>,
}

/// An edit of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditPlace {
    /// `seq` of the message.
    pub seq: i64,
    /// Index in the payload's `edits`, from 0.
    pub index: usize,
}
