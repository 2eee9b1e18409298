//! Author of a message, for the terminal and for exports.

use api::messages::Entry;
use model::policy::{mark, sent_by};
use model::text::one_line;
use model::{AssistantName, Role};

/// Longest name, in characters.
const NAME: usize = 80;

/// Returns the speaker with its mark and name: `Assistant: Claude Code`, `🔧 ✅ Tool`. `assistant` is that of its
/// session.
pub fn speaker(entry: &Entry, assistant: &AssistantName) -> String {
    let draft = &entry.message.draft;
    let role = match draft.role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Model => "Reasoning",
        Role::Tool => "Tool",
        Role::System => "System",
        Role::Host => "Host",
    };
    let name = match draft.role {
        Role::Assistant => assistant.of(draft),
        _ => draft.sender_name.as_deref().unwrap_or_default(),
    };
    let name = one_line(name, NAME);
    let name = if name.is_empty() { name } else { format!(": {name}") };
    format!("{}{role}{name}{}", mark(draft), sent_by(draft))
}
