//! A part of a transcript: its articles in order, markers that count what is hidden, and runs of rows folded to one line.

mod explored;
mod folded;
mod hidden;
mod plans;
mod rows;
mod verbosity;
mod worked;

use crate::islands::window::CHUNK;
use crate::message_renderer::render_article;
use api::messages::{Entry, MessagePage};
use model::{Micros, Session, SessionId};
use rows::Row;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

pub use plans::todos_before;
pub use verbosity::Verbosity;

/// How much of a message is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// What is folded holds its text alone, in one element; the rest is cut. It can be read and found without a script.
    Glance,
    /// What is folded is drawn as well, for a reader who unfolds it.
    Unfolded,
    /// Nothing is cut that a browser can bear.
    Whole,
    /// All of it, in a file or on paper: nothing can be asked for there, nor answered.
    Printed,
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
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct TranscriptOptions {
    pub session_id: SessionId,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// The folder that the session is of.
    pub project: String,
    pub now: Micros,
    /// The dev toggle: everything in place, with what the record says of it.
    pub dev: bool,
    pub verbosity: Verbosity,
    pub detail: Detail,
    /// Words that the reader looks for: a difference shows the lines that hold them.
    pub sought: Option<Arc<str>>,
    /// `seq` of the newest TODO snapshot; older ones fold. None if not known: then all are open.
    pub newest_todo: Option<i64>,
    /// The TODO snapshot before each one of the page, by its `seq`.
    pub todos_before: Arc<HashMap<i64, Arc<Entry>>>,
    /// The agent takes what people write: cards that ask can be answered.
    pub answers: bool,
    /// Nobody works in it any more: a call without a result never gets one.
    pub rests: bool,
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
            project: String::new(),
            now,
            dev: false,
            verbosity: Verbosity::Normal,
            detail: Detail::Glance,
            sought: None,
            newest_todo: None,
            todos_before: Arc::default(),
            answers: false,
            rests: false,
            nested: false,
            children: Arc::default(),
        }
    }
}

/// A page of messages as HTML: rows of the transcript, nothing around them.
pub fn page(page: MessagePage, options: &TranscriptOptions) -> String {
    let page = if options.dev { page } else { verbosity::project(page, options.verbosity) };
    html(rows::rows(&page, options), options)
}

/// Chunks of a transcript as HTML. The page begins and ends one chunk further: a row is in the chunk where it begins.
pub fn chunks(page: MessagePage, options: &TranscriptOptions, chunks: RangeInclusive<i64>) -> Vec<(i64, String)> {
    let page = if options.dev { page } else { verbosity::project(page, options.verbosity) };
    let mut of: BTreeMap<i64, Vec<Row<'_>>> = chunks.map(|chunk| (chunk, Vec::new())).collect();
    for row in rows::rows(&page, options) {
        if let Some(rows) = of.get_mut(&((row.span().0 - 1) / CHUNK)) {
            rows.push(row);
        }
    }
    of.into_iter().map(|(chunk, rows)| (chunk, html(rows, options))).collect()
}

/// What a marker stands for, each by itself: the hidden messages of a page.
pub fn unfolded(page: MessagePage, options: &TranscriptOptions) -> String {
    let normal = verbosity::project(page.clone(), options.verbosity);
    let hidden: BTreeSet<i64> = normal.hidden.iter().filter(|row| !row.replaced).map(|row| row.seq).collect();
    let entries = page.messages.iter().filter(|entry| hidden.contains(&entry.message.seq));
    entries.map(|entry| render_article(entry, options)).collect()
}

fn html(rows: Vec<Row<'_>>, options: &TranscriptOptions) -> String {
    let folds = !options.dev && options.verbosity == Verbosity::Summary;
    let rows = if folds { worked::fold(rows) } else { rows };
    rows.iter().map(|row| row.html(options)).collect()
}
