//! Estimates the size of JSON without serializing it.

use serde_json::Value;

/// Estimated size of a value without its text, in bytes.
pub const VALUE: usize = 16;

/// Returns the approximate size of a value's JSON in bytes. Escaped characters take more.
pub fn of(value: &Value) -> usize {
    VALUE
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(of).sum(),
            Value::Object(fields) => fields.iter().map(|(key, value)| VALUE + key.len() + of(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}
