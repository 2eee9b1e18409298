//! Messages of a session, and data derived from them: todos and changed files.

mod shorten;

use crate::endpoint::{Input, Reply};
use model::asked::AskedChange;
use model::declared::Declared;
use model::envelope::TodoInfo;
use model::message_type::todo::TodoItem;
use model::message_type::tool_call::ToolState;
use model::policy;
use model::{Body, Draft, Message, MessageId, Micros, Part, Role, Session, Status, summary};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use model::policy::Display;

/// Path of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessagePath {
    /// Our id of the session, the agent's own id, or a unique prefix of either.
    pub session: String,
    /// Id of the message, or its `seq` as a number.
    pub message: String,
}

/// Page and filter of messages. At most one of `around`, `before`, `after`, `from` with `to`, and `since` can be given.
/// Without them, the last page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListMessages {
    /// The page around this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<i64>,
    /// The page that ends before this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// The page that begins after this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// With `to`: the first `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// With `from`: the last `seq`, inclusive, at most 500 after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// Messages created at this time or later, in the order of `seq`: RFC 3339, or microseconds since 1970. Continue
    /// with `after`, so that messages with equal times aren't lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only messages of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only messages of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// `1`: includes messages that the dev toggle hides.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev: Option<u8>,
    /// Page size, 1 to 500; 60 if absent. A page has fewer if they are longer than about 8 MiB, but at least one.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for ListMessages {}

/// Summary of a message whose content is withheld.
pub const WITHHELD: &str = "Withheld from models";

/// A message with derived data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// The message as it is stored.
    #[serde(flatten)]
    pub message: Message,
    /// Message type; `TEXT` if the metadata has none.
    pub message_type: String,
    /// Summary in one line.
    pub summary: String,
    /// How the transcript shows it.
    pub display: Display,
    /// True if it was copied from the session that this one was forked from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copied: bool,
    /// True if the content is withheld: the message is of the host, or a notice of one run, and this reply may go to a
    /// model. The other fields are unchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Hash of what a person is shown, to be sent with the decision. Of an open APPROVAL, and of a FILE with buttons.
    /// Absent if this reply doesn't contain all that the hash covers; then `not_shown` has the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
    /// Tool calls with the `call_id` of an open APPROVAL, as hashed by `shown_sha256`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<AskedCall>,
    /// Why an open APPROVAL without a `shown_sha256` has no content in this reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_shown: Option<NotShown>,
    /// Whether an agent that posts by itself has received a person's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Outcome of a `TOOL_CALL` without a result of its own: `done` or `failed`, by the message of the role `tool` with
    /// its `call_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ToolState>,
    /// The parsed content, see [`Entry::body`]. Must be reset after a change of the message's metadata.
    #[serde(skip)]
    pub parsed: ParsedBody,
    /// The document that shows a message of a declared type. It isn't part of the reply, which has its summary.
    #[serde(skip)]
    pub shown_by: Option<Arc<ShownBy>>,
}

/// A declared type with the hash of its document.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownBy {
    /// The document.
    pub declared: Declared,
    /// SHA-256 of the document, in hex.
    pub sha256: String,
}

/// The content of an entry, parsed at most once. It is derived from the other fields: it isn't serialized, and any two
/// compare equal.
#[derive(Debug, Clone, Default)]
pub struct ParsedBody(OnceLock<Arc<Body>>);

impl PartialEq for ParsedBody {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl From<Body> for ParsedBody {
    fn from(body: Body) -> Self {
        Self(OnceLock::from(Arc::new(body)))
    }
}

impl Entry {
    /// Makes an entry with the data derived from the message itself. The store adds the rest.
    pub fn of(message: Message, display: Display) -> Self {
        let body = Body::of(&message.draft);
        Self {
            message_type: message.draft.message_type().to_owned(),
            summary: summary::summary_as(&message.draft, &body),
            display,
            copied: false,
            withheld: false,
            shown_sha256: None,
            calls: Vec::new(),
            not_shown: None,
            delivery: None,
            outcome: None,
            parsed: body.into(),
            shown_by: None,
            message,
        }
    }

    /// Returns the message without its content, for a reader that may pass it on to a model.
    #[must_use]
    pub fn without_content(self) -> Self {
        let Self { message, display, copied, .. } = self;
        let bare = Message { draft: message.draft.without_content(), records: Vec::new(), ..message };
        let entry = Self::of(bare, display);
        Self { copied, withheld: true, summary: WITHHELD.to_owned(), ..entry }
    }

    /// Adds the outcome of a call whose result is another message. A result of the call itself has priority.
    #[must_use]
    pub fn with_outcome(mut self, outcome: ToolState) -> Self {
        if matches!(self.body(), Body::ToolCall(call) if call.state() == ToolState::Running) {
            self.outcome = Some(outcome);
            self.parsed = ParsedBody::default();
            self.summary = summary::summary_as(&self.message.draft, self.body());
        }
        self
    }

    /// Sets the document that shows a message of a declared type.
    pub fn show_by(&mut self, shown_by: Arc<ShownBy>) {
        let Body::Unknown { payload, .. } = self.body() else { return };
        if self.message.draft.status != Status::Retracted {
            self.summary = shown_by.declared.summary(&Value::Object(payload.clone()));
        }
        self.shown_by = Some(shown_by);
    }

    /// Returns the parsed content, with the outcome of a call as its `state`. Only the first call parses it.
    pub fn body(&self) -> &Body {
        self.parsed.0.get_or_init(|| {
            Arc::new(match (Body::of(&self.message.draft), self.outcome) {
                (Body::ToolCall(call), Some(outcome)) => Body::ToolCall(call.with("state", outcome.as_str())),
                (body, _) => body,
            })
        })
    }

    /// Makes an entry for a message that isn't stored, with the policy's display.
    pub fn made_up(message: Message) -> Self {
        let display = policy::display(&message.draft);
        Self::of(message, display)
    }
}

/// A tool call that an approval asks about. The approval's `shown_sha256` covers all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedCall {
    /// Id of the message.
    pub message_id: MessageId,
    /// `seq` of the message.
    pub seq: i64,
    /// Name of the tool, as the agent uses it.
    pub tool_name: String,
    /// Input, as the agent sent it. Never shortened.
    pub input: Map<String, Value>,
    /// File changes that the agent's request shows in addition to the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AskedChange>,
    /// Files and folders in the request: `/work/src/main.rs:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Texts in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

impl AskedCall {
    /// Makes a call whose input comes from the transcript or a hook.
    pub fn new(message_id: MessageId, seq: i64, tool_name: String, input: Map<String, Value>) -> Self {
        Self { message_id, seq, tool_name, input, changes: Vec::new(), paths: Vec::new(), texts: Vec::new() }
    }
}

/// Why a reply omits what an approval asks about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotShown {
    /// The reason, for programs.
    pub reason: NotShownReason,
    /// Size of the omitted data, in bytes of JSON. Tool calls after the first MiB aren't counted.
    pub bytes: u64,
    /// `seq` of the first 20 tool calls with the approval's `call_id`.
    pub calls: Vec<i64>,
}

/// Why the hash of what a person is shown is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotShownReason {
    /// It is larger than 256 KiB, too long to read in a browser. It can only be denied there.
    TooLarge,
    /// The approvals of this reply together exceed 1 MiB. Read this message by itself.
    LeftOut,
    /// It asks for an edit or a command without the change or the command line. It can only be denied.
    NoContent,
}

/// Whether the agent has received a person's message: `{"state": "waiting"}`, or `{"state": "given", "at": ...}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Delivery {
    /// The agent gets it with its next call.
    Waiting,
    /// The agent has received it.
    Given {
        /// When it received it, in microseconds since 1970.
        at: Micros,
    },
}

/// Filter and page of requests to people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AsksQuery {
    /// `1`: all open approvals and questions, in pages. If absent, one of each session.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<u8>,
    /// Cursor: `next` of the previous page. Requires `each`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Page size, 1 to 200; 20 if absent. Requires `each`.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for AsksQuery {}

/// Requests of sessions that were active within this time are listed first. In microseconds.
pub const LATELY: i64 = 24 * 60 * 60 * Micros::SECOND;

/// Requests of sessions to people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asks {
    /// Without `each`: one of each session, of at most 100 sessions, last active first. With `each`: those of sessions
    /// that were active within the last day, longest waiting first; then the others, newest first.
    pub asks: Vec<Ask>,
    /// Number of open requests, at most 1,000. Only with `each`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    /// Cursor of the next page. Only with `each`; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
impl Reply for Asks {}

/// A request of a session to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ask {
    /// The first open approval, otherwise the question that waits for an answer. Data that `shown_sha256` doesn't cover
    /// is shortened to 16 KiB; read the message by itself for all of it.
    pub entry: Entry,
    /// Number of other open approvals of the session.
    #[serde(default)]
    pub others: i64,
    /// The session. Only with `each`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
}

/// A hidden message, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HiddenRow {
    /// `seq` of the message.
    pub seq: i64,
    /// Role of the message.
    pub role: Role,
    /// Sender of the message: `bot`.
    pub sender: String,
    /// Message type; `TEXT` if the metadata has none.
    pub message_type: String,
    /// True for a tool call that is shown as cards derived from it. It isn't counted as hidden.
    pub replaced: bool,
    /// Duration of a thought in microseconds, since the previous message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Micros>,
    /// Number of context tokens that a compaction replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted_from: Option<i64>,
    /// Set if the message belongs to a turn that a person left behind by rewinding the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_behind: Option<LeftBehind>,
}

/// The part of a message in a turn that was left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LeftBehind {
    /// The prompt of the turn.
    Prompt,
    /// Any other message of the turn.
    Part,
}

impl LeftBehind {
    /// Returns the part of a message in a turn that was left behind; None for a message that isn't in one.
    pub fn of(draft: &Draft) -> Option<Self> {
        let stopped = draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key("interrupted"));
        let begins = draft.role == Role::User && draft.part == Part::Whole && !stopped;
        draft.left_behind.then_some(if begins { Self::Prompt } else { Self::Part })
    }
}

impl From<Entry> for HiddenRow {
    fn from(entry: Entry) -> Self {
        let draft = entry.message.draft;
        Self {
            left_behind: LeftBehind::of(&draft),
            compacted_from: draft.compacted_from(),
            seq: entry.message.seq,
            role: draft.role,
            sender: draft.sender,
            message_type: entry.message_type,
            replaced: draft.part == Part::Replaced,
            took: None,
        }
    }
}

/// A page of messages in the order of `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessagePage {
    /// The messages, without those that the dev toggle hides unless `dev` is given.
    pub messages: Vec<Entry>,
    /// The messages between `from` and `to` that aren't in `messages`, in the order of `seq`.
    pub hidden: Vec<HiddenRow>,
    /// The first `seq` that the page covers; 0 if it is empty. Earlier pages end before `from`, later ones begin after
    /// `to`.
    pub from: i64,
    /// The last `seq` that the page covers; 0 if it is empty.
    pub to: i64,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// Cursor of the event stream at the time of this reply.
    pub cursor: String,
}
impl Reply for MessagePage {
    fn bytes(&self) -> usize {
        self.messages.iter().map(Entry::bytes).sum()
    }
}

/// A message and the records that it was read from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDetail {
    /// The message. Never shortened.
    pub entry: Entry,
    /// Lines of the transcript that it was read from. Empty for a posted message.
    pub records: Vec<RecordText>,
}
impl Reply for MessageDetail {
    fn bytes(&self) -> usize {
        self.entry.bytes()
    }
}

/// Verbatim bytes of a file, as text. Invalid UTF-8 is replaced. The text is cut after 1 MiB, and after 8 MiB of a
/// reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordText {
    /// Id of the file.
    pub source: String,
    /// Absolute path of the file.
    pub path: String,
    /// Offset of the bytes in the file.
    pub offset: u64,
    /// Number of bytes, even if `text` is cut.
    pub len: u64,
    /// The bytes as text, including line ends.
    pub text: String,
    /// True if `text` is only the beginning.
    pub cut: bool,
    /// True if the stored bytes aren't those that were imported. Then `text` is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_damaged: bool,
}

/// The todo list: the latest snapshot with later ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoState {
    /// In the order of the latest snapshot.
    pub todos: Vec<TodoItem>,
    /// Further data by item id: the envelope's `todo_info`.
    #[serde(default)]
    pub todo_info: BTreeMap<String, TodoInfo>,
    /// `seq` of the latest snapshot.
    pub seq: Option<i64>,
    /// Id of the latest snapshot. Null if there is none.
    pub message_id: Option<String>,
}
impl Reply for TodoState {}

/// The edits of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Files, last changed first.
    pub files: Vec<ChangedFile>,
    /// Number of lines that applied edits add.
    pub added: i64,
    /// Number of lines that applied edits remove.
    pub removed: i64,
}
impl Reply for Changes {}

/// A file that the session changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFile {
    /// Path, as the agent names the file.
    pub path: String,
    /// The change by all applied edits together.
    pub change: model::view::FileChange,
    /// Number of lines that its applied edits add.
    pub added: i64,
    /// Number of lines that its applied edits remove.
    pub removed: i64,
    /// All edits of the file, including failed ones, oldest first.
    pub edits: Vec<EditRef>,
}

/// One edit of a `CODE_EDIT` message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditRef {
    /// Id of the message.
    pub message_id: String,
    /// `seq` of the message.
    pub seq: i64,
    /// Index in the payload's `edits`.
    pub index: usize,
    /// State from `edit_info`: `applied`, `failed`, `rejected`, `proposed`.
    pub state: String,
    /// Number of lines that the edit adds.
    pub added: i64,
    /// Number of lines that the edit removes.
    pub removed: i64,
}
