//! Stored messages as the input of a model, for sessions whose prompts Verbatim builds.

use crate::policy::prompt_holds;
use crate::routing::Mark;
use crate::todo_state::TodoState;
use crate::{Body, Context, Draft, Message, MessageId, Micros, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message for an agent's driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SdkMessage {
    /// Position in the session.
    pub seq: i64,
    /// Its id, for `reply_to`.
    pub id: MessageId,
    /// Role. Never `host`.
    pub role: Role,
    /// Message type: `TEXT`.
    pub message_type: String,
    /// Sender: `bot`, an address.
    pub sender: String,
    /// Display name of the sender.
    pub sender_name: Option<String>,
    /// Text for the model; markdown for a typed message.
    pub content: String,
    /// Time of the message.
    pub created_at: Micros,
    /// The envelope, unchanged.
    pub metadata: Option<Map<String, Value>>,
}

/// Input of a run. [`crate::run_prompt`] renders it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// Messages for the model, in the order of `seq`.
    pub messages: Vec<SdkMessage>,
    /// Notices for this run only, as part of the system prompt.
    pub system_notices: Vec<String>,
}

/// Returns the messages with the context `turn`, ordered by `seq`. Messages of the host, retracted messages and those
/// that the conversation was rewound past are excluded.
pub fn format_for_sdk(messages: &[Message]) -> Vec<SdkMessage> {
    in_order(messages, Context::Turn).map(|message| SdkMessage::new(message.seq, &message.draft)).collect()
}

impl SdkMessage {
    /// Makes the message of a driver, whatever its context.
    pub fn new(seq: i64, draft: &Draft) -> Self {
        Self {
            seq,
            id: draft.id.clone(),
            role: draft.role,
            message_type: draft.message_type().to_owned(),
            sender: draft.sender.clone(),
            sender_name: draft.sender_name.clone(),
            content: model_text(draft),
            created_at: draft.created_at,
            metadata: draft.metadata.clone(),
        }
    }
}

impl RunInput {
    /// Collects the input of a run from the messages since the last delivered one. System messages with the context
    /// `ephemeral` are notices of this run.
    pub fn of(messages: &[Message]) -> Self {
        Self {
            messages: format_for_sdk(messages),
            system_notices: in_order(messages, Context::Ephemeral)
                .filter(|message| message.draft.role == Role::System)
                .map(|message| message.draft.content.clone())
                .collect(),
        }
    }
}

fn in_order(messages: &[Message], context: Context) -> impl Iterator<Item = &Message> {
    let mut fit: Vec<&Message> = messages.iter().filter(|message| prompt_holds(&message.draft, context)).collect();
    fit.sort_by_key(|message| message.seq);
    fit.into_iter()
}

/// Returns the text for the model: a text without the mention of its assistant, a reply as `Selected: label`, a tick as
/// `Ticked: item`, an upload as caption and names. Empty for messages of the host.
pub fn model_text(draft: &Draft) -> String {
    if draft.role == Role::Host {
        return String::new();
    }
    if let Some(text) = Mark::of(draft).text {
        return text;
    }
    let body = Body::of(draft);
    match &body {
        Body::Text(_) | Body::Unknown { .. } | Body::Invalid { .. } => draft.content.clone(),
        Body::Todo(todo) if draft.role == Role::User => todo.ticked(),
        Body::Todo(todo) => TodoState::new(todo.clone(), draft.metadata.as_ref()).to_markdown(),
        Body::File(file) => {
            let names = file.files.iter().map(|file| file.name.as_str()).filter(|name| !draft.content.contains(name));
            let lines: Vec<&str> =
                Some(draft.content.as_str()).filter(|text| !text.is_empty()).into_iter().chain(names).collect();
            lines.join("\n")
        }
        _ => body.to_markdown(),
    }
}
