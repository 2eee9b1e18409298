//! The output of a reader: changes to sessions, messages and runs, and the bytes that they came from.

use model::{CopyMarks, Draft, MessageId, Run, SessionFacts, Spent};

/// A byte range of the file being read: whole lines, line ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the file before it.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
}

impl Span {
    /// Returns the offset behind the last byte.
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
    /// The first message of the stretch.
    pub from: MessageId,
    /// The first message behind it, which isn't part of it.
    pub before: MessageId,
}

/// One change. All are upserts: reading a file twice adds nothing. A session comes before its messages.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Create or update a session. Facts are the newest known ones.
    Session {
        /// The agent's own id of the session.
        key: SessionKey,
        /// All that is known so far. Absent facts leave what is stored.
        facts: SessionFacts,
    },
    /// Create or update a message, by `draft.id` within the session. `spans` are all the bytes of this file that it came
    /// from so far; a later change carries the grown list.
    Message {
        /// The session that the message belongs to.
        session: SessionKey,
        /// The message as it is now; its `id` is a function of the agent's own ids.
        draft: Draft,
        /// Where it came from, in the order of the file.
        spans: Vec<Span>,
        /// Marks of a message that was copied from another transcript.
        marks: CopyMarks,
    },
    /// A person rewound the conversation: these messages no longer hold (`left`), or hold again. Comes after the messages of
    /// the same flush.
    Rewound {
        /// The session that was rewound.
        session: SessionKey,
        /// Which of its messages.
        stretch: Stretch,
        /// True where they no longer hold, false where they hold again.
        left: bool,
    },
    /// Create or update a run, by `run.id` within the session. `spent` lists its API messages that are new, or changed since it was
    /// told of last.
    Run {
        /// The session that the run belongs to.
        session: SessionKey,
        /// The run as it is now.
        run: Run,
        /// Tokens and cost of these API messages, by their ids; the sum of all that were told is the run's usage.
        spent: Vec<Spent>,
    },
    /// Bytes of an image or document. FILE messages name them by `sha256` (hex) in `blob`.
    Blob {
        /// SHA-256 of `bytes`, in hex.
        sha256: String,
        /// Media type as the transcript states it: `image/png`.
        mime: String,
        /// The decoded content.
        bytes: Vec<u8>,
    },
    /// A line became a note: count it. The note itself is a message.
    Note {
        /// The session that the line belongs to.
        session: SessionKey,
        /// Where the line begins in the file, in bytes.
        offset: u64,
        /// Why the line wasn't read, for people.
        text: String,
    },
}
