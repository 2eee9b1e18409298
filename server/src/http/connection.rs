//! The connection that a request came on, and how it ended.

use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::Instant;

/// Every request of a connection carries it. Clones are one.
#[derive(Clone)]
pub struct Connection(Arc<watch::Sender<Option<End>>>);

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
        Self(Arc::new(watch::Sender::new(None)))
    }

    /// To be called once, by whoever serves it.
    pub fn end(&self, manner: Manner) {
        self.0.send_replace(Some(End { at: Instant::now(), manner }));
    }

    /// None while it is open.
    pub fn ended(&self) -> Option<End> {
        *self.0.borrow()
    }

    /// Waits until it has ended.
    pub async fn over(&self) {
        // Its sender is ours: the wait ends by an end alone.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }

    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
