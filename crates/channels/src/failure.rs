//! Why something wasn't done: a setting that is wrong, and what another side refused.

use std::time::Duration;

/// A setting that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {expected}")]
pub struct SettingError {
    /// The setting's name.
    pub field: &'static str,
    /// The expected value.
    pub expected: String,
}

/// Why nothing was sent, or nobody knows whether it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A repetition may help.
    #[error("{reason}")]
    Later {
        /// For people.
        reason: String,
        /// When the other side wants to be asked again.
        after: Option<Duration>,
    },
    /// The same request would be refused again.
    #[error("{reason}")]
    Never {
        /// For people.
        reason: String,
        /// The HTTP status of the answer, if there was one.
        status: Option<u16>,
    },
}

impl Failure {
    /// A failure that may pass.
    pub fn later(reason: impl Into<String>) -> Self {
        Self::Later { reason: reason.into(), after: None }
    }

    /// A failure that won't pass.
    pub fn never(reason: impl Into<String>) -> Self {
        Self::Never { reason: reason.into(), status: None }
    }
}

impl SettingError {
    /// Makes the refusal of a setting.
    pub fn new(field: &'static str, expected: impl Into<String>) -> Self {
        Self { field, expected: expected.into() }
    }
}
