//! From messages to rows: which stand alone, which run together.

use super::{TranscriptOptions, Verbosity, explored, hidden, plans, worked};
use crate::message_renderer::render_article;
use api::messages::{Entry, HiddenRow, MessagePage};

/// One line or card of the transcript.
pub(super) enum Row<'p> {
    Message(&'p Entry),
    /// Hidden rows without a shown one between them.
    Hidden(Vec<&'p HiddenRow>),
    /// Finished calls that only looked, and what the agent thought meanwhile.
    Explored(Vec<Row<'p>>),
    /// Snapshots of one plan that nothing stands between, all replaced by a later one.
    Plans(Vec<&'p Entry>),
    /// What the agent did between a prompt and its answer.
    Worked(Vec<Row<'p>>),
}

impl Row<'_> {
    pub fn html(&self, options: &TranscriptOptions) -> String {
        match self {
            Self::Message(entry) => render_article(entry, options),
            Self::Hidden(run) => hidden::marker(run, options),
            Self::Explored(run) => explored::group(run, options),
            Self::Plans(run) => plans::group(run, options),
            Self::Worked(run) => worked::group(run, options),
        }
    }

    /// The first and the last `seq` that it stands for.
    pub fn span(&self) -> (i64, i64) {
        let ends = |first: Option<(i64, i64)>, last: Option<(i64, i64)>| {
            (first.map_or(0, |span| span.0), last.map_or(0, |span| span.1))
        };
        match self {
            Self::Message(entry) => (entry.message.seq, entry.message.seq),
            Self::Hidden(run) => (run.first().map_or(0, |row| row.seq), run.last().map_or(0, |row| row.seq)),
            Self::Plans(run) => (run.first().map_or(0, |e| e.message.seq), run.last().map_or(0, |e| e.message.seq)),
            Self::Explored(run) | Self::Worked(run) => ends(run.first().map(Row::span), run.last().map(Row::span)),
        }
    }

    /// The messages that it shows.
    pub fn entries(&self) -> Vec<&Entry> {
        match self {
            Self::Message(entry) => vec![entry],
            Self::Hidden(_) => Vec::new(),
            Self::Plans(run) => run.clone(),
            Self::Explored(run) | Self::Worked(run) => run.iter().flat_map(Row::entries).collect(),
        }
    }

    /// What it counts as hidden.
    pub fn hidden(&self) -> Vec<&HiddenRow> {
        match self {
            Self::Hidden(run) => run.clone(),
            Self::Explored(run) | Self::Worked(run) => run.iter().flat_map(Row::hidden).collect(),
            Self::Message(_) | Self::Plans(_) => Vec::new(),
        }
    }
}

pub(super) fn rows<'p>(page: &'p MessagePage, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let folds = !options.dev && options.verbosity != Verbosity::Verbose;
    let mut rows: Vec<Row<'p>> = Vec::new();
    let mut hidden = page.hidden.iter().filter(|row| !row.replaced).peekable();
    for entry in &page.messages {
        while let Some(row) = hidden.next_if(|row| row.seq < entry.message.seq) {
            hide(&mut rows, row);
        }
        if folds && explored::only_looked(entry) {
            look(&mut rows, entry);
        } else if folds && plans::is_replaced(entry, options) {
            match rows.last_mut() {
                Some(Row::Plans(run)) => run.push(entry),
                _ => rows.push(Row::Plans(vec![entry])),
            }
        } else {
            rows.push(Row::Message(entry));
        }
    }
    for row in hidden {
        hide(&mut rows, row);
    }
    let rows = rows.into_iter().map(alone).collect();
    if folds && options.verbosity == Verbosity::Summary { worked::fold(rows) } else { rows }
}

/// A run of one is that one.
fn alone(row: Row<'_>) -> Row<'_> {
    match row {
        Row::Plans(run) if run.len() == 1 => Row::Message(run[0]),
        Row::Explored(mut run) if run.len() == 1 => run.remove(0),
        row => row,
    }
}

fn hide<'p>(rows: &mut Vec<Row<'p>>, row: &'p HiddenRow) {
    match rows.last_mut() {
        Some(Row::Hidden(run)) => run.push(row),
        _ => rows.push(Row::Hidden(vec![row])),
    }
}

/// Goes on with a run of looking around, over what the agent only thought.
fn look<'p>(rows: &mut Vec<Row<'p>>, entry: &'p Entry) {
    let goes_on = match rows.as_slice() {
        [.., Row::Explored(_)] => true,
        [.., Row::Explored(_), Row::Hidden(run)] => run.iter().all(|row| hidden::is_thought(row)),
        _ => false,
    };
    if !goes_on {
        rows.push(Row::Explored(vec![Row::Message(entry)]));
        return;
    }
    let thoughts = if matches!(rows.last(), Some(Row::Hidden(_))) { rows.pop() } else { None };
    if let Some(Row::Explored(run)) = rows.last_mut() {
        run.extend(thoughts);
        run.push(Row::Message(entry));
    }
}
