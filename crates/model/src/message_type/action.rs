//! ACTION: a person's answer to buttons or inputs.

use super::{Body, Mismatch, Payload};
use crate::{Draft, MessageId, Role, search_text::SearchText};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Prefix of its text.
pub const SELECTED: &str = "Selected: ";

/// A person's answer to an approval or message. Options with equal labels can be distinguished by their ids in the
/// approval's `decision.selected`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Id of the approval's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// Id of another message with buttons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Labels of the chosen options.
    #[serde(default)]
    pub selected: Vec<String>,
    /// Values of a form by field id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<String, Value>>,
    /// Typed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Action {
    /// Returns the chosen, typed or filled-in values, joined by commas.
    pub fn answer(&self) -> String {
        let mut parts = self.selected.clone();
        if let Some(values) = &self.values {
            parts.extend(values.iter().map(|(field, value)| match value {
                Value::String(text) => format!("{field}: {text}"),
                other => format!("{field}: {other}"),
            }));
        }
        parts.extend(self.text.clone());
        parts.join(", ")
    }
}

impl Payload for Action {
    const USUAL_ROLE: Role = Role::User;

    fn summary(&self) -> String {
        format!("{SELECTED}{}", self.answer())
    }

    fn to_markdown(&self) -> String {
        self.summary()
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        // The answer, if the content has it in other words.
        let answer = self.answer();
        text.push(if draft.content.contains(&answer) { "" } else { &answer });
    }

    fn example() -> Self {
        Self {
            approval_id: Some("call_7~approval~0".to_owned()),
            selected: vec!["Allow once".to_owned()],
            ..Self::default()
        }
    }

    fn check(&self, _extras: &Map<String, Value>) -> Result<(), Mismatch> {
        if self.approval_id.is_none() && self.reply_to.is_none() {
            return Err(Mismatch::new("/payload/approval_id", "the id of the approval, or `reply_to`"));
        }
        Ok(())
    }
}

impl Draft {
    /// Returns the id of the message that it answers: that of the buttons, or `reply_to`.
    pub fn is_about(&self) -> Option<String> {
        let pressed = match Body::of(self) {
            Body::Action(action) => action.approval_id.or(action.reply_to),
            _ => None,
        };
        pressed.or_else(|| self.reply_to.as_ref().map(MessageId::to_string))
    }
}
