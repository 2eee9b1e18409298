//! The connection that a request came on, and whether its client read the answer.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep};

/// How long the reset of a connection that its client closed before the answer may take to arrive.
const RESET: Duration = Duration::from_millis(200);
/// A client that takes fewer bytes of an answer in this time, though more wait for it, is let go: the answer lies in memory.
const STALL: Duration = Duration::from_secs(30);
const LEAST: usize = 16 * 1024;

/// Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
    opened: Instant,
    /// None once it was taken.
    socket: Mutex<Option<TcpStream>>,
    /// Requests that came on it.
    requests: AtomicU64,
    /// When its client closed it, or its half of it, with a request unanswered.
    left: OnceLock<Instant>,
    /// Reading or writing failed.
    broke: AtomicBool,
    ended: watch::Sender<Option<End>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The last answer was written whole; whether the client read it can't be known.
    Answered,
    /// The client was gone before the last answer was written.
    Unanswered,
}

/// A request, by the connection that it came on. Each request carries it as an extension.
#[derive(Clone)]
pub struct Exchange {
    connection: Connection,
    number: u64,
}

impl Exchange {
    /// Returns whether the client was gone before it could have the answer, and came back on the connection of `next`.
    /// If it closed its connection, this waits until that has ended.
    pub async fn was_left_for(&self, next: &Self) -> bool {
        let inner = &self.connection.0;
        // What came on a connection that was open beside this one is of another client, or isn't its repeat.
        if inner.left.get().is_none_or(|left| *left > next.connection.0.opened) {
            return false;
        }
        // Its sender is ours: the wait ends by an end alone.
        let _ = inner.ended.subscribe().wait_for(Option::is_some).await;
        let is_last = inner.requests.load(Ordering::Relaxed) == self.number;
        is_last && *inner.ended.borrow() == Some(End::Unanswered)
    }
}

impl Connection {
    pub fn new(socket: Option<TcpStream>) -> Self {
        Self(Arc::new(Inner {
            opened: Instant::now(),
            socket: Mutex::new(socket),
            requests: AtomicU64::new(0),
            left: OnceLock::new(),
            broke: AtomicBool::new(false),
            ended: watch::Sender::new(None),
        }))
    }

    /// Counts a request. To be called for each, in their order.
    pub fn begin(&self) -> Exchange {
        let number = self.0.requests.fetch_add(1, Ordering::Relaxed) + 1;
        Exchange { connection: self.clone(), number }
    }

    /// Takes the socket from whoever serves the connection: to them it ends, and what they write is read by nobody.
    pub fn take(&self) -> Option<TcpStream> {
        self.0.socket.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes that the client closed the connection, or its half of it, and waits for an answer at most.
    pub fn leave(&self) {
        let _ = self.0.left.set(Instant::now());
    }

    /// Closes the connection with its last request unanswered.
    pub fn abandon(&self) {
        self.leave();
        self.0.broke.store(true, Ordering::Relaxed);
        drop(self.take());
    }

    /// Closes the connection. To be called once, when it was served.
    pub async fn end(&self) {
        let socket = self.take();
        let left = self.0.left.get().is_some();
        let unanswered = left && (self.0.broke.load(Ordering::Relaxed) || is_reset(socket.as_ref()).await);
        let end = if unanswered { End::Unanswered } else { End::Answered };
        self.0.ended.send_replace(Some(end));
    }

    /// Waits until the other side has sent everything: it closed the connection, or its half of it. Only whoever serves
    /// the connection may wait.
    pub async fn silence(&self) {
        std::future::poll_fn(|cx| {
            let socket = self.0.socket.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(socket) = &*socket else { return Poll::Pending };
            let mut one = [0];
            match socket.poll_peek(cx, &mut ReadBuf::new(&mut one)) {
                Poll::Ready(Ok(0)) => Poll::Ready(()),
                Poll::Ready(Err(_)) => {
                    self.0.broke.store(true, Ordering::Relaxed);
                    Poll::Ready(())
                }
                _ => Poll::Pending,
            }
        })
        .await;
    }

    fn notice<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.0.broke.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// Returns whether a connection was closed with the answer unread. A client that closed its half of it alone reads on, and
/// resets nothing.
async fn is_reset(socket: Option<&TcpStream>) -> bool {
    let Some(socket) = socket else { return false };
    let _ = tokio::time::timeout(RESET, socket.ready(Interest::ERROR)).await;
    socket.take_error().is_ok_and(|error| error.is_some())
}

/// The connection's socket as hyper uses it. It notes when the connection breaks: between two requests, hyper takes that
/// for an ordinary end. It breaks by itself when the client takes hardly anything of an answer.
pub struct Watched {
    connection: Connection,
    /// Set while the client doesn't take what is written.
    stall: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since then.
    taken: usize,
}

impl Watched {
    pub fn new(connection: Connection) -> Self {
        Self { connection, stall: None, taken: 0 }
    }

    /// Calls `work` with the socket. Returns `taken` once the socket is gone.
    fn with<T>(&self, taken: T, work: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let mut socket = self.connection.0.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(socket) = &mut *socket else { return Poll::Ready(Ok(taken)) };
        let done = ready!(work(Pin::new(socket)));
        Poll::Ready(self.connection.notice(done))
    }

    /// Like `with`. A write that fails leaves an answer incomplete.
    fn write(
        &mut self,
        cx: &mut Context<'_>,
        taken: usize,
        work: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let done = match self.with(taken, |socket| work(socket, cx)) {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.stall.as_ref().is_some_and(|stall| self.taken >= LEAST || stall.is_elapsed()) {
                    self.stall = None;
                }
                return Poll::Ready(Ok(bytes));
            }
            Poll::Ready(failed) => failed,
            Poll::Pending => {
                if self.stall.is_none() {
                    self.taken = 0;
                }
                ready!(self.stall.get_or_insert_with(|| Box::pin(sleep(STALL))).as_mut().poll(cx));
                self.connection.notice(Err(io::ErrorKind::TimedOut.into()))
            }
        };
        self.connection.leave();
        Poll::Ready(done)
    }
}

impl AsyncRead for Watched {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.with((), |socket| socket.poll_read(cx, buf))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().write(cx, buf.len(), |socket, cx| socket.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = bufs.iter().map(|buf| buf.len()).sum();
        self.get_mut().write(cx, all, |socket, cx| socket.poll_write_vectored(cx, bufs))
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
