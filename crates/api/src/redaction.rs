//! Preview of a redacted export.

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
