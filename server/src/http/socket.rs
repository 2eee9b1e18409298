//! The socket of a connection, as hyper uses it.
//!
//! A client that takes an answer too slowly is let go: the answer lies in memory until the client has it. A client that sends
//! nothing more is gone to hyper, which drops what it asked for; the socket keeps that from hyper as long as the request is to
//! be done to its end, and answered: some clients close their half of the connection when they have said all.

use futures::task::AtomicWaker;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A client that takes fewer than [`LEAST`] bytes in this time, though more wait for it, is let go.
const STALL: Duration = Duration::from_secs(30);
const LEAST: usize = 16 * 1024;

/// Whether hyper may be told that the client sends nothing more. Cheap to clone; clones share state.
#[derive(Clone, Default)]
pub struct End(Arc<Inner>);

#[derive(Default)]
struct Inner {
    held: AtomicBool,
    /// The client sends nothing more, which hyper isn't told.
    came: AtomicBool,
    reader: AtomicWaker,
    body: AtomicWaker,
}

impl End {
    /// Keeps the end from hyper.
    pub fn hold(&self) {
        self.0.held.store(true, Ordering::Release);
    }

    /// Lets hyper see the end.
    pub fn release(&self) {
        self.0.held.store(false, Ordering::Release);
        self.0.reader.wake();
    }

    /// Returns true if a body of which something is missing never gets it. Whoever waits for the body is woken by that.
    pub fn came(&self, cx: &Context<'_>) -> bool {
        self.0.body.register(cx.waker());
        self.0.came.load(Ordering::Acquire)
    }

    fn keep(&self, cx: &Context<'_>) -> bool {
        self.0.reader.register(cx.waker());
        let held = self.0.held.load(Ordering::Acquire);
        self.0.came.store(held, Ordering::Release);
        self.0.body.wake();
        held
    }
}

/// `S` is a TCP connection, or one with TLS over it.
pub struct Socket<S> {
    stream: S,
    end: End,
    /// Set while the client doesn't take what is written.
    stall: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since then.
    taken: usize,
}

impl<S> Socket<S> {
    pub fn new(stream: S, end: End) -> Self {
        Self { stream, end, stall: None, taken: 0 }
    }

    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.stall.as_ref().is_some_and(|stall| self.taken >= LEAST || stall.is_elapsed()) {
                    self.stall = None;
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => {
                if self.stall.is_none() {
                    self.taken = 0;
                }
                ready!(self.stall.get_or_insert_with(|| Box::pin(sleep(STALL))).as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (room, before) = (buf.remaining(), buf.filled().len());
        match ready!(Pin::new(&mut self.stream).poll_read(cx, buf)) {
            // Many clients end TLS by ending the connection below it.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            read => read?,
        }
        let is_end = room > 0 && buf.filled().len() == before;
        if is_end && self.end.keep(cx) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
