//! Queries of the store, and their results.

use crate::{FileChanged, Sight};
use model::message_type::tool_call::ToolState;
use model::policy::Display;
use model::{Draft, Message, MessageType, Micros, Part, RecordRef, Role, SessionId};

/// Which sessions, in which order. `SessionFilter::new(now, limit)` is the list's usual view.
#[derive(Debug, Clone)]
pub struct SessionFilter {
    /// Words that title, project, branch or the agent's own id hold, whatever their case.
    pub text: Option<String>,
    /// Any of these; empty means all.
    pub projects: Vec<String>,
    /// Any of these; empty means all.
    pub agents: Vec<String>,
    /// Ids of machines, any of these; an empty one is the server's own. Empty means all.
    pub machines: Vec<String>,
    /// Only those that may be seen.
    pub sight: Sight,
    /// Last activity at or after.
    pub since: Option<Micros>,
    /// Last activity before.
    pub until: Option<Micros>,
    pub parents: Parents,
    pub archived: Archived,
    /// Only those that wait for a person.
    pub needs_you: bool,
    /// Only those that a person pinned.
    pub pinned: bool,
    /// Without those that nothing was said in, unless an agent opened them itself: files of bookkeeping alone.
    pub spoken: bool,
    pub sort: Sort,
    pub order: Order,
    /// `Page::next` of the page before.
    pub after: Option<String>,
    pub limit: u32,
    /// The state of a session depends on it.
    pub now: Micros,
}

impl SessionFilter {
    /// Top-level sessions that are not archived, latest activity first.
    pub fn new(now: Micros, limit: u32) -> Self {
        Self {
            text: None,
            projects: Vec::new(),
            agents: Vec::new(),
            machines: Vec::new(),
            sight: Sight::All,
            since: None,
            until: None,
            parents: Parents::Only,
            archived: Archived::Without,
            needs_you: false,
            pinned: false,
            spoken: false,
            sort: Sort::Activity,
            order: Order::Descending,
            after: None,
            limit,
            now,
        }
    }
}

/// Whether sessions of sub-agents are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    Only,
    AndChildren,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archived {
    Without,
    Only,
    With,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Activity,
    Created,
    Title,
    Project,
    Messages,
    Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Ascending,
    Descending,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Cursor of the next page; None on the last one.
    pub next: Option<String>,
    /// Rows on all pages.
    pub total: u64,
}

/// Values to filter sessions by, most frequent first. Top-level sessions count, archived ones don't.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facets {
    pub projects: Vec<Facet>,
    pub agents: Vec<Facet>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    pub value: String,
    pub count: u64,
}

/// Which messages of a session. `MessageQuery::new(range)` leaves nothing out but tool calls that derived messages
/// stand for.
#[derive(Debug, Clone)]
pub struct MessageQuery {
    pub range: Range,
    /// Message types; empty means all.
    pub types: Vec<String>,
    /// Empty means all.
    pub roles: Vec<Role>,
    /// Leaves out what is shown in a later way. None leaves nothing out, not even what was retracted behind the dev
    /// toggle.
    pub max_display: Option<Display>,
    pub replaced: Replaced,
    pub among: Among,
    /// At most so many.
    pub limit: u32,
    /// At most so many bytes of memory, about; the first message is read whatever it takes.
    pub bytes: u64,
}

impl MessageQuery {
    /// Maximum size of a page in bytes.
    pub const BYTES: u64 = 8 << 20;

    pub fn new(range: Range) -> Self {
        let (types, roles) = (Vec::new(), Vec::new());
        Self {
            range,
            types,
            roles,
            max_display: Some(Display::Dev),
            replaced: Replaced::Without,
            among: Among::All,
            limit: 1000,
            bytes: Self::BYTES,
        }
    }
}

/// Messages of a range, ascending by `seq`, and whether the limit or the bytes left others out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stretch {
    pub messages: Vec<StoredMessage>,
    /// There may be more in the range before the first one.
    pub more_before: bool,
    /// There may be more in the range after the last one.
    pub more_after: bool,
}

/// Tool calls that derived messages stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    Without,
    With,
}

/// Which group of messages a query returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    All,
    /// Events other than the agent's text and calls: messages of people, the system and the host, approvals and errors.
    Events,
}

impl Among {
    pub(crate) const ROLES: [Role; 3] = [Role::User, Role::System, Role::Host];
    pub(crate) const TYPES: [MessageType; 3] = [MessageType::Approval, MessageType::Action, MessageType::Error];

    /// Returns whether messages of this kind are among them.
    pub fn holds(self, count: &Count) -> bool {
        self == Self::All || Self::ROLES.contains(&count.role) || Self::TYPES.iter().any(|of| count.message_type == *of)
    }
}

/// A stretch of a session. The filters apply first: `Last(50)` is the last 50 messages that pass them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Up to `n` messages with a `seq` at or below, and up to `n` above.
    Around(i64, u32),
    /// The nearest `n` below `seq`.
    Before(i64, u32),
    /// The nearest `n` above `seq`.
    After(i64, u32),
    /// From and to, both included.
    Span(i64, i64),
    /// Made by the provider's clock at this time or later, above `seq`.
    Since(Micros, i64),
    Last(u32),
}

/// A message with what the store knows beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    pub message: Message,
    pub display: Display,
    /// It belongs to the session that this one was forked from, and counts there.
    pub copied: bool,
    /// Outcome of a call, by its result in another message.
    pub outcome: Option<ToolState>,
}

/// The bytes that a message came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRecords {
    pub seq: i64,
    pub role: Role,
    pub records: Vec<RecordRef>,
}

/// Data of a hidden message that its marker needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenRow {
    pub seq: i64,
    pub role: Role,
    pub sender: String,
    pub message_type: String,
    pub part: Part,
    /// How long the agent thought: since the message before. Absent for all but whole thoughts.
    pub took: Option<Micros>,
    /// Number of context tokens that a compaction replaced.
    pub compacted_from: Option<i64>,
}

/// A message that a reader may look for: said by a person, an edit, an approval, an error, or a call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landmark {
    pub seq: i64,
    pub role: Role,
    pub message_type: String,
}

/// How many messages of a kind a session has. Copied ones are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub role: Role,
    pub message_type: String,
    /// None: retracted behind the dev toggle.
    pub display: Option<Display>,
    pub part: Part,
    pub count: u64,
}

/// A session that came from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSession {
    /// The file's path.
    pub path: String,
    /// The agent's own id of the session.
    pub key: String,
    /// The parent's own id, of a sub-agent's session.
    pub parent_key: Option<String>,
    /// The folder in which the agent was started, where known.
    pub project: Option<String>,
}

/// Stored bytes of a source, to be written one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChunk {
    pub bytes: Vec<u8>,
    /// Offset to ask for next; None at the end.
    pub next: Option<u64>,
}

/// A file by its content; its bytes are read with [`crate::Workspace::read_blob`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    pub mime: String,
    /// In bytes.
    pub size: u64,
}

/// A search query. All words must occur; the last one may be a prefix.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    pub text: String,
    /// Part of the path of a file that the message changed. None means any message.
    pub file: Option<String>,
    /// Any of these; empty means all.
    pub projects: Vec<String>,
    /// Any of these; empty means all.
    pub agents: Vec<String>,
    /// Empty means all.
    pub roles: Vec<Role>,
    /// None of these, whatever `roles` names.
    pub without_roles: Vec<Role>,
    /// Message types; empty means all.
    pub types: Vec<String>,
    pub session: Option<SessionId>,
    /// Only messages of sessions that may be seen.
    pub sight: Sight,
    /// Created at or after.
    pub since: Option<Micros>,
    /// Created before.
    pub until: Option<Micros>,
    pub limit: u32,
    /// `SearchHits::next` of the page before.
    pub after: Option<String>,
    /// Function that returns the search text of a message; its content if None.
    pub text_of: Option<fn(&Draft) -> Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    pub session_id: SessionId,
    pub session_title: String,
    pub session_agent: String,
    pub session_project: String,
    pub seq: i64,
}

/// Which changes of files.
#[derive(Debug, Clone, Default)]
pub struct FileQuery {
    /// Part of the path; None means any file.
    pub path: Option<String>,
    /// Any of these; empty means all.
    pub projects: Vec<String>,
    /// Any of these; empty means all.
    pub agents: Vec<String>,
    /// Only in sessions that may be seen.
    pub sight: Sight,
    /// Changed at or after.
    pub since: Option<Micros>,
    /// Changed before.
    pub until: Option<Micros>,
    /// At most so many.
    pub limit: u32,
    /// `FileEdits::next` of the page before.
    pub after: Option<String>,
}

/// Changes of files, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileEdits {
    pub edits: Vec<FileEdit>,
    /// Cursor of the next page; None on the last one.
    pub next: Option<String>,
}

/// The change of one file by one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    pub session_id: SessionId,
    pub session_title: String,
    pub agent: String,
    pub project: String,
    /// The place of the message in its session.
    pub seq: i64,
    pub file: FileChanged,
    pub changed_at: Micros,
}

/// Subject of a feed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    /// Messages `from_seq..=to_seq` were added, or many of them changed.
    Range,
    /// The message at `from_seq` has a new `revision`.
    Message,
    /// The message at `from_seq` has a new `revision`, in which a text that is still being written goes on, and nothing
    /// else.
    Growth,
    /// The session itself is new or changed.
    Session,
    /// The session was forgotten.
    Forgotten,
}

impl FeedKind {
    const ALL: [Self; 5] = [Self::Range, Self::Message, Self::Growth, Self::Session, Self::Forgotten];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Message => "message",
            Self::Growth => "growth",
            Self::Session => "session",
            Self::Forgotten => "forgotten",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Rows of these kinds about the same thing are outdated by one of this kind.
    pub(crate) fn replaces(self) -> [Self; 2] {
        match self {
            Self::Message | Self::Growth => [Self::Message, Self::Growth],
            other => [other, other],
        }
    }
}

/// One row of the feed. `pos` only grows, in the order of commits, with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedRow {
    pub pos: i64,
    pub kind: FeedKind,
    pub session_id: SessionId,
    /// 0 where the row is about no message.
    pub from_seq: i64,
    pub to_seq: i64,
    /// Revision, for [`FeedKind::Message`] and [`FeedKind::Growth`]; otherwise 0.
    pub revision: i32,
}

impl FeedRow {
    /// About the session itself.
    pub(crate) fn of_session(pos: i64, kind: FeedKind, session: &SessionId) -> Self {
        Self { pos, kind, session_id: session.clone(), from_seq: 0, to_seq: 0, revision: 0 }
    }
}

/// A row of the feed, with the figures of its session as they are when it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEntry {
    pub row: FeedRow,
    /// None once the session is gone.
    pub counts: Option<FeedCounts>,
    /// Its project and that of its parent, by which it may be seen.
    pub projects: [Option<String>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedCounts {
    pub last_seq: i64,
    pub messages: i64,
    pub todos_open: i64,
    pub todos_done: i64,
    pub todos_cancelled: i64,
    pub approvals_open: i64,
}

/// A session that went on since a person read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub session: SessionId,
    /// Read up to here.
    pub seq: i64,
    /// Messages after it, as people count them, as far as they were counted.
    pub unread: i64,
}
