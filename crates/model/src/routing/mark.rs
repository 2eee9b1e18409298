//! The stored result of routing: an extra of the message's metadata that only the server writes.

use super::{ControlWord, Ignored, Route};
use crate::{Body, Draft, MessageType, Part, Provenance, Role};
use serde_json::{Map, Value, json};

/// Name of the extra. Requests can't set it.
pub const MARK: &str = "routing";

/// Result of routing a person's message. The message itself keeps its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// Text that the agent reads instead of the content; None for the content.
    pub text: Option<String>,
    /// Set if it isn't addressed to the agent.
    pub ignored: Option<Ignored>,
    /// Set if it is a control word.
    pub control: Option<ControlWord>,
}

impl Mark {
    /// Makes the mark of a message; None if nothing needs to be stored. `raw` is its text.
    pub fn of_route(route: &Route, raw: &str) -> Option<Self> {
        let mark = match route {
            Route::Ignored(ignored) => Self { ignored: Some(*ignored), ..Self::default() },
            Route::Control(control) => {
                Self { control: Some(control.word), text: control.model_text(), ..Self::default() }
            }
            Route::Addressed { text } if text != raw => Self { text: Some(text.clone()), ..Self::default() },
            Route::DirectCommand(_) => Self { control: Some(ControlWord::Run), ..Self::default() },
            Route::Addressed { .. } | Route::Unregistered | Route::Refused => return None,
        };
        Some(mark)
    }

    /// Reads the mark of a stored message. Empty if it has none, or somebody else wrote the metadata.
    pub fn of(draft: &Draft) -> Self {
        let is_ours =
            draft.role == Role::User && matches!(draft.provenance, Provenance::Person | Provenance::Ourselves);
        let extra = draft.metadata.as_ref().filter(|_| is_ours).and_then(|metadata| metadata.get(MARK)?.as_object());
        let word = |key: &str| extra.and_then(|extra| extra.get(key)?.as_str());
        Self {
            text: word("text").map(str::to_owned),
            ignored: word("ignored").and_then(Ignored::parse),
            control: word("control").and_then(ControlWord::parse),
        }
    }

    /// Returns the extra in its stored form.
    pub fn to_value(&self) -> Value {
        let mut extra = Map::new();
        if let Some(text) = &self.text {
            extra.insert("text".to_owned(), json!(text));
        }
        if let Some(ignored) = self.ignored {
            extra.insert("ignored".to_owned(), json!(ignored));
        }
        if let Some(control) = self.control {
            extra.insert("control".to_owned(), json!(control));
        }
        Value::Object(extra)
    }

    /// Returns true if the message is addressed to the agent.
    pub fn is_to_agent(&self) -> bool {
        self.ignored.is_none() && self.control.is_none()
    }

    /// Returns true if only the server reads the message.
    pub fn is_consumed(&self) -> bool {
        self.control.is_some() && self.text.is_none()
    }

    /// Returns true for an aside: the agent reads it, but isn't woken by it.
    pub fn is_aside(&self) -> bool {
        self.control.is_some() && self.text.is_some()
    }
}

impl Draft {
    /// Returns true if it is a person's answer to a question in text. Ticks and decisions of approvals aren't.
    pub fn answers_in_words(&self) -> bool {
        let decides = || matches!(Body::of(self), Body::Action(action) if action.approval_id.is_some());
        let is_said = self.role == Role::User && self.part == Part::Whole && self.message_type() != MessageType::Todo;
        is_said && !decides() && Mark::of(self).is_to_agent()
    }
}
