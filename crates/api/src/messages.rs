//! Messages of a session, and what is derived from them: todos and changed files.

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
    /// Our id of the session, the agent's own id, or a unique beginning of either.
    pub session: String,
    /// Id of the message, or its `seq` as a number.
    pub message: String,
}

/// Which messages. At most one of `around`, `before`, `after`, `from` with `to`, and `since`; without any, the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListMessages {
    /// A page around this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<i64>,
    /// The page that ends before this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// The page that begins after this `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// All from this `seq` ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// ... to this one, both included; at most 500 apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// RFC 3339, or microseconds since 1970: messages created then or later, in the order of `seq`. Continue with
    /// `after`: equal timestamps are never lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Of any of these message types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Of any of these roles.
    #[serde(rename = "role", skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// `1`: with what the dev toggle hides.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dev: Option<u8>,
    /// 1 to 500; 60 if absent. A page has fewer messages where they are long: about 8 MiB of them, and at least one.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 500)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for ListMessages {}

/// Summary of a message whose content isn't for its reader.
pub const WITHHELD: &str = "Withheld from models";

/// A message with what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// As it is stored.
    #[serde(flatten)]
    pub message: Message,
    /// The tag of its type: `TEXT` where the metadata names none.
    pub message_type: String,
    /// One line.
    pub summary: String,
    /// Where the transcript shows it.
    pub display: Display,
    /// Copied from the session that this one was forked from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copied: bool,
    /// Its content isn't for this reader: a message of the host, or a notice of one run, read where it may go to a model.
    /// Place, role, status and times are as they are stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Of an open APPROVAL, and of a FILE with buttons: hash of what a person is shown of it, to be sent with the decision.
    /// Absent where this reply doesn't hold all that the hash covers: `not_shown` says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
    /// Of an open APPROVAL: the tool calls with its `call_id`, as they were when `shown_sha256` was computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<AskedCall>,
    /// Of an open APPROVAL without a `shown_sha256`: why this reply leaves out what it asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_shown: Option<NotShown>,
    /// Of what a person wrote to an agent that posts by itself: whether the agent has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Of a `TOOL_CALL` that has no result of its own: `done` or `failed`, as a message of the role `tool` with its `call_id` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ToolState>,
    /// The content as [`Entry::body`] read it. Whoever changes the message's metadata sets it anew.
    #[serde(skip)]
    pub parsed: ParsedBody,
    /// The document by which a message of a declared type is shown. It isn't part of the reply, which has its summary.
    #[serde(skip)]
    pub shown_by: Option<Arc<ShownBy>>,
}

/// A declared type as messages are shown by it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownBy {
    /// The document.
    pub declared: Declared,
    /// Of the document, in hex.
    pub sha256: String,
}

/// The content of an entry, read at most once. It follows from the entry's other fields: it isn't part of the reply, and two of
/// them are always equal.
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
    /// Makes an entry with what follows from the message itself. The store adds the rest.
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

    /// Returns the message without what it says, for a reader that may pass it on to a model.
    #[must_use]
    pub fn without_content(self) -> Self {
        let Self { message, display, copied, .. } = self;
        let bare = Message { draft: message.draft.without_content(), records: Vec::new(), ..message };
        let entry = Self::of(bare, display);
        Self { copied, withheld: true, summary: WITHHELD.to_owned(), ..entry }
    }

    /// Adds the outcome of a call whose result is a message of its own. What the call says itself counts more.
    #[must_use]
    pub fn with_outcome(mut self, outcome: ToolState) -> Self {
        if matches!(self.body(), Body::ToolCall(call) if call.state() == ToolState::Running) {
            self.outcome = Some(outcome);
            self.parsed = ParsedBody::default();
            self.summary = summary::summary_as(&self.message.draft, self.body());
        }
        self
    }

    /// Shows a message of a type that isn't built in by a document.
    pub fn show_by(&mut self, shown_by: Arc<ShownBy>) {
        let Body::Unknown { payload, .. } = self.body() else { return };
        if self.message.draft.status != Status::Retracted {
            self.summary = shown_by.declared.summary(&Value::Object(payload.clone()));
        }
        self.shown_by = Some(shown_by);
    }

    /// Returns the content of the message; a call has its outcome as its `state`. Only the first call reads the payload.
    pub fn body(&self) -> &Body {
        self.parsed.0.get_or_init(|| {
            Arc::new(match (Body::of(&self.message.draft), self.outcome) {
                (Body::ToolCall(call), Some(outcome)) => Body::ToolCall(call.with("state", outcome.as_str())),
                (body, _) => body,
            })
        })
    }

    /// Makes an entry of a message that no store holds, shown as the policy says.
    pub fn made_up(message: Message) -> Self {
        let display = policy::display(&message.draft);
        Self::of(message, display)
    }
}

/// A tool call that an approval asks about. All of it is covered by the approval's `shown_sha256`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedCall {
    /// Id of the message.
    pub message_id: MessageId,
    /// Its place in the session.
    pub seq: i64,
    /// As the agent calls the tool.
    pub tool_name: String,
    /// As the agent sent it. Never cut.
    pub input: Map<String, Value>,
    /// Changes of files that the agent's request shows, beside the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<AskedChange>,
    /// Files and folders that the request names: `/work/src/main.rs:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Texts that the request shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

impl AskedCall {
    /// Returns a call of which the transcript, or a hook, gives the input.
    pub fn new(message_id: MessageId, seq: i64, tool_name: String, input: Map<String, Value>) -> Self {
        Self { message_id, seq, tool_name, input, changes: Vec::new(), paths: Vec::new(), texts: Vec::new() }
    }
}

/// Why a reply leaves out what an approval asks about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotShown {
    /// For programs.
    pub reason: NotShownReason,
    /// Size of what is covered, in bytes of JSON. Tool calls after the first MiB aren't counted.
    pub bytes: u64,
    /// `seq` of the first 20 tool calls with its `call_id`.
    pub calls: Vec<i64>,
}

/// Why the hash of what a person is shown is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotShownReason {
    /// It is larger than 256 KiB: nobody reads that in a browser. It can be denied there, not allowed.
    TooLarge,
    /// The approvals of this reply cover more than 1 MiB together: the message by itself has it.
    LeftOut,
    /// It asks for an edit or a command and doesn't say what would be changed or run: it can be denied, not allowed.
    NoContent,
}

/// Whether the agent has got what a person wrote: `{"state": "waiting"}`, or `{"state": "given", "at": ...}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Delivery {
    /// It gets it with its next call.
    Waiting,
    /// It got it then, in microseconds since 1970.
    Given {
        /// When it was given.
        at: Micros,
    },
}

/// Which asks are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AsksQuery {
    /// `1`: every open approval and question, a page at a time. If absent, one of each session.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<u8>,
    /// Cursor: `next` of the page before. With `each`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// 1 to 200; 20 if absent. With `each`.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for AsksQuery {}

/// Asks of sessions that were active within this time come first: their agents may still go on with an answer. In microseconds.
pub const LATELY: i64 = 24 * 60 * 60 * Micros::SECOND;

/// What sessions ask a person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asks {
    /// Of each session one, of 100 sessions at most, the last active first. With `each` all of them: first those of sessions that
    /// were active within the last day, the longest waiting first; then older ones, the latest first.
    pub asks: Vec<Ask>,
    /// With `each`: how many are open in all, 1,000 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    /// With `each`: the cursor of the next page. Absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
impl Reply for Asks {}

/// What one session asks, for the list of all that wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ask {
    /// The first approval that is open, else the question that waits for an answer. What `shown_sha256` doesn't cover is cut
    /// after 16 KiB: the message by itself has it.
    pub entry: Entry,
    /// Approvals of the session that are open beside this one.
    #[serde(default)]
    pub others: i64,
    /// With `each`: the session that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
}

/// A message that is hidden, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HiddenRow {
    /// Its place in the session.
    pub seq: i64,
    /// Whose voice it is.
    pub role: Role,
    /// The sender's word: `bot`.
    pub sender: String,
    /// The tag of its type: `TEXT` where the metadata names none.
    pub message_type: String,
    /// A tool call that its derived cards stand for: it isn't counted as hidden.
    pub replaced: bool,
    /// How long the agent thought, in microseconds: since the message before. Absent for everything but thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Micros>,
    /// Of a compaction: how many tokens of context it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted_from: Option<i64>,
    /// What it is of turns that a person left behind by rewinding the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_behind: Option<LeftBehind>,
}

/// What a message is of a turn that was left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LeftBehind {
    /// What the turn began with.
    Prompt,
    /// Anything else of the turn.
    Part,
}

impl LeftBehind {
    /// Returns what a message is of a turn that was left behind; None for a message that still holds.
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

/// Messages of a session, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessagePage {
    /// Without those that the dev toggle hides, unless `dev` asked for them.
    pub messages: Vec<Entry>,
    /// What lies between `from` and `to` and isn't among `messages`, in order.
    pub hidden: Vec<HiddenRow>,
    /// The range of `seq` that this page covers; 0 and 0 if it is empty. What is left begins after `to`, or ends before
    /// `from`.
    pub from: i64,
    /// The last `seq` that the page covers.
    pub to: i64,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// Cursor of the event stream at the time of this answer.
    pub cursor: String,
}
impl Reply for MessagePage {
    fn bytes(&self) -> usize {
        self.messages.iter().map(Entry::bytes).sum()
    }
}

/// A message and what it was read from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageDetail {
    /// Never cut.
    pub entry: Entry,
    /// Lines of the transcript that it was read from. Empty for a posted message.
    pub records: Vec<RecordText>,
}
impl Reply for MessageDetail {
    fn bytes(&self) -> usize {
        self.entry.bytes()
    }
}

/// Verbatim bytes of a source. `text` replaces what isn't UTF-8, and is cut at 1 MiB, and at 8 MiB of all records of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordText {
    /// Id of the file that the bytes were read from.
    pub source: String,
    /// Absolute path of that file.
    pub path: String,
    /// Bytes of the file before them.
    pub offset: u64,
    /// How many bytes there are, also where `text` is cut.
    pub len: u64,
    /// The bytes as text, line ends included.
    pub text: String,
    /// `text` holds the beginning alone.
    pub cut: bool,
    /// The stored bytes aren't those that were imported: `text` is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_damaged: bool,
}

/// The todo list: the latest snapshot with the ticks after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoState {
    /// In the order of the latest snapshot.
    pub todos: Vec<TodoItem>,
    /// What three states can't say, by item id: the envelope's `todo_info`.
    #[serde(default)]
    pub todo_info: BTreeMap<String, TodoInfo>,
    /// `seq` of the latest snapshot.
    pub seq: Option<i64>,
    /// Id of the latest snapshot. Null while there is none.
    pub message_id: Option<String>,
}
impl Reply for TodoState {}

/// What the edits of a session did, edit by edit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Last changed first.
    pub files: Vec<ChangedFile>,
    /// Lines added by all applied edits.
    pub added: i64,
    /// Lines removed by all applied edits.
    pub removed: i64,
}
impl Reply for Changes {}

/// A file that the session changed; files in the order of their last edit, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFile {
    /// As the agent names the file.
    pub path: String,
    /// How its applied edits together changed it.
    pub change: model::view::FileChange,
    /// Sums over the applied edits.
    pub added: i64,
    /// Lines that its applied edits removed.
    pub removed: i64,
    /// Every edit of the file, also those that failed, oldest first.
    pub edits: Vec<EditRef>,
}

/// One edit of a `CODE_EDIT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditRef {
    /// Id of the message.
    pub message_id: String,
    /// Its place in the session.
    pub seq: i64,
    /// Index in the payload's `edits`.
    pub index: usize,
    /// As in `edit_info`: `applied`, `failed`, `rejected`, `proposed`.
    pub state: String,
    /// Lines that the edit adds.
    pub added: i64,
    /// Lines that the edit removes.
    pub removed: i64,
}
