//! What is left where an agent's requests can't be rebuilt: its messages as they are stored.

use super::block;
use super::request::Request;
use model::message_type::tool_call::{ToolCall, ToolState};
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextDialect, ContextPart as Part, ContextReply, ContextRole,
    ModelContext, UnrecordedPart,
};
use model::{Body, Context, Message, Part as MessagePart, Role};
use serde_json::{Value, json};

/// Returns the messages before a reply as a context, which is always approximate: `reason` says why there is no better one.
/// Messages are in the order of their `seq`; of the reply, none if the model hasn't replied yet.
pub fn of_messages(messages: &[Message], reply: Option<&Message>, reason: &str) -> ModelContext {
    let of_reply = reply.map(|reply| ContextReply {
        id: Some(reply.draft.id.to_string()),
        seq: Some(reply.seq),
        model: reply.draft.origin.model.clone(),
        agent_version: reply.draft.origin.version.clone(),
        usage: None,
        records: reply.records.clone(),
    });
    let mut request = Request::new(ContextDialect::Neutral, of_reply.unwrap_or_default());
    request.doubt(reason);
    request.unrecorded = vec![
        UnrecordedPart::SystemPrompt,
        UnrecordedPart::ToolDefinitions,
        UnrecordedPart::Memory,
        UnrecordedPart::Reminders,
        UnrecordedPart::Settings,
    ];
    let is_before = |message: &&Message| reply.is_none_or(|reply| message.seq < reply.seq);
    for message in messages.iter().filter(is_before) {
        for (role, block) in blocks(message) {
            request.say(role, [ContextBlock { seq: Some(message.seq), records: message.records.clone(), ..block }]);
        }
    }
    request.finish(None)
}

/// What a message says to a model. A message of the host says nothing.
fn blocks(message: &Message) -> Vec<(ContextRole, ContextBlock)> {
    let draft = &message.draft;
    let is_shown = draft.context != Context::None && draft.part != MessagePart::Replaced;
    if let Body::ToolCall(call) = Body::of(draft)
        && draft.part == MessagePart::Whole
    {
        return of_call(draft.call_id.as_deref().unwrap_or(draft.id.as_str()), &call);
    }
    let text = |role, part| vec![(role, block::text(draft.content.clone(), part, None))];
    match draft.role {
        _ if !is_shown || draft.content.trim().is_empty() => Vec::new(),
        Role::User => text(ContextRole::User, Part::History),
        Role::Assistant => text(ContextRole::Assistant, Part::History),
        Role::Model => {
            let content = json!({"type": "thinking", "thinking": draft.content});
            vec![(ContextRole::Assistant, block::of(Kind::Thinking, Part::Thinking, None, None, content, None))]
        }
        Role::System => text(ContextRole::System, Part::Injected),
        Role::Tool => text(ContextRole::User, Part::Results),
        Role::Host => Vec::new(),
    }
}

fn of_call(id: &str, call: &ToolCall) -> Vec<(ContextRole, ContextBlock)> {
    let used = json!({"type": "tool_use", "id": id, "name": call.tool_name, "input": call.input});
    let mut said = vec![(ContextRole::Assistant, block::anthropic(used, Part::Results, None))];
    if let Some(output) = call.output_text() {
        let is_error = call.state() == ToolState::Failed;
        let result: Value = json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error});
        said.push((ContextRole::User, block::anthropic(result, Part::Results, None)));
    }
    said
}
