//! Bodies that come too slowly: who holds a connection open with a byte now and then is let go; a telephone on a bad
//! line, which goes on, isn't. And bodies that come fast: between two pieces of a long one, everybody else has a turn.

use super::socket::End;
use api::serve::TooSlow;
use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// In each time of this length so many bytes come, or all that are left.
const WINDOW: Duration = Duration::from_secs(8);
const LEAST: usize = 1024;
/// A body that is this long takes up memory that others wait for: from then on 8 KiB a second come at least.
const LONG: usize = 64 * 1024;
const LEAST_OF_LONG: usize = 64 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A body that fails with [`TooSlow`]. The time runs only while somebody waits for it to go on.
pub struct Paced {
    body: Incoming,
    end: End,
    /// None before somebody waited.
    window: Option<Pin<Box<Sleep>>>,
    /// Bytes received in the current period.
    came: usize,
    /// Bytes received in total.
    total: usize,
    /// True if other tasks ran since the last piece.
    rested: bool,
}

impl Paced {
    pub fn new(body: Incoming, end: End) -> Self {
        Self { body, end, window: None, came: 0, total: 0, rested: false }
    }

    /// Another window begins when one is full, or was over while nobody asked.
    fn count(&mut self, bytes: usize) {
        self.came += bytes;
        self.total += bytes;
        let least = if self.total > LONG { LEAST_OF_LONG } else { LEAST };
        if let Some(window) = &mut self.window
            && (self.came >= least || window.is_elapsed())
        {
            window.as_mut().reset(Instant::now() + WINDOW);
            self.came = 0;
        }
    }
}

impl Body for Paced {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        // Hundreds of them at once would otherwise be read in large pieces each, and short requests would wait for all.
        if self.total > LONG && !std::mem::replace(&mut self.rested, true) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                self.rested = false;
                if let Some(Ok(frame)) = &frame {
                    self.count(frame.data_ref().map_or(0, Bytes::len));
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending if self.end.came(cx) => {
                Poll::Ready(Some(Err(io::Error::from(ErrorKind::UnexpectedEof).into())))
            }
            Poll::Pending => {
                let window = self.window.get_or_insert_with(|| Box::pin(sleep(WINDOW)));
                ready!(window.as_mut().poll(cx));
                Poll::Ready(Some(Err(TooSlow.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
