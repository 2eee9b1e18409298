//! The ledger of promises: every answer of success that a poster got.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// Session and id of a message.
pub type Name = (String, String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    pub seq: i64,
    /// Who has read the feed up to here sees it.
    pub pos: i64,
}

#[derive(Default)]
pub struct Ledger {
    promises: Mutex<BTreeMap<Name, Promise>>,
    count: watch::Sender<usize>,
}

impl Ledger {
    pub fn note(&self, name: Name, promise: Promise) {
        let mut promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(promises.insert(name, promise).is_none(), "each poster asks until it is answered, once");
        self.count.send_replace(promises.len());
    }

    pub fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Who has read the feed up to here sees all that was promised.
    pub fn pos(&self) -> i64 {
        let promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
        promises.values().map(|promise| promise.pos).max().unwrap_or(0)
    }

    pub async fn reaches(&self, count: usize) {
        self.count.subscribe().wait_for(|now| *now >= count).await.unwrap();
    }

    pub fn take(&self) -> BTreeMap<Name, Promise> {
        std::mem::take(&mut *self.promises.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
