//! A part of a transcript: its articles in order, markers that count what is hidden, and runs of rows folded to one
//! line.

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
mod verbosity;
mod worked;

use crate::message_renderer::render_article;
use crate::shared::window::CHUNK;
use api::messages::{Entry, MessagePage};
use model::{Micros, Role};
use rows::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

pub use crate::message::view_options::{Child, Cut, Detail, Stop, TranscriptOptions, Verbosity};
pub use hidden::words as hidden_words;
pub use long::shorten;
pub use plans::todos_before;

/// A page of messages as HTML: rows of the transcript, nothing around them.
pub fn page(page: MessagePage, options: &TranscriptOptions) -> String {
    let page = projected(page, options);
    html(&placed(folded(rows::rows(&page, options), options), &page, options.before, options), options)
}

/// Returns whether a page includes all rows that continue these chunks, before and after them.
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

/// Chunks of a transcript as HTML: a row is in the chunk where it begins. Where one runs on from an earlier chunk, an
/// element says so that isn't shown. The page holds all that runs together with them, see [`is_whole`].
pub fn chunks(page: MessagePage, options: &TranscriptOptions, chunks: RangeInclusive<i64>) -> Chunks {
    let page = projected(page, options);
    let mut of: BTreeMap<i64, Vec<Placed<'_>>> = chunks.clone().map(|chunk| (chunk, Vec::new())).collect();
    let mut runs_on: BTreeMap<i64, i64> = BTreeMap::new();
    for placed in placed(folded(rows::rows(&page, options), options), &page, None, options) {
        let (first, last) = placed.row.span();
        let begins = (first - 1) / CHUNK;
        let reaches = (last - 1) / CHUNK;
        for chunk in chunks.clone().filter(|chunk| begins < *chunk && *chunk <= reaches) {
            // The earliest of several, from which everything is drawn.
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

/// Returns the hidden messages of a page, each drawn separately.
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
    let page = match (options.dev, options.filtered) {
        (true, _) => page,
        (false, true) => verbosity::project(verbosity::without_hidden(page, options.verbosity), options.verbosity),
        (false, false) => answered::project(verbosity::project(page, options.verbosity)),
    };
    rewound::project(page)
}

fn folded<'p>(rows: Vec<Row<'p>>, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let folds = options.folds() && options.verbosity == Verbosity::Summary;
    let rows = if folds { worked::fold(rows) } else { rows };
    if options.dev || options.filtered { rows } else { rows::placed(rows, options) }
}

/// A row and what is known of those above it.
struct Placed<'p> {
    row: Row<'p>,
    /// The latest time above: where a session is taken up again, times may go back, and a day that ended once doesn't
    /// end again.
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
    let mut last = (page.from > 1).then(|| options.assistant.name.clone());
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
