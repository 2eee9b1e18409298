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
}
