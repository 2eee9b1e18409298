//! The only clock. Everything below takes time as an argument.

use model::Micros;
use std::time::UNIX_EPOCH;

#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
