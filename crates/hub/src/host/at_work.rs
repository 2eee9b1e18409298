//! The sessions whose agent runs in this process.

use crate::context::TopicState;
use model::SessionId;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct AtWork(Mutex<HashSet<SessionId>>);

impl TopicState for AtWork {}

impl AtWork {
    /// Notes that the agent of a session runs.
    pub fn enter(&self, session: &SessionId) {
        self.lock().insert(session.clone());
    }

    /// Notes that the agent of a session doesn't run any more.
    pub fn leave(&self, session: &SessionId) {
        self.lock().remove(session);
    }

    pub fn sessions(&self) -> Vec<SessionId> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
