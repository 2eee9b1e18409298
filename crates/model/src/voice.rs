//! Roles of sender words, and names of assistants.

use crate::{Draft, Role};
use serde::{Deserialize, Serialize};

/// Sender words of older products, with their roles. Any other sender is a name.
const VOICES: [(&str, Role); 17] = [
    ("user", Role::User),
    ("tui-user", Role::User),
    ("bot", Role::Assistant),
    ("assistant", Role::Assistant),
    ("thinking", Role::Model),
    ("model", Role::Model),
    ("tool", Role::Tool),
    ("tools", Role::Tool),
    ("tool_use", Role::Tool),
    ("tool_result", Role::Tool),
    ("command_output", Role::Tool),
    ("system", Role::System),
    ("system_notice", Role::System),
    ("deploy", Role::System),
    ("host", Role::Host),
    ("result_meta", Role::Host),
    ("security", Role::Host),
];

/// Returns the role of a sender word. None for a sender that is a name.
pub fn voice(sender: &str) -> Option<Role> {
    let word = sender.trim();
    VOICES.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, role)| *role)
}

/// Name of a session's assistant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AssistantName {
    /// The configured name, otherwise the agent's own.
    pub name: String,
    /// Sender names that it replaces: the session's agent and, if a name is configured, its key.
    pub replaces: Vec<String>,
}

impl AssistantName {
    /// Returns the name of a message's agent: the assistant's, unless the message has another one.
    ///
    /// ```
    /// use model::{AssistantName, Draft, MessageId, Micros, Role};
    ///
    /// let assistant = AssistantName { name: "Pynchy".to_owned(), replaces: vec!["bot".to_owned()] };
    /// let said = Draft::text(MessageId::parse("m1")?, Role::Assistant, "bot", "Hello", Micros(0));
    /// let by = |name: &str| Draft { sender_name: Some(name.to_owned()), ..said.clone() };
    /// assert_eq!([assistant.of(&said), assistant.of(&by("bot")), assistant.of(&by("Night bot"))], ["Pynchy", "Pynchy", "Night bot"]);
    /// # Ok::<(), model::id::IdError>(())
    /// ```
    pub fn of<'a>(&'a self, draft: &'a Draft) -> &'a str {
        let own = draft.sender_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        own.filter(|name| !self.replaces.iter().any(|replaced| replaced == name)).unwrap_or(&self.name)
    }
}
