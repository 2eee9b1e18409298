//! Secrets: the preview of a redacted export, and erasing.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// Options of a preview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactionQuery {
    /// Custom regular expressions in addition to the rules: up to 50, each up to 1,000 bytes.
    #[serde(rename = "mask", skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<String>,
    /// `1`: includes the sessions of its sub-agents.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<u8>,
}
impl Input for RedactionQuery {}

/// A summary of what a redacted export masks. It doesn't contain the secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactionReport {
    /// Number of messages that were searched.
    pub messages: i64,
    /// Number of masked places.
    pub places: i64,
    /// Rules with at least one match, most matches first.
    pub rules: Vec<RuleReport>,
    /// Number of uploaded files and images of the session. Rules can't check them: they are omitted from the export.
    pub files_left_out: i64,
}
impl Reply for RedactionReport {}

/// Matches of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleReport {
    /// Id of the rule, as in the mask: `github-token`, `email`, `home`; `own` for custom patterns.
    pub rule: String,
    /// Description of the rule.
    pub title: String,
    /// Number of matches.
    pub places: i64,
    /// The first matches, at most 5.
    pub examples: Vec<MaskedPlace>,
}

/// A masked place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskedPlace {
    /// `seq` of the message. Absent if it is in a field of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The mask, with up to 24 characters before and after it.
    pub text: String,
}

/// A text to erase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EraseText {
    /// The exact text, such as a password or a key: 8 to 16,384 bytes.
    pub text: String,
    /// True to only report where the text is found.
    #[serde(default)]
    pub preview: bool,
}
impl Input for EraseText {
    const EXAMPLE: &'static str = r#"{"text": "correct horse battery staple", "preview": true}"#;
}

/// Where a text was found. It doesn't contain the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Erasure {
    /// True if the text was erased; false for a preview.
    pub erased: bool,
    /// A summary for people, in one or two sentences.
    pub summary: String,
    /// The session, and sessions with copies of its messages.
    pub sessions: Vec<ErasedFrom>,
    /// Number of messages that contain the text, in all of these sessions.
    pub messages: u64,
    /// Number of places in the stored bytes of transcripts.
    pub places: u64,
    /// Number of entries in the log of what agents were given.
    pub context_entries: u64,
    /// Number of prompts of schedules and unfinished texts.
    pub texts: u64,
    /// SHA-256, in hex, of uploaded files and images that contain the text. They are deleted.
    pub files: Vec<String>,
}
impl Reply for Erasure {}

/// A session in which a text was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErasedFrom {
    /// Id of the session.
    pub id: String,
    /// Title of the session, without the text.
    pub title: String,
    /// Number of messages that contain the text.
    pub messages: u64,
}

/// Where texts were erased from the transcripts of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErasedBytes {
    /// Transcripts whose stored bytes aren't those of the file.
    pub files: Vec<ErasedFile>,
}
impl Reply for ErasedBytes {}

/// A transcript from which a text was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErasedFile {
    /// Id of the source.
    pub source: String,
    /// Path of the file.
    pub path: String,
    /// The bytes that aren't those of the file, in order.
    pub ranges: Vec<ErasedRange>,
}

/// Bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErasedRange {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
}
