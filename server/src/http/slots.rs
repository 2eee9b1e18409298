//! Who holds the connections. A new one is always admitted: where there is no room, one that shows no credential ends, or one
//! that waits for its next request. Keys have no more than three quarters of all, and one key no more than an eighth, so that
//! a person and this machine's commands find room whatever agents do. Addresses say nothing: the server listens on loopback
//! only, so that all clients may have the same.

use api::Problem;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Most connections that have shown no accepted credential. Each may have buffered 32 KiB of a head.
const STRANGERS: usize = 1024;
/// Seconds after which a key that holds too many comes back.
const RETRY: u32 = 5;

/// All connections. Clones are one.
#[derive(Clone)]
pub struct Slots(Arc<Inner>);

struct Inner {
    /// Connections at a time, of anybody.
    most: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    entries: HashMap<u64, Entry>,
    groups: HashMap<Holder, Group>,
    /// Connections of keys, and those of them that are idle.
    of_keys: Group,
}

/// Connections that belong together.
#[derive(Default)]
struct Group {
    all: BTreeSet<u64>,
    idle: BTreeSet<u64>,
}

struct Entry {
    holder: Holder,
    evicted: CancellationToken,
}

/// Whose credential a connection showed last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Holder {
    /// None was accepted yet.
    Stranger,
    /// The key of this id.
    Key(Arc<str>),
    /// A person's log-in, or this machine's credential file.
    Owner,
}

impl Slots {
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner { most, open: Mutex::default() }))
    }

    /// Makes room for one more connection. None if all are busy, and none of them a stranger's.
    pub fn admit(&self) -> Option<Slot> {
        let mut open = self.lock();
        let strangers = open.groups.get(&Holder::Stranger).map_or(0, |group| group.all.len());
        if strangers >= STRANGERS.min(self.0.most.div_ceil(4)) {
            open.evict_stranger();
        }
        if open.entries.len() >= self.0.most {
            let evicted = open.evict_stranger() || open.evict_idle_key() || open.evict_idle(&Holder::Owner);
            if !evicted {
                return None;
            }
        }
        let (id, evicted) = (open.next, CancellationToken::new());
        open.next += 1;
        open.insert(id, Entry { holder: Holder::Stranger, evicted: evicted.clone() });
        Some(Slot { seat: Seat { slots: self.clone(), id }, evicted })
    }

    /// Connections of all keys at a time.
    fn of_keys(&self) -> usize {
        (self.0.most * 3 / 4).max(1)
    }

    /// Connections of one key at a time.
    fn of_key(&self) -> usize {
        (self.0.most / 8).max(1)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn insert(&mut self, id: u64, entry: Entry) {
        self.groups.entry(entry.holder.clone()).or_default().all.insert(id);
        if let Holder::Key(_) = entry.holder {
            self.of_keys.all.insert(id);
        }
        self.entries.insert(id, entry);
    }

    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        self.of_keys.remove(id);
        if let Some(group) = self.groups.get_mut(&entry.holder) {
            group.remove(id);
            if group.all.is_empty() {
                self.groups.remove(&entry.holder);
            }
        }
        Some(entry)
    }

    fn set_idle(&mut self, id: u64, idle: bool) {
        let Some(entry) = self.entries.get(&id) else { return };
        let of_keys = matches!(entry.holder, Holder::Key(_)).then_some(&mut self.of_keys);
        for group in self.groups.get_mut(&entry.holder).into_iter().chain(of_keys) {
            if idle {
                group.idle.insert(id);
            } else {
                group.idle.remove(&id);
            }
        }
    }

    fn evict(&mut self, id: Option<u64>) -> bool {
        let entry = id.and_then(|id| self.remove(id));
        if let Some(entry) = &entry {
            entry.evicted.cancel();
        }
        entry.is_some()
    }

    /// Ends the oldest connection that shows no credential.
    fn evict_stranger(&mut self) -> bool {
        let oldest = self.groups.get(&Holder::Stranger).and_then(|group| group.all.first().copied());
        self.evict(oldest)
    }

    fn evict_idle(&mut self, holder: &Holder) -> bool {
        let oldest = self.groups.get(holder).and_then(|group| group.idle.first().copied());
        self.evict(oldest)
    }

    fn evict_idle_key(&mut self) -> bool {
        let oldest = self.of_keys.idle.first().copied();
        self.evict(oldest)
    }
}

impl Group {
    fn remove(&mut self, id: u64) {
        self.all.remove(&id);
        self.idle.remove(&id);
    }
}

/// The place of one connection, free again when it is dropped.
pub struct Slot {
    seat: Seat,
    evicted: CancellationToken,
}

impl Slot {
    /// The place as requests refer to it.
    pub fn seat(&self) -> Seat {
        self.seat.clone()
    }

    /// Waits until the connection has to end, since another one needs the room.
    pub async fn evicted(&self) {
        self.evicted.cancelled().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.seat.slots.lock().remove(self.seat.id);
    }
}

/// A reference to a [`Slot`], which each request carries as an extension.
#[derive(Clone)]
pub struct Seat {
    slots: Slots,
    id: u64,
}

impl Seat {
    /// Notes that a request begins, or that it is answered and the connection waits for the next.
    pub fn set_idle(&self, idle: bool) {
        self.slots.lock().set_idle(self.id, idle);
    }

    /// Notes whose credential was accepted.
    ///
    /// # Errors
    ///
    /// 429 if the key, or all keys, hold as many connections as they may, and none of them is idle.
    pub fn belongs_to(&self, holder: Holder) -> Result<(), Problem> {
        let mut open = self.slots.lock();
        if open.entries.get(&self.id).is_none_or(|entry| entry.holder == holder) {
            return Ok(());
        }
        if let Holder::Key(_) = holder {
            let (of_key, of_keys) = (self.slots.of_key(), self.slots.of_keys());
            let held = open.groups.get(&holder).map_or(0, |group| group.all.len());
            if held >= of_key && !open.evict_idle(&holder) {
                return Err(too_many(&format!("This key holds {held} connections; a key has at most {of_key}")));
            }
            if open.of_keys.all.len() >= of_keys && !open.evict_idle_key() {
                return Err(too_many(&format!(
                    "The keys of all agents hold {of_keys} connections, as many as they may"
                )));
            }
        }
        if let Some(entry) = open.remove(self.id) {
            open.insert(self.id, Entry { holder, ..entry });
        }
        Ok(())
    }
}

fn too_many(title: &str) -> Problem {
    let problem = Problem::new(429, "too_many_connections", title);
    Problem { retry_after: Some(RETRY), ..problem.hint("Close some, or share them: a connection takes many requests") }
}
