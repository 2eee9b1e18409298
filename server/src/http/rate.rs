//! How often one agent's key may write. An agent that runs wild takes nothing from the others.

use api::{Problem, ProblemCode};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The writes of this time may come at once.
const BURST: Duration = Duration::from_secs(4);
/// Keys that are remembered; those that rest are forgotten first.
const KEYS: usize = 10_000;
/// Seconds that somebody is told to wait at most.
const LONGEST: f64 = 3600.0;

/// The generic cell rate algorithm, for each key. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Rate {
    per_second: u32,
    /// When all writes of a key would have come at its rate.
    due: Arc<Mutex<HashMap<String, Instant>>>,
}

impl Rate {
    /// 0 is no limit.
    pub fn new(per_second: u32) -> Self {
        Self { per_second, due: Arc::default() }
    }

    /// Counts one more write of a key.
    ///
    /// # Errors
    ///
    /// 429 with the seconds to wait if there is no room for it.
    pub fn take(&self, key: &str) -> Result<(), Problem> {
        let early = self.count(key, 1, Some(BURST));
        if early.is_zero() {
            return Ok(());
        }
        let title = format!("This key posts more than {} messages per second", self.per_second);
        let seconds = early.as_secs_f64().ceil().clamp(1.0, LONGEST) as u32;
        let problem = Problem { retry_after: Some(seconds), ..Problem::new(ProblemCode::TooFast, title) };
        Err(problem.hint("Send the request again later"))
    }

    /// Counts writes that were done already: what comes next waits until they are made up for.
    pub fn owe(&self, key: &str, writes: usize) {
        self.count(key, u32::try_from(writes).unwrap_or(u32::MAX), None);
    }

    /// Returns how much too early the writes come, and counts those that don't. Without a `burst`, none do.
    fn count(&self, key: &str, writes: u32, burst: Option<Duration>) -> Duration {
        let Some(each) = Duration::from_secs(1).checked_div(self.per_second) else { return Duration::ZERO };
        let (now, mut due) = (Instant::now(), self.due.lock().unwrap_or_else(PoisonError::into_inner));
        if due.len() >= KEYS {
            due.retain(|_, due| *due > now);
        }
        let next = due.get(key).map_or(now, |due| now.max(*due)) + each * writes;
        let early = burst.map_or(Duration::ZERO, |burst| next.saturating_duration_since(now + burst));
        if early.is_zero() {
            due.insert(key.to_owned(), next);
        }
        early
    }
}
