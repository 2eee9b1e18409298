//! How often one agent's key may write. An agent that runs wild takes nothing from the others.

use api::Problem;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// So many seconds' worth may come at once.
const BURST_SECONDS: f64 = 4.0;
/// Keys that are remembered; those that rest are forgotten first.
const KEYS: usize = 10_000;

/// Clones are one.
#[derive(Clone)]
pub struct Rate {
    per_second: f64,
    buckets: Arc<Mutex<HashMap<String, Bucket>>>,
}

struct Bucket {
    /// Requests that may come now.
    left: f64,
    at: Instant,
}

impl Rate {
    /// 0 is no limit.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: per_second.into(), buckets: Arc::default() }
    }

    /// One more request of a key, or when to come back.
    pub fn take(&self, key: &str) -> Result<(), Problem> {
        if self.per_second <= 0.0 {
            return Ok(());
        }
        let (now, most) = (Instant::now(), self.per_second * BURST_SECONDS);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS {
            buckets.retain(|_, bucket| now.duration_since(bucket.at).as_secs_f64() < BURST_SECONDS);
        }
        let bucket = buckets.entry(key.to_owned()).or_insert(Bucket { left: most, at: now });
        let since = now.duration_since(bucket.at).as_secs_f64();
        *bucket = Bucket { left: (bucket.left + since * self.per_second).min(most), at: now };
        if bucket.left < 1.0 {
            let title = format!("This key writes more than {} times a second", self.per_second);
            let problem = Problem { retry_after: Some(1), ..Problem::new(429, "too_fast", title) };
            return Err(problem.hint("Send it again a little later; `/messages/batch` takes many at once"));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}
