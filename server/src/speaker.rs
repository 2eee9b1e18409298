//! Who speaks in a message, in the words of the terminal and of exports.

use api::Nothing;
use api::client::Client;
use api::messages::Entry;
use model::message_type::tool_call::ToolState;
use model::policy::{Channel, Look, facts_of, policy};
use model::text::one_line;
use model::{Body, Draft, Role};

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
    let reason = match policy(&facts_of(draft)).look {
        Look::PassedOn => " (passed on by the agent)",
        Look::Notice => " (notice by the agent)",
        _ => "",
    };
    format!("{}{role}{name}{reason}", mark(draft))
}

/// Returns the mark of a message of the host, of a tool or of a schedule, with a space after it. Only a known exit code is a
/// success or a failure.
pub fn mark(draft: &Draft) -> &'static str {
    let call = match Body::of(draft) {
        Body::ToolCall(call) => Some(call),
        _ => None,
    };
    let failed = || call.as_ref().is_some_and(|call| call.state() == ToolState::Failed);
    match (draft.role, facts_of(draft).exit_code) {
        (Role::Host, _) => "🏠 ",
        (Role::User, _) if policy(&facts_of(draft)).channel == Channel::Task => "» [Scheduled Task] ",
        (role, _) if role != Role::Tool && call.is_none() => "",
        (_, None) => "🔧 ",
        (_, Some(0)) if !failed() => "🔧 ✅ ",
        (_, Some(_)) => "🔧 ❌ ",
    }
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

#[cfg(test)]
mod tests {
    use super::mark;
    use model::{Draft, MessageId, Micros, Role};
    use serde_json::json;

    #[test]
    fn only_hosts_and_tools_have_a_mark() {
        let marked = |role: Role, metadata: serde_json::Value| {
            let mut draft = Draft::text(MessageId::parse("1").unwrap(), role, "", "x", Micros(0));
            draft.metadata = metadata.as_object().cloned();
            mark(&draft)
        };
        let exited = |code: i64| json!({"exit_code": code});
        assert_eq!(marked(Role::Host, json!(null)), "🏠 ");
        assert_eq!(marked(Role::Host, exited(1)), "🏠 ");
        for role in [Role::User, Role::Assistant, Role::Model, Role::System] {
            assert_eq!(marked(role, exited(0)), "");
        }
        for (metadata, mark) in [
            (json!(null), "🔧 "),
            (json!({"exit_code": "unknown"}), "🔧 "),
            (exited(0), "🔧 ✅ "),
            (exited(-1), "🔧 ❌ "),
        ] {
            assert_eq!(marked(Role::Tool, metadata), mark);
        }
        let call = |payload: serde_json::Value| {
            let mut payload = payload;
            payload["tool_name"] = json!("Bash");
            payload["input"] = json!({});
            marked(Role::Assistant, json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload}))
        };
        assert_eq!(call(json!({"output": "x"})), "🔧 ");
        assert_eq!(call(json!({"error": "x"})), "🔧 ");
        assert_eq!(call(json!({"output": "x", "exit_code": 0})), "🔧 ✅ ");
        assert_eq!(call(json!({"error": "x", "exit_code": 0})), "🔧 ❌ ");
    }
}
