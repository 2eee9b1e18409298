//! A part of a transcript: its articles in order, markers that count what is hidden, and runs of reading folded to one line.

mod explored;
mod hidden;

use crate::message_renderer::render_article;
use api::messages::{Entry, HiddenRow, MessagePage};
use model::{Micros, SessionId};
use std::collections::HashMap;
use std::sync::Arc;

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

/// How a transcript is looked at.
#[derive(Debug, Clone)]
pub struct TranscriptOptions {
    pub session_id: SessionId,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    pub now: Micros,
    /// The dev toggle: everything in place, with what the record says of it.
    pub dev: bool,
    pub detail: Detail,
    /// `seq` of the newest TODO snapshot; older ones fold. None if not known: then all are open.
    pub newest_todo: Option<i64>,
    /// The agent takes what people write: cards that ask can be answered.
    pub answers: bool,
    /// Sessions of sub-agents, by the call that started them.
    pub children: Arc<HashMap<String, SessionId>>,
}

impl TranscriptOptions {
    /// As a reader sees it first: dev off, long things cut, folded ones not drawn yet.
    pub fn new(session_id: SessionId, last_seq: i64, now: Micros) -> Self {
        Self {
            session_id,
            last_seq,
            now,
            dev: false,
            detail: Detail::Glance,
            newest_todo: None,
            answers: false,
            children: Arc::default(),
        }
    }
}

/// A page of messages as HTML: rows of the transcript, nothing around them.
pub fn chunk(page: &MessagePage, options: &TranscriptOptions) -> String {
    let mut html = String::new();
    for row in rows(page, options) {
        match row {
            Row::Message(entry) => html.push_str(&render_article(entry, options)),
            Row::Hidden(run) => html.push_str(&hidden::marker(&run, options)),
            Row::Explored(run) => html.push_str(&explored::group(&run, options)),
        }
    }
    html
}

enum Row<'p> {
    Message(&'p Entry),
    /// Hidden rows without a shown one between them.
    Hidden(Vec<&'p HiddenRow>),
    /// Finished calls that only looked, two or more in a row.
    Explored(Vec<&'p Entry>),
}

fn rows<'p>(page: &'p MessagePage, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let mut rows: Vec<Row<'p>> = Vec::new();
    let mut hidden = page.hidden.iter().filter(|row| !row.replaced).peekable();
    for entry in &page.messages {
        while let Some(row) = hidden.next_if(|row| row.seq < entry.message.seq) {
            hide(&mut rows, row);
        }
        if options.dev || !explored::only_looked(entry) {
            rows.push(Row::Message(entry));
            continue;
        }
        match rows.last_mut() {
            Some(Row::Explored(run)) => run.push(entry),
            _ => rows.push(Row::Explored(vec![entry])),
        }
    }
    for row in hidden {
        hide(&mut rows, row);
    }
    for row in &mut rows {
        if let Row::Explored(run) = row
            && let [alone] = run.as_slice()
        {
            *row = Row::Message(alone);
        }
    }
    rows
}

fn hide<'p>(rows: &mut Vec<Row<'p>>, row: &'p HiddenRow) {
    match rows.last_mut() {
        Some(Row::Hidden(run)) => run.push(row),
        _ => rows.push(Row::Hidden(vec![row])),
    }
}
