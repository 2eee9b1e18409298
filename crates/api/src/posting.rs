//! Messages and updates of agents, decisions and ticks of people, and messages that wait for an agent.

#[cfg(feature = "schema")]
mod envelope;

use crate::endpoint::{Input, Reply};
use crate::messages::Entry;
use model::message_type::approval::ApprovalState;
use model::{Context, MessageId, Role, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message to post. All fields are optional, but `content` or an envelope is required.
///
/// An `id` makes the request repeatable: the same id with the same content returns the stored message (200,
/// `Idempotent-Replayed: true`); with different content it is refused (409). Without one, each request stores a
/// message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PostMessage {
    /// Id of the message, 1 to 128 characters, unique in its session.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Role: `assistant` for an agent, `user` for a person. `tools`, `tool_result` and `bot` of older products are
    /// accepted too.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "role")]
    pub role: Option<Role>,
    /// Sender, verbatim: `bot`, `tui-user`. With the role `assistant`, `thinking` changes the role to `model`, and
    /// `tool_use` and `tool_result` to `tool`. A sender that claims to be the host or the system is shown as the
    /// agent's own notice, and isn't part of any prompt.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Display name of the sender; the key's name if absent.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// Markdown; made from the payload if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// An envelope `{message_type, version, payload, ...}`, or any object. Replies call it `metadata`; that name is
    /// accepted too.
    #[cfg_attr(feature = "schema", schemars(with = "Option<envelope::Envelope>"))]
    #[serde(skip_serializing_if = "Option::is_none", alias = "metadata")]
    pub message_metadata: Option<Value>,
    /// True if the session waits for a person's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_user_input: Option<bool>,
    /// The agent's own id of a tool call. The result comes as an update of the call's message, or as a message of the
    /// role `tool` with the same `call_id`: failed if it has the status `error` or an `exit_code` other than 0,
    /// otherwise done.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Id of the message that this one answers. Without it, an answer of a person is for the open question, whichever
    /// it is.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The agent's own id of the turn.
    #[cfg_attr(feature = "schema", schemars(length(max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// `final`, `streaming` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Context of the message. It can restrict the policy's value, not extend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Whether the message may be remembered beyond its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryWish>,
    /// True to give a message of a person or of the system to the agent. If absent: true, unless an agent's key that
    /// isn't a bridge posts it, or the message can't be part of a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<bool>,
    /// Time of the message, RFC 3339 or microseconds since 1970. It is only shown; the order is by `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Value>,
    /// Alias of older chat hosts: id of the session, which must be that of the path.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_jid: Option<String>,
    /// Alias of older chat hosts for `created_at`.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Value>,
    /// Alias of older chat hosts: whether the role is that of the agent.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_from_me: Option<Value>,
    /// Alias of older chat hosts for the role.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_type: Option<String>,
    /// Older name of a message type.
    #[doc(hidden)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Parses a role, including names of older products.
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

/// Makes a text message.
impl From<&str> for PostMessage {
    fn from(content: &str) -> Self {
        content.to_owned().into()
    }
}

/// Makes a text message.
impl From<String> for PostMessage {
    fn from(content: String) -> Self {
        Self { content: Some(content), ..Self::default() }
    }
}

/// Whether a message may be remembered beyond its session, regardless of its role and type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryWish {
    /// Remembered even if its role and type aren't, but never if the policy forbids it. Agents can't request it.
    Always,
    /// Never remembered.
    Never,
}

/// A stored message, and what people wrote since the agent's last call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posted {
    /// The message as it is stored.
    #[serde(flatten)]
    pub message: Entry,
    /// Position in the workspace's feed. A reader that has reached it sees the message.
    pub pos: i64,
    /// True if the request was repeated. Then this is the message as it was created, without later changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// Messages of people to the agent since its last call, oldest first. Each is returned once.
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

/// Up to 256 messages, stored all or none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PostMessages {
    /// The messages, in the order of their `seq`.
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
    /// One for each message of the request, in the same order.
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

/// Changes to a message. Absent fields stay unchanged. `streaming` can become `final` or `error`; `final` and `error`
/// can become `retracted`. Other changes of the status are refused (409).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct UpdateMessage {
    /// Replaces the text. Can't be combined with `append`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Text to append to the content. A retry would append it twice: set `if_match` to the revision before, and the
    /// retry is refused (412) with the current message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
    /// Replaces the whole metadata; null removes it. Replies call it `metadata`; that name is accepted too.
    #[cfg_attr(feature = "schema", schemars(with = "Option<envelope::Envelope>"))]
    #[serde(skip_serializing_if = "Option::is_none", alias = "metadata", deserialize_with = "null_too")]
    pub message_metadata: Option<Value>,
    /// New status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// True to ask a person. A question that was answered can't be asked again (409 `answered`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_user_input: Option<bool>,
    /// Revision that the caller knows, as in the `If-Match` header. If it differs: 412 with the current message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<i32>,
}

/// Deserializes null as `Some(Value::Null)`, so that only an absent field is None.
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

/// A message after an update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Updated {
    /// The message as it is stored.
    #[serde(flatten)]
    pub message: Entry,
    /// Position in the workspace's feed. A reader that has reached it sees the change.
    pub pos: i64,
}
impl Reply for Updated {
    fn bytes(&self) -> usize {
        self.message.bytes()
    }
}

/// Options for taking people's messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TakePending {
    /// The last `seq` that the agent has: 0 at first, then `after` of each reply. A retry then returns the same
    /// messages. Without it, messages that weren't given yet are returned; those of a lost reply aren't returned again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// The last `seq` that was delivered. If it differs, another reader took messages, and the request is refused (409
    /// `stale`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expects: Option<i64>,
    /// Seconds to wait for the first message, 0 to 60; 0 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 60)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
    /// Limit, 1 to 500; 100 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for TakePending {
    const EXAMPLE: &'static str = r#"{"after": 0, "wait": 5}"#;
}

/// Messages of people to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingMessages {
    /// Oldest first. Empty if the wait timed out.
    pub messages: Vec<Entry>,
    /// `after` of the next request: the last `seq` that was given.
    pub after: i64,
    /// State of the session. An ended session gets no more messages.
    pub state: model::SessionState,
}
impl Reply for PendingMessages {
    fn bytes(&self) -> usize {
        self.messages.iter().map(Entry::bytes).sum()
    }
}

/// A person's decision on an APPROVAL, or a press of a button of a FILE or of a `CODE_REVIEW` comment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// `allowed_once`, `allowed_always`, `denied` or `answered`; derived from the chosen option if it has a kind.
    /// `cancelled` dismisses any request, and can't be combined with other fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ApprovalState>,
    /// Ids of the chosen options; the agent gets them in the approval's `decision.selected`, and their labels in the
    /// ACTION. Of a FILE: the index of the file from 0, a colon, and the id of its action. Of a `CODE_REVIEW`: the
    /// index of the comment from 0, a colon, and `accept`, `resolve` or `reopen`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// Free text answer, if the approval accepts one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Values of a form by field id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<String, Value>>,
    /// `shown_sha256` of the message that the person was shown. If it differs now, the decision is refused (412).
    /// Optional only to deny an approval; an option that denies for ever requires it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
    /// Changed fields of the tool's input, if an agent's hook asks. Only existing string fields, and only with
    /// `allowed_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_input: Option<Map<String, Value>>,
}
impl Input for Decide {
    // 412: the approval was changed since it was read.
    const REFUSALS: &'static [u16] = &[412];
    const EXAMPLE: &'static str = r#"{"selected": ["allow"], "shown_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#;
}

/// The decided message, and the ACTION that informs the agent. The approval's `decision` has ids; the ACTION has
/// labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decided {
    /// The message that was decided.
    pub approval: Entry,
    /// The ACTION that the agent gets.
    pub action: Entry,
    /// Position in the workspace's feed. A reader that has reached it sees both.
    pub pos: i64,
    /// True if the same decision was made before.
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

/// A change of an item in the todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TickTodo {
    /// Id of the item.
    pub id: String,
    /// `completed` ticks it, `pending` unticks it.
    pub status: model::message_type::todo::TodoStatus,
    /// Id of the message that the tick creates, to make the request repeatable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
}
impl Input for TickTodo {
    const EXAMPLE: &'static str = r#"{"id": "2", "status": "completed"}"#;
}
