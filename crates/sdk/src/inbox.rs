//! Messages of people. The same message can arrive by a post's reply and by waiting, but is returned once.

use crate::Message;
use api::messages::Entry;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// All messages after the first `seq`, up to and including the second, were returned.
    covered: Option<(i64, i64)>,
    /// Further messages that were returned.
    given: BTreeSet<i64>,
}

impl Inbox {
    pub fn starting_at(seq: Option<i64>) -> Self {
        Self { covered: seq.map(|seq| (seq, seq)), given: BTreeSet::new() }
    }

    /// Returns the `after` of the next request: all messages with a higher `seq`. With it, a lost reply loses no
    /// message.
    pub fn after(&self) -> Option<i64> {
        self.covered.map(|(_, to)| to)
    }

    /// Sets the start, unless it is known.
    pub fn begin(&mut self, seq: i64) {
        self.covered.get_or_insert((seq, seq));
    }

    fn has(&self, seq: i64) -> bool {
        self.given.contains(&seq) || self.covered.is_some_and(|(from, to)| from < seq && seq <= to)
    }

    /// Returns the messages that weren't returned before.
    pub fn give(&mut self, entries: Vec<Entry>) -> Vec<Message> {
        let new: Vec<Entry> = entries.into_iter().filter(|entry| !self.has(entry.message.seq)).collect();
        self.given.extend(new.iter().map(|entry| entry.message.seq));
        new.into_iter().map(Message::from).collect()
    }

    /// Like [`Self::give`], for a reply that contains all messages from [`Self::after`] to `last`.
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
