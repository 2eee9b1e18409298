//! The session that is open: its messages as cards, and where the reader is.

use crate::card::{self, View};
use crate::theme::Theme;
use api::messages::{Entry, HiddenRow, ListMessages, MessagePage, TodoState};
use api::sessions::SessionDetail;
use model::message_type::approval::Approval;
use model::message_type::tool_call::ToolState;
use model::{Body, Role, Status};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Messages of one request.
pub const PAGE: u32 = 100;

/// A row of the transcript.
#[derive(Debug, Clone)]
enum Row {
    Message(Box<Entry>),
    Hidden(HiddenRow),
}

/// The lines of a card, and what they were drawn for: revision and width, unfolded or not.
struct Drawn {
    of: (i32, usize, bool),
    lines: Vec<Line<'static>>,
}

/// Rows between two empty lines: a card, or the line of hidden rows.
struct Block<'a> {
    first: i64,
    last: i64,
    lines: Cow<'a, [Line<'static>]>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Transcript {
    pub detail: SessionDetail,
    pub todos: TodoState,
    rows: BTreeMap<i64, Row>,
    unfolded: HashSet<i64>,
    all_unfolded: bool,
    /// `seq` of the row that keys act on.
    current: i64,
    /// Where the reader scrolled to: lines from the top of the current card to the top of the window, negative where the card begins
    /// below it. None leaves it to the card.
    offset: Option<i64>,
    /// The same as it was drawn last.
    shown_at: i64,
    /// The newest stays in view.
    follows: bool,
    /// True while the rows before the first one are being requested.
    pub is_asked_before: bool,
    pub is_dev: bool,
    pub is_paused: bool,
    /// Cards that were drawn, by `seq`.
    drawn: HashMap<i64, Drawn>,
    /// Height of the window when it was drawn last.
    height: usize,
}

/// Which rows a key jumps between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Any,
    Prompt,
    Trouble,
}

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
}

impl Transcript {
    /// A session at its end, or where `at` is.
    pub fn new(detail: SessionDetail, todos: TodoState, page: MessagePage, at: Option<i64>, is_dev: bool) -> Self {
        let mut transcript = Self {
            detail,
            todos,
            rows: BTreeMap::new(),
            unfolded: HashSet::new(),
            all_unfolded: false,
            current: 0,
            offset: None,
            shown_at: 0,
            follows: at.is_none(),
            is_asked_before: false,
            is_dev,
            is_paused: false,
            drawn: HashMap::new(),
            height: 1,
        };
        transcript.add(page);
        if let Some(at) = at {
            transcript.current = transcript.rows.range(..=at).next_back().map_or(0, |(seq, _)| *seq);
        }
        transcript
    }

    /// Our id of the session.
    pub fn id(&self) -> &str {
        self.detail.session.id.as_str()
    }

    /// Takes up messages: new ones, changed ones.
    pub fn add(&mut self, page: MessagePage) {
        self.is_asked_before = false;
        for row in page.hidden {
            // A call that its cards stand for isn't hidden.
            if !row.replaced {
                self.rows.insert(row.seq, Row::Hidden(row));
            }
        }
        for entry in page.messages {
            let seq = entry.message.seq;
            let is_newer = match self.rows.get(&seq) {
                Some(Row::Message(known)) => known.message.revision <= entry.message.revision,
                _ => true,
            };
            if is_newer {
                self.drawn.remove(&seq);
                self.rows.insert(seq, Row::Message(Box::new(entry)));
            }
        }
        if self.follows || self.current == 0 {
            self.current = self.last();
        }
    }

    fn last(&self) -> i64 {
        self.rows.keys().next_back().copied().unwrap_or(0)
    }

    /// The `seq` of the first row; what is before it wasn't read yet.
    pub fn first(&self) -> i64 {
        self.rows.keys().next().copied().unwrap_or(1)
    }

    pub fn message(&self, seq: i64) -> Option<&Entry> {
        match self.rows.get(&seq)? {
            Row::Message(entry) => Some(entry),
            Row::Hidden(_) => None,
        }
    }

    /// The `seq` of the current row; None at the end, where what comes is followed.
    pub fn at(&self) -> Option<i64> {
        (!self.follows).then_some(self.current)
    }

    pub fn current(&self) -> Option<&Entry> {
        self.message(self.current)
    }

    /// The files of the current row whose bytes are there, each by its name and blob.
    pub fn files(&self) -> Vec<(String, String)> {
        let Some(Body::File(file)) = self.current().map(Entry::body) else { return Vec::new() };
        file.files.iter().filter_map(|item| Some((item.name.clone(), item.blob.clone()?))).collect()
    }

    /// The request that `a` opens: of the current row, else the newest.
    pub fn open_request(&self) -> Option<&Entry> {
        let open = |entry: &&Entry| Approval::open_of(&entry.message.draft, entry.body()).is_some();
        let newest = || self.rows.keys().rev().filter_map(|seq| self.message(*seq)).find(open);
        self.current().filter(open).or_else(newest)
    }

    pub fn query(&self) -> ListMessages {
        ListMessages { dev: self.is_dev.then_some(1), limit: Some(PAGE), ..ListMessages::default() }
    }

    pub fn fold(&mut self) {
        if !self.unfolded.remove(&self.current) {
            self.unfolded.insert(self.current);
        }
        self.offset = None;
        self.drawn.remove(&self.current);
    }

    /// Draws all cards anew: what they are drawn with has changed.
    pub fn draw_anew(&mut self) {
        self.drawn.clear();
    }

    pub fn fold_all(&mut self) {
        self.all_unfolded = !self.all_unfolded;
        self.unfolded.clear();
        self.drawn.clear();
    }

    /// Goes to the next row of a kind. Returns false where there is none.
    pub fn step(&mut self, way: Way, kind: Kind) -> bool {
        let is = |seq: &i64| match (kind, self.message(*seq)) {
            (Kind::Any, Some(_)) => true,
            // A run of hidden rows is one.
            (Kind::Any, None) => {
                self.rows.range(..*seq).next_back().is_none_or(|(_, row)| matches!(row, Row::Message(_)))
            }
            (_, None) => false,
            (Kind::Prompt, Some(entry)) => entry.message.draft.role == Role::User && entry.message_type == "TEXT",
            (Kind::Trouble, Some(entry)) => is_trouble(entry),
        };
        let found = match way {
            Way::Down => self.rows.range(self.current + 1..).map(|(seq, _)| *seq).find(is),
            Way::Up => self.rows.range(..self.current).rev().map(|(seq, _)| *seq).find(is),
        };
        if let Some(seq) = found {
            self.current = seq;
            self.offset = None;
        }
        self.follows = self.current == self.last() && !self.is_paused;
        found.is_some()
    }

    pub fn go(&mut self, way: Way) {
        self.current = if way == Way::Down { self.last() } else { self.first() };
        self.offset = None;
        self.follows = way == Way::Down;
    }

    /// Moves the window by a part of its height.
    pub fn page(&mut self, way: Way) {
        let step = (self.height as i64 - 2).max(1);
        self.offset = Some(self.shown_at + if way == Way::Down { step } else { -step });
        self.follows = false;
    }

    /// Draws the cards that changed since they were drawn.
    fn draw(&mut self, view: &View) {
        for (seq, row) in &self.rows {
            let Row::Message(entry) = row else { continue };
            let unfolded = self.unfolded.contains(seq) != self.all_unfolded;
            let of = (entry.message.revision, view.width, unfolded);
            if self.drawn.get(seq).is_none_or(|drawn| drawn.of != of) {
                self.drawn.insert(*seq, Drawn { of, lines: card::lines(entry, unfolded, view) });
            }
        }
    }

    fn blocks(&self, theme: Theme) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut hidden: Vec<&HiddenRow> = Vec::new();
        for (seq, row) in &self.rows {
            if let Row::Hidden(row) = row {
                hidden.push(row);
                continue;
            }
            blocks.extend(hidden_block(&mut hidden, theme));
            let lines = self.drawn.get(seq).map_or(&[][..], |drawn| &drawn.lines);
            blocks.push(Block { first: *seq, last: *seq, lines: Cow::Borrowed(lines) });
        }
        blocks.extend(hidden_block(&mut hidden, theme));
        blocks
    }

    /// The lines of the window; each begins with a column that shows which row is the current one.
    pub fn window(&mut self, view: &View, height: usize) -> Vec<Line<'static>> {
        self.height = height;
        self.draw(&View { width: view.width.saturating_sub(2).max(1), ..view.clone() });
        let mut starts = Vec::new();
        let (mut total, mut was_line) = (0, false);
        for block in self.blocks(view.theme) {
            // Lines of calls stand close.
            let is_line = block.lines.len() == 1;
            total += usize::from(!(total == 0 || was_line && is_line));
            was_line = is_line;
            starts.push((block.first, block.last, total));
            total += block.lines.len();
        }
        let top = self.top(total, &starts, height);
        let mut window = vec![marked(Line::default(), false, view.theme); height.min(total.saturating_sub(top))];
        for (block, (.., start)) in self.blocks(view.theme).iter().zip(&starts) {
            let is_current = (block.first..=block.last).contains(&self.current);
            for (row, line) in (*start..).zip(block.lines.iter()).skip_while(|(row, _)| *row < top) {
                let Some(place) = window.get_mut(row - top) else { break };
                *place = marked(line.clone(), is_current, view.theme);
            }
        }
        window
    }

    /// The first line in the window, of so many. Makes the row there the current one where the window was moved away from it.
    fn top(&mut self, lines: usize, starts: &[(i64, i64, usize)], height: usize) -> usize {
        let most = lines.saturating_sub(height) as i64;
        let index = starts.iter().position(|(first, last, _)| (*first..=*last).contains(&self.current)).unwrap_or(0);
        let start = starts.get(index).map_or(0, |(.., start)| *start) as i64;
        let end = starts.get(index + 1).map_or(lines, |(.., start)| start.saturating_sub(1)) as i64;
        let top = match self.offset {
            _ if self.follows => most,
            Some(offset) => start + offset,
            // A card that fits stands in the middle, so that what is around it is seen.
            None if end - start < height as i64 => start - (height as i64 - (end - start)) / 2,
            None => start,
        };
        let top = top.clamp(0, most);
        self.shown_at = top - start;
        if self.offset.is_some() {
            let visible = starts.iter().rev().find(|(.., start)| (*start as i64) <= top + 1).or(starts.first());
            if let Some((first, _, start)) = visible {
                self.current = *first;
                self.shown_at = top - *start as i64;
                self.offset = Some(self.shown_at);
            }
            if top == most && !self.is_paused {
                self.follows = true;
                self.current = self.last();
                self.offset = None;
            }
        }
        top as usize
    }
}

/// A line behind the column that shows which row is the current one.
fn marked(mut line: Line<'static>, is_current: bool, theme: Theme) -> Line<'static> {
    // The style of a line is that of its words, not of the mark.
    for span in &mut line.spans {
        span.style = line.style.patch(span.style);
    }
    line.style = Style::new();
    let mark = if is_current { Span::styled("▌ ", theme.person()) } else { Span::raw("  ") };
    line.spans.insert(0, mark);
    line
}

/// An open request or question, an error, a call that failed.
fn is_trouble(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    if draft.status == Status::Retracted {
        return false;
    }
    draft.requires_user_input
        || draft.status == Status::Error
        || Approval::open_of(draft, entry.body()).is_some()
        || match entry.body() {
            Body::ToolCall(call) => call.state() == ToolState::Failed,
            Body::Error(_) => true,
            _ => false,
        }
}

/// Ends a run of hidden rows: `3 hidden: 2 system, 1 reasoning`.
fn hidden_block(hidden: &mut Vec<&HiddenRow>, theme: Theme) -> Option<Block<'static>> {
    let (first, last) = (hidden.first()?.seq, hidden.last()?.seq);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &*hidden {
        *counts.entry(if row.role == Role::Model { "reasoning" } else { row.role.as_str() }).or_default() += 1;
    }
    let of: Vec<String> = counts.iter().map(|(role, count)| format!("{count} {role}")).collect();
    let words = format!("{} hidden: {}; . shows them", hidden.len(), of.join(", "));
    hidden.clear();
    Some(Block { first, last, lines: Cow::Owned(vec![Line::styled(words, theme.quiet())]) })
}
