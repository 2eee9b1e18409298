//! The control socket of Codex: WebSocket messages over a Unix socket, one JSON-RPC message each.

use crate::JoinError;
use futures::{SinkExt as _, StreamExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

#[cfg(unix)]
type Stream = tokio::net::UnixStream;
#[cfg(not(unix))]
type Stream = tokio::io::DuplexStream;

/// Where the socket is below the folder of Codex.
const PLACE: &str = "app-server-control/app-server-control.sock";
/// Longest time to connect, and to pass on one message.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest message, in bytes.
const MOST: usize = 64 << 20;

/// The control socket of one folder of Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlSocket {
    home: PathBuf,
    path: PathBuf,
}

/// By what it is seen that there is another socket: the file's device, number, and time of change.
pub type Identity = (u64, u64, i64);

impl ControlSocket {
    /// Returns the socket of a folder of Codex, `~/.codex`.
    pub fn of(home: &Path) -> Self {
        Self { home: home.to_owned(), path: home.join(PLACE) }
    }

    /// Returns the folder of Codex.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns by what another socket at this place is known. None if there is none. Costs one look at the file system.
    pub fn identity(&self) -> Option<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let found = self.path.metadata().ok()?;
            Some((found.dev(), found.ino(), found.ctime()))
        }
        #[cfg(not(unix))]
        None
    }

    /// Connects, if the socket, its folder and the server on the other side are this user's alone.
    pub(crate) async fn connect(&self) -> Result<Connection, JoinError> {
        #[cfg(unix)]
        {
            check::place(&self.path)?;
            let stream = timeout(PATIENCE, Stream::connect(&self.path)).await.map_err(|_| JoinError::Lost)?;
            let stream = stream.map_err(|error| match error.kind() {
                std::io::ErrorKind::ConnectionRefused => JoinError::Stale(self.path.display().to_string()),
                std::io::ErrorKind::NotFound => JoinError::Absent,
                _ => JoinError::Io(error.to_string()),
            })?;
            let peer = stream.peer_cred().map_err(|error| JoinError::Io(error.to_string()))?.uid();
            check::owner(&self.path, peer)?;
            let config = WebSocketConfig::default().max_message_size(Some(MOST)).max_frame_size(Some(MOST));
            let opened = tokio_tungstenite::client_async_with_config("ws://localhost/", stream, Some(config));
            let (socket, _) = timeout(PATIENCE, opened)
                .await
                .map_err(|_| JoinError::Protocol("no answer within 10 seconds".to_owned()))?
                .map_err(|error| JoinError::Protocol(error.to_string()))?;
            Ok(Connection(socket))
        }
        #[cfg(not(unix))]
        Err(JoinError::Absent)
    }
}

/// A connection to a running agent.
pub(crate) struct Connection(WebSocketStream<Stream>);

impl Connection {
    /// Sends one message.
    pub async fn send(&mut self, message: &[u8]) -> Result<(), JoinError> {
        let text = String::from_utf8_lossy(message).trim_end().to_owned();
        let sent = timeout(PATIENCE, self.0.send(Message::text(text))).await;
        sent.ok().and_then(Result::ok).ok_or(JoinError::Lost)
    }

    /// Waits for the next message. None at the end of the connection. Loses none where it is dropped.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.0.next().await?.ok()? {
                Message::Text(text) => return Some(text.as_bytes().to_vec()),
                Message::Binary(bytes) => return Some(bytes.to_vec()),
                Message::Close(_) => return None,
                // Answered by the library.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}

#[cfg(unix)]
mod check {
    use super::JoinError;
    use std::fs::Metadata;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    use std::path::Path;

    /// Write permissions of a group and of everybody.
    const OTHERS: u32 = 0o022;

    /// Checks the socket and its folder, and where a link leads to another one, that as well.
    pub fn place(path: &Path) -> Result<(), JoinError> {
        let found = look(path)?;
        if !found.file_type().is_socket() {
            return Err(JoinError::NoSocket(path.display().to_string()));
        }
        owner(path, found.uid())?;
        let real = path.canonicalize().map_err(|error| JoinError::Io(error.to_string()))?;
        for folder in [path.parent(), real.parent()].into_iter().flatten() {
            let found = look(folder)?;
            owner(path, found.uid())?;
            if found.mode() & OTHERS != 0 {
                return Err(JoinError::Exposed(folder.display().to_string()));
            }
        }
        Ok(())
    }

    /// Checks that a file or a process is this user's.
    pub fn owner(path: &Path, owner: u32) -> Result<(), JoinError> {
        let ours = rustix::process::geteuid().as_raw() == owner;
        if ours { Ok(()) } else { Err(JoinError::Foreign(path.display().to_string(), owner)) }
    }

    fn look(path: &Path) -> Result<Metadata, JoinError> {
        path.metadata().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => JoinError::Absent,
            _ => JoinError::Io(error.to_string()),
        })
    }
}
