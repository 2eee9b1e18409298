//! Which chunks of a transcript are on their way: one request in flight for each, and never an old answer over a new
//! one.

use super::backoff::Backoff;
use super::sorted::{Map, Set};
use super::window::chunk_of;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

/// Milliseconds until a failed chunk is asked for again, the first time.
const RETRY: i32 = 3_000;

/// Running and failed requests.
#[derive(Debug, Default)]
pub struct Loads(RefCell<Inner>);

#[derive(Debug, Default)]
struct Inner {
    in_flight: Set<usize>,
    failed: Map<usize, Failure>,
    /// Chunks that changed while they were in flight.
    again: Set<usize>,
    /// Chunks whose response arrived after the reader paused the output: requested again when it resumes.
    held: Set<usize>,
    /// Messages that are new or changed, until their chunk came.
    came: Set<i64>,
}

/// A chunk that couldn't be loaded. It isn't asked for again just because it is near.
#[derive(Debug, Default)]
struct Failure {
    why: String,
    is_due: bool,
    backoff: Backoff,
}

impl Loads {
    /// Returns true if it failed, and isn't due for a retry.
    pub fn has_failed(&self, chunk: usize) -> bool {
        self.0.borrow().failed.get(&chunk).is_some_and(|failure| !failure.is_due)
    }

    /// Why the first of some chunks failed. What is asked for again as soon as it is near hasn't.
    pub fn why_failed(&self, chunks: Range<usize>) -> Option<String> {
        let loads = self.0.borrow();
        loads.failed.range(chunks).find(|(_, failure)| !failure.is_due).map(|(_, failure)| failure.why.clone())
    }

    /// Messages are new or changed: their chunks will bring them.
    pub fn expect(&self, messages: RangeInclusive<i64>) {
        self.0.borrow_mut().came.extend(messages);
    }

    /// Returns true if a message is new or changed, and its chunk hasn't brought it yet.
    pub fn awaits(&self, seq: i64) -> bool {
        self.0.borrow().came.contains(&seq)
    }

    /// Marks a running request as outdated, because a newer change of the chunk is known.
    pub fn outdate(&self, chunk: usize) {
        let mut loads = self.0.borrow_mut();
        if loads.in_flight.contains(&chunk) {
            loads.again.insert(chunk);
        }
    }

    /// The reader paused the output: the chunk is requested again when it resumes.
    pub fn hold(&self, chunk: usize) {
        self.0.borrow_mut().held.insert(chunk);
    }

    /// Takes the chunks whose response was held back.
    pub fn take_held(&self) -> Set<usize> {
        std::mem::take(&mut self.0.borrow_mut().held)
    }

    /// Notes that a chunk is wanted. Returns true if it is to be requested now; one that is on its way is asked for
    /// again after it came.
    pub fn begin(&self, chunk: usize, is_mounted: bool) -> bool {
        let mut loads = self.0.borrow_mut();
        if let Some(failure) = loads.failed.get_mut(&chunk) {
            failure.is_due = false;
        }
        let is_new = loads.in_flight.insert(chunk);
        if !is_new && is_mounted {
            loads.again.insert(chunk);
        }
        is_new
    }

    /// Notes that the answer is here. Returns whether it is out of date, and whether nothing else is on its way.
    pub fn end(&self, chunk: usize) -> (bool, bool) {
        let mut loads = self.0.borrow_mut();
        loads.in_flight.remove(&chunk);
        (loads.again.remove(&chunk), loads.in_flight.is_empty())
    }

    /// Takes the messages that the chunk brings; if the next answer may draw them elsewhere, they are expected still.
    pub fn take_came(&self, chunk: usize, again: bool) -> Vec<i64> {
        let came = &mut self.0.borrow_mut().came;
        let these = came.take(|seq| chunk_of(*seq) == chunk);
        if again {
            came.extend(these.iter().copied());
        }
        these
    }

    /// The chunk came.
    pub fn succeed(&self, chunk: usize) {
        self.0.borrow_mut().failed.remove(&chunk);
    }

    /// The chunk couldn't be loaded. Returns the milliseconds until it is asked for again, if it is.
    pub fn fail(&self, chunk: usize, why: String, status: u16, is_live: bool) -> Option<i32> {
        let failed = &mut self.0.borrow_mut().failed;
        let mut failure = failed.remove(&chunk).unwrap_or_default();
        failure.why = why;
        let pause = failure.backoff.after(status, RETRY, is_live);
        failed.insert(chunk, failure);
        pause
    }

    /// Makes a failed chunk due again. Returns true if it had failed.
    pub fn retry(&self, chunk: usize) -> bool {
        let failed = &mut self.0.borrow_mut().failed;
        failed.get_mut(&chunk).map(|failure| failure.is_due = true).is_some()
    }

    /// Starts the waits anew. Returns the chunks that failed.
    pub fn reset(&self) -> Vec<usize> {
        let failed = &mut self.0.borrow_mut().failed;
        let chunks: Vec<usize> = failed.keys().copied().collect();
        for chunk in &chunks {
            if let Some(failure) = failed.get_mut(chunk) {
                failure.backoff = Backoff::default();
            }
        }
        chunks
    }
}

/// Returns true if the server can't be reached, or only a worker or a proxy answered (502, 504).
pub fn is_away(status: u16) -> bool {
    matches!(status, 0 | 502 | 504)
}

#[cfg(test)]
mod tests {
    use super::{Loads, is_away};

    fn failed(chunk: usize) -> Loads {
        let loads = Loads::default();
        loads.begin(chunk, false);
        loads.end(chunk);
        loads.fail(chunk, "Busy".to_owned(), 503, true);
        loads
    }

    #[test]
    fn a_chunk_is_requested_once() {
        let loads = Loads::default();
        assert!(loads.begin(3, false));
        assert!(!loads.begin(3, false));
    }

    #[test]
    fn a_second_wish_for_what_is_not_there_asks_no_more() {
        let loads = Loads::default();
        loads.begin(3, false);
        loads.begin(3, false);
        assert_eq!(loads.end(3), (false, true));
    }

    #[test]
    fn a_second_wish_for_what_stands_there_makes_the_answer_old() {
        let loads = Loads::default();
        loads.begin(3, true);
        loads.begin(3, true);
        assert_eq!(loads.end(3), (true, true));
    }

    #[test]
    fn an_answer_is_old_once() {
        let loads = Loads::default();
        loads.begin(3, true);
        loads.outdate(3);
        assert!(loads.end(3).0);
        assert!(loads.begin(3, true));
        assert!(!loads.end(3).0);
    }

    #[test]
    fn what_is_not_on_its_way_is_not_old_later() {
        let loads = Loads::default();
        loads.outdate(3);
        loads.begin(3, false);
        assert!(!loads.end(3).0);
    }

    #[test]
    fn the_column_is_busy_until_the_last_answer() {
        let loads = Loads::default();
        loads.begin(3, false);
        loads.begin(4, false);
        assert_eq!(loads.end(3), (false, false));
        assert_eq!(loads.end(4), (false, true));
    }

    #[test]
    fn a_chunk_brings_its_own_messages_once() {
        let loads = Loads::default();
        loads.expect(19..=22);
        assert!(loads.awaits(22));
        assert_eq!(loads.take_came(1, false), [21, 22]);
        assert!(!loads.awaits(22));
        assert_eq!(loads.take_came(1, false), [0; 0]);
        assert_eq!(loads.take_came(0, false), [19, 20]);
    }

    #[test]
    fn messages_that_an_old_answer_brought_are_expected_still() {
        let loads = Loads::default();
        loads.expect(21..=22);
        assert_eq!(loads.take_came(1, true), [21, 22]);
        assert!(loads.awaits(22));
        assert_eq!(loads.take_came(1, false), [21, 22]);
    }

    #[test]
    fn a_failed_chunk_is_left_alone_until_it_is_due() {
        let loads = failed(3);
        assert!(loads.has_failed(3));
        assert!(loads.retry(3));
        assert!(!loads.has_failed(3));
    }

    #[test]
    fn only_what_failed_is_retried() {
        assert!(!failed(3).retry(4));
    }

    #[test]
    fn asking_again_is_no_answer() {
        let loads = failed(3);
        loads.retry(3);
        loads.begin(3, false);
        assert!(loads.has_failed(3));
    }

    #[test]
    fn what_came_has_not_failed() {
        let loads = failed(3);
        loads.succeed(3);
        assert_eq!((loads.has_failed(3), loads.retry(3)), (false, false));
    }

    #[test]
    fn a_gap_says_why_its_first_failed_chunk_is_missing() {
        let loads = failed(3);
        loads.fail(5, "Gone".to_owned(), 404, true);
        assert_eq!(loads.why_failed(0..9).as_deref(), Some("Busy"));
        assert_eq!(loads.why_failed(4..9).as_deref(), Some("Gone"));
        assert_eq!(loads.why_failed(0..3), None);
    }

    #[test]
    fn a_gap_whose_chunk_is_asked_for_again_says_nothing() {
        let loads = failed(3);
        loads.retry(3);
        assert_eq!(loads.why_failed(0..9), None);
    }

    #[test]
    fn waits_grow_with_each_failure_and_begin_anew() {
        let loads = Loads::default();
        let fail = || loads.fail(3, String::new(), 503, true);
        let (first, second) = (fail(), fail());
        assert!(first.is_some() && second > first, "{first:?} {second:?}");
        assert_eq!(loads.reset(), [3]);
        assert_eq!(fail(), first);
    }

    #[test]
    fn the_latest_reason_counts() {
        let loads = failed(3);
        loads.fail(3, "Gone".to_owned(), 404, true);
        assert_eq!(loads.why_failed(3..4).as_deref(), Some("Gone"));
    }

    #[test]
    fn held_chunks_are_taken_once() {
        let loads = Loads::default();
        loads.hold(4);
        loads.hold(2);
        loads.hold(4);
        assert_eq!(loads.take_held().into_iter().collect::<Vec<_>>(), [2, 4]);
        assert!(loads.take_held().is_empty());
    }

    #[test]
    fn a_server_that_answers_itself_is_not_away() {
        assert_eq!([0, 502, 504].map(is_away), [true; 3]);
        assert_eq!([404, 500, 503].map(is_away), [false; 3]);
    }
}
