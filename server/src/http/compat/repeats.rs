//! Requests that come again because their answer was lost.
//!
//! The SDK repeats whatever fails on the way, with nothing that tells a repeat from a second request that says the same.
//! What tells it here is the connection. A client that has its answer asks on: on the same connection, or on another
//! while that one is open. A client that lost it comes back, byte for byte, on a new connection, the old one having ended
//! with nothing after the request. `docs/decisions/repeated-requests.md` has the rule and its limits.

use crate::http::connection::{Connection, Manner};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

/// How long a connection may take to be seen as ended when its client is back already.
const GRACE: Duration = Duration::from_millis(200);
/// Who loses an answer ends the connection so soon after it; who has it keeps it, or ends it later.
const AT_ONCE: Duration = Duration::from_secs(1);
/// How late after its moment the SDK's repeat may come.
const LATE: Duration = Duration::from_millis(500);
/// How long after the end of its connection a request is remembered.
const MEMORY: Duration = Duration::from_mins(5);

/// Requests that are remembered at most: the oldest go first.
const MOST: usize = 10_000;

type Hash = [u8; 32];

/// A request, as far as it tells whether another is its repeat.
#[derive(Clone)]
pub struct Asked {
    /// Hash over the caller's key and everything that was asked.
    pub hash: Hash,
    /// The caller's key and the session.
    pub about: String,
    pub connection: Connection,
    pub client: Client,
}

/// Who asks, as far as it tells when it repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    Blocking,
    /// The same by a version that doesn't name itself, with a request that changes nothing by its method: the oldest one
    /// repeats such requests alone, and sooner.
    BlockingReading,
    Asynchronous,
    /// The same with a request that changes nothing by its method.
    AsynchronousReading,
    /// The SDK, behind something that asks for it with a connection for each request.
    Either,
    Other,
}

/// A whole answer.
#[derive(Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub worth: Worth,
}

/// What an answer is worth to a repeat.
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

/// What a request is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Id of what it makes. A repeat has that of the first.
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
    /// When the answer was given to the connection.
    pub given: Arc<OnceLock<Instant>>,
    /// Its number.
    pub number: u64,
}

#[derive(Clone)]
struct Record {
    number: u64,
    /// How often it has come.
    count: usize,
    id: Uuid,
    about: String,
    connection: Connection,
    told: watch::Receiver<Option<Answer>>,
    given: Arc<OnceLock<Instant>>,
    /// Its place in the order in which records are looked at, and when it was looked at last.
    turn: u64,
    looked: Instant,
}

#[derive(Clone, Default)]
pub struct Repeats(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// The last request of each kind.
    records: HashMap<Hash, Record>,
    /// The same by the connection that they came on.
    connections: HashMap<usize, HashSet<Hash>>,
    /// The same in the order in which they are to be looked at.
    turns: BTreeMap<u64, Hash>,
    /// Number of the last request about a session.
    last: HashMap<String, u64>,
    count: u64,
}

/// What speaks for an answer having been lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// It didn't reach the client, or said that it should repeat.
    Sure,
    /// The connection ended in good order right after it, and the SDK comes when it repeats: true if nothing came since.
    Likely,
    Against,
}

impl Repeats {
    /// Is it a repeat? Waits for an earlier one that is being done.
    pub async fn admit(&self, asked: &Asked) -> Admitted {
        let earlier = self.with(|known| {
            known.forget(&asked.connection);
            known.records.get(&asked.hash).filter(|record| record.is_remembered()).cloned()
        });
        let sign = match &earlier {
            Some(earlier) => earlier.lost(asked).await,
            None => Sign::Against,
        };
        self.with(|known| {
            let earlier = earlier.filter(|earlier| match sign {
                Sign::Sure => true,
                Sign::Likely => known.last.get(&earlier.about) == Some(&earlier.number),
                Sign::Against => false,
            });
            known.let_in(asked, earlier)
        })
    }

    /// Nothing happened: whoever asks the same asks anew.
    pub fn forget(&self, asked: &Asked, number: u64) {
        self.with(|known| {
            if known.records.get(&asked.hash).is_some_and(|record| record.number == number) {
                known.remove(&asked.hash);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    /// Who asks again on a connection has what was answered on it before. After a failure it asks the same.
    fn forget(&mut self, connection: &Connection) {
        let came: Vec<Hash> = self.connections.get(&connection.id()).into_iter().flatten().copied().collect();
        for hash in came {
            if self.records.get(&hash).is_some_and(|record| worth(&record.told) != Some(Worth::Unknown)) {
                self.remove(&hash);
            }
        }
        self.expire();
    }

    /// Looks at those whose turn it is: as many as have come since, and no more.
    fn expire(&mut self) {
        while let Some((turn, hash)) = self.turns.pop_first() {
            let full = self.records.len() > MOST;
            let Some(record) = self.records.get_mut(&hash) else { continue };
            if !full && record.looked.elapsed() < MEMORY {
                self.turns.insert(turn, hash);
                return;
            }
            if full || !record.is_remembered() {
                self.remove(&hash);
            } else {
                self.count += 1;
                (record.turn, record.looked) = (self.count, Instant::now());
                self.turns.insert(self.count, hash);
            }
        }
    }

    fn remove(&mut self, hash: &Hash) {
        let Some(record) = self.records.remove(hash) else { return };
        self.turns.remove(&record.turn);
        if self.last.get(&record.about) == Some(&record.number) {
            self.last.remove(&record.about);
        }
        let connection = record.connection.id();
        if let Some(came) = self.connections.get_mut(&connection) {
            came.remove(hash);
            if came.is_empty() {
                self.connections.remove(&connection);
            }
        }
    }

    fn let_in(&mut self, asked: &Asked, earlier: Option<Record>) -> Admitted {
        self.count += 1;
        let number = self.count;
        let attempt = if earlier.is_some() { Attempt::Again } else { Attempt::First };
        let (count, id) = earlier.as_ref().map_or((1, Uuid::now_v7()), |earlier| (earlier.count + 1, earlier.id));
        let again = earlier.map(|earlier| earlier.told).filter(|told| matches!(worth(told), Some(Worth::Kept) | None));
        let (tell, told) = again.map_or_else(
            || {
                let (tell, told) = watch::channel(None);
                (Some(tell), told)
            },
            |told| (None, told),
        );
        let given = Arc::new(OnceLock::new());
        let record = Record {
            number,
            count,
            id,
            about: asked.about.clone(),
            connection: asked.connection.clone(),
            told: told.clone(),
            given: Arc::clone(&given),
            turn: number,
            looked: Instant::now(),
        };
        self.remove(&asked.hash);
        self.turns.insert(number, asked.hash);
        self.connections.entry(asked.connection.id()).or_default().insert(asked.hash);
        self.records.insert(asked.hash, record);
        self.last.insert(asked.about.clone(), number);
        Admitted { ticket: Ticket { id, attempt }, tell, told, given, number }
    }
}

/// Of an answer that was told. Who was to tell it and is gone has failed.
fn worth(told: &watch::Receiver<Option<Answer>>) -> Option<Worth> {
    match &*told.borrow() {
        Some(answer) => Some(answer.worth),
        None => told.has_changed().is_err().then_some(Worth::Unknown),
    }
}

impl Record {
    fn is_remembered(&self) -> bool {
        self.connection.ended().is_none_or(|end| end.at.elapsed() < MEMORY)
    }

    async fn lost(&self, asked: &Asked) -> Sign {
        let mut told = self.told.clone();
        tokio::select! {
            _ = told.wait_for(Option::is_some) => {}
            () = self.connection.over() => {}
        }
        match worth(&told) {
            Some(Worth::Unknown) => return Sign::Sure,
            Some(Worth::Forgotten) => return Sign::Against,
            Some(Worth::Kept) | None => {}
        }
        let _ = tokio::time::timeout(GRACE, self.connection.over()).await;
        let Some(end) = self.connection.ended() else { return Sign::Against };
        let Some(given) = self.given.get() else { return Sign::Sure };
        if end.at.saturating_duration_since(*given) > AT_ONCE {
            return Sign::Against;
        }
        match end.manner {
            Manner::Broken => Sign::Sure,
            Manner::Orderly if asked.client.repeats_after(self.count, end.at.elapsed()) => Sign::Likely,
            Manner::Orderly => Sign::Against,
        }
    }
}

/// Milliseconds between the end of a connection and the repeat, the first time and later.
const BLOCKING: &[u64] = &[0, 2_000, 4_000, 8_000, 16_000];
const BLOCKING_OLDEST: &[u64] = &[0, 600, 1_200];
const ASYNCHRONOUS: &[u64] = &[1_000, 2_000, 4_000, 8_000, 16_000];
/// What carries its requests repeats such a one by itself, before.
const ASYNCHRONOUS_READING: &[u64] = &[0, 1_000, 2_000, 4_000, 8_000, 16_000];

impl Client {
    pub fn of(method: &Method, headers: &HeaderMap, body: &[u8]) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let reads = matches!(*method, Method::GET | Method::PUT);
        let asynchronous = if reads { Self::AsynchronousReading } else { Self::Asynchronous };
        let agent = text("user-agent");
        if agent != "omnara-python-sdk" {
            // Of other clients no body is looked through.
            let by_sdk = || text("content-type") == "application/json" && is_written_by_sdk(body);
            // Before 1.6.10 the SDK bears the names of the libraries that carry its requests.
            return match agent.split('/').next() {
                Some("python-requests") if by_sdk() => {
                    if reads {
                        Self::BlockingReading
                    } else {
                        Self::Blocking
                    }
                }
                Some("Python") if agent.contains(" aiohttp/") && by_sdk() => asynchronous,
                _ => Self::Other,
            };
        }
        // The blocking client says that it keeps its connection, the other one doesn't speak of it.
        match &*text("connection").to_ascii_lowercase() {
            "keep-alive" => Self::Blocking,
            "close" => Self::Either,
            _ => asynchronous,
        }
    }

    /// Does it repeat a request so long after the end of its connection, having sent it `count` times? Repeats that found
    /// no server lie in between.
    fn repeats_after(self, count: usize, gap: Duration) -> bool {
        let schedules: &[&[u64]] = match self {
            Self::Blocking => &[BLOCKING],
            Self::BlockingReading => &[BLOCKING, BLOCKING_OLDEST],
            Self::Asynchronous => &[ASYNCHRONOUS],
            Self::AsynchronousReading => &[ASYNCHRONOUS_READING],
            Self::Either => &[BLOCKING, ASYNCHRONOUS],
            Self::Other => &[],
        };
        schedules.iter().any(|waits| {
            let mut moment = Duration::ZERO;
            waits.iter().skip(count - 1).any(|wait| {
                moment += Duration::from_millis(*wait);
                (moment..=moment + LATE).contains(&gap)
            })
        })
    }
}

/// Other programs that the same libraries carry may say a thing twice and mean it. The SDK writes a message in an order of
/// its own, with fields that others leave out. What makes no message may come twice.
fn is_written_by_sdk(body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    let says = |start: &str, field: &str| body.starts_with(start) && body.contains(field);
    !body.contains(r#""content": "#)
        || says(r#"{"content": "#, r#", "requires_user_input": "#)
        || says(r#"{"agent_instance_id": "#, r#", "mark_as_read": "#)
}

#[cfg(test)]
mod tests {
    use super::{Answer, Asked, Attempt, Client, Connection, MOST, Repeats, Worth};
    use axum::body::Bytes;
    use axum::http::{HeaderMap, StatusCode};
    use std::time::Duration;

    fn asked(number: usize, connection: &Connection) -> Asked {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_le_bytes());
        Asked { hash, about: number.to_string(), connection: connection.clone(), client: Client::Other }
    }

    /// Records, and the three ways to find them.
    fn sizes(repeats: &Repeats) -> [usize; 4] {
        repeats.with(|known| [known.records.len(), known.connections.len(), known.turns.len(), known.last.len()])
    }

    #[tokio::test]
    async fn so_many_are_remembered_and_no_more() {
        let repeats = Repeats::default();
        let connections: Vec<Connection> = (0..MOST + 9).map(|_| Connection::new(None)).collect();
        for (number, connection) in connections.iter().enumerate() {
            repeats.admit(&asked(number, connection)).await;
        }
        assert_eq!(sizes(&repeats), [MOST + 1; 4]);
        // The oldest are forgotten; the answer to this one was lost with who was to tell it.
        let new = Connection::new(None);
        assert_eq!(repeats.admit(&asked(0, &new)).await.ticket.attempt, Attempt::First);
        assert_eq!(repeats.admit(&asked(MOST, &new)).await.ticket.attempt, Attempt::Again);
    }

    #[tokio::test]
    async fn who_asks_on_has_what_was_answered_before() {
        let (repeats, connection) = (Repeats::default(), Connection::new(None));
        for number in 0..9 {
            let admitted = repeats.admit(&asked(number, &connection)).await;
            let (status, headers, body) = (StatusCode::OK, HeaderMap::new(), Bytes::new());
            admitted.tell.unwrap().send_replace(Some(Answer { status, headers, body, worth: Worth::Kept }));
        }
        assert_eq!(sizes(&repeats), [1; 4]);
    }

    #[test]
    fn the_sdk_repeats_at_its_moments() {
        let seen = |client: Client, count: usize| -> Vec<u64> {
            (0..340).filter(|tenths| client.repeats_after(count, Duration::from_millis(tenths * 100 + 10))).collect()
        };
        let spans = |moments: &[u64]| -> Vec<u64> { moments.iter().flat_map(|at| at * 10..at * 10 + 5).collect() };
        assert_eq!(seen(Client::Blocking, 1), spans(&[0, 2, 6, 14, 30]));
        assert_eq!(seen(Client::Blocking, 3), spans(&[4, 12, 28]));
        assert_eq!(seen(Client::Asynchronous, 1), spans(&[1, 3, 7, 15, 31]));
        assert_eq!(seen(Client::Asynchronous, 5), spans(&[16]));
        assert_eq!(seen(Client::Asynchronous, 9), spans(&[]));
        assert_eq!(seen(Client::AsynchronousReading, 1), spans(&[0, 1, 3, 7, 15, 31]));
        assert_eq!(seen(Client::Either, 2), spans(&[2, 6, 14, 30]));
        let both: Vec<u64> = (6..=10).chain(18..25).chain(spans(&[6, 14, 30])).collect();
        assert_eq!(seen(Client::BlockingReading, 2), both);
        assert_eq!(seen(Client::Other, 1), spans(&[]));
    }
}
