//! Why metadata is refused.

use crate::{message_type::Mismatch, words};

words! {
    /// Stable, for programs.
    EnvelopeCode {
        NotAnObject = "metadata_not_an_object",
        MessageType = "message_type_invalid",
        Version = "version_invalid",
        PayloadNotAnObject = "payload_not_an_object",
        Payload = "payload_invalid",
        /// `edit_info` or `todo_info`.
        Extra = "extra_invalid",
        ReservedExtra = "extra_reserved",
    }
}

/// What is wrong, where, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct EnvelopeError {
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
