//! The socket on which the server accepts connections: its own, or one that it was given.

#[cfg(unix)]
use anyhow::bail;
use anyhow::{Result, anyhow};
use std::net::{SocketAddr, TcpListener};

/// Listens on an address.
pub async fn bind(address: SocketAddr) -> Result<tokio::net::TcpListener> {
    tokio::net::TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => anyhow!(
            "port {} is in use\nVerbatim may be running already: `verbatim open` prints a link to it; `--listen 127.0.0.1:0` takes a free port",
            address.port()
        ),
        _ => anyhow!("can't listen on {address}: {error}"),
    })
}

/// Checks a listening socket that another process made.
///
/// # Errors
///
/// If it doesn't listen.
#[cfg(unix)]
pub fn check(listener: TcpListener) -> Result<TcpListener> {
    let address =
        listener.local_addr().map_err(|error| anyhow!("the socket that was passed isn't one of TCP: {error}"))?;
    if !rustix::net::sockopt::socket_acceptconn(&listener).unwrap_or(false) {
        bail!("the socket that was passed, {address}, doesn't listen\nPass a listening TCP socket");
    }
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Takes the socket that systemd passed, if it did (`LISTEN_FDS`). To be called before threads are started.
///
/// # Errors
///
/// If it isn't one listening TCP socket.
#[cfg(unix)]
pub fn passed() -> Result<Option<TcpListener>> {
    let mut sockets = listenfd::ListenFd::from_env();
    match sockets.len() {
        0 => return Ok(None),
        1 => {}
        count => bail!("`LISTEN_FDS` passes {count} sockets\nPass one: a listening TCP socket"),
    }
    let taken = sockets.take_tcp_listener(0).map_err(|error| {
        anyhow!("`LISTEN_FDS`: {error}\nPass a listening TCP socket: `ListenStream=127.0.0.1:7117`")
    })?;
    taken.map(check).transpose()
}

#[cfg(not(unix))]
pub fn passed() -> Result<Option<TcpListener>> {
    Ok(None)
}
