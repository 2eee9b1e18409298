//! A message of a session. Role, sender, type, context and status are independent columns.

use crate::length;
use crate::{MessageId, Micros, SessionId, SourceId, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// The author of a message.
    Role {
        /// A person.
        User = "user",
        /// The agent: its own text, or a tool call.
        Assistant = "assistant",
        /// Raw reasoning.
        Model = "model",
        /// The result of a tool.
        Tool = "tool",
        /// The agent's program: instructions, context, notices.
        System = "system",
        /// Verbatim itself. Never part of a model's input.
        Host = "host",
    }
    /// Whether a prompt that Verbatim builds can contain the message. Ordered: a sender can lower the policy's default,
    /// not raise it.
    Context {
        /// Never.
        None = "none",
        /// In this run only.
        Ephemeral = "ephemeral",
        /// From then on, as part of the conversation.
        Turn = "turn",
    }
    /// Progress of a message. `sending` exists only in the browser.
    Status {
        /// On its way to the server. Only in the browser.
        Sending = "sending",
        /// Its text is still being written.
        Streaming = "streaming",
        /// Complete.
        Final = "final",
        /// Interrupted. The text so far stays.
        Error = "error",
        /// Retracted. It keeps its `seq`, but its content isn't shown.
        Retracted = "retracted",
    }
    /// Who wrote a message to the store. Set by the importer and the hub, never by a request.
    Provenance {
        /// A reader, from an agent's transcript.
        Reader = "reader",
        /// A request with an agent's key.
        Key = "key",
        /// A person, logged in or at the command line of this machine.
        Person = "person",
        /// Verbatim itself.
        Ourselves = "ourselves",
    }
    /// Relation of a message to its tool call. A call and its derived messages count once.
    Part {
        /// An ordinary message.
        Whole = "whole",
        /// Made from the tool call with the same `call_id`: a diff, a checklist, a question.
        Derived = "derived",
        /// A tool call that is shown as messages derived from it.
        Replaced = "replaced",
    }
}

/// Circumstances of a message. Each of them can change within a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Git branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Name of the model, as the provider uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// For messages of an agent's program in a transcript: the role in the record (`user`, `system`), or the type of
    /// its line (`attachment`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The verbatim bytes that a message was read from: `len` bytes at `offset` of a file, including line ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordRef {
    /// Id of the file.
    pub source: SourceId,
    /// Offset in the file.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Id of its session.
    pub session_id: SessionId,
    /// Position in the session, from 1 without gaps. It defines the order, and updates don't change it.
    pub seq: i64,
    /// Number of the revision, from 1, incremented by each update.
    pub revision: i32,
    /// The fields that its sender set, with later updates.
    #[serde(flatten)]
    pub draft: Draft,
    /// The lines of a transcript that it was read from. Empty for a posted message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordRef>,
    /// When the server received it.
    pub received_at: Micros,
}

/// A message as its sender posts it, without the fields that the store adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Draft {
    /// Id, unique within the session.
    pub id: MessageId,
    /// Role of the message. The policy depends on it, the type and the provenance.
    pub role: Role,
    /// Sender, verbatim: `bot`, `tui-user`, `command_output`, an address.
    pub sender: String,
    /// Display name of the sender: `Nightly bot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// Context, at most the policy's value for role and type.
    pub context: Context,
    /// Progress of the message.
    pub status: Status,
    /// True for a question in text that waits for a person. Set to false by the answer or by the sender.
    pub requires_user_input: bool,
    /// Readable text: markdown, or a preview of one paragraph.
    pub content: String,
    /// Absent, an object of an older client, or an envelope: `message_type`, `version`, `payload`.
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
    /// The agent's own id of a tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Id of the message that this one answers. Set by the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The agent's own id of the turn that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// True if a person rewound the conversation to before it, so that the agent's current context doesn't contain it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_behind: bool,
    /// Relation to a tool call. Set by readers; a posted message is `whole`.
    pub part: Part,
    /// Who wrote the message to the store. If it is absent in JSON: `reader`.
    #[serde(default = "reader", skip_serializing_if = "is_reader")]
    pub provenance: Provenance,
    /// Time, as the sender states it. Only shown; the order is by `seq`.
    pub created_at: Micros,
    /// Circumstances of the message. Empty for a posted message.
    #[serde(default)]
    pub origin: Origin,
}

fn reader() -> Provenance {
    Provenance::Reader
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_reader(provenance: &Provenance) -> bool {
    *provenance == Provenance::Reader
}

impl Draft {
    /// Returns the approximate size of its content and its metadata as JSON, in bytes.
    pub fn bytes(&self) -> usize {
        let metadata = self.metadata.iter().flatten().map(|(key, value)| key.len() + length::of(value));
        self.content.len() + metadata.sum::<usize>()
    }

    /// Makes a final TEXT message, whose fields can then be changed. Its provenance is the least trusted one.
    pub fn text(id: MessageId, role: Role, sender: &str, content: impl Into<String>, created_at: Micros) -> Self {
        Self {
            id,
            role,
            sender: sender.to_owned(),
            sender_name: None,
            context: if role == Role::Host || role == Role::Model { Context::None } else { Context::Turn },
            status: Status::Final,
            requires_user_input: false,
            content: content.into(),
            metadata: None,
            call_id: None,
            reply_to: None,
            run_id: None,
            left_behind: false,
            part: Part::Whole,
            provenance: Provenance::Key,
            created_at,
            origin: Origin::default(),
        }
    }

    /// Returns the message without its content: id, role, status and times.
    #[must_use]
    pub fn without_content(self) -> Self {
        let Self { id, role, context, status, left_behind, part, provenance, created_at, .. } = self;
        let bare = Self::text(id, role, role.as_str(), "", created_at);
        Self { context, status, left_behind, part, provenance, ..bare }
    }

    /// Returns the metadata if a reader or Verbatim itself wrote it; otherwise None, because others' metadata doesn't
    /// prove who the author is.
    pub fn facts(&self) -> Option<&Map<String, Value>> {
        let is_trusted = matches!(self.provenance, Provenance::Reader | Provenance::Ourselves);
        self.metadata.as_ref().filter(|_| is_trusted)
    }

    /// Returns the provenance of a message that was posted before provenance was recorded.
    pub fn posted_provenance(&self) -> Provenance {
        let has_key = self.metadata.as_ref().is_some_and(|metadata| metadata.contains_key("via_key"));
        match self.role {
            Role::Host => Provenance::Ourselves,
            Role::User | Role::System if !has_key => Provenance::Person,
            _ => Provenance::Key,
        }
    }

    /// Returns true if the message can ask a person. Only messages of the agent itself and of Verbatim can.
    pub fn may_ask(&self) -> bool {
        matches!(self.role, Role::Assistant | Role::Host)
    }

    /// Returns true if a person interrupted the agent here.
    pub fn is_interruption(&self) -> bool {
        self.facts().is_some_and(|facts| facts.contains_key("interrupted"))
    }

    /// Returns how long the agent thought before this message; None if it isn't recorded.
    pub fn took(&self) -> Option<Micros> {
        let milliseconds = self.metadata.as_ref()?.get("duration_ms")?.as_i64()?;
        Some(Micros(milliseconds.saturating_mul(Micros::SECOND / 1000)))
    }

    /// Returns the number of context tokens that a compaction replaced; None for other messages, or if it isn't
    /// recorded.
    pub fn compacted_from(&self) -> Option<i64> {
        let figures = self.facts()?.get("compact")?;
        ["preTokens", "pre_tokens"].iter().find_map(|key| figures.get(*key)?.as_i64())
    }

    /// Returns the stored payload.
    pub fn payload(&self) -> Option<&Value> {
        self.metadata.as_ref()?.get("payload")
    }
}
