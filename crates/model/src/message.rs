//! One row of a session. Each of five questions has its own column: whose voice, who exactly, which widget, may a prompt
//! hold it, how far has it got.

use crate::length;
use crate::{MessageId, Micros, SessionId, SourceId, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

words! {
    /// Whose voice.
    Role {
        /// A person.
        User = "user",
        /// The agent, in its own words or calling a tool.
        Assistant = "assistant",
        /// Raw reasoning.
        Model = "model",
        /// The result of a tool.
        Tool = "tool",
        /// The agent's program: instructions, context, notices.
        System = "system",
        /// Verbatim itself. Never reaches a model.
        Host = "host",
    }
    /// Whether a prompt that Verbatim builds may hold the message. Ordered: a writer may lower the policy's default, never raise it.
    Context {
        /// Never.
        None = "none",
        /// This run only.
        Ephemeral = "ephemeral",
        /// From then on, as a part of the conversation.
        Turn = "turn",
    }
    /// How far a message has got. `sending` exists only in the browser.
    Status {
        /// On its way to the server. Only in the browser.
        Sending = "sending",
        /// Its text still grows.
        Streaming = "streaming",
        /// Complete.
        Final = "final",
        /// Broken off: what is there stays.
        Error = "error",
        /// Taken back: it keeps its `seq` and shows no content.
        Retracted = "retracted",
    }
    /// Who wrote a message into the store. The importer and the hub set it; no request can.
    Provenance {
        /// A reader, from an agent's transcript.
        Reader = "reader",
        /// A request with an agent's key.
        Key = "key",
        /// A person: logged in, or at the command line of this machine.
        Person = "person",
        /// Verbatim itself.
        Ourselves = "ourselves",
    }
    /// What a message is to its tool call. A pair counts once.
    Part {
        /// An ordinary message.
        Whole = "whole",
        /// Made from the tool call with the same `call_id`: a diff, a checklist, a question.
        Derived = "derived",
        /// A tool call that derived messages stand for: the transcript draws those in its place.
        Replaced = "replaced",
    }
}

/// Where and with what a message was made; each may change within a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The git branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of what a transcript's program wrote around the conversation: the role that the record gives it (`user`, `system`), or
    /// the type of its line where that is something else (`attachment`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The verbatim bytes that a message came from: `len` bytes at `offset` of a source, line ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordRef {
    /// The file that the bytes were read from.
    pub source: SourceId,
    /// Bytes of the source before them.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// The session that it belongs to.
    pub session_id: SessionId,
    /// Position in the session, from 1, gap-free; the only order. Updates keep it.
    pub seq: i64,
    /// Grows with each accepted update, from 1.
    pub revision: i32,
    /// What its writer handed in, with later updates.
    #[serde(flatten)]
    pub draft: Draft,
    /// The lines of a transcript that it was read from. Empty for a posted message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordRef>,
    /// When we got it, by our clock.
    pub received_at: Micros,
}

/// What a writer hands in: a message without what the store adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Draft {
    /// Unique within the session, for ever.
    pub id: MessageId,
    /// Whose voice it is. Decides, with type and provenance, how it is treated.
    pub role: Role,
    /// Verbatim: `bot`, `tui-user`, `command_output`, an address.
    pub sender: String,
    /// The sender for people: `Nightly bot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// At most what the policy gives to role and type.
    pub context: Context,
    /// How far it has got.
    pub status: Status,
    /// A question in words, which waits for a person. The answer, or its writer, sets it to false.
    pub requires_user_input: bool,
    /// Always readable: markdown, or a preview of one paragraph.
    pub content: String,
    /// None, a legacy object, or an envelope. `Envelope` says what stands in it.
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
    /// The agent's own id of a tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The message that this one answers; the writer sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The agent's own id of the turn that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// A person rewound the conversation to before it: it was said, but the agent's present context lacks it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_behind: bool,
    /// Whether it stands for itself, or for a tool call. Readers set it; a posted message is `whole`.
    pub part: Part,
    /// Who wrote the message into the store. Absent in JSON: `reader`.
    #[serde(default = "reader", skip_serializing_if = "is_reader")]
    pub provenance: Provenance,
    /// The provider's time: shown, never used for order.
    pub created_at: Micros,
    /// Where and with what it was made. Empty for a posted message.
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
    /// Returns about how many bytes its content and its metadata have as JSON.
    pub fn bytes(&self) -> usize {
        let metadata = self.metadata.iter().flatten().map(|(key, value)| key.len() + length::of(value));
        self.content.len() + metadata.sum::<usize>()
    }

    /// Makes a final TEXT message; the usual starting point, to be changed by field. Its provenance is the least
    /// trusted one.
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

    /// Returns the message without what it says: its id, whose voice it is, how far it has got and when it was said.
    #[must_use]
    pub fn without_content(self) -> Self {
        let Self { id, role, context, status, left_behind, part, provenance, created_at, .. } = self;
        let bare = Self::text(id, role, role.as_str(), "", created_at);
        Self { context, status, left_behind, part, provenance, ..bare }
    }

    /// Returns what a reader or Verbatim itself recorded beside the text. None for all other writers: their metadata states
    /// nothing about who speaks.
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

    /// Returns whether the message can ask a person to decide or answer. Only the agent's own voice and Verbatim ask.
    pub fn may_ask(&self) -> bool {
        matches!(self.role, Role::Assistant | Role::Host)
    }

    /// Returns whether a person stopped the agent here.
    pub fn is_interruption(&self) -> bool {
        self.facts().is_some_and(|facts| facts.contains_key("interrupted"))
    }

    /// Returns how long the agent thought before it said this; None where that isn't recorded.
    pub fn took(&self) -> Option<Micros> {
        let milliseconds = self.metadata.as_ref()?.get("duration_ms")?.as_i64()?;
        Some(Micros(milliseconds.saturating_mul(Micros::SECOND / 1000)))
    }

    /// Returns how many tokens of context a compaction replaced; None for any other message, or where that isn't
    /// recorded.
    pub fn compacted_from(&self) -> Option<i64> {
        let figures = self.facts()?.get("compact")?;
        ["preTokens", "pre_tokens"].iter().find_map(|key| figures.get(*key)?.as_i64())
    }

    /// The payload as it is stored.
    pub fn payload(&self) -> Option<&Value> {
        self.metadata.as_ref()?.get("payload")
    }
}
