//! Navigation in a session: its outline, and text search.

use crate::endpoint::{Input, Reply};
use crate::search::HitCount;
use model::Role;
use serde::{Deserialize, Serialize};

/// Number of messages per part of an outline.
pub const PART: i64 = 2_000;

/// Selects a part of the outline: the marks of 2,000 messages. The first part if `after` is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OutlineQuery {
    /// Only marks with a higher `seq`: `next` of the previous part, or the last `seq` that the caller has.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// The last `seq` that the reader has seen. The reply then has the number of newer messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
    /// Only messages of these types count as new.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of these roles count as new.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}
impl Input for OutlineQuery {}

/// A part of a session's outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outline {
    /// The marks among the next 2,000 messages, in the order of `seq`.
    pub marks: Vec<Mark>,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// `after` of the next part. Absent at the end of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
    /// Number of messages after `seen` that aren't hidden or by a person, at most 1000. Only if `seen` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<i64>,
}
impl Reply for Outline {}

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// `seq` of the message.
    pub seq: i64,
    /// Kind of the entry.
    pub kind: MarkKind,
    /// One line: the first words of a prompt, or the question of an open approval.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// Kind of an outline entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A person's message.
    Prompt,
    /// Files were changed.
    Edit,
    /// An approval.
    Approval,
    /// An error.
    Error,
}

/// Text search in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FindQuery {
    /// The text, case-insensitive, at most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 500)))]
    pub q: String,
    /// `1`: also searches messages that the dev toggle hides.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev: Option<u8>,
    /// Only messages of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}
impl Input for FindQuery {}

/// The messages that contain a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Matching messages, without those that the dev toggle hides unless `dev` is given.
    pub hits: Vec<FoundAt>,
    /// Number of matches by message type, most first.
    pub types: Vec<HitCount>,
    /// Number of further matches that the dev toggle hides; 0 if `dev` is given.
    pub hidden: i64,
}
impl Reply for Found {}

/// A message that contains the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundAt {
    /// `seq` of the message.
    pub seq: i64,
    /// Message type.
    pub message_type: String,
}
