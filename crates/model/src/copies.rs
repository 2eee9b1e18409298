//! Identifies copies of a message in other transcripts, by more than its id.
//!
//! A fork or a resumed session repeats the earlier lines in its own file, with the same ids or with new ones.

/// Properties of a transcript's message that identify its copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyMarks {
    /// Hash that its copies share. None if its line has neither the id of an API message nor a time.
    pub twin: Option<Twin>,
    /// True if the transcript marks the line as copied from another session.
    pub is_copy: bool,
}

/// A hash that a message shares with its copies, even if the ids of their lines differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Twin {
    /// Hash of the API message's id and the text. It proves that two messages are the same.
    ApiMessage(String),
    /// Hash of the time and the text. It only counts if other messages prove that one session repeats the other.
    Time(String),
}

impl Twin {
    /// Returns the SHA-256 in hex.
    pub fn hash(&self) -> &str {
        match self {
            Self::ApiMessage(hash) | Self::Time(hash) => hash,
        }
    }
}
