//! What a reader looks for in a session: its landmarks, and where words stand.

use crate::endpoint::{Input, Reply};
use crate::search::HitCount;
use model::Role;
use serde::{Deserialize, Serialize};

/// Messages of a part of an outline.
pub const PART: i64 = 2_000;

/// Which landmarks: those of a part of the session, of 2,000 messages. The first part without `after`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OutlineQuery {
    /// Only landmarks with a higher `seq`: `next` of the part before, or what a reader asks who has those before.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// The reader has seen everything up to this `seq`: the answer says how much is new since.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
    /// Only messages of any of these types count as new.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of any of these roles count as new.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}
impl Input for OutlineQuery {}

/// The landmarks of a session, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outline {
    /// In the order of `seq`, among the next 2,000 messages.
    pub marks: Vec<Mark>,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// `after` of the next part; absent at the end of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
    /// Messages after `seen` that the dev toggle doesn't hide and no person wrote, 1000 at most; only where `seen` asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<i64>,
}
impl Reply for Outline {}

/// One landmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// Its place in the session.
    pub seq: i64,
    /// Why it is a landmark.
    pub kind: MarkKind,
    /// In one line: of a prompt its first words, of an approval that waits what it asks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// Why a message is a landmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A person said something.
    Prompt,
    /// Files were changed.
    Edit,
    /// The agent asked for leave.
    Approval,
    /// Something failed.
    Error,
}

/// What to look for in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FindQuery {
    /// Text as it stands, whatever its case. At most 500 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 500)))]
    pub q: String,
    /// `1`: also in what the dev toggle hides.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev: Option<u8>,
    /// Only messages of any of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of any of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}
impl Input for FindQuery {}

/// The messages that hold a text, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Those that the dev toggle doesn't hide, and all where `dev` asked for them.
    pub hits: Vec<FoundAt>,
    /// Hits by message type, most first.
    pub types: Vec<HitCount>,
    /// Messages behind the dev toggle that hold it too; 0 where `dev` asked for them.
    pub hidden: i64,
}
impl Reply for Found {}

/// A message that holds the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundAt {
    /// Its place in the session.
    pub seq: i64,
    /// The tag of its type.
    pub message_type: String,
}
