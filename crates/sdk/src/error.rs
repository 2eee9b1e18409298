//! Errors of the client.

use api::Problem;
use model::envelope::EnvelopeError;

/// An error, by how a caller can handle it. Temporary failures were already retried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address, the key or the input is missing or invalid. Nothing was sent.
    #[error("{0}")]
    Setup(String),
    /// No response came. The server may have handled the request or not; repeat it with the same ids.
    #[error("{0}")]
    Unreachable(Problem),
    /// The server can't handle the request at the moment: 429, 502, 503 or 504.
    #[error("{0}")]
    Busy(Problem),
    /// The key is unknown, expired or revoked: 401.
    #[error("{0}")]
    Unauthorized(Problem),
    /// The key has no permission: 403.
    #[error("{0}")]
    Forbidden(Problem),
    /// The resource doesn't exist, or belongs to another key: 404.
    #[error("{0}")]
    NotFound(Problem),
    /// The request conflicts with the present state: 409.
    #[error("{0}")]
    Conflict(Problem),
    /// The message has changed since it was read: 412. [`Problem::current`] is the current message.
    #[error("{0}")]
    Changed(Problem),
    /// The request is invalid: any other 4xx. [`Problem::field`] names the field.
    #[error("{0}")]
    Invalid(Problem),
    /// The server failed, or the response isn't from a Verbatim server.
    #[error("{0}")]
    Server(Problem),
    /// The question was retracted while its answer was awaited.
    #[error("The question was taken back: nobody answers it any more")]
    Withdrawn,
    /// The message isn't a valid envelope. Nothing was sent.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

impl Error {
    /// Returns the server's problem. None if no request was sent, or if the question was retracted.
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
