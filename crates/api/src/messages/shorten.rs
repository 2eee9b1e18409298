//! Shortens messages with long values, for lists and pages of many messages.

use super::{Entry, ParsedBody};
use model::length::{self, VALUE};
use model::{MessageType, markdown};
use serde_json::Value;

/// Marks the end of a shortened string.
const SIGN: char = '…';
/// Size of a short value, in bytes. Short values of an object (states, names, paths) are kept before longer ones.
const SHORT: usize = 256;

impl Entry {
    /// Returns the approximate size of its content and its metadata as JSON, in bytes.
    pub fn bytes(&self) -> usize {
        self.message.draft.bytes()
    }

    /// Shortens content and metadata to about this many bytes in all, except data that the decision on an APPROVAL
    /// covers.
    pub fn shorten(&mut self, bytes: usize) {
        let is_covered = self.message_type == MessageType::Approval && self.shown_sha256.is_some();
        let has_words = is_covered && markdown::said_besides(&self.message.draft, self.body()).is_some();
        if self.bytes() > bytes && markdown::is_made_from_payload(&self.message.draft, self.body()) {
            // Beside a payload that is cut it would look like words of its own.
            self.message.draft.content = String::new();
        }
        let draft = &mut self.message.draft;
        let mut left = bytes;
        if !has_words {
            // Half, so that what the metadata says has room.
            let mut half = left / 2;
            cut_text(&mut draft.content, &mut half);
            left = left / 2 + half;
        }
        let Some(metadata) = &mut draft.metadata else { return };
        self.parsed = ParsedBody::default();
        // First what its card shows.
        if let Some(payload) = metadata.get_mut("payload").filter(|_| !is_covered) {
            let before = length::of(payload);
            cut_value(payload, &mut left);
            // Nobody decides on what isn't all there.
            if length::of(payload) < before {
                self.shown_sha256 = None;
            }
        }
        // Without its type a card is drawn as text.
        let stays = |key: &str| key == "payload" || key == "message_type";
        metadata.retain(|key, value| stays(key) || has_room(key, value, &mut left));
    }
}

fn cut_value(value: &mut Value, left: &mut usize) {
    match value {
        Value::String(text) => cut_text(text, left),
        Value::Array(items) => {
            // An item without all its fields may not fit its type: only whole ones stay, and the beginning of the
            // first.
            let mut room = *left;
            let whole = items.iter().take_while(|item| {
                let bytes = length::of(item);
                let fits = bytes <= room;
                room = room.saturating_sub(bytes);
                fits
            });
            let whole = whole.count();
            items.truncate(whole.max(1));
            items.retain_mut(|item| has_room("", item, left));
        }
        Value::Object(fields) => {
            fields.retain(|key, value| length::of(value) > SHORT || has_room(key, value, left));
            fields.retain(|key, value| length::of(value) <= SHORT || has_room(key, value, left));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Shortens a value of an array or object. Returns false if no space is left for it.
fn has_room(key: &str, value: &mut Value, left: &mut usize) -> bool {
    *left = left.saturating_sub(VALUE + key.len());
    let has_room = *left >= SIGN.len_utf8();
    if has_room {
        cut_value(value, left);
    }
    has_room
}

fn cut_text(text: &mut String, left: &mut usize) {
    let whole = text.len();
    if whole > *left {
        text.truncate(text.floor_char_boundary(left.saturating_sub(SIGN.len_utf8())));
        text.push(SIGN);
        text.shrink_to_fit();
    }
    *left = left.saturating_sub(whole);
}

#[cfg(test)]
mod tests {
    use super::cut_value;
    use serde_json::json;

    #[test]
    fn what_has_room_stays() {
        let mut left = 100;
        let mut value = json!({"kind": "plan", "title": "y".repeat(60), "list": ["a", "b"], "more": "c"});
        cut_value(&mut value, &mut left);
        assert_eq!(value, json!({"kind": "plan", "title": format!("{}…", "y".repeat(52))}));
        let (mut left, mut value) = (1000, json!({"kind": "plan", "n": 1, "list": [null, {"a": "b"}]}));
        let before = value.clone();
        cut_value(&mut value, &mut left);
        assert_eq!(value, before);
        let (mut left, mut value) = (300, json!({"output": "y".repeat(1000), "exit_code": 1}));
        cut_value(&mut value, &mut left);
        assert_eq!(value, json!({"output": format!("{}…", "y".repeat(250)), "exit_code": 1}));
        let (mut left, mut value) = (100, json!([{"id": "a", "text": "b"}, {"id": "c", "text": "d"}]));
        cut_value(&mut value, &mut left);
        assert_eq!(value, json!([{"id": "a", "text": "b"}]));
    }
}
