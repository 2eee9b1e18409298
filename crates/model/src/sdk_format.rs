//! Stored messages as the input of a model, for sessions whose prompts we build.

use crate::policy::prompt_holds;
use crate::routing::Mark;
use crate::todo_state::TodoState;
use crate::{Body, Context, Draft, Message, MessageId, Micros, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message as a driver of an agent gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SdkMessage {
    /// Its position in the session.
    pub seq: i64,
    /// Its id, for `reply_to`.
    pub id: MessageId,
    /// Whose voice. Never `host`.
    pub role: Role,
    /// The tag of its type: `TEXT`.
    pub message_type: String,
    /// The sender's word: `bot`, an address.
    pub sender: String,
    /// The sender for people.
    pub sender_name: Option<String>,
    /// What the model reads; for a typed message its markdown.
    pub content: String,
    /// When it was said.
    pub created_at: Micros,
    /// The envelope, unchanged.
    pub metadata: Option<Map<String, Value>>,
}

/// What a run begins with. [`crate::run_prompt`] renders it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// What the model reads, in the order of `seq`.
    pub messages: Vec<SdkMessage>,
    /// For this run only; they go into the system prompt and nowhere else.
    pub system_notices: Vec<String>,
}

/// Returns the messages whose context is `turn`, ordered by `seq`. A host's message is never among them, nor one that was
/// retracted or that the conversation was rewound past.
pub fn format_for_sdk(messages: &[Message]) -> Vec<SdkMessage> {
    in_order(messages, Context::Turn).map(|message| SdkMessage::new(message.seq, &message.draft)).collect()
}

impl SdkMessage {
    /// Returns a message as a driver gets it, whatever its context.
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
    /// Collects the input of a run from the messages since the last one that was delivered. System messages with the
    /// context `ephemeral` are notices of this run.
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

/// Returns what the model reads: a text without the mention of its assistant, a reply as `Selected: label`, a tick as `Ticked: item`, an upload as caption and names.
/// Nothing of what the host says.
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
