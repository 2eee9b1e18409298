//! What people wrote, given once, although it may come twice: with the answer to a post, and by waiting.

use crate::Message;
use api::messages::Entry;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Everything between the two was given, the second included.
    covered: Option<(i64, i64)>,
    /// What was given beyond.
    given: BTreeSet<i64>,
}

impl Inbox {
    pub fn starting_at(seq: Option<i64>) -> Self {
        Self { covered: seq.map(|seq| (seq, seq)), given: BTreeSet::new() }
    }

    /// What to ask for: all messages after this `seq`. Asking so, a lost answer loses no message.
    pub fn after(&self) -> Option<i64> {
        self.covered.map(|(_, to)| to)
    }

    /// Says where to begin, unless that is known.
    pub fn begin(&mut self, seq: i64) {
        self.covered.get_or_insert((seq, seq));
    }

    fn has(&self, seq: i64) -> bool {
        self.given.contains(&seq) || self.covered.is_some_and(|(from, to)| from < seq && seq <= to)
    }

    /// Those that weren't given before.
    pub fn give(&mut self, entries: Vec<Entry>) -> Vec<Message> {
        let new: Vec<Entry> = entries.into_iter().filter(|entry| !self.has(entry.message.seq)).collect();
        self.given.extend(new.iter().map(|entry| entry.message.seq));
        new.into_iter().map(Message::from).collect()
    }

    /// Like [`Self::give`], for an answer that holds everything from [`Self::after`] to `last`.
    pub fn give_all(&mut self, entries: Vec<Entry>, last: i64) -> Vec<Message> {
        let new = self.give(entries);
        if let Some((from, to)) = self.covered {
            let to = to.max(last);
            self.covered = Some((from, to));
            self.given.retain(|seq| !(from < *seq && *seq <= to));
        }
        new
    }
}
