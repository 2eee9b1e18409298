//! Changes of a batch, collected while it is written.

use model::Part;
use std::collections::{BTreeMap, HashMap};

#[derive(Default)]
pub(crate) struct Changes {
    pub added: u64,
    pub changed: u64,
    /// By the session's rid.
    pub sessions: HashMap<i64, SessionChanges>,
    /// How counts change.
    pub counts: BTreeMap<CountKey, i64>,
    /// How many messages more people count, by session and slot.
    pub activity: BTreeMap<(i64, i64), i64>,
}

#[derive(Default)]
pub(crate) struct SessionChanges {
    /// First and last added `seq`.
    pub added: Option<(i64, i64)>,
    /// `seq` to revision.
    pub changed: BTreeMap<i64, i64>,
    /// All that changed are texts that go on.
    pub grows: bool,
}

/// Messages that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CountKey {
    pub session_rid: i64,
    pub role: String,
    pub message_type: String,
    pub display: i64,
    pub part: String,
}

impl CountKey {
    /// Returns true if such messages are counted for people.
    pub(crate) fn shown(&self) -> bool {
        self.display < 2 && self.part != Part::Replaced.as_str()
    }
}

impl Changes {
    pub(crate) fn add(&mut self, session_rid: i64, seq: i64) {
        self.added += 1;
        let added = &mut self.sessions.entry(session_rid).or_default().added;
        *added = Some((added.map_or(seq, |(from, _)| from), seq));
    }

    /// The new revision of a message that was changed.
    pub(crate) fn revision(&self, session_rid: i64, seq: i64) -> Option<i32> {
        self.sessions.get(&session_rid)?.changed.get(&seq).map(|revision| *revision as i32)
    }

    pub(crate) fn change(&mut self, session_rid: i64, seq: i64, revision: i64) {
        self.changed += 1;
        self.sessions.entry(session_rid).or_default().changed.insert(seq, revision);
    }

    /// An earlier message looks different, though it says what it said.
    pub(crate) fn look_again(&mut self, session_rid: i64, seq: i64, revision: i64) {
        let session = self.sessions.entry(session_rid).or_default();
        if session.added.is_none_or(|(from, _)| seq < from) {
            session.changed.entry(seq).or_insert(revision);
        }
    }

    pub(crate) fn grows(&mut self, session_rid: i64) {
        self.sessions.entry(session_rid).or_default().grows = true;
    }
}
