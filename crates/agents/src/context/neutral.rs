//! The context where an agent's requests can't be rebuilt: its messages as they are stored.

use super::block;
use super::request::Request;
use model::message_type::tool_call::{ToolCall, ToolState};
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextDialect, ContextPart as Part, ContextReply, ContextRole,
    ModelContext, UnrecordedPart,
};
use model::policy::may_reach_model;
use model::run_prompt::{Piece, Rendered};
use model::{Body, Context, Message, Part as MessagePart, Role};
use serde_json::{Value, json};

/// Returns the messages before a reply as a context, which is always approximate: `reason` says why there is no better one.
/// Messages are in the order of their `seq`; of the reply, none if the model hasn't replied yet.
pub fn of_messages(messages: &[Message], reply: Option<&Message>, reason: &str) -> ModelContext {
    let mut request = Request::new(ContextDialect::Neutral, of_reply(reply));
    request.doubt(reason);
    request.unrecorded = UnrecordedPart::ALL.to_vec();
    let is_before = |message: &&Message| reply.is_none_or(|reply| message.seq < reply.seq);
    for message in messages.iter().filter(is_before) {
        for (role, block) in blocks(message) {
            request.say(role, [ContextBlock { seq: Some(message.seq), records: message.records.clone(), ..block }]);
        }
    }
    request.finish(None)
}

/// Returns what an agent was given for a run, which is exact: the pieces are those of the context log. What the agent adds of its own,
/// and what it remembers of earlier runs, isn't recorded.
pub fn of_run(pieces: &[Piece], reply: Option<&Message>) -> ModelContext {
    let mut request = Request::new(ContextDialect::Neutral, of_reply(reply));
    request.note("This is what the agent was given for this run, from the context log; what it keeps of earlier runs isn't known");
    request.unrecorded = vec![
        UnrecordedPart::SystemPrompt,
        UnrecordedPart::ToolDefinitions,
        UnrecordedPart::Reminders,
        UnrecordedPart::Settings,
    ];
    let rendered = Rendered { pieces: pieces.to_vec() };
    request.system.extend(rendered.system().map(|text| block::text(text, Part::System, None)));
    let seqs: Vec<i64> = pieces.iter().filter_map(|piece| piece.seq).collect();
    let prompt = rendered.prompt();
    let Ok(Value::Array(messages)) = serde_json::from_str(&prompt) else {
        let said = block::text(prompt, Part::History, None);
        request.say(ContextRole::User, [ContextBlock { seq: seqs.last().copied(), ..said }]);
        return request.finish(None);
    };
    let contents = messages.iter().flat_map(|message| {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("assistant") => ContextRole::Assistant,
            Some("user") => ContextRole::User,
            _ => ContextRole::System,
        };
        let parts = match message.get("content") {
            Some(Value::Array(parts)) => parts.clone(),
            Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
            _ => vec![message.clone()],
        };
        let seq = message.get("seq").and_then(Value::as_i64);
        parts.into_iter().map(move |part| (role, block::anthropic(part, Part::History, None), seq))
    });
    let all: Vec<_> = contents.collect();
    // Where each message is one part, the log tells which is which.
    let told = (all.len() == seqs.len()).then_some(seqs);
    for (index, (role, said, seq)) in all.into_iter().enumerate() {
        let seq = seq.or_else(|| told.as_ref().and_then(|told| told.get(index).copied()));
        request.say(role, [ContextBlock { seq, ..said }]);
    }
    request.finish(None)
}

fn of_reply(reply: Option<&Message>) -> ContextReply {
    let of_reply = reply.map(|reply| ContextReply {
        id: Some(reply.draft.id.to_string()),
        seq: Some(reply.seq),
        at: Some(reply.draft.created_at),
        model: reply.draft.origin.model.clone(),
        agent_version: reply.draft.origin.version.clone(),
        usage: None,
        records: reply.records.clone(),
    });
    of_reply.unwrap_or_default()
}

/// Returns a message as blocks for a model. A message of the host has none.
fn blocks(message: &Message) -> Vec<(ContextRole, ContextBlock)> {
    let draft = &message.draft;
    if !may_reach_model(draft) {
        return Vec::new();
    }
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
