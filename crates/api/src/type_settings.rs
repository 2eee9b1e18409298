//! Settings that turn off features of message types: which types are drawn as plain text, and which payloads aren't
//! validated. Stored messages don't change.

use crate::endpoint::{Input, Reply};
use model::MessageType;
use serde::{Deserialize, Serialize};

/// Stands for all types.
pub const ALL_TYPES: &str = "*";

/// The workspace's settings for message types.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TypeSettings {
    /// Types with `render.rich = off`: they are drawn as TEXT from their `content`. `*` means all. An open APPROVAL
    /// keeps its buttons.
    pub plain: Vec<String>,
    /// Types with `validate.types = off`: an invalid payload is stored as it came, with the extra `unvalidated`. `*`
    /// means all. APPROVAL and ACTION, by which people decide, and the envelope are always validated.
    pub unvalidated: Vec<String>,
}
impl Reply for TypeSettings {}

impl TypeSettings {
    /// Returns true if messages of this type are drawn as text.
    pub fn is_plain(&self, message_type: &str) -> bool {
        has(&self.plain, message_type)
    }

    /// Returns true if payloads of this type aren't validated.
    pub fn is_unvalidated(&self, message_type: &str) -> bool {
        let is_checked = message_type == MessageType::Approval || message_type == MessageType::Action;
        has(&self.unvalidated, message_type) && !is_checked
    }
}

fn has(list: &[String], message_type: &str) -> bool {
    list.iter().any(|tag| tag == message_type || tag == ALL_TYPES)
}

/// Changes to the settings. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditTypeSettings {
    /// Replaces the list of types that are drawn as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Vec<String>>,
    /// Replaces the list of types whose payload isn't validated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unvalidated: Option<Vec<String>>,
}
impl Input for EditTypeSettings {
    const EXAMPLE: &'static str = r#"{"plain": ["CHART"], "unvalidated": ["*"]}"#;
}
