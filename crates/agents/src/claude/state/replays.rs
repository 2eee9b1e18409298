//! Lines that a later line may repeat.

use crate::Span;
use crate::parts::at::hash;
use crate::parts::obj::Obj;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Replays {
    /// The first line with the same words of the same moment, call or API message: hash of both to hash of its id.
    pub first: HashMap<u64, u64>,
    /// Prompts by words and the line before, and the file's first one by its words: hash of these to hash of its id.
    pub prompts: HashMap<u64, u64>,
    /// Hash of a copy's id to that of its original.
    pub originals: HashMap<u64, u64>,
    pub held: Vec<Held>,
}

/// A line that waits for the next one of the conversation.
pub(crate) struct Held {
    pub text: String,
    pub span: Span,
    pub id: u64,
    pub before: u64,
    /// The prompt that it repeats; None of lines behind it.
    pub original: Option<u64>,
}

impl Replays {
    /// Returns how many bytes of lines are held back.
    pub fn held_bytes(&self) -> usize {
        self.held.iter().map(|held| held.text.len()).sum()
    }

    /// The line that a line stands behind, by its original.
    pub fn before(&self, line: &Obj) -> u64 {
        let Some(id) = line.filled("parentUuid").map(|id| hash(&id)) else { return 0 };
        let held = self.held.iter().find(|held| held.id == id).and_then(|held| held.original);
        held.or_else(|| self.originals.get(&id).copied()).unwrap_or(id)
    }
}
