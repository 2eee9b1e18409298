//! Answers that go on for hours, sent by hand: for such a connection hyper would keep two buffers of 8 KiB, which thousands of
//! streams have no use for. The handler marks its answer as [`Long`]; the socket is taken from hyper, which sees the end of the
//! connection.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, Version, header};
use futures::StreamExt as _;
use socket2::SockRef;
use std::io::{self, Write as _};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

/// A stream says so often that it lives.
const HEARTBEAT: Duration = Duration::from_secs(15);
const ALIVE: &[u8] = b":\n\n";
/// Who takes nothing for so long is let go; it comes back to where it was.
const STALL: Duration = Duration::from_secs(30);
/// More of what is ready is sent later, so that one stream keeps nobody waiting.
const AT_ONCE: usize = 16 * 1024;

/// What a chunk takes beside its content.
const FRAME: usize = 20;
/// The kernel keeps as much for a reader that falls behind, and no more: everything is read again from the store.
const KERNEL: usize = 64 * 1024;

/// Marks an answer that goes on for long.
#[derive(Clone, Copy)]
pub struct Long;

/// Sends a long answer on a socket that was hyper's, to its end.
pub async fn send(socket: TcpStream, version: Version, answer: Response<Body>) {
    let (parts, body) = answer.into_parts();
    // A system that has its own mind about it is right as well.
    let _ = SockRef::from(&socket).set_send_buffer_size(KERNEL);
    let chunked = version == Version::HTTP_11;
    let stream = Stream { socket, chunked, buffer: head(parts.status, &parts.headers, chunked) };
    if let Err(error) = stream.send(body.into_data_stream()).await {
        tracing::debug!(%error, "a stream ended");
    }
}

fn head(status: StatusCode, headers: &HeaderMap, chunked: bool) -> Vec<u8> {
    let mut head =
        format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or_default()).into_bytes();
    let mut line = |name: &HeaderName, value: &[u8]| {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    };
    for (name, value) in headers {
        line(name, value.as_bytes());
    }
    if let Ok(now) = jiff::Timestamp::from_microsecond(hub::clock::now().0) {
        line(&header::DATE, now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string().as_bytes());
    }
    line(&header::CONNECTION, b"close");
    if chunked {
        line(&header::TRANSFER_ENCODING, b"chunked");
    }
    head.extend_from_slice(b"\r\n");
    head
}

struct Stream {
    socket: TcpStream,
    chunked: bool,
    /// To be sent next.
    buffer: Vec<u8>,
}

impl Stream {
    async fn send(mut self, mut body: BodyDataStream) -> io::Result<()> {
        self.flush().await?;
        loop {
            let heartbeat = Instant::now() + HEARTBEAT;
            let mut said = [0; 64];
            tokio::select! {
                biased;
                piece = body.next() => match piece {
                    Some(piece) => self.add(&piece.map_err(io::Error::other)?),
                    None => break,
                },
                // Nothing is expected any more but the end of the connection.
                read = self.socket.read(&mut said) => if read? == 0 { return Ok(()) },
                () = sleep_until(heartbeat) => self.add(&Bytes::from_static(ALIVE)),
            }
            // What is ready by now goes with it.
            while self.buffer.len() < AT_ONCE
                && let Some(Some(piece)) = futures::FutureExt::now_or_never(body.next())
            {
                self.add(&piece.map_err(io::Error::other)?);
            }
            self.flush().await?;
        }
        if self.chunked {
            self.buffer.extend_from_slice(b"0\r\n\r\n");
            self.flush().await?;
        }
        self.socket.shutdown().await
    }

    fn add(&mut self, piece: &Bytes) {
        if piece.is_empty() {
            return;
        }
        // Once, since what is ready is seldom more than one event.
        self.buffer.reserve(piece.len() + FRAME);
        if self.chunked {
            // Writing to memory doesn't fail.
            let _ = write!(self.buffer, "{:x}\r\n", piece.len());
        }
        self.buffer.extend_from_slice(piece);
        if self.chunked {
            self.buffer.extend_from_slice(b"\r\n");
        }
    }

    /// Sends the buffer, and gives its memory back.
    async fn flush(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        match timeout(STALL, self.socket.write_all(&buffer)).await {
            Ok(written) => written,
            Err(_) => Err(io::Error::other("its reader takes nothing")),
        }
    }
}
