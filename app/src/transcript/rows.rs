//! From messages to rows: which stand alone, which run together.

use super::{TranscriptOptions, Verbosity, explored, hidden, plans, worked};
use crate::islands::window::chunk_of;
use crate::message_renderer::render_article;
use api::messages::{Entry, HiddenRow, MessagePage};
use model::message_type::approval::{ApprovalKind, ApprovalState};
use model::{Body, Role};

/// One line or card of the transcript.
pub(super) enum Row<'p> {
    Message(&'p Entry),
    /// What is hidden of a stretch of work.
    Hidden(Vec<&'p HiddenRow>),
    /// Finished calls that only looked.
    Explored(Vec<&'p Entry>),
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
            Self::Explored(run) => explored::group(run, self.span(), options),
            Self::Plans(run) => plans::group(run, self.span(), options),
            Self::Worked(run) => worked::group(run, self.span(), options),
        }
    }

    /// The first and the last `seq` that it stands for.
    pub fn span(&self) -> (i64, i64) {
        match self {
            Self::Message(entry) => (entry.message.seq, entry.message.seq),
            Self::Hidden(run) => (run.first().map_or(0, |row| row.seq), run.last().map_or(0, |row| row.seq)),
            Self::Plans(run) | Self::Explored(run) => {
                (run.first().map_or(0, |e| e.message.seq), run.last().map_or(0, |e| e.message.seq))
            }
            Self::Worked(run) => {
                (run.first().map_or(0, |row| row.span().0), run.iter().map(|row| row.span().1).max().unwrap_or(0))
            }
        }
    }

    /// The messages that it shows.
    pub fn entries(&self) -> Vec<&Entry> {
        match self {
            Self::Message(entry) => vec![entry],
            Self::Hidden(_) => Vec::new(),
            Self::Plans(run) | Self::Explored(run) => run.clone(),
            Self::Worked(run) => run.iter().flat_map(Row::entries).collect(),
        }
    }

    /// What it counts as hidden.
    pub fn hidden(&self) -> Vec<&HiddenRow> {
        match self {
            Self::Hidden(run) => run.clone(),
            Self::Worked(run) => run.iter().flat_map(Row::hidden).collect(),
            Self::Message(_) | Self::Plans(_) | Self::Explored(_) => Vec::new(),
        }
    }
}

/// The rows of a page, in order of where they begin.
///
/// Between two texts, what the agent did is one stretch: reads beside each other run together, and one marker counts
/// all that is hidden there, so that neither is told call by call. A stretch ends where a chunk ends that holds nothing
/// else. So a row reaches into the next chunk at most, and a page that begins and ends one chunk further than those that
/// are drawn says the same of them as any other page.
pub(super) fn rows<'p>(page: &'p MessagePage, options: &TranscriptOptions) -> Vec<Row<'p>> {
    let folds = !options.dev && options.verbosity != Verbosity::Verbose;
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

/// Does it go on with what the agent does, beside what it says?
fn is_work(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    draft.role == Role::Host || matches!(entry.message_type.as_str(), "TOOL_CALL" | "CODE_EDIT" | "TODO" | "APPROVAL")
}

/// Is it a refusal without a word, of a call that says itself that it was refused?
fn is_told(entry: &Entry, page: &MessagePage) -> bool {
    let draft = &entry.message.draft;
    let Some(call) = draft.call_id.as_ref().filter(|_| entry.message_type == "APPROVAL") else { return false };
    let Body::Approval(approval) = Body::of(draft) else { return false };
    let words = approval.decision.as_ref().and_then(|decision| decision.text.as_deref()).unwrap_or_default();
    let is_call = |other: &Entry| {
        matches!(other.message_type.as_str(), "TOOL_CALL" | "CODE_EDIT")
            && other.message.draft.call_id.as_ref() == Some(call)
    };
    let refused = approval.kind == ApprovalKind::Permission && approval.state == ApprovalState::Denied;
    refused && words.trim().is_empty() && page.messages.iter().any(is_call)
}

/// A run of one is that one.
fn alone(row: Row<'_>) -> Row<'_> {
    match row {
        Row::Plans(run) | Row::Explored(run) if run.len() == 1 => Row::Message(run[0]),
        row => row,
    }
}

#[derive(Default)]
struct Stretches<'p> {
    rows: Vec<Row<'p>>,
    /// Where the rows of the present stretch begin.
    from: usize,
    chunk: usize,
    /// Did a stretch end in this chunk?
    ended: bool,
}

impl<'p> Stretches<'p> {
    /// A message at `seq` comes next.
    fn reach(&mut self, seq: i64) {
        let chunk = chunk_of(seq);
        if chunk != self.chunk {
            if !(self.ended && chunk == self.chunk + 1) {
                self.from = self.rows.len();
            }
            (self.chunk, self.ended) = (chunk, false);
        }
    }

    fn end(&mut self) {
        (self.from, self.ended) = (self.rows.len(), true);
    }

    fn hide(&mut self, row: &'p HiddenRow) {
        self.reach(row.seq);
        // The reader passes from one context to the next: a line of its own.
        if hidden::is_compaction(row) {
            match self.rows.last_mut() {
                Some(Row::Hidden(run)) if run.iter().all(|row| hidden::is_compaction(row)) => run.push(row),
                _ => self.rows.push(Row::Hidden(vec![row])),
            }
            return self.end();
        }
        let marker = self.rows[self.from..].iter_mut().find_map(|row| match row {
            Row::Hidden(run) => Some(run),
            _ => None,
        });
        match marker {
            Some(run) => run.push(row),
            None => self.rows.push(Row::Hidden(vec![row])),
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
