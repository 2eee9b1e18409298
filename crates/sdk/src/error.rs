//! Why a call failed.

use api::Problem;
use model::envelope::EnvelopeError;

/// Why a call failed, by what a caller may do about it. What is worth repeating was repeated before it became an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address or the key is missing, or none.
    #[error("{0}")]
    Setup(String),
    /// Nobody answered. What the request did isn't known; repeat it with the same ids.
    #[error("{0}")]
    Unreachable(Problem),
    /// The server can't do it now: 429, 502, 503 or 504.
    #[error("{0}")]
    Busy(Problem),
    /// The key doesn't hold, or not any more: 401.
    #[error("{0}")]
    Unauthorized(Problem),
    /// The key may not do that: 403.
    #[error("{0}")]
    Forbidden(Problem),
    /// There is no such thing, or it isn't the key's own: 404.
    #[error("{0}")]
    NotFound(Problem),
    /// It doesn't go with what is there: 409.
    #[error("{0}")]
    Conflict(Problem),
    /// The message has changed in between: 412. [`Problem::current`] is the message as it is.
    #[error("{0}")]
    Changed(Problem),
    /// The request is wrong: any other 4xx. [`Problem::field`] says where.
    #[error("{0}")]
    Invalid(Problem),
    /// The server failed, or something answered that is no server of ours.
    #[error("{0}")]
    Server(Problem),
    /// The question was taken back while its answer was waited for: nobody is asked any more.
    #[error("The question was taken back: nobody answers it any more")]
    Withdrawn,
    /// What was to be sent is no valid envelope. Nothing was sent.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

impl Error {
    /// Returns the server's problem. None if no request was sent, or if the question was taken back.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Setup(_) | Self::Withdrawn | Self::Envelope(_) => None,
            Self::Unreachable(problem)
            | Self::Busy(problem)
            | Self::Unauthorized(problem)
            | Self::Forbidden(problem)
            | Self::NotFound(problem)
            | Self::Conflict(problem)
            | Self::Changed(problem)
            | Self::Invalid(problem)
            | Self::Server(problem) => Some(problem),
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        match problem.status {
            0 if problem.code == "transport" => Self::Unreachable(problem),
            401 => Self::Unauthorized(problem),
            403 => Self::Forbidden(problem),
            404 => Self::NotFound(problem),
            409 => Self::Conflict(problem),
            412 => Self::Changed(problem),
            429 | 502 | 503 | 504 => Self::Busy(problem),
            400..=499 => Self::Invalid(problem),
            _ => Self::Server(problem),
        }
    }
}
