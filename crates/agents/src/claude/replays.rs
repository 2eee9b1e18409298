//! Lines that a file repeats under ids of their own, as a session that was resumed does: each is shown once.
//!
//! A line of the model is known by its API message, a result by its call, any other line by its time. A prompt that is
//! repeated with another time has none of these: a person may say the same twice. It is a copy if a copy of an answer
//! stands behind it, so it is held back until the next line of the conversation. A prompt is held back only if it
//! stands behind the same line as the prompt before, or repeats the first one of the file.

use super::at::hash;
use super::obj::Obj;
use super::state::State;
use super::state::replays::Held;
use crate::Span;

/// Lines that are held back at most.
const MOST: usize = 32;
/// Bytes of them.
const BYTES: usize = 1 << 20;

impl State {
    /// Holds a prompt back if it may be a copy, and lines behind such a prompt. Returns true if the line was held: it
    /// is read later.
    pub fn holds(&mut self, text: &str, line: &Obj, span: Span) -> bool {
        let id = line.filled("uuid").map_or(0, |id| hash(&id));
        let original = self.repeated_prompt(line, id);
        let kind = line.str("type").unwrap_or_default();
        let speaks = matches!(kind.as_ref(), "user" | "assistant");
        let has_room = self.replays.held.len() < MOST && self.replays.held_bytes() + text.len() <= BYTES;
        if has_room && (original.is_some() || !self.replays.held.is_empty() && !speaks) {
            let before = line.filled("parentUuid").map_or(0, |id| hash(&id));
            self.replays.held.push(Held { text: text.to_owned(), span, id, before, original });
            return true;
        }
        let proof = if speaks && self.original_of(line, id).is_some() { line.filled("parentUuid") } else { None };
        self.release_held(proof.map(|before| hash(&before)));
        false
    }

    /// Reads the lines that were held back; those that lead to `copied`, which are copies, as such.
    pub fn release_held(&mut self, copied: Option<u64>) {
        let mut held = std::mem::take(&mut self.replays.held);
        let mut next = copied;
        for line in held.iter_mut().rev() {
            if next == Some(line.id) {
                next = Some(line.before);
            } else {
                line.original = None;
            }
        }
        for Held { text, span, id, original, .. } in held {
            match (original, Obj::parse(&text)) {
                (Some(original), _) => {
                    self.stands_for(id, original);
                    self.note_repeated(span);
                }
                (None, Some(line)) => self.read(&text, &line, span),
                (None, None) => {}
            }
        }
    }

    /// Notes a line by which copies of it are known. Returns false if it is itself a copy of an earlier one.
    pub fn is_first(&mut self, line: &Obj, id: u64) -> bool {
        if let Some(original) = self.original_of(line, id) {
            self.stands_for(id, original);
            return false;
        }
        let original = copied_from(line).unwrap_or(id);
        if let Some(words) = words_key(line) {
            self.replays.first.entry(words).or_insert(original);
        }
        if let Some(words) = prompt(line) {
            let before = self.replays.before(line);
            let prompts = &mut self.replays.prompts;
            if prompts.is_empty() {
                prompts.insert(hash(words), original);
            }
            prompts.entry(place_key(words, before)).or_insert(original);
        }
        true
    }

    /// The earlier line that a line repeats under an id of its own.
    fn original_of(&self, line: &Obj, id: u64) -> Option<u64> {
        let from = copied_from(line).filter(|from| *from != id && self.has_read(*from));
        from.or_else(|| self.replays.first.get(&words_key(line)?).copied().filter(|first| *first != id))
    }

    /// The earlier prompt that this one may be a copy of.
    fn repeated_prompt(&self, line: &Obj, id: u64) -> Option<u64> {
        let words = prompt(line).filter(|_| id != 0 && !self.has_read(id) && self.original_of(line, id).is_none())?;
        let prompts = &self.replays.prompts;
        let same_place = prompts.get(&place_key(words, self.replays.before(line)));
        same_place.or_else(|| prompts.get(&hash(words))).copied()
    }

    /// Lines behind a copy name its id as the one before: they go on from its original.
    fn stands_for(&mut self, copy: u64, original: u64) {
        self.replays.originals.insert(copy, original);
        self.tree.alias(copy, original);
        self.sides.alias(copy, original);
    }
}

/// The id of the line that a line says it was copied from.
fn copied_from(line: &Obj) -> Option<u64> {
    line.obj("forkedFrom")?.filled("messageUuid").map(|id| hash(&id))
}

/// Returns the message of a person's prompt, if the line is one of the session itself.
fn prompt<'l>(line: &'l Obj) -> Option<&'l str> {
    let is_prompt =
        line.str("type").as_deref() == Some("user") && !line.is_true("isMeta") && !line.is_true("isSidechain");
    let message = line.raw("message").filter(|_| is_prompt)?;
    (!is_result(message)).then_some(message)
}

fn is_result(message: &str) -> bool {
    message.contains("\"tool_use_id\"")
}

fn place_key(words: &str, before: u64) -> u64 {
    hash(&format!("{before} {words}"))
}

/// Returns a hash that is the same for a line and its copies, whatever their ids: of its words, and of its API message,
/// call or time.
fn words_key(line: &Obj) -> Option<u64> {
    let kind = line.filled("type")?;
    let message = line.obj("message").filter(|_| matches!(kind.as_str(), "user" | "assistant"))?;
    let content = message.raw("content")?;
    let moment = match message.filled("id") {
        Some(id) => id,
        // It names its call.
        None if kind == "user" && is_result(content) => String::new(),
        None => line.filled("timestamp")?,
    };
    Some(hash(&[kind.as_str(), &moment, content].join("\0")))
}
