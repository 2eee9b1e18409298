//! What agents and people write: messages, updates, decisions, ticks; and what waits for an agent.

#[cfg(feature = "schema")]
mod envelope;

use crate::endpoint::{Input, Reply};
use crate::messages::Entry;
use model::message_type::approval::ApprovalState;
use model::{Context, MessageId, Role, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message to be stored. Everything is optional but something to show: `content`, or an envelope.
///
/// Give an `id` of your own to be able to repeat the request: the same id with the same content is answered again (200,
/// `Idempotent-Replayed: true`), with another content it is refused (409). Without one, each request is a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PostMessage {
    /// 1 to 128 characters, unique in its session for ever.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `assistant` for an agent, `user` for a person. The older products' `tools`, `tool_result` and `bot` are taken too.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "role")]
    pub role: Option<Role>,
    /// Who exactly, verbatim: `bot`, `tui-user`. With the role `assistant`, a word of the older products gives a text its voice:
    /// `thinking` the role `model`, `tool_use` and `tool_result` the role `tool`. What claims to be the host or the system is
    /// shown as the agent's own notice, and no prompt holds it.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// For people: the key's name if absent.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// Markdown. Made from the payload where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// An envelope `{message_type, version, payload, ...}`, or any object. Replies call it `metadata`, and that is taken here
    /// too.
    #[cfg_attr(feature = "schema", schemars(with = "Option<envelope::Envelope>"))]
    #[serde(skip_serializing_if = "Option::is_none", alias = "metadata")]
    pub message_metadata: Option<Value>,
    /// The session waits for a person's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_user_input: Option<bool>,
    /// The agent's own id of a tool call. Its result comes by an update of the call's message, or as a message of the role `tool`
    /// with the same `call_id`: it is done, or failed if that one has the status `error` or an `exit_code` other than 0.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Id of the message that this one answers. Of several questions it answers that one; without it, a person answers whatever is asked.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The agent's own id of the turn that it belongs to.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// `final`, `streaming` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Less than what the policy would give; never more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Whether it may be remembered beyond its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryWish>,
    /// Of a message of a person or of the system: give it to the agent? If absent, unless an agent's key passes it on that is no
    /// bridge, or no prompt may hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<bool>,
    /// RFC 3339, or microseconds since 1970: when it was said. Shown, never used for order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Value>,
    /// Of the older chat host's rows: the session of the address.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_jid: Option<String>,
    /// Of its rows: `created_at`.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Value>,
    /// Of its rows: what the role says as well.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_from_me: Option<Value>,
    /// Of its rows: whose voice it is.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_type: Option<String>,
    /// The older word for a type.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Reads a role, in the words of the older products too.
fn role<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    struct Word(Role);
    impl<'de> Deserialize<'de> for Word {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let parse = |word: &str| match word {
                "tools" | "tool_result" => Some(Role::Tool),
                "bot" => Some(Role::Assistant),
                word => Role::parse(word),
            };
            model::read_word(deserializer, parse, Role::WORDS).map(Self)
        }
    }
    Ok(Option::<Word>::deserialize(deserializer)?.map(|Word(role)| role))
}

impl Input for PostMessage {
    const EXAMPLE: &'static str = r#"{"id": "step-2", "content": "I found the crash: `next()` reads past the end."}"#;
}

/// A text.
impl From<&str> for PostMessage {
    fn from(content: &str) -> Self {
        content.to_owned().into()
    }
}

/// A text.
impl From<String> for PostMessage {
    fn from(content: String) -> Self {
        Self { content: Some(content), ..Self::default() }
    }
}

/// Whether a message may be remembered beyond its session, whatever its role and type say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryWish {
    /// Also where its role and type aren't remembered; never what the policy forbids. An agent may not ask for it.
    Always,
    /// Not even where its role and type are remembered.
    Never,
}

/// A stored message, and what people wrote since the agent's last call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posted {
    /// As it is stored.
    #[serde(flatten)]
    pub message: Entry,
    /// Position in the workspace's feed: a reader that has come as far sees the message.
    pub pos: i64,
    /// The same request came before; this is the message as it was made, whatever became of it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// What people wrote to the agent since its last call, oldest first. Given once.
    pub queued_user_messages: Vec<Entry>,
}
impl Reply for Posted {
    const STATUSES: &'static [u16] = &[201, 200];
    fn status(&self) -> u16 {
        if self.replayed { 200 } else { 201 }
    }
    fn replayed(&self) -> bool {
        self.replayed
    }
    fn bytes(&self) -> usize {
        self.message.bytes() + self.queued_user_messages.iter().map(Entry::bytes).sum::<usize>()
    }
}

/// Up to 256 messages, stored together or not at all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PostMessages {
    /// In the order in which they get their places.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 256)))]
    #[serde(deserialize_with = "model::strict::objects")]
    pub messages: Vec<PostMessage>,
}
impl Input for PostMessages {
    const EXAMPLE: &'static str = r#"{"messages": [{"id": "step-3", "content": "Reading the parser"}, {"id": "step-4", "content": "It fails on an empty line"}]}"#;
}

/// The stored messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostedMessages {
    /// One for each that was posted, in their order.
    pub messages: Vec<Posted>,
}
impl Reply for PostedMessages {
    const STATUSES: &'static [u16] = &[201, 200];
    fn status(&self) -> u16 {
        if self.replayed() { 200 } else { 201 }
    }
    fn replayed(&self) -> bool {
        self.messages.iter().all(|message| message.replayed)
    }
    fn weight(&self) -> usize {
        self.messages.len()
    }
    fn bytes(&self) -> usize {
        self.messages.iter().map(Reply::bytes).sum()
    }
}

/// What changes in a message. Absent fields stay. `streaming` becomes `final` or `error`; `final` and `error` become
/// `retracted`; anything else is refused (409).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct UpdateMessage {
    /// The whole new text. Not together with `append`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Text that goes on at the end of the content. Sent again after a lost answer it would stand there twice: give the
    /// revision that it goes on from in `if_match`, and a repeat is refused (412) with the message as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
    /// Replaces the metadata as a whole; null clears it. Replies call it `metadata`, and that is taken here too.
    #[cfg_attr(feature = "schema", schemars(with = "Option<envelope::Envelope>"))]
    #[serde(skip_serializing_if = "Option::is_none", alias = "metadata", deserialize_with = "null_too")]
    pub message_metadata: Option<Value>,
    /// The next status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// True asks a person; a question that was answered isn't asked again (409 `answered`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_user_input: Option<bool>,
    /// The revision that the writer knows; as the header `If-Match` too. Another one: 412 with the message as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<i32>,
}

/// What is given, be it null: only what is absent is None.
fn null_too<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Input for UpdateMessage {
    const REFUSALS: &'static [u16] = &[412];
    const EXAMPLE: &'static str = r#"{"append": " All 41 tests pass.", "if_match": 1}"#;
    const IF_MATCH: bool = true;
    fn if_match(&mut self) -> Option<&mut Option<i32>> {
        Some(&mut self.if_match)
    }
}

/// A message as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Updated {
    /// As it is stored after the change.
    #[serde(flatten)]
    pub message: Entry,
    /// Position in the workspace's feed: a reader that has come as far sees the change.
    pub pos: i64,
}
impl Reply for Updated {
    fn bytes(&self) -> usize {
        self.message.bytes()
    }
}

/// Who waits for people's messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TakePending {
    /// The last `seq` that the agent has, 0 at first, then the `after` of each answer: a repeat after a lost answer gives the
    /// same. Without it comes what was given to nobody yet; what an answer held that was lost on its way isn't given again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Refused (409 `stale`) unless exactly the messages up to this `seq` were delivered: another reader was here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expects: Option<i64>,
    /// Seconds to wait for the first one, 0 to 60; 0 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 60)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
    /// 1 to 500; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for TakePending {
    const EXAMPLE: &'static str = r#"{"after": 0, "wait": 5}"#;
}

/// What people wrote to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingMessages {
    /// Oldest first; empty when the time is over.
    pub messages: Vec<Entry>,
    /// What to ask for next, as `after`: the last `seq` that was given.
    pub after: i64,
    /// State of the session: an ended one gets no more.
    pub state: model::SessionState,
}
impl Reply for PendingMessages {
    fn bytes(&self) -> usize {
        self.messages.iter().map(Entry::bytes).sum()
    }
}

/// A person's decision on an APPROVAL, or the button of a FILE or of a comment in a `CODE_REVIEW` that a person pressed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// `allowed_once`, `allowed_always`, `denied` or `answered`. Follows from the chosen option where it has a kind.
    /// `cancelled` dismisses a request of any kind, and goes with nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ApprovalState>,
    /// Ids of the chosen options. The agent finds them in the approval's `decision.selected`; the ACTION has the labels.
    /// Of a FILE one button: the number of the file from 0, a colon, and the id of its action. Of a `CODE_REVIEW` the index of the
    /// comment from 0, a colon, and `accept`, `resolve` or `reopen`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// An answer in the person's own words, where the approval takes any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Values of a form by field id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<String, Value>>,
    /// What the person was shown: the `shown_sha256` of the message as it was read. Something else by now is refused
    /// (412). Absent only to deny an approval, which takes nothing to be read; an option that denies for ever needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
    /// Fields of the tool's input that the person changed, where an agent's hook asks: texts that it has. Only with
    /// `allowed_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_input: Option<Map<String, Value>>,
}
impl Input for Decide {
    // 412: the approval was changed since it was read.
    const REFUSALS: &'static [u16] = &[412];
    const EXAMPLE: &'static str = r#"{"selected": ["allow"], "shown_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#;
}

/// The approval, the files or the review as they are now, and the ACTION that tells the agent: in labels, where the approval's `decision` has ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decided {
    /// The message that was decided.
    pub approval: Entry,
    /// What the agent gets as the answer.
    pub action: Entry,
    /// Position in the workspace's feed: a reader that has come as far sees both.
    pub pos: i64,
    /// The same decision came before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}
impl Reply for Decided {
    fn replayed(&self) -> bool {
        self.replayed
    }
    fn bytes(&self) -> usize {
        self.approval.bytes() + self.action.bytes()
    }
}

/// A tick in the todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TickTodo {
    /// Id of the item.
    pub id: String,
    /// `completed` ticks it, `pending` takes the tick back.
    pub status: model::message_type::todo::TodoStatus,
    /// Of the message that the tick makes, to be able to repeat the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
}
impl Input for TickTodo {
    const EXAMPLE: &'static str = r#"{"id": "2", "status": "completed"}"#;
}
