//! Waiters for a change of one message.
//!
//! The writer hands over the messages that it wrote. Changes by others, such as an import or another server, are known
//! from the feed; then the message is read again.

use crate::context::feed::{Feed, FeedChange};
use api::events::FeedKind;
use model::{MessageId, SessionId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::StoredMessage;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, watch};

/// Cheap to clone; clones share state.
#[derive(Clone, Default)]
pub struct MessageWaiters(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// By session.
    bells: Mutex<HashMap<String, Vec<Arc<Bell>>>>,
    /// Somebody began to wait.
    begun: Notify,
}

struct Bell {
    message: MessageId,
    /// `seq` of the message; 0 until it was read.
    seq: AtomicI64,
    /// The last change that was handed over.
    news: watch::Sender<Option<Arc<MessageChange>>>,
}

/// A message as it was written, with what was posted in the same transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageChange {
    pub message: StoredMessage,
    pub follow_up: Option<StoredMessage>,
}

/// One who waits.
pub struct MessageWaiter {
    waiters: MessageWaiters,
    session: SessionId,
    bell: Arc<Bell>,
    news: watch::Receiver<Option<Arc<MessageChange>>>,
}

impl MessageWaiters {
    /// Begins to wait for changes of a message: those from now on.
    pub fn of(&self, session: &SessionId, message: &MessageId) -> MessageWaiter {
        let (sender, news) = watch::channel(None);
        let bell = Arc::new(Bell { message: message.clone(), seq: AtomicI64::new(0), news: sender });
        self.lock().entry(session.to_string()).or_default().push(Arc::clone(&bell));
        self.0.begun.notify_one();
        MessageWaiter { waiters: self.clone(), session: session.clone(), bell, news }
    }

    /// Hands a change over to those who wait for it: the message, and what was posted in the same transaction.
    pub fn written(&self, message: &StoredMessage, follow_up: Option<&StoredMessage>) {
        let bells = self.lock();
        let Some(waiting) = bells.get(message.message.session_id.as_str()) else { return };
        for bell in waiting.iter().filter(|bell| bell.message == message.message.draft.id) {
            let change = MessageChange { message: message.clone(), follow_up: follow_up.cloned() };
            bell.news.send_replace(Some(Arc::new(change)));
        }
    }

    /// Wakes those whose messages changed by what others wrote, for as long as there is a hub.
    pub(crate) async fn follow(self, feed: Feed) {
        loop {
            self.0.begun.notified().await;
            let mut changes = feed.changes();
            // Earlier waiters must look again, because changes in between aren't reported to them.
            self.wake(|_, _| true);
            while !self.lock().is_empty() {
                match changes.recv().await {
                    Ok(changes) => changes.iter().for_each(|change| self.changed(change)),
                    Err(RecvError::Lagged(_)) => self.wake(|_, _| true),
                    Err(RecvError::Closed) => return,
                }
            }
        }
    }

    fn changed(&self, change: &FeedChange) {
        let concerns = |bell: &Bell| {
            let seq = bell.seq.load(Ordering::Relaxed);
            change.kind == FeedKind::Session || seq == 0 || (change.from_seq..=change.to_seq).contains(&seq)
        };
        self.wake(|session, bell| session == change.session && concerns(bell));
    }

    fn wake(&self, wanted: impl Fn(&str, &Bell) -> bool) {
        for (session, bells) in self.lock().iter() {
            bells.iter().filter(|bell| wanted(session, bell)).for_each(|bell| bell.news.send_modify(|_| {}));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Arc<Bell>>>> {
        self.0.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MessageWaiter {
    /// Returns the last change that was handed over.
    pub fn last_written(&self) -> Option<Arc<MessageChange>> {
        self.news.borrow().clone()
    }

    /// Notes the place of the message: changes of others in its session don't wake from then on.
    pub fn note_seq(&self, seq: i64) {
        self.bell.seq.store(seq, Ordering::Relaxed);
    }

    /// Waits until the message changed, or may have.
    pub async fn changed(&mut self) {
        // The sender lives as long as this.
        let _ = self.news.changed().await;
    }
}

impl Drop for MessageWaiter {
    fn drop(&mut self) {
        let mut bells = self.waiters.lock();
        if let Some(waiting) = bells.get_mut(self.session.as_str()) {
            waiting.retain(|bell| !Arc::ptr_eq(bell, &self.bell));
            if waiting.is_empty() {
                bells.remove(self.session.as_str());
            }
        }
    }
}
