//! The tools on standard input and output: one JSON-RPC message a line.

use crate::{Client, Server};
use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{copy, duplex, stdin, stdout};
use tokio_util::sync::CancellationToken;

/// Bytes on their way from standard input.
const PIPE: usize = 64 * 1024;
/// Longest line in bytes. The server takes 16 MiB of a message, and names its limit; JSON may escape each byte.
const LINE: usize = 64 << 20;

/// Why a client isn't served any more, though it didn't leave.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// It doesn't speak the protocol.
    #[error("the client doesn't speak the Model Context Protocol: {0}")]
    Protocol(Box<ServerInitializeError>),
    /// Its session couldn't be ended.
    #[error(transparent)]
    Server(Box<sdk::Error>),
}

/// Serves a client on standard input and output until it closes them, or until `stop` is ready. What it waits for is
/// withdrawn then, and the session is ended if it was made for this client.
///
/// # Errors
///
/// If the client speaks another protocol, or the server can't be told that the session ended.
pub async fn serve_stdio(client: Client, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Ended> {
    let left = CancellationToken::new();
    let client = client.leaving(left.clone());
    let (mut from_client, input) = duplex(PIPE);
    // By a task of its own, so that the end of input is seen at once: the calls that wait are answered first.
    tokio::spawn(async move {
        let mut input = stdin();
        tokio::select! {
            _ = copy(&mut input, &mut from_client) => {}
            () = stop => {}
        }
        left.cancel();
    });
    let transport = AsyncRwTransport::new_server(input, stdout()).with_max_line_length(LINE);
    match serve_server(Server::new(client.clone()), transport).await {
        // Ends by the end of input alone: calls that run are waited for.
        Ok(service) => drop(service.waiting().await),
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(Ended::Protocol(Box::new(error))),
    }
    client.end().await.map_err(|error| Ended::Server(Box::new(error)))
}
