//! Points in time.

use serde::{Deserialize, Serialize};

/// Microseconds since 1970-01-01T00:00:00Z. The model never asks a clock: whoever needs "now" passes it in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Micros(pub i64);

impl Micros {
    /// Microseconds in a second.
    pub const SECOND: i64 = 1_000_000;

    /// Returns the microseconds from `earlier` to `self`; negative if `earlier` is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns true if less than `span` microseconds lie between the two moments, whichever is the later one.
    ///
    /// For ages of what was noted under the computer's clock. A clock that is set back leaves moments in the future:
    /// there they are as old as those that lie as far in the past, so nothing counts as new for as long as the clock
    /// was ahead.
    pub fn is_within(self, span: i64, now: Self) -> bool {
        now.since(self).unsigned_abs() < span.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::Micros;

    #[test]
    fn a_moment_ages_in_both_directions() {
        let (now, span) = (Micros(1_000_000), 10);
        for (distance, expected) in [(0, true), (9, true), (-9, true), (10, false), (-10, false), (i64::MIN, false)] {
            assert_eq!(Micros(now.0.saturating_add(distance)).is_within(span, now), expected, "{distance}");
        }
    }
}
