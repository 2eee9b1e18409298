//! Rules by which old sessions are deleted.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// A rule by which sessions are deleted that rest for so long. Pinned sessions stay, and so do those with an open run, a
/// working agent or a request that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetentionRule {
    /// Name of the rule.
    pub name: String,
    /// Days since the last activity of a session.
    pub days: u32,
    /// Only sessions of this project.
    pub project: Option<String>,
    /// Only sessions of this agent.
    pub agent: Option<String>,
    /// Only sessions that take more bytes: their messages as they are stored, and the files that they were read from.
    pub larger_than: Option<u64>,
    /// True if the rule is applied, once an hour.
    pub on: bool,
    /// The sessions that the rule would delete now. Absent if the rule is on.
    pub due: Option<RetentionDue>,
}

/// Sessions that a rule would delete now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetentionDue {
    /// Number of sessions, without those of sub-agents; at most 10,000 are counted.
    pub sessions: u64,
    /// Number of their messages.
    pub messages: u64,
    /// Bytes that they take.
    pub bytes: u64,
    /// Titles of the first 10, the longest at rest first.
    pub titles: Vec<String>,
}

/// Path of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetentionPath {
    /// Name of the rule: one line of 1 to 80 characters.
    pub rule: String,
}

/// A rule to set. Absent fields of an existing rule stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SetRetentionRule {
    /// Days since the last activity: 1 to 36,500. Required for a new rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// Only sessions of this project; empty for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Only sessions of this agent; empty for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only sessions that take more bytes; 0 for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub larger_than: Option<u64>,
    /// True to apply the rule; false for a new rule if absent, so that its effect can be seen first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
}
impl Input for SetRetentionRule {
    const EXAMPLE: &'static str = r#"{"days": 365, "agent": "claude_code"}"#;
}

/// The rules of retention. Without one that is on, everything is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetentionRules {
    /// At most 50.
    pub rules: Vec<RetentionRule>,
}
impl Reply for RetentionRules {}
