//! What people wrote, as the agent gets it.

use crate::posting;
use drivers::{Prompt, When};
use model::{Body, Role};
use store::StoredMessage;

/// Returns the prompts that messages make which wait for an agent, in their order: one for each, so that each stays the message that it
/// is. Decisions on what the agent asked aren't among them: those go back as answers.
pub fn of(messages: &[StoredMessage], when: When) -> Vec<Prompt> {
    let prompt = |stored: &StoredMessage| {
        let draft = &stored.message.draft;
        let is_decision = matches!(Body::of(draft), Body::Action(action) if action.approval_id.is_some());
        if draft.role == Role::Host || is_decision || model::text::is_blank(&draft.content) {
            return None;
        }
        // Agents take UUIDs alone. A message with another id is one more in the transcript.
        let id = uuid::Uuid::try_parse(draft.id.as_str())
            .map_or_else(|_| posting::new_id().to_string(), |id| id.to_string());
        Some(Prompt { id, text: draft.content.clone(), when, system_notices: Vec::new() })
    };
    messages.iter().filter_map(prompt).collect()
}
