//! Decides which messages are remembered.

use super::{Memory, Policy, facts_of, may_reach_model, policy};
use crate::{Body, Context, Draft, MessageType, Role, Status};
use serde_json::Value;

/// Returns true if a message is remembered: final texts of people that a prompt can contain, except control words and
/// messages that an agent's key passed on. The extra `embed` (`always`, `never`) has priority, unless the policy is
/// never; retracted messages are forgotten.
pub fn should_embed(draft: &Draft) -> bool {
    remembers(draft, &[])
}

/// Like [`should_embed`], with tools whose output is remembered too, by the `tool_name` of the payload or extra, or
/// otherwise by the sender: `command_output`.
pub fn remembers(draft: &Draft, tools: &[String]) -> bool {
    let facts = facts_of(draft);
    // Control words are for the server, whatever their writer wishes.
    if !may_reach_model(draft) || facts.consumed || facts.aside {
        return false;
    }
    let Policy { memory, .. } = policy(&facts);
    match draft.metadata.as_ref().and_then(|metadata| metadata.get("embed")).and_then(Value::as_str) {
        Some("never") => false,
        Some("always") => memory != Memory::Never,
        _ if draft.status != Status::Final || draft.context != Context::Turn => false,
        _ if memory == Memory::OptIn => tools.contains(&tool(draft)),
        _ => memory == Memory::Yes && draft.role == Role::User && draft.message_type() == MessageType::Text,
    }
}

fn tool(draft: &Draft) -> String {
    let extra = || draft.metadata.as_ref()?.get("tool_name")?.as_str().map(str::to_owned);
    match Body::of(draft) {
        Body::ToolCall(call) => call.tool_name,
        _ => extra().unwrap_or_else(|| draft.sender.clone()),
    }
}
