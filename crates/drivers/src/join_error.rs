//! Why a running agent can't be joined.

/// Why a running Codex can't be joined. Each message goes on after "Codex can't be joined: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// There is no socket.
    #[error("its background server isn't running")]
    Absent,
    /// Nobody listens on the socket.
    #[error("its socket {0} was left by a server that has ended")]
    Stale(String),
    /// There is something else in its place.
    #[error("{0} isn't a socket")]
    NoSocket(String),
    /// The socket, its folder, or the server is another user's.
    #[error("its socket {0} belongs to another user (id {1})")]
    Foreign(String, u32),
    /// Others may replace the socket.
    #[error("other users can write in {0}, the folder of its socket")]
    Exposed(String),
    /// The server is too old.
    #[error("its background server is version {0}; 0.171.0 or later is required")]
    Version(String),
    /// The server doesn't answer as Codex does.
    #[error("its socket isn't answered by Codex: {0}")]
    Protocol(String),
    /// The server is another folder's.
    #[error("its background server works with the folder {0}")]
    Elsewhere(String),
    /// The session was closed.
    #[error("the session is no longer open in Codex")]
    Closed,
    /// The connection broke off.
    #[error("the connection to its background server was lost")]
    Lost,
    /// Anything else.
    #[error("its socket can't be used: {0}")]
    Io(String),
}

impl JoinError {
    /// Returns true if the server may be there again in a moment.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Absent | Self::Stale(_) | Self::Lost | Self::Io(_))
    }
}
