//! The only clock. Everything below takes time as an argument.

use model::Micros;
use std::time::{Duration, UNIX_EPOCH};

/// The end of what has none.
pub const NEVER: Micros = Micros(i64::MAX);

#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Waits until then.
pub async fn until(at: Micros) {
    let left = u64::try_from(at.since(now())).unwrap_or_default();
    // To the next millisecond, which is how fine the timer is.
    tokio::time::sleep(Duration::from_micros(left.saturating_add(1000))).await;
}
