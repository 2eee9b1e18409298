//! What a reader hands out: changes to sessions, messages and runs, and the bytes that they came from.

use model::{CopyMarks, Draft, MessageId, Run, SessionFacts, Spent};

/// A byte range of the file being read: whole lines, line ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub offset: u64,
    pub len: u64,
}

impl Span {
    /// The offset behind the last byte.
    pub fn end(self) -> u64 {
        self.offset + self.len
    }
}

/// The agent's own id of a session: `<file's session id>`, or `<parent's own id>/<agent id>` of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(pub String);

/// Messages of a session that stand together: from one on, up to another that isn't among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub from: MessageId,
    pub before: MessageId,
}

/// One change. All are upserts: reading a file twice adds nothing. A session comes before its messages.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Create or update a session. Facts are the newest known ones.
    Session { key: SessionKey, facts: SessionFacts },
    /// Create or update a message, by `draft.id` within the session. `spans` are all the bytes of this file that it came
    /// from so far; a later change carries the grown list.
    Message { session: SessionKey, draft: Draft, spans: Vec<Span>, marks: CopyMarks },
    /// A person rewound the conversation: these messages no longer hold (`left`), or hold again. Comes after the messages of
    /// the same flush.
    Rewound { session: SessionKey, stretch: Stretch, left: bool },
    /// Create or update a run, by `run.id` within the session. `spent` lists all its API messages so far.
    Run { session: SessionKey, run: Run, spent: Vec<Spent> },
    /// Bytes of an image or document. FILE messages name them by `sha256` (hex) in `blob`.
    Blob { sha256: String, mime: String, bytes: Vec<u8> },
    /// A line became a note: count it. The note itself is a message.
    Note { session: SessionKey, offset: u64, text: String },
}
