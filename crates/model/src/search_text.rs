//! Text of messages for search.

use serde_json::Value;

/// Number of characters of a tool's output that are indexed. The beginning identifies it; whole files would dominate
/// results.
const OUTPUT_CHARS: usize = 4096;

/// Fields of cards that are shown as a state, or not at all.
const NOT_SHOWN: [&str; 8] = ["id", "kind", "type", "state", "status", "selected", "via", "shown_sha256"];

/// Collects the text of a message, one piece per line, up to a maximum length.
#[derive(Debug)]
pub struct SearchText {
    text: String,
    max_bytes: usize,
    max_output: usize,
}

impl SearchText {
    /// Makes a collector for the index: at most `max_bytes`, and only the beginning of tools' output.
    pub const fn indexed(max_bytes: usize) -> Self {
        Self { text: String::new(), max_bytes, max_output: OUTPUT_CHARS }
    }

    /// Makes a collector without a limit.
    pub const fn whole() -> Self {
        Self { text: String::new(), max_bytes: usize::MAX, max_output: usize::MAX }
    }

    /// Adds a piece.
    pub fn push(&mut self, more: &str) {
        let left = self.max_bytes.saturating_sub(self.text.len());
        if !more.is_empty() && left > 0 {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&more[..more.floor_char_boundary(left)]);
        }
    }

    /// Adds a tool's output.
    pub fn push_output(&mut self, output: &str) {
        let end = output.char_indices().nth(self.max_output).map_or(output.len(), |(end, _)| end);
        self.push(&output[..end]);
    }

    /// Adds all strings of a value, in order, without its keys.
    pub fn push_strings(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.push(text),
            Value::Array(items) => items.iter().for_each(|item| self.push_strings(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.push_strings(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Adds the strings of a payload that its card shows.
    pub fn push_shown_strings(&mut self, payload: &Value) {
        match payload {
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, _)| !NOT_SHOWN.contains(&name.as_str())) {
                    // The keys of a form's values are the agent's own.
                    if name == "values" { self.push_strings(value) } else { self.push_shown_strings(value) }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.push_shown_strings(item)),
            value => self.push_strings(value),
        }
    }

    /// Returns the collected text.
    pub fn into_string(self) -> String {
        self.text
    }
}
