//! Words of the older chat hosts in a post: fields and values that say the same as ours are taken, of others the error
//! names the field to use.

use agents::chat_host::{call_of, result_of, role_of};
use api::Problem;
use api::posting::PostMessage;
use model::{Context, MessageType, Role, SessionId, Status};
use serde_json::Value;

/// Returns a post in our words. `named` is the session as the request names it.
pub fn translate(mut input: PostMessage, named: &str, session: &SessionId) -> Result<PostMessage, Problem> {
    if input.chat_jid.take().is_some_and(|jid| jid != named && jid != session.as_str()) {
        return Err(Problem::field("/chat_jid", "the session of the path, or absent"));
    }
    if let Some(at) = input.timestamp.take() {
        if input.created_at.is_some() {
            return Err(Problem::field("/timestamp", "absent if `created_at` is given"));
        }
        input.created_at = Some(at);
    }
    // The role says it.
    input.is_from_me = None;
    if let Some(word) = input.message_type.take() {
        voice(&mut input, &word)?;
    }
    if let Some(kind) = input.kind.take() {
        fits(&kind, tag(&input)).then_some(()).ok_or_else(|| Problem::field("/kind", to_use(&kind)))?;
    }
    Ok(input)
}

fn tag(input: &PostMessage) -> Option<&str> {
    input.message_metadata.as_ref()?.get("message_type")?.as_str()
}

/// Reads the `message_type` of a row: whose voice it is.
fn voice(input: &mut PostMessage, word: &str) -> Result<(), Problem> {
    let refused = |expected: &str| Err(Problem::field("/message_type", expected));
    if word == MessageType::Text && tag(input).is_none_or(|tag| tag == word) {
        return Ok(());
    }
    let sender = input.sender.as_deref().unwrap_or_default();
    let role = match role_of(word, sender) {
        // An agent's own notice: people see it, and no model reads it.
        Some(Role::Host) if word == "assistant" => Role::Assistant,
        Some(Role::Host) => {
            return refused("absent: post messages of the host to `POST /v1/host-messages`, or by `verbatim notify`");
        }
        Some(role) => role,
        None if MessageType::parse(word).is_some() => {
            let envelope = format!("`message_metadata`: `{{\"message_type\": \"{word}\", \"payload\": ...}}`");
            return refused(&format!("absent: give the type in {envelope}"));
        }
        None => return refused("`user`, `assistant`, `system`, `tool_result` or `host`"),
    };
    if input.role.is_some_and(|given| given != role) {
        return refused(&format!("absent if `role` is given; here it means `{role}`"));
    }
    input.role = Some(role);
    let content = input.content.as_deref().unwrap_or_default();
    match (word, sender) {
        ("assistant", "tool_use") if input.message_metadata.is_none() => {
            if let Some((call_id, envelope)) = call_of(content) {
                input.call_id = input.call_id.take().or(call_id);
                input.message_metadata = Some(Value::Object(envelope));
                // Said by the call itself.
                (input.content, input.sender) = (None, None);
            }
        }
        ("assistant", "tool_result") => {
            let result = result_of(content);
            input.call_id = input.call_id.take().or(result.call_id);
            if result.failed {
                input.status = input.status.or(Some(Status::Error));
            }
            input.content = Some(result.text);
            // A record: the call has what the model was given.
            input.context = input.context.or(Some(Context::None));
        }
        _ => {}
    }
    Ok(())
}

/// Returns whether a message of this type is what a `kind` names.
fn fits(kind: &str, tag: Option<&str>) -> bool {
    match kind {
        "text" => tag.is_none_or(|tag| tag == MessageType::Text),
        "file" | "file_card" => tag.is_some_and(|tag| tag == MessageType::File),
        "buttons" | "inputs" => tag.is_some_and(|tag| tag == MessageType::Approval),
        _ => false,
    }
}

/// Returns what says the same as a `kind`.
fn to_use(kind: &str) -> &'static str {
    match kind {
        "text" => "absent: the message has another type than text",
        "file" => "absent: use `message_metadata` with the `message_type` FILE",
        "file_card" => {
            "absent: use `message_metadata` with the `message_type` FILE; buttons of a file are its `actions`"
        }
        "buttons" => {
            "absent: use `message_metadata` with the `message_type` APPROVAL and `kind: \"question\"` in its payload"
        }
        "inputs" => {
            "absent: use `message_metadata` with the `message_type` APPROVAL and `kind: \"form\"` in its payload"
        }
        "action" => "absent: send a person's decision to `POST /v1/sessions/{session}/messages/{message}/decision`",
        _ => "`text`, `file`, `file_card`, `buttons`, `inputs` or `action`",
    }
}
