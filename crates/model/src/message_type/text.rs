//! TEXT: markdown in the message's `content`; the payload is empty.

use super::Payload;
use crate::{Draft, Role, search_text::SearchText, terminal};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Empty payload. Further keys of the sender are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Text {
    /// Further keys of the sender. They aren't shown.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Payload for Text {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        String::new()
    }

    fn to_markdown(&self) -> String {
        String::new()
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        match draft.role {
            Role::Tool => text.push(&terminal::plain(&draft.content)),
            _ => text.push(&draft.content),
        }
    }

    fn example() -> Self {
        Self::default()
    }

    fn example_content(&self) -> String {
        "The parser read past the end of the buffer:\n\n- `next()` now checks the **length** first\n- a test covers it"
            .to_owned()
    }
}
