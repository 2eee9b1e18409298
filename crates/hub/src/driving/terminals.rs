//! Terminals of agents whose hook waits for what people write here.
//!
//! The newest hook of a session is the only one that waits. It asks again and again, and is gone once it doesn't for
//! [`GAP`]. A hook that passed words on is over; until its turn ends, the next one is expected.

use crate::context::TopicState;
use model::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Longest time between two requests of a hook that waits.
pub const GAP: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Terminals(Mutex<HashMap<SessionId, Terminal>>);

struct Terminal {
    /// The id of the hook that waits.
    hook: String,
    /// Its requests that are open.
    requests: usize,
    /// The agent is in a turn.
    is_busy: bool,
    /// The hook passed words on, and the turn that they began goes on.
    passed_on: bool,
    /// Rings when the terminal changed.
    bell: Arc<Notify>,
}

/// A hook as it begins to wait, or goes on.
pub struct Arrival<'a> {
    pub hook: &'a str,
    /// It takes the place of another hook.
    pub is_new: bool,
    /// The agent rests when it begins.
    pub rests: bool,
}

impl TopicState for Terminals {}

impl Terminals {
    /// Returns whether the agent in the terminal of a session is in a turn. None if no hook waits there.
    pub fn is_busy(&self, session: &SessionId) -> Option<bool> {
        self.lock().get(session).map(|terminal| terminal.is_busy)
    }

    /// Notes a request of a hook. Returns what rings when the terminal changes; None if another hook waits.
    pub fn enter(&self, session: &SessionId, arrival: &Arrival<'_>) -> Option<Arc<Notify>> {
        let mut all = self.lock();
        let terminal = all.entry(session.clone()).or_insert_with(|| Terminal {
            hook: arrival.hook.to_owned(),
            requests: 0,
            is_busy: false,
            passed_on: false,
            bell: Arc::default(),
        });
        if terminal.hook != arrival.hook {
            if !arrival.is_new {
                return None;
            }
            arrival.hook.clone_into(&mut terminal.hook);
            (terminal.requests, terminal.passed_on) = (0, false);
        }
        terminal.requests += 1;
        terminal.is_busy &= !(arrival.is_new && arrival.rests);
        terminal.bell.notify_waiters();
        Some(Arc::clone(&terminal.bell))
    }

    /// Returns whether the agent rests, for the hook that waits. None if it isn't the one.
    pub fn rests(&self, session: &SessionId, hook: &str) -> Option<bool> {
        self.lock().get(session).filter(|terminal| terminal.hook == hook).map(|terminal| !terminal.is_busy)
    }

    /// The hook passes words on, which begin a turn.
    pub fn pass_on(&self, session: &SessionId, hook: &str) {
        if let Some(terminal) = self.lock().get_mut(session).filter(|terminal| terminal.hook == hook) {
            (terminal.is_busy, terminal.passed_on) = (true, true);
        }
    }

    /// A request of a hook is over.
    pub fn leave(&self, session: &SessionId, hook: &str) {
        if let Some(terminal) = self.lock().get_mut(session).filter(|terminal| terminal.hook == hook) {
            terminal.requests = terminal.requests.saturating_sub(1);
        }
    }

    /// A turn of the agent began or ended. Returns whether that is news of a terminal whose hook waits.
    pub fn turn(&self, session: &SessionId, is_busy: bool) -> bool {
        let mut all = self.lock();
        let Some(terminal) = all.get_mut(session).filter(|terminal| terminal.is_busy != is_busy) else { return false };
        terminal.is_busy = is_busy;
        terminal.passed_on &= is_busy;
        terminal.bell.notify_waiters();
        true
    }

    /// Takes a terminal off whose session ended. Returns whether it was there.
    pub fn end(&self, session: &SessionId) -> bool {
        let ended = self.lock().remove(session);
        if let Some(terminal) = &ended {
            terminal.bell.notify_waiters();
        }
        ended.is_some()
    }

    /// Takes a terminal off for which no hook waits, and none is expected. Returns whether it was there.
    pub fn end_without_hook(&self, session: &SessionId) -> bool {
        let mut all = self.lock();
        let is_over = all.get(session).is_some_and(|terminal| terminal.requests == 0 && !terminal.passed_on);
        is_over && all.remove(session).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Terminal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
