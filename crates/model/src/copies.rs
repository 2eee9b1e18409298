//! What shows that a message of one transcript is a copy of another transcript's, beside its id.
//!
//! A fork, or a session that is resumed, repeats the lines before it in a file of its own: with the same ids, or with new ones.

/// Marks of a message that was read from a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyMarks {
    /// What the message has in common with its copies; None where its line has neither the id of an API message nor a
    /// time.
    pub twin: Option<Twin>,
    /// The transcript says that the line was copied from another session.
    pub is_copy: bool,
}

/// A hash that a message has in common with its copies, whatever the ids of their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Twin {
    /// Of the API message's id and the text. Proves by itself that both are the same.
    ApiMessage(String),
    /// Of the time and the text. Holds only if other messages prove that one session repeats the other.
    Time(String),
}

impl Twin {
    /// Returns the SHA-256, in hex, whatever it was made of.
    pub fn hash(&self) -> &str {
        match self {
            Self::ApiMessage(hash) | Self::Time(hash) => hash,
        }
    }
}
