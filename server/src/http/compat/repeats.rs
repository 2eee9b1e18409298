//! Requests that come again because their answer was lost.
//!
//! The SDK repeats whatever fails on the way, with nothing that tells a repeat from a second request with the same
//! content. A repeat is one whose earlier request failed (5xx), or whose client was gone before the answer was written and
//! came back on a new connection. Whatever may be a second message is one.
//! `docs/decisions/repeated-requests.md` has the rule and its limits.

use crate::http::accept::Opened;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

/// How long a request is remembered: longer than the SDK waits for an answer, and then until it repeats.
const MEMORY: Duration = Duration::from_mins(1);
/// Requests that are remembered at most: the oldest go first.
const MOST: usize = 10_000;

type Hash = [u8; 32];

/// A request, as far as it tells whether another is its repeat.
#[derive(Clone)]
pub struct Asked {
    /// Hash over the caller's key and everything that was asked.
    pub hash: Hash,
    /// When its connection was opened.
    pub opened: Opened,
}

/// A whole answer.
#[derive(Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub worth: Worth,
}

/// How a repeat of the request is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// Something happened: a repeat gets the same answer.
    Kept,
    /// Nothing did: a repeat is done anew.
    Forgotten,
    /// It isn't known whether something did (5xx): a repeat is done anew, under the same id.
    Unknown,
}

impl Answer {
    pub fn response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// The id of a request's result, and which attempt it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Id of what it creates. A repeat has that of the first.
    pub id: Uuid,
    pub attempt: Attempt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    First,
    /// An earlier one may have been done.
    Again,
}

/// A request that was let in.
pub struct Admitted {
    pub ticket: Ticket,
    /// Where its answer is to be told; None if an earlier one's answer is its own.
    pub tell: Option<watch::Sender<Option<Answer>>>,
    pub told: watch::Receiver<Option<Answer>>,
    /// To be told that the client has its answer.
    pub listener: Listener,
    /// Its number.
    pub number: u64,
}

/// When the client of a request was gone, if it was gone before it could have the answer.
type Left = Arc<OnceLock<Instant>>;

/// The client of a request, as long as it waits for the answer. Dropped before that, it is gone.
pub struct Listener(Option<Left>);

impl Listener {
    /// The answer is on its way to it.
    pub fn heard(mut self) {
        self.0 = None;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(left) = &self.0 {
            let _ = left.set(Instant::now());
        }
    }
}

#[derive(Clone)]
struct Record {
    number: u64,
    came: Instant,
    id: Uuid,
    left: Left,
    told: watch::Receiver<Option<Answer>>,
}

#[derive(Clone, Default)]
pub struct Repeats(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// The last request of each kind.
    records: HashMap<Hash, Record>,
    /// Requests in the order in which they came, by their numbers; some are forgotten already.
    order: VecDeque<(u64, Hash)>,
    count: u64,
}

impl Repeats {
    /// Lets a request in, as a repeat if it is one.
    pub fn admit(&self, asked: &Asked) -> Admitted {
        let earlier = self.with(|known| {
            known.expire(Instant::now());
            known.records.get(&asked.hash).cloned()
        });
        let earlier = earlier.filter(|earlier| earlier.is_repeated_by(asked));
        self.with(|known| known.let_in(asked, earlier))
    }

    /// Nothing happened: whoever asks the same asks anew.
    pub fn forget(&self, asked: &Asked, number: u64) {
        self.with(|known| {
            if known.is_last(&asked.hash, number) {
                known.records.remove(&asked.hash);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn is_last(&self, hash: &Hash, number: u64) -> bool {
        self.records.get(hash).is_some_and(|record| record.number == number)
    }

    fn expire(&mut self, now: Instant) {
        while let Some(&(number, hash)) = self.order.front() {
            let last = self.records.get(&hash).filter(|record| record.number == number);
            if last.is_some_and(|record| self.order.len() <= MOST && now.duration_since(record.came) < MEMORY) {
                return;
            }
            if last.is_some() {
                self.records.remove(&hash);
            }
            self.order.pop_front();
        }
    }

    fn let_in(&mut self, asked: &Asked, earlier: Option<Record>) -> Admitted {
        self.count += 1;
        let number = self.count;
        // An answer is lost once: of two requests that wait for the same one, the second is none of its repeats.
        let earlier = earlier.filter(|earlier| self.is_last(&asked.hash, earlier.number));
        let attempt = if earlier.is_some() { Attempt::Again } else { Attempt::First };
        let id = earlier.as_ref().map_or_else(Uuid::now_v7, |earlier| earlier.id);
        let again = earlier.map(|earlier| earlier.told).filter(|told| matches!(worth(told), Some(Worth::Kept) | None));
        let (tell, told) = again.map_or_else(
            || {
                let (tell, told) = watch::channel(None);
                (Some(tell), told)
            },
            |told| (None, told),
        );
        let left = Left::default();
        let listener = Listener(Some(Arc::clone(&left)));
        let record = Record { number, came: Instant::now(), id, left, told: told.clone() };
        self.records.insert(asked.hash, record);
        self.order.push_back((number, asked.hash));
        Admitted { ticket: Ticket { id, attempt }, tell, told, listener, number }
    }
}

/// Returns the worth of the answer, once there is one. It is unknown if the sender is gone without an answer.
fn worth(told: &watch::Receiver<Option<Answer>>) -> Option<Worth> {
    match &*told.borrow() {
        Some(answer) => Some(answer.worth),
        None => told.has_changed().is_err().then_some(Worth::Unknown),
    }
}

impl Record {
    fn is_repeated_by(&self, asked: &Asked) -> bool {
        match worth(&self.told) {
            Some(Worth::Unknown) => true,
            Some(Worth::Forgotten) => false,
            // A request on a connection that was open beside this one is of another client, or isn't its repeat.
            Some(Worth::Kept) | None => self.left.get().is_some_and(|left| asked.opened.is_after(*left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Admitted, Answer, Asked, Attempt, MEMORY, MOST, Repeats, Worth};
    use crate::http::accept::Opened;
    use axum::body::Bytes;
    use axum::http::{HeaderMap, StatusCode};
    use std::collections::HashSet;
    use tokio::time::Instant;
    use uuid::Uuid;

    fn asked(number: usize) -> Asked {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_le_bytes());
        Asked { hash, opened: Opened::now() }
    }

    fn tell(admitted: Admitted, worth: Worth) {
        let answer = Answer { status: StatusCode::OK, headers: HeaderMap::new(), body: Bytes::new(), worth };
        admitted.tell.unwrap().send_replace(Some(answer));
        admitted.listener.heard();
    }

    #[test]
    fn so_many_are_remembered_and_no_more() {
        let repeats = Repeats::default();
        for number in 0..MOST + 9 {
            // The answer is lost with who was to tell it.
            repeats.admit(&asked(number));
        }
        let sizes = repeats.with(|known| (known.records.len(), known.order.len()));
        assert_eq!(sizes, (MOST + 1, MOST + 1));
        // The oldest are forgotten.
        assert_eq!(repeats.admit(&asked(0)).ticket.attempt, Attempt::First);
        assert_eq!(repeats.admit(&asked(MOST)).ticket.attempt, Attempt::Again);
    }

    #[test]
    fn a_request_is_forgotten_in_time() {
        let repeats = Repeats::default();
        repeats.admit(&asked(0));
        repeats.with(|known| known.expire(Instant::now()));
        assert_eq!(repeats.with(|known| known.records.len()), 1);
        repeats.with(|known| known.expire(Instant::now() + MEMORY));
        assert_eq!(repeats.with(|known| (known.records.len(), known.order.len())), (0, 0));
    }

    /// If many clients ask the same, one of them is the one that was gone.
    #[test]
    fn a_lost_answer_is_given_once() {
        let repeats = Repeats::default();
        let first = repeats.admit(&asked(0));
        drop(first.listener);
        let admitted: Vec<_> = (0..8).map(|_| repeats.admit(&asked(0))).collect();
        let again = admitted.iter().filter(|admitted| admitted.ticket.attempt == Attempt::Again).count();
        assert_eq!(again, 1);
        let ids: HashSet<Uuid> = admitted.iter().map(|admitted| admitted.ticket.id).collect();
        assert_eq!((ids.len(), ids.contains(&first.ticket.id)), (8, true));
    }

    /// All of them fail at once, as when the database is away; each is told so, and each asks again.
    #[test]
    fn a_failed_request_is_done_again_once() {
        let repeats = Repeats::default();
        let mut ids = HashSet::new();
        for _ in 0..8 {
            tell(repeats.admit(&asked(0)), Worth::Unknown);
        }
        for _ in 0..8 {
            let admitted = repeats.admit(&asked(0));
            ids.insert(admitted.ticket.id);
            tell(admitted, Worth::Kept);
        }
        assert_eq!(ids.len(), 8);
    }

    #[test]
    fn an_answer_that_was_heard_is_not_given_again() {
        let repeats = Repeats::default();
        tell(repeats.admit(&asked(0)), Worth::Kept);
        assert_eq!(repeats.admit(&asked(0)).ticket.attempt, Attempt::First);
    }

    #[test]
    fn a_connection_that_was_open_beside_is_another_clients() {
        let repeats = Repeats::default();
        let beside = asked(0);
        let first = repeats.admit(&asked(0));
        drop(first.listener);
        assert_eq!(repeats.admit(&beside).ticket.attempt, Attempt::First);
        assert!(first.tell.is_some(), "it is still being done");
    }
}
