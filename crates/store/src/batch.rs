//! The content of a transaction, and its changes.

use crate::Permission;
use model::policy::Display;
use model::view::FileChange;
use model::{Body, CopyMarks, Draft, MessageId, Micros, RecordRef, Run, SessionFacts, SessionId, SourceId, Spent};

/// The content of one import step, written in one transaction. Order matters: messages get their `seq` in the given
/// order.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub source: Option<SourceBatch>,
    /// Every session that `messages`, `runs` or `blobs` name by its key.
    pub sessions: Vec<SessionUpsert>,
    pub messages: Vec<MessageUpsert>,
    pub runs: Vec<RunUpsert>,
    pub blobs: Vec<NewBlob>,
    pub retractions: Vec<Retraction>,
    /// In order, after `messages`.
    pub rewinds: Vec<Rewind>,
    /// Id of the machine that it comes from. None of the server's own.
    pub machine: Option<String>,
    /// All of them must hold. None where a person named what is written.
    pub permissions: Vec<Permission>,
    pub now: Micros,
}

/// New bytes of a source.
#[derive(Debug, Clone)]
pub struct SourceBatch {
    pub id: SourceId,
    /// Absolute path, verbatim.
    pub path: String,
    pub reader: String,
    pub reader_version: i32,
    /// Consecutive bytes that follow what is stored.
    pub append: Vec<RecordChunk>,
    /// Size in bytes after this append.
    pub size: u64,
    /// SHA-256 of these `size` bytes, in hex.
    pub sha256: String,
    /// When the file was changed last, if this append reaches its end and nothing is held back.
    pub modified_at: Option<Micros>,
    /// The file was rewritten, or is read anew: earlier bytes, and references to them, are dropped.
    pub replace: bool,
}

/// Bytes of a source from `offset` on.
#[derive(Debug, Clone)]
pub struct RecordChunk {
    pub offset: u64,
    pub bytes: Vec<u8>,
}

/// A session that is created if the agent's own id is new, and changed by facts otherwise.
#[derive(Debug, Clone)]
pub struct SessionUpsert {
    /// The agent's own id: `agent_session_id`.
    pub key: String,
    pub agent: String,
    /// The parent's own id. It need not be stored yet.
    pub parent_key: Option<String>,
    pub facts: SessionFacts,
    /// Id to use if the session must be created.
    pub new_id: SessionId,
}

/// A file that a message changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChanged {
    pub path: String,
    pub change: FileChange,
    /// Lines.
    pub added: i64,
    pub removed: i64,
}

/// Functions that derive data from a message.
#[derive(Clone, Copy)]
pub struct Derive {
    /// The words by which a message is found; None of one that isn't.
    pub search_text: fn(&Draft, &Body) -> Option<String>,
    /// The files that it changed, each once.
    pub files: fn(&Draft, &Body) -> Vec<FileChanged>,
}

/// A message that is added, changed or left alone, by its id within its session.
#[derive(Debug, Clone)]
pub struct MessageUpsert {
    pub session_key: String,
    pub draft: Draft,
    /// Where the dashboard shows it: 0 in place, 1 collapsed to a line, 2 behind the dev toggle. What is retracted
    /// there gets 3: no marker counts it.
    pub display: Display,
    /// Bytes that it came from; merged with what is stored.
    pub records: Vec<RecordRef>,
    /// Words to find it by; None keeps it out of search.
    pub search_text: Option<String>,
    /// Whether it is remembered beyond its session.
    pub remembered: bool,
    /// The files that its edits changed, each once.
    pub files: Vec<FileChanged>,
    /// By what its copies in other sessions are known, beside its id.
    pub marks: CopyMarks,
}

/// A message that no longer holds, by its session's and its own id. One that isn't stored is passed over.
#[derive(Debug, Clone)]
pub struct Retraction {
    pub agent: String,
    pub session_key: String,
    pub id: MessageId,
}

/// Messages that a person left behind by rewinding the conversation, or that hold again: from one up to another that
/// isn't among them. Nothing happens where one of the two isn't stored. What was posted to the session stays as it is.
#[derive(Debug, Clone)]
pub struct Rewind {
    pub session_key: String,
    pub from: MessageId,
    pub before: MessageId,
    pub left: bool,
}

/// A run, replaced as a whole.
#[derive(Debug, Clone)]
pub struct RunUpsert {
    pub session_key: String,
    pub run: Run,
    /// Costs of its new and changed API messages. A run without any counts as a whole.
    pub spent: Vec<Spent>,
}

/// A file or picture of a session, addressed by its content.
#[derive(Debug, Clone)]
pub struct NewBlob {
    pub session_key: String,
    /// SHA-256 of `bytes`, in hex.
    pub sha256: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// Changes of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub messages_added: u64,
    pub messages_changed: u64,
    pub sessions_added: u64,
    /// Position of the feed after this batch.
    pub pos: i64,
    /// Whether channels are told anything by it.
    pub has_deliveries: bool,
}
