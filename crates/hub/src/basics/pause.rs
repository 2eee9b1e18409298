//! How long to wait before something that failed is tried again.

use model::Micros;
use std::time::Duration;

/// The pause after the first failure, in microseconds; each further one doubles it.
const FIRST: i64 = 2 * Micros::SECOND;
/// The longest pause. Another side that is down for days is asked every quarter of an hour.
const LONGEST: i64 = 15 * 60 * Micros::SECOND;
/// The longest pause that the other side may ask for.
pub const ASKED: i64 = 24 * 3600 * Micros::SECOND;

/// A number below `end`, to spread what would otherwise happen at once. 0 without randomness.
pub fn random(end: u64) -> u64 {
    getrandom::u64().unwrap_or_default() % end.max(1)
}

/// Returns how long to wait after a failure, in microseconds: longer after each, by chance up to a third less so that
/// many don't come back at once, and as long as the other side asks for.
pub fn pause(attempts: i64, asked: Option<Duration>) -> i64 {
    let doubled = FIRST.saturating_mul(1_i64 << attempts.clamp(0, 20)).min(LONGEST);
    let chance = i64::try_from(random(doubled.unsigned_abs() / 3)).unwrap_or_default();
    let asked = asked.map_or(0, |asked| i64::try_from(asked.as_micros()).unwrap_or(ASKED)).min(ASKED);
    (doubled - chance).max(asked)
}
