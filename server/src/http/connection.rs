//! The connection that a request came on, and how it ended.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;

/// Every request of a connection carries it. Clones are one.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
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
    pub fn new() -> Self {
        Self(Arc::new(Inner { ended: watch::Sender::new(None), broke: AtomicBool::new(false) }))
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

    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn notice<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.0.broke.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// A stream that tells its connection when it breaks: between two requests, hyper takes that for an ordinary end.
pub struct Watched(pub TcpStream, pub Connection);

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.0).poll_read(cx, buf));
        Poll::Ready(self.1.notice(read))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.0).poll_write(cx, buf));
        Poll::Ready(self.1.notice(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.0).poll_write_vectored(cx, bufs));
        Poll::Ready(self.1.notice(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
