//! Answers to a form: the same in MCP, in the Agent Client Protocol, and in the protocols of Claude Code and Codex.

use crate::Answer;
use serde_json::{Map, Value, json};

/// Returns the answer to a form; None if it is none.
pub(crate) fn answer(answer: &Answer) -> Option<Value> {
    match answer {
        Answer::Form(content) => Some(json!({ "action": "accept", "content": content })),
        Answer::Deny { .. } => Some(json!({ "action": "decline" })),
        Answer::Cancel => Some(cancelled()),
        Answer::Allow { .. } | Answer::Answers(_) => None,
    }
}

/// Returns the answer where nobody will answer.
pub(crate) fn cancelled() -> Value {
    json!({ "action": "cancel" })
}

/// Returns the input of the request: its schema.
pub(crate) fn input(schema: Option<&Value>) -> Map<String, Value> {
    Map::from_iter([("requestedSchema".to_owned(), schema.cloned().unwrap_or_default())])
}
