//! How a tool call went.

use serde_json::Value;

/// How a call went.
#[derive(Default)]
pub(crate) struct Result {
    /// A word of `ToolState`: `done`, `failed`, `denied`, `cancelled`.
    pub state: &'static str,
    /// The tool's output, or the reason of its failure.
    pub text: String,
    /// Further fields of the payload: `exit_code`, `duration_ms`, `background`.
    pub details: Vec<(&'static str, Value)>,
    /// A person's answers to the questions of the call, where its record has them beside `text`.
    pub answers: Option<Value>,
}

impl Result {
    /// Adds how many files the tool gave back, which are messages of their own.
    pub fn with_files(mut self, count: usize) -> Self {
        self.details.extend((count > 0).then(|| ("files", count.into())));
        self
    }
}
