//! The version of an envelope's payload.

use crate::strict::Mismatch;
use serde_json::{Map, Value};

/// Version of an envelope without one.
pub const VERSION: i64 = 1;

/// Parses an integer of at least 1; null is None. `"3"`, `1.0` and `true` are accepted as 3, 1 and 1.
pub(crate) fn read(version: &Value) -> Result<Option<i64>, Mismatch> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = match version {
        Value::Null => return Ok(None),
        Value::Bool(yes) => Some(i64::from(*yes)),
        Value::String(digits) => digits.trim().parse().ok(),
        Value::Number(number) => number.as_i64().or_else(|| {
            number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT).map(|float| float as i64)
        }),
        Value::Array(_) | Value::Object(_) => None,
    };
    match number {
        Some(number) if number >= 1 => Ok(Some(number)),
        _ => Err(Mismatch::new("/version", "an integer of at least 1")),
    }
}

/// Returns the version of stored metadata; 1 if it has none.
pub(crate) fn of(metadata: &Map<String, Value>) -> i64 {
    metadata.get("version").and_then(|version| read(version).ok().flatten()).unwrap_or(VERSION)
}
