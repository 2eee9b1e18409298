//! Messages as an agent's program handles them.

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
    /// Returns the message's id, unique in its session for ever.
    pub fn id(&self) -> &str {
        self.draft().id.as_str()
    }

    /// Returns the position in the session: from 1, without gaps, never changed. It is the only order.
    pub fn seq(&self) -> i64 {
        self.entry.message.seq
    }

    /// Returns the revision: 1 when it was posted, one more with each accepted change.
    /// [`UpdateMessage::if_match`](crate::UpdateMessage::if_match) takes it.
    pub fn revision(&self) -> i32 {
        self.entry.message.revision
    }

    /// Returns the markdown of the message, as it was written or as the server made it from the payload. Never cut.
    pub fn content(&self) -> &str {
        &self.draft().content
    }

    /// Returns the typed payload. Match on it for buttons that were pressed, boxes that were ticked, and files; a type
    /// that isn't built in is [`Body::Unknown`].
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns what a model should read: what was typed, chosen or ticked. Empty for what the host says, which none may.
    pub fn text(&self) -> String {
        match &self.body {
            _ if self.draft().role == Role::Host => String::new(),
            Body::Action(action) => action.answer(),
            Body::Todo(todo) => todo.ticked(),
            _ => self.content().to_owned(),
        }
    }

    /// Returns the fields that its writer set: role, sender, status, metadata, times.
    pub fn draft(&self) -> &Draft {
        &self.entry.message.draft
    }

    /// Returns the message as the API sends it, with its one-line summary, display and delivery.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Like [`Self::entry`], without a copy.
    pub fn into_entry(self) -> Entry {
        self.entry
    }
}

/// A message that was stored, and what people wrote before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// As it is stored, with what the server added.
    pub message: Message,
    /// Position in the workspace's feed: an event with this `pos` or a higher one comes after it.
    pub pos: i64,
    /// It was stored already: the same id was sent before, with the same content.
    pub replayed: bool,
    /// What people wrote to the agent since its last call, oldest first. Given once.
    pub queued_user_messages: Vec<Message>,
}

impl Sent {
    /// Returns the id of the stored message.
    pub fn id(&self) -> &str {
        self.message.id()
    }
}

/// Options of a structured message beside its type and payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured {
    /// Extra keys of the envelope beside the payload, such as `edit_info`. `message_type`, `version` and `payload` are
    /// refused.
    pub extras: Map<String, Value>,
    /// Version of the payload's format, written into the envelope. 1 by default.
    pub version: i64,
    /// The fields of every message: `call_id`, `requires_user_input`, a `content` of one's own. Its `message_metadata`
    /// is replaced.
    pub message: PostMessage,
}

impl Default for Structured {
    fn default() -> Self {
        Self { extras: Map::new(), version: envelope::VERSION, message: PostMessage::default() }
    }
}
