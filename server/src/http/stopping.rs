//! How a server stops without failing a request.
//!
//! Requests that came are answered before the hub ends, and only then what waits for something to happen: event streams
//! and long polls. Where the port goes on to another process, connections are given back first: each next response closes
//! its connection, and the client's new one waits for that process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long connections are accepted on after a stop was asked for, where the port goes on. A client that keeps its
/// connection sends a request on it in this time, or doesn't use it at the moment.
const GIVING_BACK: Duration = Duration::from_secs(1);
/// How long a connection that was just accepted may take to send its request then.
const LATE: Duration = Duration::from_millis(500);
/// How long the hub goes on for requests that aren't answered yet.
const ANSWERS: Duration = Duration::from_millis(1500);

/// A server's stop. Cheap to clone; clones share state.
#[derive(Debug, Clone, Default)]
pub struct Stopping(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: CancellationToken,
    port_goes_on: AtomicBool,
    is_taken_over: AtomicBool,
    connections: watch::Sender<usize>,
    requests: watch::Sender<usize>,
}

impl Stopping {
    /// Asks the server to stop.
    pub fn ask(&self) {
        self.0.asked.cancel();
    }

    /// Returns when the server is asked to stop.
    pub async fn asked(&self) {
        self.0.asked.cancelled().await;
    }

    pub fn is_asked(&self) -> bool {
        self.0.asked.is_cancelled()
    }

    /// Another process has the listening socket, too, and accepts connections after this one.
    pub fn set_port_goes_on(&self) {
        self.0.port_goes_on.store(true, Ordering::Release);
    }

    /// Another process takes over the port and the data directory.
    pub fn set_taken_over(&self) {
        self.0.is_taken_over.store(true, Ordering::Release);
        self.set_port_goes_on();
    }

    pub fn is_taken_over(&self) -> bool {
        self.0.is_taken_over.load(Ordering::Acquire)
    }

    pub fn port_goes_on(&self) -> bool {
        self.0.port_goes_on.load(Ordering::Acquire)
    }

    /// Returns when no connection is to be accepted any more.
    pub(super) async fn last_accepted(&self) {
        self.asked().await;
        if self.port_goes_on() {
            tokio::time::sleep(GIVING_BACK).await;
        }
    }

    /// Waits for requests on connections that were accepted last, and which the next process can't see.
    pub(super) async fn late_requests(&self) {
        if self.port_goes_on() {
            let _ = timeout(LATE, none(&self.0.connections)).await;
        }
    }

    /// Waits until all requests are answered that don't wait for something to happen.
    pub(super) async fn answered(&self) {
        let _ = timeout(ANSWERS, none(&self.0.requests)).await;
    }

    /// Counts a connection that isn't an event stream or a long poll.
    pub(super) fn connection(&self) -> Open {
        Open::new(self, |inner| &inner.connections)
    }

    /// Counts a request that isn't answered yet.
    pub(super) fn request(&self) -> Open {
        Open::new(self, |inner| &inner.requests)
    }
}

async fn none(open: &watch::Sender<usize>) {
    let mut open = open.subscribe();
    let _ = open.wait_for(|count| *count == 0).await;
}

/// Something that is counted until it is closed, or dropped.
#[derive(Debug)]
pub(super) struct Open {
    stopping: Stopping,
    counter: fn(&Inner) -> &watch::Sender<usize>,
    is_closed: AtomicBool,
}

impl Open {
    fn new(stopping: &Stopping, counter: fn(&Inner) -> &watch::Sender<usize>) -> Self {
        counter(&stopping.0).send_modify(|count| *count += 1);
        Self { stopping: stopping.clone(), counter, is_closed: AtomicBool::default() }
    }

    pub(super) fn close(&self) {
        if !self.is_closed.swap(true, Ordering::AcqRel) {
            (self.counter)(&self.stopping.0).send_modify(|count| *count -= 1);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.close();
    }
}
