//! Messages for an agent's program.

use api::messages::Entry;
use api::posting::PostMessage;
use model::{Body, Draft, Role, envelope};
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
    /// Returns the id of the message, unique in its session.
    pub fn id(&self) -> &str {
        self.draft().id.as_str()
    }

    /// Returns the position in the session: from 1, without gaps, never changed. It defines the order.
    pub fn seq(&self) -> i64 {
        self.entry.message.seq
    }

    /// Returns the revision: 1 when it was posted, incremented by each update.
    /// [`UpdateMessage::if_match`](crate::UpdateMessage::if_match) takes it.
    pub fn revision(&self) -> i32 {
        self.entry.message.revision
    }

    /// Returns the markdown of the message, as it was written or as the server made it from the payload. Never
    /// shortened.
    pub fn content(&self) -> &str {
        &self.draft().content
    }

    /// Returns the typed payload. Match on it for pressed buttons, ticked items, and files. A custom type is
    /// [`Body::Unknown`].
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the text for a model: the typed text, the chosen options or the ticks. Empty for messages of the host.
    pub fn text(&self) -> String {
        match &self.body {
            _ if self.draft().role == Role::Host => String::new(),
            Body::Action(action) => action.answer(),
            Body::Todo(todo) => todo.ticked(),
            _ => self.content().to_owned(),
        }
    }

    /// Returns the fields that its sender set: role, sender, status, metadata, times.
    pub fn draft(&self) -> &Draft {
        &self.entry.message.draft
    }

    /// Returns the message as the API returns it, with its summary, display and delivery.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Like [`Self::entry`], without a copy.
    pub fn into_entry(self) -> Entry {
        self.entry
    }
}

/// A stored message, with the messages that people wrote before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The stored message.
    pub message: Message,
    /// Position in the workspace's feed. Events with this `pos` or a higher one are later.
    pub pos: i64,
    /// True if the same message was sent before with the same id.
    pub replayed: bool,
    /// Messages of people to the agent since its last call, oldest first. Each is returned once.
    pub queued_user_messages: Vec<Message>,
}

impl Sent {
    /// Returns the id of the stored message.
    pub fn id(&self) -> &str {
        self.message.id()
    }
}

/// Options of a structured message, other than its type and payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured {
    /// Further fields of the envelope, such as `edit_info`. `message_type`, `version` and `payload` aren't accepted.
    pub extras: Map<String, Value>,
    /// Version of the payload's format, 1 by default.
    pub version: i64,
    /// The fields of every message, such as `call_id`, `requires_user_input` and `content`. Its `message_metadata` is
    /// replaced.
    pub message: PostMessage,
}

impl Default for Structured {
    fn default() -> Self {
        Self { extras: Map::new(), version: envelope::VERSION, message: PostMessage::default() }
    }
}
