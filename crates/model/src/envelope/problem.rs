//! Errors of metadata.

use crate::{strict::Mismatch, words};

words! {
    /// Code of an error, for programs.
    EnvelopeCode {
        /// The metadata is neither an object nor null.
        NotAnObject = "metadata_not_an_object",
        /// `message_type` isn't a string of 1 to 200 characters.
        MessageType = "message_type_invalid",
        /// `version` isn't an integer of at least 1.
        Version = "version_invalid",
        /// `payload` isn't an object.
        PayloadNotAnObject = "payload_not_an_object",
        /// The payload of a built-in type is invalid.
        Payload = "payload_invalid",
        /// `edit_info` or `todo_info` is invalid.
        Extra = "extra_invalid",
        /// An extra is named `message_type`, `version` or `payload`.
        ReservedExtra = "extra_reserved",
    }
}

/// An error in metadata: what is wrong, where, and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct EnvelopeError {
    /// The code for programs. The error's text is for people.
    pub code: EnvelopeCode,
    /// The invalid field as a JSON pointer into the metadata, and what is expected.
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
