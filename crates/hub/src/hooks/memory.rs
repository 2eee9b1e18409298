//! Recent events of hooks.

use crate::basics::hash::create_hash;
use crate::context::TopicState;
use crate::hooks::turn::Turn;
use api::hooks::HookEvent;
use model::session::Live;
use model::{Micros, SessionId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls that are remembered: a permission request names its tool and input, and not its call.
const CALLS: usize = 1024;
/// Sessions of which it is remembered what was told.
const SESSIONS: usize = 1024;
/// Microseconds for which an equal state with an equal reason is no news.
const FRESH: i64 = 10 * Micros::SECOND;

#[derive(Default)]
pub struct HookMemory(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    calls: VecDeque<Call>,
    told: HashMap<SessionId, Live>,
    turns: HashMap<SessionId, Turn>,
}

struct Call {
    /// The key that told of it.
    key: String,
    session: String,
    /// SHA-256 of tool and input: inputs may be large.
    hash: Vec<u8>,
    id: String,
}

impl TopicState for HookMemory {}

impl HookMemory {
    /// Remembers a call that is about to run, or to be asked about.
    pub fn note_call(&self, key: &str, event: &HookEvent) {
        let (Some(tool), Some(input), Some(id)) = (&event.tool_name, &event.tool_input, &event.tool_use_id) else {
            return;
        };
        if event.hook_event_name != "PreToolUse" {
            return;
        }
        let Ok(hash) = create_hash(&(tool, input)) else { return };
        let mut inner = self.lock();
        if inner.calls.len() >= CALLS {
            inner.calls.pop_front();
        }
        let (key, session) = (key.to_owned(), event.session_id.clone());
        inner.calls.push_back(Call { key, session, hash, id: id.clone() });
    }

    /// Returns the id of the call that a request is about: the last one of its session with the same tool and input, of
    /// which the same key told.
    pub fn call_of(&self, key: &str, event: &HookEvent) -> Option<String> {
        if let Some(id) = &event.tool_use_id {
            return Some(id.clone());
        }
        let (Some(tool), Some(input)) = (&event.tool_name, &event.tool_input) else { return None };
        let hash = create_hash(&(tool, input)).ok()?;
        let same = |call: &&Call| call.key == key && call.session == event.session_id && call.hash == hash;
        self.lock().calls.iter().rev().find(same).map(|call| call.id.clone())
    }

    /// Notes what an agent does. Returns true if that differs from what was told last.
    pub fn is_news(&self, session: &SessionId, live: &Live) -> bool {
        let mut inner = self.lock();
        let same =
            |told: &Live| told.state == live.state && told.reason == live.reason && told.at.is_within(FRESH, live.at);
        if inner.told.get(session).is_some_and(same) {
            return false;
        }
        if inner.told.len() >= SESSIONS {
            inner.told.clear();
        }
        inner.told.insert(session.clone(), live.clone());
        true
    }

    /// Returns the turn of a session once it has taken an event. `was_over` tells of one that isn't remembered.
    pub fn turn(&self, session: &SessionId, event: &HookEvent, was_over: bool) -> Turn {
        let mut inner = self.lock();
        if inner.turns.len() >= SESSIONS && !inner.turns.contains_key(session) {
            inner.turns.clear();
        }
        let new = || Turn::new(was_over);
        let turn = inner.turns.entry(session.clone()).or_insert_with(new);
        turn.take(event);
        turn.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
