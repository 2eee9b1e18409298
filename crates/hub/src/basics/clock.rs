//! The only clock. Everything below takes time as an argument.

use model::Micros;
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::Instant;

/// The end of what has none.
pub const NEVER: Micros = Micros(i64::MAX);
/// While [`until`] waits, it checks this often whether the clock was set forward.
const LOOK: Duration = Duration::from_mins(1);
/// The longest time that timers count.
const LONGEST: Duration = Duration::from_hours(24 * 365);

#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Waits until then: for as long as that is away now, or until the clock shows it because it was set forward.
pub async fn until(at: Micros) {
    if at == NEVER {
        return std::future::pending().await;
    }
    let end = after(at);
    while now() < at && Instant::now() < end {
        tokio::time::sleep_until(end.min(Instant::now() + LOOK)).await;
    }
}

/// The end of the time that a moment is away now, whatever the clock is set to meanwhile.
pub fn after(at: Micros) -> Instant {
    let left = u64::try_from(at.since(now())).unwrap_or_default();
    // To the next millisecond, which is how fine the timer is.
    Instant::now() + Duration::from_micros(left.saturating_add(1000)).min(LONGEST)
}

/// Notices that the clock was set back, which leaves moments that were stored before in the future.
#[derive(Debug)]
pub struct Jumps(Instant, Micros);

impl Default for Jumps {
    fn default() -> Self {
        Self(Instant::now(), now())
    }
}

impl Jumps {
    /// Returns true if the clock was set back by more than a second since the last look.
    pub fn was_set_back(&mut self) -> bool {
        let Self(looked, was) = std::mem::take(self);
        let passed = i64::try_from(self.0.saturating_duration_since(looked).as_micros()).unwrap_or(i64::MAX);
        self.1.since(was) < passed.saturating_sub(Micros::SECOND)
    }
}
