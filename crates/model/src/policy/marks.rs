//! Marks of messages for output without colours: terminals and exports.

use super::{Channel, Look, facts_of, policy};
use crate::message_type::tool_call::ToolState;
use crate::{Body, Draft, Role};

/// Returns the mark of a message of the host, a tool or a schedule, followed by a space. Only a known exit code counts
/// as success or failure.
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

/// Returns the text after the sender's name, preceded by a space, if an agent's key posted the message in another name;
/// otherwise empty.
pub fn sent_by(draft: &Draft) -> &'static str {
    match policy(&facts_of(draft)).look {
        Look::PassedOn => " (passed on by the agent)",
        Look::Notice => " (notice by the agent)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::{Draft, MessageId, Micros, Role};
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
