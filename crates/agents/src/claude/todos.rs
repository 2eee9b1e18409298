//! The checklists that `TodoWrite` hands in.

use crate::parts::todos::of_list;
use serde_json::{Map, Value};

/// The list of a `TodoWrite`. None for other tools and for an empty list, which no TODO can hold.
pub(crate) fn from_write(tool: &str, input: &Value) -> Option<(String, Map<String, Value>)> {
    if tool != "TodoWrite" {
        return None;
    }
    of_list(input.get("todos")?.as_array()?)
}

/// Returns true if it is a `TodoWrite` that leaves nothing.
pub(crate) fn clears(input: &Value) -> bool {
    input.get("todos").and_then(Value::as_array).is_some_and(Vec::is_empty)
}
