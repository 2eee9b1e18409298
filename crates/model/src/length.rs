//! About how many bytes JSON has, without writing it: what a buffer that grows would hold three times, and what is cut.

use serde_json::Value;

/// What a value takes beside its text.
pub const VALUE: usize = 16;

/// Returns about how many bytes the JSON of a value has. What is escaped takes more.
pub fn of(value: &Value) -> usize {
    VALUE
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(of).sum(),
            Value::Object(fields) => fields.iter().map(|(key, value)| VALUE + key.len() + of(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}
