//! The way back from message types: which of them the workspace draws as plain text, and which it accepts without checking their
//! payload. Nothing that is stored changes with it.

use crate::endpoint::{Input, Reply};
use model::MessageType;
use serde::{Deserialize, Serialize};

/// Stands for all types.
pub const ALL_TYPES: &str = "*";

/// How the workspace treats message types.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TypeSettings {
    /// Types with `render.rich = off`: they are drawn as TEXT from their `content`. `*` is all. An APPROVAL that is open keeps its
    /// buttons.
    pub plain: Vec<String>,
    /// Types with `validate.types = off`: a payload that doesn't fit is stored as it came, with the extra `unvalidated`. `*` is
    /// all. APPROVAL and ACTION, by which people decide, are checked always, and so is the envelope.
    pub unvalidated: Vec<String>,
}
impl Reply for TypeSettings {}

impl TypeSettings {
    /// Returns whether messages of this type are drawn as text.
    pub fn is_plain(&self, message_type: &str) -> bool {
        has(&self.plain, message_type)
    }

    /// Returns whether payloads of this type are stored unchecked.
    pub fn is_unvalidated(&self, message_type: &str) -> bool {
        let is_checked = message_type == MessageType::Approval || message_type == MessageType::Action;
        has(&self.unvalidated, message_type) && !is_checked
    }
}

fn has(list: &[String], message_type: &str) -> bool {
    list.iter().any(|tag| tag == message_type || tag == ALL_TYPES)
}

/// What changes. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditTypeSettings {
    /// All types that are drawn as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Vec<String>>,
    /// All types whose payload isn't checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unvalidated: Option<Vec<String>>,
}
impl Input for EditTypeSettings {
    const EXAMPLE: &'static str = r#"{"plain": ["CHART"], "unvalidated": ["*"]}"#;
}
