//! Texts as they grow, for agents that write a transcript of their own: it has a text once it is whole.

use super::Acp;
use crate::rpc::filled;
use crate::{Effects, Event, Voice};
use serde_json::Value;

/// The text that grows.
#[derive(Debug)]
pub(super) struct Growing {
    key: String,
    voice: Voice,
    text: String,
}

impl Acp {
    /// A piece of a text. Pieces belong together by their id, or until something else comes.
    pub(super) fn grow(&mut self, voice: Voice, update: &Value, effects: &mut Effects) {
        let piece = update.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
        // Without a turn, it tells what was said before.
        if !self.habits.has_transcript || self.running.is_none() || piece.is_empty() {
            return;
        }
        let own = filled(update, "messageId");
        let goes_on = self
            .growing
            .as_ref()
            .is_some_and(|growing| growing.voice == voice && own.as_ref().is_none_or(|own| *own == growing.key));
        if !goes_on {
            self.grown(effects);
            self.texts += 1;
            let key = own.unwrap_or_else(|| format!("text-{}", self.texts));
            self.growing = Some(Growing { key, voice, text: String::new() });
        }
        if let Some(growing) = &mut self.growing {
            growing.text.push_str(piece);
            let (key, text) = (growing.key.clone(), growing.text.clone());
            effects.emit(Event::Growing { key, voice, text });
        }
    }

    /// The text is over.
    pub(super) fn grown(&mut self, effects: &mut Effects) {
        if let Some(growing) = self.growing.take() {
            effects.emit(Event::Grown { key: growing.key });
        }
    }
}
