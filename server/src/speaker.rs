//! Who speaks in a message, in the words of the terminal and of exports.

use api::Nothing;
use api::client::Client;
use api::messages::Entry;
use model::Role;
use model::policy::{mark, sent_by};
use model::text::one_line;

/// Longest name, in characters.
const NAME: usize = 80;

/// Returns the speaker with its mark and name: `Assistant: Claude Code`, `🔧 ✅ Tool`. `agent` is what the session's
/// agent is called; a name that the message brings counts more.
pub fn speaker(entry: &Entry, agent: &str) -> String {
    let draft = &entry.message.draft;
    let role = match draft.role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Model => "Reasoning",
        Role::Tool => "Tool",
        Role::System => "System",
        Role::Host => "Host",
    };
    let own = draft.sender_name.as_deref().map(|name| one_line(name, NAME)).filter(|name| !name.is_empty());
    let name = own.or_else(|| (draft.role == Role::Assistant).then(|| agent.to_owned()));
    let name = name.map_or_else(String::new, |name| format!(": {name}"));
    format!("{}{role}{name}{}", mark(draft), sent_by(draft))
}

/// Returns what the agent of a session is called: what its owner calls the assistant, else the agent's own name.
pub async fn agent(client: &Client, agent: &str) -> String {
    let chosen = client.get_preferences(Nothing {}, Nothing {}).await.map(|known| known.assistant_name);
    named(chosen.unwrap_or_default(), agent)
}

/// Returns the name that a person chose for the assistant; where that is empty, the agent's own.
pub fn named(chosen: String, agent: &str) -> String {
    if chosen.is_empty() { app::shell::agent_name(agent) } else { chosen }
}
