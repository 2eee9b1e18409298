//! A part of a transcript: its articles in order, markers that count what is hidden, and runs of rows folded to one line.

mod explored;
mod folded;
mod hidden;
mod plans;
mod rows;
mod verbosity;
mod worked;

use api::messages::{Entry, MessagePage};
use model::{Micros, Session, SessionId};
use std::collections::HashMap;
use std::sync::Arc;

pub use verbosity::Verbosity;

/// How much of a message is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// What is folded holds its text alone, in one element; the rest is cut. It can be read and found without a script.
    Glance,
    /// What is folded is drawn as well, for a reader who unfolds it.
    Unfolded,
    /// Nothing is cut.
    Whole,
}

/// A session that a call of this one started.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    pub session: Session,
    /// What it did last: one message while it works, more of them where its card is open.
    pub steps: Vec<Entry>,
}

/// How a transcript is looked at.
#[derive(Debug, Clone)]
pub struct TranscriptOptions {
    pub session_id: SessionId,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    pub now: Micros,
    /// The dev toggle: everything in place, with what the record says of it.
    pub dev: bool,
    pub verbosity: Verbosity,
    pub detail: Detail,
    /// `seq` of the newest TODO snapshot; older ones fold. None if not known: then all are open.
    pub newest_todo: Option<i64>,
    /// The TODO snapshot before the newest one.
    pub previous_todo: Option<Arc<Entry>>,
    /// The agent takes what people write: cards that ask can be answered.
    pub answers: bool,
    /// Part of another session's page, whose messages have the same numbers.
    pub nested: bool,
    /// Sub-agents, by the call that started them.
    pub children: Arc<HashMap<String, Child>>,
}

impl TranscriptOptions {
    /// As a reader sees it first: dev off, long things cut, folded ones not drawn yet.
    pub fn new(session_id: SessionId, last_seq: i64, now: Micros) -> Self {
        Self {
            session_id,
            last_seq,
            now,
            dev: false,
            verbosity: Verbosity::Normal,
            detail: Detail::Glance,
            newest_todo: None,
            previous_todo: None,
            answers: false,
            nested: false,
            children: Arc::default(),
        }
    }
}

/// A page of messages as HTML: rows of the transcript, nothing around them.
pub fn chunk(page: MessagePage, options: &TranscriptOptions) -> String {
    let page = if options.dev { page } else { verbosity::project(page, options.verbosity) };
    rows::rows(&page, options).iter().map(|row| row.html(options)).collect()
}
