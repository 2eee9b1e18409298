//! From messages to rows: which stand alone, which run together.

use super::{
    Detail, TranscriptOptions, Verbosity, answered, attempts, days, explored, hidden, plans, verbosity, worked,
};
use crate::message::approval::OWNER;
use crate::message::voice::{is_answer, speaker};
use crate::message_renderer::{self, Kind, render_article};
use crate::shared::attr;
use crate::shared::window::CHUNK;
use api::messages::{Entry, HiddenRow, MessagePage};
use model::message_type::approval::{ApprovalKind, ApprovalState, Decision};
use model::message_type::tool_call::ToolState;
use model::policy::{Look, facts_of, policy};
use model::{Body, MessageType, Micros, Role};
use std::ops::RangeInclusive;

/// One line or card of the transcript.
pub(super) enum Row<'p> {
    Message(&'p Entry),
    /// Hidden messages in the work of a turn, on a line of their own.
    Hidden(Vec<&'p HiddenRow>),
    /// Hidden messages in the work of a turn, as a count in the margin.
    Margin(Vec<&'p HiddenRow>),
    /// Hidden messages at the end of a turn, and all hidden ones of the turn.
    TurnEnd(Vec<&'p HiddenRow>, Vec<&'p HiddenRow>),
    /// Finished calls that only looked.
    Explored(Vec<&'p Entry>),
    /// Snapshots of one plan that nothing stands between, all replaced by a later one.
    Plans(Vec<&'p Entry>),
    /// The agent's work between a prompt and its answer.
    Worked(Vec<Row<'p>>),
    /// Requests to the model that failed and were repeated, and whether one succeeded then.
    Attempts(Vec<&'p Entry>, attempts::Then),
    /// Requests to the model of which none succeeded: what the agent said of it, and the end of its run, are part of
    /// it.
    GaveUp(Vec<&'p Entry>),
    /// The end of a run, with what is hidden around it, and all that is hidden in its turn.
    Ended(&'p Entry, Vec<&'p HiddenRow>, Vec<&'p HiddenRow>),
}

impl<'p> Row<'p> {
    /// The article. `before` is the time of what stands above it; `named` shows who speaks.
    pub fn html(&self, options: &TranscriptOptions, before: Option<Micros>, named: bool) -> String {
        let html = match self {
            Self::Message(entry) => render_article(entry, options),
            Self::Hidden(run) => hidden::marker(run, &[], options),
            Self::Margin(run) => hidden::in_margin(run, options),
            Self::TurnEnd(run, turn) => hidden::marker(run, turn, options),
            Self::Explored(run) => explored::group(run, self.span(), options),
            Self::Plans(run) => plans::group(run, self.span(), options),
            Self::Worked(run) => worked::group(run, self.span(), options),
            Self::Attempts(run, then) => attempts::group(run, *then, self.span(), options),
            Self::GaveUp(run) => attempts::gave_up(run, self.span(), options),
            Self::Ended(entry, run, turn) => {
                hidden::in_foot(render_article(entry, options), run, turn, self.span(), options)
            }
        };
        let mut marks = self.times().map(|(first, _)| days::between(before, first, options)).unwrap_or_default();
        if named {
            marks.attr(attr::NAMED, "");
        }
        days::put(html, &marks)
    }

    /// The name of the assistant whose answer the row is. None for all other rows.
    pub fn speaks(&self, options: &TranscriptOptions) -> Option<String> {
        let Self::Message(entry) = self else { return None };
        let draft = &entry.message.draft;
        is_answer(draft).then(|| speaker(draft, options))
    }

    /// Returns true if it is a person's message, or one that was passed on for a person.
    pub fn is_from_person(&self) -> bool {
        matches!(self, Self::Message(entry) if entry.message.draft.role == Role::User)
    }

    /// When its first message was written, and its last; None if nobody knows.
    pub fn times(&self) -> Option<(Micros, Micros)> {
        let entries = self.entries();
        let mut known = entries.iter().map(|entry| entry.message.draft.created_at).filter(|at| at.0 > 0);
        let first = known.next()?;
        Some((first, known.next_back().unwrap_or(first)))
    }

    /// The first and the last `seq` that it stands for.
    pub fn span(&self) -> (i64, i64) {
        match self {
            Self::Message(entry) => (entry.message.seq, entry.message.seq),
            Self::Hidden(run) | Self::Margin(run) | Self::TurnEnd(run, _) => {
                (run.first().map_or(0, |row| row.seq), run.last().map_or(0, |row| row.seq))
            }
            Self::Plans(run) | Self::Explored(run) | Self::Attempts(run, _) | Self::GaveUp(run) => {
                (run.first().map_or(0, |e| e.message.seq), run.last().map_or(0, |e| e.message.seq))
            }
            Self::Ended(entry, run, _) => {
                let seqs = || run.iter().map(|row| row.seq).chain([entry.message.seq]);
                (seqs().min().unwrap_or(0), seqs().max().unwrap_or(0))
            }
            Self::Worked(run) => {
                (run.first().map_or(0, |row| row.span().0), run.iter().map(|row| row.span().1).max().unwrap_or(0))
            }
        }
    }

    /// The messages that it shows.
    pub fn entries(&self) -> Vec<&Entry> {
        match self {
            Self::Message(entry) | Self::Ended(entry, ..) => vec![entry],
            Self::Hidden(_) | Self::Margin(_) | Self::TurnEnd(..) => Vec::new(),
            Self::Plans(run) | Self::Explored(run) | Self::Attempts(run, _) | Self::GaveUp(run) => run.clone(),
            Self::Worked(run) => run.iter().flat_map(Row::entries).collect(),
        }
    }

    /// Returns the messages that it counts as hidden.
    pub fn hidden(&self) -> Vec<&'p HiddenRow> {
        match self {
            Self::Hidden(run) | Self::Margin(run) | Self::TurnEnd(run, _) | Self::Ended(_, run, _) => run.clone(),
            Self::Worked(run) => run.iter().flat_map(Row::hidden).collect(),
            _ => Vec::new(),
        }
    }
}

/// The rows of a page, in order of where they begin.
///
/// The agent's work between two texts is one stretch. Adjacent reads are one row, and one marker counts all hidden
/// messages. A chunk doesn't end a stretch: its rows are drawn in the chunk where it begins. So a page has to begin where a stretch does, see [`is_whole`]; for the longest one that is
/// [`LONGEST`].
pub(super) fn rows<'p>(page: &'p MessagePage, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let folds = options.folds();
    let mut stretches = Stretches::default();
    let mut hidden = page.hidden.iter().filter(|row| !row.replaced).peekable();
    for entry in &page.messages {
        while let Some(row) = hidden.next_if(|row| row.seq < entry.message.seq) {
            stretches.hide(row);
        }
        stretches.reach(entry.message.seq);
        if folds && is_told(entry, page) {
            continue;
        }
        if folds && attempts::is_one(entry) {
            stretches.failed(entry);
            continue;
        }
        if folds && stretches.gave_up(entry) {
            continue;
        }
        stretches.went_on(entry);
        if !folds || !is_work(entry) {
            stretches.rows.push(Row::Message(entry));
            stretches.end();
        } else if explored::only_looked(entry) {
            stretches.look(entry);
        } else if plans::is_replaced(entry, options) {
            stretches.replaced(entry);
        } else {
            stretches.rows.push(Row::Message(entry));
        }
    }
    for row in hidden {
        stretches.hide(row);
    }
    stretches.rows.into_iter().map(alone).collect()
}

/// Messages after which everything begins anew: no page has to reach further back than that.
pub(super) const LONGEST: i64 = 25 * CHUNK;

/// The part of the session, of [`LONGEST`] messages, that a `seq` is in.
pub(super) fn part_of(seq: i64) -> i64 {
    (seq.max(1) - 1) / LONGEST
}

/// Returns whether a page includes all rows that continue these chunks, before and after them.
pub(super) fn is_whole(page: &MessagePage, options: &TranscriptOptions, chunks: &RangeInclusive<i64>) -> (bool, bool) {
    let (first, last) = (chunks.start() * CHUNK + 1, (chunks.end() + 1) * CHUNK);
    let folds = options.folds();
    let turns = !options.dev && options.verbosity == Verbosity::Summary;
    let ends = |entry: &Entry| {
        if entry.message.draft.left_behind {
            return false;
        }
        // The ACTION of a decision has no row if its card is shown.
        if !options.dev && answered::answers(entry).is_some() {
            return false;
        }
        if turns {
            return entry.message.draft.role == Role::User;
        }
        // A run of attempts may begin before an error.
        !folds || !is_work(entry) && !verbosity::is_empty(entry) && entry.message_type != MessageType::Error
    };
    let mut ends = page.messages.iter().filter(|entry| ends(entry)).map(|entry| entry.message.seq);
    let before = page.from <= part_of(first) * LONGEST + 1 || ends.clone().any(|seq| seq < first);
    let end = page.last_seq.min((part_of(last) + 1) * LONGEST);
    let after = page.to >= end || last >= end || ends.any(|seq| seq > last);
    (before && (options.dev || turns || knows_turn(page, first)), after)
}

/// Does a page hold the turn from its beginning that ends first after `first`? Its end has the sum.
fn knows_turn(page: &MessagePage, first: i64) -> bool {
    let ends = |entry: &&Entry| entry.message.seq >= first && (is_prompt(entry) || is_end(entry));
    let Some(end) = page.messages.iter().find(ends).map(|entry| entry.message.seq) else { return true };
    let begins = |entry: &Entry| entry.message.seq < end && is_prompt(entry);
    page.from <= part_of(end) * LONGEST + 1 || page.messages.iter().any(begins)
}

/// Gives each count its place. The end of a run counts what is hidden right before it, and the end of a turn all that
/// is hidden in the turn: neither needs a row of its own. What nobody waited for stands in the margin elsewhere.
pub(super) fn placed<'p>(rows: Vec<Row<'p>>, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let mut all: Vec<Row<'p>> = Vec::with_capacity(rows.len());
    let mut turn = Turn::default();
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        turn.reach(&row);
        let row = match (row, rows.peek()) {
            (Row::Hidden(run), Some(Row::Message(end))) if is_end(end) && belongs(&run, end) => {
                let end = *end;
                rows.next();
                Row::Ended(end, run.clone(), turn.end(&run))
            }
            (Row::Hidden(run), next)
                if hidden::is_brief(&run) && !options.nested && options.detail != Detail::Printed =>
            {
                let ends = next.map_or(options.rests, |row| matches!(row, Row::Message(entry) if is_prompt(entry)));
                turn.hidden.extend(&run);
                if ends { Row::TurnEnd(run, std::mem::take(&mut turn.hidden)) } else { Row::Margin(run) }
            }
            (Row::Message(end), _) if is_end(end) && !turn.hidden.is_empty() => Row::Ended(end, vec![], turn.end(&[])),
            (row, _) => {
                // Rewound messages aren't part of the turn.
                turn.hidden.extend(row.hidden().into_iter().filter(|row| !hidden::is_rewound(row)));
                row
            }
        };
        all.push(row);
    }
    all
}

/// Hidden messages since the start of a turn, in one part of the transcript.
#[derive(Default)]
struct Turn<'p> {
    part: i64,
    hidden: Vec<&'p HiddenRow>,
}

impl<'p> Turn<'p> {
    fn reach(&mut self, row: &Row<'p>) {
        let part = part_of(row.span().0);
        let begins = matches!(row, Row::Message(entry) if is_prompt(entry));
        if std::mem::replace(&mut self.part, part) != part || begins {
            self.hidden.clear();
        }
    }

    /// All of it, with what is hidden at its end.
    fn end(&mut self, last: &[&'p HiddenRow]) -> Vec<&'p HiddenRow> {
        self.hidden.extend(last);
        std::mem::take(&mut self.hidden)
    }
}

/// Returns true if a turn begins with it.
fn is_prompt(entry: &Entry) -> bool {
    entry.message.draft.role == Role::User && entry.message_type == MessageType::Text
}

/// Returns true if all hidden messages belong to the same part of the transcript as `end`.
fn belongs(run: &[&HiddenRow], end: &Entry) -> bool {
    let is_quiet =
        |row: &&HiddenRow| !hidden::is_compaction(row) && !hidden::is_rewound(row) && !hidden::is_thought(row);
    run.iter().all(is_quiet) && run.first().is_some_and(|row| part_of(row.seq) == part_of(end.message.seq))
}

/// Returns true if it is the end of a run.
fn is_end(entry: &Entry) -> bool {
    policy(&facts_of(&entry.message.draft)).look == Look::Footer
}

/// Returns true if it is work of the agent, rather than text.
fn is_work(entry: &Entry) -> bool {
    entry.message.draft.role == Role::Host
        || matches!(message_renderer::kind(&entry.message_type), Kind::Tool | Kind::Card)
}

/// Returns true if it is the reader's refusal without a word, of a call that says itself that it was refused.
fn is_told(entry: &Entry, page: &MessagePage) -> bool {
    let (Some(call), Body::Approval(approval)) = (&entry.message.draft.call_id, entry.body()) else { return false };
    let decision = approval.decision.as_ref();
    let words = decision.and_then(|decision| decision.text.as_deref()).unwrap_or_default();
    // Only this shows that somebody else denied it.
    let is_others =
        |decision: &Decision| decision.is_by_archive() || decision.by.as_ref().is_some_and(|by| by != OWNER);
    if decision.is_some_and(is_others) {
        return false;
    }
    let is_call = |other: &Entry| {
        let is_refused = matches!(other.body(), Body::ToolCall(call) if call.state() == ToolState::Denied);
        is_refused && other.message.draft.call_id.as_ref() == Some(call)
    };
    let refused = approval.kind == ApprovalKind::Permission && approval.state == ApprovalState::Denied;
    refused && words.trim().is_empty() && page.messages.iter().any(is_call)
}

/// A run of one is that one.
fn alone(row: Row<'_>) -> Row<'_> {
    match row {
        Row::Plans(run) | Row::Explored(run) | Row::Attempts(run, _) if run.len() == 1 => Row::Message(run[0]),
        row => row,
    }
}

#[derive(Default)]
struct Stretches<'p> {
    rows: Vec<Row<'p>>,
    /// Where the rows of the present stretch begin.
    from: usize,
    part: i64,
}

impl<'p> Stretches<'p> {
    /// A message at `seq` comes next.
    fn reach(&mut self, seq: i64) {
        if std::mem::replace(&mut self.part, part_of(seq)) != self.part {
            self.end();
        }
    }

    fn end(&mut self) {
        self.from = self.rows.len();
    }

    fn hide(&mut self, row: &'p HiddenRow) {
        self.reach(row.seq);
        if hidden::is_rewound(row) {
            match self.rows.last_mut() {
                Some(Row::Hidden(run)) if run.iter().all(|row| hidden::is_rewound(row)) => run.push(row),
                _ => self.rows.push(Row::Hidden(vec![row])),
            }
            return self.end();
        }
        // The reader passes from one context to the next: a line of its own.
        if hidden::is_compaction(row) {
            match self.rows.last_mut() {
                Some(Row::Hidden(run)) if run.iter().all(|row| hidden::is_compaction(row)) => run.push(row),
                _ => self.rows.push(Row::Hidden(vec![row])),
            }
            return self.end();
        }
        // A long thought before further work has its own place.
        let apart = hidden::is_long_thought(row) && matches!(self.last(), Some(Row::Message(_)));
        let marker = self.rows[self.from..].iter_mut().rev().find_map(|row| match row {
            Row::Hidden(run) => Some(run),
            _ => None,
        });
        match marker.filter(|_| !apart) {
            Some(run) => run.push(row),
            None => self.rows.push(Row::Hidden(vec![row])),
        }
    }

    fn failed(&mut self, entry: &'p Entry) {
        let trying = self.rows.iter_mut().rfind(|row| !matches!(row, Row::Hidden(_)));
        match trying {
            Some(Row::Attempts(run, attempts::Then::Unknown)) => run.push(entry),
            _ => self.rows.push(Row::Attempts(vec![entry], attempts::Then::Unknown)),
        }
        self.end();
    }

    /// Is it what a run of attempts ended with, or the end of their run? Then it is part of them.
    fn gave_up(&mut self, entry: &'p Entry) -> bool {
        let Some(at) = self.rows.iter().rposition(|row| !matches!(row, Row::Hidden(_))) else { return false };
        match &mut self.rows[at] {
            Row::Attempts(run, attempts::Then::Unknown) if entry.message_type == MessageType::Error => {
                let run = std::mem::take(run).into_iter().chain([entry]).collect();
                self.rows[at] = Row::GaveUp(run);
            }
            Row::GaveUp(run) if attempts::is_failed_end(entry) => run.push(entry),
            _ => return false,
        }
        // One marker for what is hidden before the end and behind it.
        self.from = at;
        true
    }

    /// Records how attempts ended, by the next message.
    fn went_on(&mut self, entry: &Entry) {
        if let Some(Row::Attempts(_, then)) = self.rows.iter_mut().rfind(|row| !matches!(row, Row::Hidden(_))) {
            *then = attempts::Then::before(entry);
        }
    }

    fn look(&mut self, entry: &'p Entry) {
        match self.last() {
            Some(Row::Explored(run)) => run.push(entry),
            _ => self.rows.push(Row::Explored(vec![entry])),
        }
    }

    fn replaced(&mut self, entry: &'p Entry) {
        match self.last() {
            Some(Row::Plans(run)) => run.push(entry),
            _ => self.rows.push(Row::Plans(vec![entry])),
        }
    }

    /// The last row of the stretch that isn't its marker.
    fn last(&mut self) -> Option<&mut Row<'p>> {
        self.rows[self.from..].iter_mut().rfind(|row| !matches!(row, Row::Hidden(_)))
    }
}
