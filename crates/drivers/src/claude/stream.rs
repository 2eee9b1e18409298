//! A message that is being written, delta by delta.

use super::{text, tokens};
use crate::driver::Effects;
use crate::event::{Event, Tokens, Voice};
use serde_json::Value;
use std::collections::BTreeMap;

/// The blocks of the message that is being written. Those of sub-agents aren't followed: their text is in their transcripts.
#[derive(Default)]
pub(super) struct Stream {
    message: String,
    /// By index.
    blocks: BTreeMap<u64, (Voice, String)>,
    /// Tokens of the turn, without the message that is being written.
    before: Tokens,
    /// Tokens of the message that is being written.
    current: Tokens,
}

impl Stream {
    pub(super) fn event(&mut self, message: &Value, effects: &mut Effects) {
        if text(message, "parent_tool_use_id").is_some() {
            return;
        }
        let Some(event) = message.get("event") else { return };
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text(event, "type") {
            Some("message_start") => {
                for key in self.give_up_blocks() {
                    effects.emit(Event::Grown { key });
                }
                let message = event.get("message").unwrap_or(&Value::Null);
                text(message, "id").unwrap_or_default().clone_into(&mut self.message);
                self.before = self.before.plus(std::mem::take(&mut self.current));
                self.count(message.get("usage"), effects);
            }
            Some("content_block_start") => {
                let block = event.get("content_block").unwrap_or(&Value::Null);
                let voice = match text(block, "type") {
                    Some("text") => Voice::Answer,
                    Some("thinking") => Voice::Thought,
                    _ => return,
                };
                self.blocks.insert(index, (voice, String::new()));
            }
            Some("content_block_delta") => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                let Some(more) = text(delta, "text").or_else(|| text(delta, "thinking")) else { return };
                let key = self.key(index);
                if let Some((voice, grown)) = self.blocks.get_mut(&index) {
                    grown.push_str(more);
                    effects.emit(Event::Growing { key, voice: *voice, text: grown.clone() });
                }
            }
            Some("content_block_stop") if self.blocks.remove(&index).is_some() => {
                effects.emit(Event::Grown { key: self.key(index) });
            }
            Some("message_delta") => self.count(event.get("usage"), effects),
            _ => {}
        }
    }

    /// The turn is over: nothing grows any more. Returns what grew.
    pub(super) fn give_up(&mut self) -> Vec<String> {
        (self.before, self.current) = Default::default();
        self.give_up_blocks()
    }

    fn give_up_blocks(&mut self) -> Vec<String> {
        let blocks = std::mem::take(&mut self.blocks);
        blocks.into_keys().map(|index| self.key(index)).collect()
    }

    fn key(&self, index: u64) -> String {
        format!("{}~{index}", self.message)
    }

    /// Usage grows within a message: the last one counts.
    fn count(&mut self, usage: Option<&Value>, effects: &mut Effects) {
        let Some(usage) = usage else { return };
        self.current = tokens(usage);
        effects.emit(Event::Tokens(self.before.plus(self.current)));
    }
}
