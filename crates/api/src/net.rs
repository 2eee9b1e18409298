//! What all edits of a session, or some of them, did to each file.

use crate::endpoint::{Input, Reply};
use crate::messages::EditRef;
use model::view::FileChange;
use serde::{Deserialize, Serialize};

/// Which edits are folded; all without any of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NetQuery {
    /// Edits after this `seq` ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// ... up to and with this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// `1`: since a person spoke last. Not together with `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u8>,
    /// Only the file with this path, and its texts with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
impl Input for NetQuery {}

/// Files in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetChanges {
    /// Those with an edit in the range.
    pub files: Vec<NetFile>,
    /// Lines of the new files that the old ones lack.
    pub added: i64,
    /// Lines of the old files that the new ones lack.
    pub removed: i64,
    /// Of all files together.
    pub changes: i64,
}
impl Reply for NetChanges {}

/// A file with its net change. What didn't happen isn't part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetFile {
    /// As the agent names the file.
    pub path: String,
    /// From before its first edit in the range to after its last one.
    pub change: FileChange,
    /// The path that it had before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Lines of the new text that the old one lacks.
    pub added: i64,
    /// Lines of the old text that the new one lacks.
    pub removed: i64,
    /// Places in which lines differ.
    pub changes: i64,
    /// Of the net change: equal as long as it stays the same.
    pub hash: String,
    /// Something else changed the file between the edits. Then `parts` hold what came before and after, one by one.
    pub broken: bool,
    /// Its edits have more than 16 MiB of text, which isn't folded: `added`, `removed` and `changes` are sums over the edits that
    /// were applied, and `texts` are empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_large: bool,
    /// For colouring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Every edit, in its order, also those that failed.
    pub edits: Vec<EditRef>,
    /// Present where the query names a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<NetTexts>,
}

/// The net change of a file in texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetTexts {
    /// Parts of the file that changed. Empty where the edits took each other back.
    pub parts: Vec<NetPart>,
    /// Unified diffs of edits whose texts aren't known.
    pub patches: Vec<String>,
}

/// A part of a file before and after. Without `old` the file wasn't there, without `new` it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetPart {
    /// The text before all edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The text after all edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Where both begin in their files, from 1; absent where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<(u32, u32)>,
    /// The texts are the whole file.
    pub whole: bool,
    /// The first edit of a part whose place in the file is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditPlace>,
}

/// An edit: which message, and which one of its edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditPlace {
    /// Its message's place in the session.
    pub seq: i64,
    /// Index in the payload's `edits`, from 0.
    pub index: usize,
}
