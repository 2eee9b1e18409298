//! What a redacted export masks.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactionQuery {
    /// Regular expressions of your own, beside the rules: up to 50, of up to 1,000 bytes.
    #[serde(rename = "mask", skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<String>,
    /// `1`: in the sessions of its sub-agents as well.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<u8>,
}
impl Input for RedactionQuery {}

/// What a redacted export masks. Secrets themselves aren't part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactionReport {
    /// Messages that were looked through.
    pub messages: i64,
    /// Places that are masked.
    pub places: i64,
    /// Rules that found something, those with the most places first.
    pub rules: Vec<RuleReport>,
    /// Uploaded files and pictures of the session. No rule reads them: they are left out.
    pub files_left_out: i64,
}
impl Reply for RedactionReport {}

/// What one rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleReport {
    /// Its id, as it stands in the mask: `github-token`, `email`, `home`; `own` of the patterns of the request.
    pub rule: String,
    /// What it finds, for people.
    pub title: String,
    /// How often it found something.
    pub places: i64,
    /// The first places, 5 at most.
    pub examples: Vec<MaskedPlace>,
}

/// A place that is masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaskedPlace {
    /// The message, by its place in the session. Absent where it is in the session's own fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// The mask, with up to 24 characters before and behind it.
    pub text: String,
}
