//! Why metadata is refused.

use crate::{strict::Mismatch, words};

words! {
    /// Stable, for programs.
    EnvelopeCode {
        /// The metadata is neither an object nor null.
        NotAnObject = "metadata_not_an_object",
        /// `message_type` isn't a string of 1 to 200 characters.
        MessageType = "message_type_invalid",
        /// `version` isn't an integer of at least 1.
        Version = "version_invalid",
        /// `payload` isn't an object.
        PayloadNotAnObject = "payload_not_an_object",
        /// The payload of a built-in type doesn't validate.
        Payload = "payload_invalid",
        /// `edit_info` or `todo_info`.
        Extra = "extra_invalid",
        /// An extra is called `message_type`, `version` or `payload`.
        ReservedExtra = "extra_reserved",
    }
}

/// What is wrong, where, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct EnvelopeError {
    /// For programs; the text of the error is for people.
    pub code: EnvelopeCode,
    /// The offending field is a JSON pointer into the metadata.
    pub problem: Mismatch,
}

impl EnvelopeError {
    pub(super) fn new(code: EnvelopeCode, pointer: &str, expected: &str) -> Self {
        Self::at(code, Mismatch::new(pointer, expected))
    }

    pub(super) fn at(code: EnvelopeCode, problem: Mismatch) -> Self {
        Self { code, problem }
    }
}
