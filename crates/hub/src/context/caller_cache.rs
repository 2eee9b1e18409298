//! Whose a key is, and whose a session is: what every request of an agent needs, kept in memory.

use crate::caller::Agent;
use model::{Micros, SessionId};
use quick_cache::sync::Cache;
use std::sync::Arc;

/// Maximum number of remembered log-ins, and of remembered keys.
const MANY: usize = 10_000;
/// After so long a key is looked up again, whatever happened.
const FRESH: i64 = 10 * Micros::SECOND;

pub struct CallerCache {
    keys: Cache<String, KnownKey>,
    /// By our own id: a session is another one's never.
    owners: Cache<String, Owner>,
}

/// A key as the store knew it.
#[derive(Clone)]
pub struct KnownKey {
    pub agent: Arc<Agent>,
    /// Hash of its secret, in hex.
    pub hash: String,
    pub expires_at: Option<Micros>,
    /// Its use was noted then.
    pub used_at: Micros,
    /// When it was read, after how many revocations.
    pub read_at: Micros,
    pub revocations: u64,
}

#[derive(Clone)]
pub struct Owner {
    pub session: SessionId,
    /// The key that made it; None for people.
    pub key_id: Option<String>,
}

impl Default for CallerCache {
    fn default() -> Self {
        Self { keys: Cache::new(MANY), owners: Cache::new(MANY) }
    }
}

impl CallerCache {
    /// A key that was seen a moment ago, if nothing was revoked since.
    pub fn key(&self, id: &str, revocations: u64, now: Micros) -> Option<KnownKey> {
        self.keys.get(id).filter(|key| key.revocations == revocations && key.read_at.is_within(FRESH, now))
    }

    pub fn remember_key(&self, key: KnownKey) {
        self.keys.insert(key.agent.id.clone(), key);
    }

    /// Whose a session was, and is. Whether it is still there, the store knows.
    pub fn owner(&self, id: &str) -> Option<Owner> {
        self.owners.get(id)
    }

    pub fn remember_owner(&self, owner: Owner) {
        self.owners.insert(owner.session.to_string(), owner);
    }
}
