//! Messages as an agent's program handles them.

use api::messages::Entry;
use api::posting::PostMessage;
use model::{Body, Draft, envelope};
use serde_json::{Map, Value};

/// A stored message with its typed content.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    entry: Entry,
    body: Body,
}

impl From<Entry> for Message {
    fn from(entry: Entry) -> Self {
        Self { body: Body::of(&entry.message.draft), entry }
    }
}

impl Message {
    pub fn id(&self) -> &str {
        self.draft().id.as_str()
    }

    /// Position in the session.
    pub fn seq(&self) -> i64 {
        self.entry.message.seq
    }

    pub fn revision(&self) -> i32 {
        self.entry.message.revision
    }

    /// Markdown.
    pub fn content(&self) -> &str {
        &self.draft().content
    }

    /// The typed payload: match on it for buttons that were pressed, boxes that were ticked, files.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// As a model should read it: what was typed, chosen or ticked.
    pub fn text(&self) -> String {
        match &self.body {
            Body::Action(action) => action.answer(),
            Body::Todo(todo) => todo.ticked(),
            _ => self.content().to_owned(),
        }
    }

    pub fn draft(&self) -> &Draft {
        &self.entry.message.draft
    }

    /// As the API tells it.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    pub fn into_entry(self) -> Entry {
        self.entry
    }
}

/// A message that was stored, and what people wrote before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    pub message: Message,
    /// Position in the workspace's feed.
    pub pos: i64,
    /// It was stored already: the same id was sent before, with the same content.
    pub replayed: bool,
    /// What people wrote to the agent since its last call, oldest first. Given once.
    pub queued_user_messages: Vec<Message>,
}

impl Sent {
    pub fn id(&self) -> &str {
        self.message.id()
    }
}

/// What may be said of a structured message beside its type and payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured {
    /// Kept beside the payload in the envelope.
    pub extras: Map<String, Value>,
    /// Of the envelope; 1 if not said.
    pub version: i64,
    /// The fields of every message: `call_id`, `requires_user_input`, a `content` of one's own. Its
    /// `message_metadata` is replaced.
    pub message: PostMessage,
}

impl Default for Structured {
    fn default() -> Self {
        Self { extras: Map::new(), version: envelope::VERSION, message: PostMessage::default() }
    }
}
