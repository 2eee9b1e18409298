//! How often one agent's key may write. An agent that runs wild takes nothing from the others.

use api::Problem;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// So many seconds' worth may come at once.
const BURST_SECONDS: f64 = 4.0;
/// Keys that are remembered; those that rest are forgotten first.
const KEYS: usize = 10_000;

/// Seconds that somebody is told to wait at most.
const LONGEST: f64 = 3600.0;

/// What becomes of a write that there is no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spend {
    /// It isn't done.
    IfThere,
    /// It was done.
    Anyway,
}

/// Clones are one.
#[derive(Clone)]
pub struct Rate {
    per_second: f64,
    buckets: Arc<Mutex<HashMap<String, Bucket>>>,
}

struct Bucket {
    /// Writes that may come now; less than nothing where more came than that.
    left: f64,
    at: Instant,
}

impl Rate {
    /// 0 is no limit.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: per_second.into(), buckets: Arc::default() }
    }

    /// One more write of a key, or when to come back.
    pub fn take(&self, key: &str) -> Result<(), Problem> {
        if self.per_second <= 0.0 {
            return Ok(());
        }
        let left = self.spend(key, 1, Spend::IfThere);
        if left >= 0.0 {
            return Ok(());
        }
        let title = format!("This key writes more than {} messages a second", self.per_second);
        let seconds = (-left / self.per_second).ceil().clamp(1.0, LONGEST) as u32;
        let problem = Problem { retry_after: Some(seconds), ..Problem::new(429, "too_fast", title) };
        Err(problem.hint("Send it again a little later"))
    }

    /// Writes that were done already: what comes next waits until they are made up for.
    pub fn owe(&self, key: &str, writes: usize) {
        if self.per_second > 0.0 && writes > 0 {
            self.spend(key, writes, Spend::Anyway);
        }
    }

    /// What is left then; less than nothing where there isn't enough.
    fn spend(&self, key: &str, writes: usize, spend: Spend) -> f64 {
        let (now, most) = (Instant::now(), self.per_second * BURST_SECONDS);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS {
            let rests =
                |bucket: &Bucket| bucket.left + now.duration_since(bucket.at).as_secs_f64() * self.per_second >= most;
            buckets.retain(|_, bucket| !rests(bucket));
        }
        let bucket = buckets.entry(key.to_owned()).or_insert(Bucket { left: most, at: now });
        let since = now.duration_since(bucket.at).as_secs_f64();
        *bucket = Bucket { left: (bucket.left + since * self.per_second).min(most), at: now };
        let left = bucket.left - f64::from(u32::try_from(writes).unwrap_or(u32::MAX));
        if left >= 0.0 || spend == Spend::Anyway {
            bucket.left = left;
        }
        left
    }
}
