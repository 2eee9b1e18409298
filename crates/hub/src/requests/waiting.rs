//! The approvals for which agents' hooks wait, in this process.

use crate::context::TopicState;
use model::{MessageId, SessionId};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct WaitingHooks(Mutex<Vec<Waiting>>);

struct Waiting {
    session: SessionId,
    message: MessageId,
    call: Option<String>,
    /// Requests of the agent that wait for this one approval.
    count: usize,
}

impl TopicState for WaitingHooks {}

impl WaitingHooks {
    /// Returns true if an agent waits for this approval.
    pub fn holds(&self, session: &SessionId, message: &MessageId) -> bool {
        self.lock().iter().any(|held| held.is(session, message))
    }

    /// Notes that an agent waits.
    pub fn begin(&self, session: &SessionId, message: &MessageId, call: Option<&str>) {
        let mut all = self.lock();
        if let Some(held) = all.iter_mut().find(|held| held.is(session, message)) {
            held.count += 1;
            return;
        }
        let (session, message) = (session.clone(), message.clone());
        all.push(Waiting { session, message, call: call.map(str::to_owned), count: 1 });
    }

    /// One that waited doesn't any more. Returns whether it was the last one.
    pub fn end(&self, session: &SessionId, message: &MessageId) -> bool {
        let mut all = self.lock();
        let Some(at) = all.iter().position(|held| held.is(session, message)) else { return false };
        let Some(held) = all.get_mut(at) else { return false };
        held.count -= 1;
        let is_last = held.count == 0;
        if is_last {
            all.swap_remove(at);
        }
        is_last
    }

    /// The approvals of a call.
    pub fn of_call(&self, session: &SessionId, call: &str) -> Vec<MessageId> {
        self.named(|held| held.session == *session && held.call.as_deref() == Some(call))
    }

    /// The approvals of a session.
    pub fn of_session(&self, session: &SessionId) -> Vec<MessageId> {
        self.named(|held| held.session == *session)
    }

    fn named(&self, wanted: impl Fn(&Waiting) -> bool) -> Vec<MessageId> {
        self.lock().iter().filter(|held| wanted(held)).map(|held| held.message.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn is(&self, session: &SessionId, message: &MessageId) -> bool {
        self.session == *session && self.message == *message
    }
}
