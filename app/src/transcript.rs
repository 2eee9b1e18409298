//! A part of a transcript: its articles in order, markers that count what is hidden, and runs of rows folded to one line.

mod answered;
mod attempts;
mod days;
mod explored;
mod folded;
mod hidden;
mod long;
mod plans;
mod rewound;
mod rows;
mod stop;
mod verbosity;
mod worked;

use crate::message_renderer::render_article;
use crate::shared::window::CHUNK;
use api::messages::{Entry, MessagePage};
use model::message_type::todo::TodoItem;
use model::{Draft, Micros, Role, Session, SessionId};
use rows::Row;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

pub use hidden::words as hidden_words;
pub use long::shorten;
pub use plans::todos_before;
pub use stop::Stop;
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
    /// The agent as the session names it.
    pub agent: String,
    /// Its name for people: the one chosen in the settings, else the agent's own.
    pub assistant: String,
    pub now: Micros,
    /// The dev toggle: everything in place, with what the record says of it.
    pub dev: bool,
    pub verbosity: Verbosity,
    pub detail: Detail,
    /// Words that the reader looks for: a difference shows the lines that hold them.
    pub sought: Option<Arc<str>>,
    /// `seq` of the newest TODO snapshot; older ones fold. None if not known: then all are open.
    pub newest_todo: Option<i64>,
    /// Its items as they stand, with what people ticked since.
    pub todos_now: Arc<Vec<TodoItem>>,
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
    /// When the message above the page was written, where that is known.
    pub before: Option<Micros>,
    /// Messages of which only the beginning is here, by their `seq`, with the bytes of each.
    pub cut: Arc<BTreeMap<i64, u64>>,
    /// Of messages that aren't drawn by then a card says so.
    pub stop: Stop,
}

impl Child {
    /// Is its transcript not on this machine? Only its call tells of it.
    pub fn is_missing(session: &Session) -> bool {
        session.parent.is_some() && session.last_seq == 0 && !session.registered
    }
}

impl TranscriptOptions {
    /// The sub-agent that a call started, by the call's id; of a workflow, by its run.
    pub fn child(&self, draft: &Draft) -> Option<&Child> {
        let run = || draft.metadata.as_ref()?.get("payload")?.get("run_id")?.as_str();
        let by_call = draft.call_id.as_deref().and_then(|id| self.children.get(id));
        by_call.or_else(|| self.children.get(run()?))
    }

    /// As a reader sees it first: dev off, long things cut, folded ones not drawn yet.
    pub fn new(session_id: SessionId, last_seq: i64, now: Micros) -> Self {
        Self {
            session_id,
            last_seq,
            project: String::new(),
            agent: String::new(),
            assistant: String::new(),
            now,
            dev: false,
            verbosity: Verbosity::Normal,
            detail: Detail::Glance,
            sought: None,
            newest_todo: None,
            todos_now: Arc::default(),
            todos_before: Arc::default(),
            answers: false,
            rests: false,
            nested: false,
            children: Arc::default(),
            before: None,
            cut: Arc::default(),
            stop: Stop::default(),
        }
    }
}

/// A page of messages as HTML: rows of the transcript, nothing around them.
pub fn page(page: MessagePage, options: &TranscriptOptions) -> String {
    let page = projected(page, options);
    html(&placed(folded(rows::rows(&page, options), options), &page, options.before, options), options)
}

/// Does a page hold all that runs together with these chunks, before them and after them?
pub fn is_whole(page: &MessagePage, options: &TranscriptOptions, chunks: &RangeInclusive<i64>) -> (bool, bool) {
    rows::is_whole(page, options, chunks)
}

/// Some chunks of a transcript, in order.
pub struct Chunks {
    /// The number of each, and its rows as HTML.
    pub drawn: Vec<(i64, String)>,
    /// The chunk where the rows begin: an earlier one than the first, where that has no row of its own.
    pub begins: i64,
}

/// Chunks of a transcript as HTML: a row is in the chunk where it begins. Where one runs on from an earlier chunk, an element
/// says so that isn't shown. The page holds all that runs together with them, see [`is_whole`].
pub fn chunks(page: MessagePage, options: &TranscriptOptions, chunks: RangeInclusive<i64>) -> Chunks {
    let page = projected(page, options);
    let mut of: BTreeMap<i64, Vec<Placed<'_>>> = chunks.clone().map(|chunk| (chunk, Vec::new())).collect();
    let mut runs_on: BTreeMap<i64, i64> = BTreeMap::new();
    for placed in placed(folded(rows::rows(&page, options), options), &page, None, options) {
        let (first, last) = placed.row.span();
        let begins = (first - 1) / CHUNK;
        let reaches = (last - 1) / CHUNK;
        for chunk in chunks.clone().filter(|chunk| begins < *chunk && *chunk <= reaches) {
            // Of several the earliest: from there on everything is drawn.
            runs_on.entry(chunk).and_modify(|from| *from = first.min(*from)).or_insert(first);
        }
        if let Some(rows) = of.get_mut(&begins) {
            rows.push(placed);
        }
    }
    let begins = match of.get(chunks.start()) {
        Some(rows) if rows.is_empty() => runs_on.get(chunks.start()).map(|from| (from - 1) / CHUNK),
        _ => None,
    };
    let begins = begins.unwrap_or(*chunks.start());
    let drawn = of.into_iter().map(|(chunk, rows)| {
        let on = runs_on.get(&chunk).map(|from| format!("<i hidden data-runs-on=\"{from}\"></i>"));
        (chunk, on.unwrap_or_default() + &html(&rows, options))
    });
    Chunks { drawn: drawn.collect(), begins }
}

/// What a marker stands for, each by itself: the hidden messages of a page.
pub fn unfolded(page: MessagePage, options: &TranscriptOptions) -> String {
    if page.messages.iter().any(|entry| entry.message.draft.left_behind) {
        return self::page(rewound::undone(page), options);
    }
    let options = &TranscriptOptions { dev: false, ..options.clone() };
    let normal = verbosity::project(page.clone(), options.verbosity);
    let hidden: BTreeSet<i64> = normal.hidden.iter().filter(|row| !row.replaced).map(|row| row.seq).collect();
    let entries = page.messages.iter().filter(|entry| hidden.contains(&entry.message.seq));
    // A summary is all that its line stands for: one click is enough for it.
    let open = TranscriptOptions { detail: Detail::Unfolded, ..options.clone() };
    let is_summary = |entry: &Entry| {
        let draft = &entry.message.draft;
        draft.role == Role::System && draft.sender == "compact_summary"
    };
    entries.map(|entry| render_article(entry, if is_summary(entry) { &open } else { options })).collect()
}

/// The page as its reader sees it; with dev on all of it.
fn projected(page: MessagePage, options: &TranscriptOptions) -> MessagePage {
    let page = if options.dev { page } else { answered::project(verbosity::project(page, options.verbosity)) };
    rewound::project(page)
}

fn folded<'p>(rows: Vec<Row<'p>>, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let folds = !options.dev && options.verbosity == Verbosity::Summary;
    let rows = if folds { worked::fold(rows) } else { rows };
    if options.dev { rows } else { rows::placed(rows, options) }
}

/// A row and what is known of those above it.
struct Placed<'p> {
    row: Row<'p>,
    /// The latest time above: where a session is taken up again, times may go back, and a day that ended once doesn't end
    /// again.
    before: Option<Micros>,
    /// Does another one speak than before? Then the name shows.
    named: bool,
}

fn placed<'p>(
    rows: Vec<Row<'p>>,
    page: &MessagePage,
    mut before: Option<Micros>,
    options: &TranscriptOptions,
) -> Vec<Placed<'p>> {
    // Above a page that begins in the middle, the assistant has most likely spoken already.
    let mut last = (page.from > 1).then(|| options.assistant.clone());
    let place = |row: Row<'p>| {
        let above = before;
        before = before.max(row.times().map(|(_, last)| last));
        let speaks = row.speaks(options);
        let named = speaks.as_ref().is_some_and(|name| last.as_ref() != Some(name));
        match speaks {
            Some(name) => last = Some(name),
            None if row.is_from_person() => last = None,
            None => {}
        }
        Placed { row, before: above, named }
    };
    rows.into_iter().map(place).collect()
}

fn html(rows: &[Placed<'_>], options: &TranscriptOptions) -> String {
    rows.iter().map(|placed| placed.row.html(options, placed.before, placed.named)).collect()
}
