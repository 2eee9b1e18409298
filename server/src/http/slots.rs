//! Who holds the connections. A new one is always admitted: where there is no room, one that shows no credential ends, or one
//! that waits for its next request. Keys have no more than three quarters of all, and one key no more than an eighth, so that
//! a person and this machine's commands find room whatever agents do.
//!
//! Of those without a credential, the address that has the most of them gives way, so that one address can't close what another
//! one has just opened. All keys of one address have no more than half of all connections. That is so for 127.0.0.1 too: behind a
//! proxy on this machine, everybody comes from there.

use api::{Problem, ProblemCode};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Most connections that have shown no accepted credential. Each may have buffered 32 KiB of a head.
const STRANGERS: usize = 1024;
/// Seconds after which a key that holds too many comes back.
const RETRY: u32 = 5;

/// All connections. Cheap to clone; clones share state.
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
    groups: HashMap<Party, Group>,
}

/// Connections that belong together.
#[derive(Default)]
struct Group {
    all: BTreeSet<u64>,
    idle: BTreeSet<u64>,
}

/// Whose connections are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Party {
    /// All that have shown no credential.
    Strangers,
    /// Those of them that come from this address.
    StrangersAt(IpAddr),
    /// The key of this id.
    Key(Arc<str>),
    Keys,
    /// The keys whose connections come from this address.
    KeysAt(IpAddr),
    Owner,
}

struct Entry {
    holder: Holder,
    from: IpAddr,
    /// Those that aren't answered yet.
    requests: usize,
    evicted: CancellationToken,
}

impl Entry {
    fn parties(&self) -> Vec<Party> {
        match &self.holder {
            Holder::Stranger => vec![Party::Strangers, Party::StrangersAt(self.from)],
            Holder::Key(id) => vec![Party::Key(Arc::clone(id)), Party::Keys, Party::KeysAt(self.from)],
            Holder::Owner => vec![Party::Owner],
        }
    }
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

    /// Makes room for one more connection from this address. None if all are busy, and none of them a stranger's.
    pub fn admit(&self, from: IpAddr) -> Option<Slot> {
        let mut open = self.lock();
        if open.held(&Party::Strangers) >= STRANGERS.min(self.0.most.div_ceil(4)) {
            open.evict_stranger();
        }
        if open.entries.len() >= self.0.most {
            let evicted = open.evict_stranger() || open.evict_idle(&Party::Keys) || open.evict_idle(&Party::Owner);
            if !evicted {
                return None;
            }
        }
        let (id, evicted) = (open.next, CancellationToken::new());
        open.next += 1;
        // One address is written in two ways where both kinds are listened at.
        let from = from.to_canonical();
        open.insert(id, Entry { holder: Holder::Stranger, from, requests: 0, evicted: evicted.clone() });
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

    /// Connections of the keys of one address at a time.
    fn of_address(&self) -> usize {
        (self.0.most / 2).max(1)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn insert(&mut self, id: u64, entry: Entry) {
        for party in entry.parties() {
            self.groups.entry(party).or_default().all.insert(id);
        }
        self.entries.insert(id, entry);
    }

    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        for party in entry.parties() {
            let Some(group) = self.groups.get_mut(&party) else { continue };
            group.remove(id);
            if group.all.is_empty() {
                self.groups.remove(&party);
            }
        }
        Some(entry)
    }

    fn add_request(&mut self, id: u64) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        entry.requests += 1;
        for party in entry.parties() {
            if let Some(group) = self.groups.get_mut(&party) {
                group.idle.remove(&id);
            }
        }
    }

    fn remove_request(&mut self, id: u64) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        entry.requests = entry.requests.saturating_sub(1);
        if entry.requests > 0 {
            return;
        }
        for party in entry.parties() {
            if let Some(group) = self.groups.get_mut(&party) {
                group.idle.insert(id);
            }
        }
    }

    /// How many there are.
    fn held(&self, party: &Party) -> usize {
        self.groups.get(party).map_or(0, |group| group.all.len())
    }

    fn evict(&mut self, id: Option<u64>) -> bool {
        let entry = id.and_then(|id| self.remove(id));
        if let Some(entry) = &entry {
            entry.evicted.cancel();
        }
        entry.is_some()
    }

    /// Ends the oldest connection without a credential of the address that has the most of them.
    fn evict_stranger(&mut self) -> bool {
        let of_addresses = self.groups.iter().filter(|(party, _)| matches!(party, Party::StrangersAt(_)));
        let oldest = of_addresses.filter_map(|(_, group)| Some((group.all.len(), Reverse(*group.all.first()?)))).max();
        self.evict(oldest.map(|(_, Reverse(id))| id))
    }

    fn evict_idle(&mut self, party: &Party) -> bool {
        let oldest = self.groups.get(party).and_then(|group| group.idle.first().copied());
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

/// A request that isn't answered yet: its connection isn't idle. One of HTTP/2 can have several.
pub struct Busy(Seat);

impl Busy {
    pub fn new(seat: &Seat) -> Self {
        seat.slots.lock().add_request(seat.id);
        Self(seat.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.slots.lock().remove_request(self.0.id);
    }
}

impl Seat {
    /// Notes whose credential was accepted.
    ///
    /// # Errors
    ///
    /// 429 if the key, the keys of its address, or all keys hold as many connections as they may, and none of them is idle.
    pub fn belongs_to(&self, holder: Holder) -> Result<(), Problem> {
        let mut open = self.slots.lock();
        let Some(entry) = open.entries.get(&self.id).filter(|entry| entry.holder != holder) else { return Ok(()) };
        let from = entry.from;
        if let Holder::Key(key) = &holder {
            let limits = [
                (Party::Key(Arc::clone(key)), self.slots.of_key(), "This key holds"),
                (Party::KeysAt(from), self.slots.of_address(), "The keys used from this address hold"),
                (Party::Keys, self.slots.of_keys(), "The keys of all agents hold"),
            ];
            for (party, most, who) in limits {
                if open.held(&party) >= most && !open.evict_idle(&party) {
                    return Err(too_many(&format!("{who} {most} connections, as many as they may")));
                }
            }
        }
        if let Some(entry) = open.remove(self.id) {
            open.insert(self.id, Entry { holder, ..entry });
        }
        Ok(())
    }
}

fn too_many(title: &str) -> Problem {
    let problem = Problem::new(ProblemCode::TooManyConnections, title);
    Problem { retry_after: Some(RETRY), ..problem.hint("Close some, or share them: a connection takes many requests") }
}
