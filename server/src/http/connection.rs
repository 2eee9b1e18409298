//! The connection that a request came on, and how it ended.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;

/// Every request of a connection carries it. Clones are one.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
    /// None once it was taken.
    socket: Mutex<Option<TcpStream>>,
    ended: watch::Sender<Option<End>>,
    broke: AtomicBool,
}

#[derive(Debug, Clone, Copy)]
pub struct End {
    pub at: Instant,
    pub manner: Manner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Closed between two requests, by either side.
    Orderly,
    /// Reset, or closed in the middle of a request or an answer.
    Broken,
}

impl Connection {
    pub fn new(socket: Option<TcpStream>) -> Self {
        let broke = AtomicBool::new(false);
        Self(Arc::new(Inner { socket: Mutex::new(socket), ended: watch::Sender::new(None), broke }))
    }

    /// Takes the socket from whoever serves the connection: to them it ends, and what they say is heard by nobody.
    pub fn take(&self) -> Option<TcpStream> {
        self.0.socket.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// To be called once, with what came of serving it.
    pub fn end(&self, served: &Result<(), hyper::Error>) {
        // An idle one that we close ends in good order.
        let orderly = served.as_ref().map_or_else(hyper::Error::is_timeout, |()| true);
        let broke = self.0.broke.load(Ordering::Relaxed);
        let manner = if orderly && !broke { Manner::Orderly } else { Manner::Broken };
        self.0.ended.send_replace(Some(End { at: Instant::now(), manner }));
    }

    /// None while it is open.
    pub fn ended(&self) -> Option<End> {
        *self.0.ended.borrow()
    }

    /// Waits until it has ended.
    pub async fn over(&self) {
        // Its sender is ours: the wait ends by an end alone.
        let _ = self.0.ended.subscribe().wait_for(Option::is_some).await;
    }

    /// Its own for as long as a clone of it is kept.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Waits until the other side has said all that it says: it closed the connection, or its half of it. To be asked by
    /// whoever serves it, who alone is told.
    pub async fn silence(&self) {
        std::future::poll_fn(|cx| {
            let socket = self.0.socket.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(socket) = &*socket else { return Poll::Pending };
            let mut one = [0];
            match socket.poll_peek(cx, &mut ReadBuf::new(&mut one)) {
                Poll::Ready(Ok(0) | Err(_)) => Poll::Ready(()),
                _ => Poll::Pending,
            }
        })
        .await;
    }

    /// It may be that nobody hears the answer.
    pub fn breaks(&self) {
        self.0.broke.store(true, Ordering::Relaxed);
    }

    fn notice<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.breaks();
        }
        result
    }
}

/// The connection's socket as hyper uses it. It tells when it breaks: between two requests, hyper takes that for an ordinary
/// end.
pub struct Watched(pub Connection);

impl Watched {
    /// Does it with the socket; `taken` is what comes of it when there is none any more.
    fn with<T>(&self, taken: T, work: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let mut socket = self.0.0.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(socket) = &mut *socket else { return Poll::Ready(Ok(taken)) };
        let done = ready!(work(Pin::new(socket)));
        Poll::Ready(self.0.notice(done))
    }
}

impl AsyncRead for Watched {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.with((), |socket| socket.poll_read(cx, buf))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.with(buf.len(), |socket| socket.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = bufs.iter().map(|buf| buf.len()).sum();
        self.with(all, |socket| socket.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with((), |socket| socket.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with((), |socket| socket.poll_shutdown(cx))
    }
}
