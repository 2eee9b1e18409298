//! The rows of a difference: which lines are shown, in which order, and where a line, a change or a row is among them.

use std::ops::Range;

use imara_diff::Hunk;
use model::view::{CodeLine, DiffRun, FileChange, FileDiff};

use crate::outline::{Outline, Which};
use crate::syntax;

/// Lines between two changes that are shown rather than hidden: a gap in their place saves few rows, and costs a click.
const FEW: u32 = 6;

/// How the two sides are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// Removed lines above added ones.
    Unified,
    /// Both sides beside each other.
    Split,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Stands for unchanged lines; `first` is the number of the first of them in the new file.
    Gap {
        /// Number of the first hidden line in the new file.
        first: u32,
        /// How many lines are hidden, at least 2.
        lines: u32,
        /// Header of the function or class in which the line after the gap stands; None where there is none.
        section: Option<String>,
    },
    /// An unchanged line with its numbers.
    Same {
        /// Its number in the old file.
        old: u32,
        /// Its number in the new file.
        new: u32,
        /// As it stands in the new file; with [`Spaces::Ignored`](crate::Spaces::Ignored) the old one may differ.
        line: CodeLine,
    },
    /// Changed lines with their numbers: one of them, or, where sides are beside each other, both.
    Changed {
        /// A removed line; None beside or below an added one.
        old: Option<(u32, CodeLine)>,
        /// An added line; None beside or above a removed one.
        new: Option<(u32, CodeLine)>,
    },
}

/// Where a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangePosition {
    /// Its first row, and the row behind its last one, from 0.
    pub rows: (u32, u32),
    /// How many changes are before it.
    pub index: u32,
}

/// Shown rows of an outline.
#[derive(Debug)]
pub struct Layout<'o> {
    outline: &'o Outline,
    arrangement: Arrangement,
    segments: Vec<Segment>,
    rows: u32,
    /// Unchanged lines that are shown all the same, of the new side and from 0; sorted, and not touching each other.
    opened: Vec<Range<u32>>,
}

#[derive(Debug)]
struct Segment {
    kind: Kind,
    /// Lines of either side, from 0.
    old: Range<u32>,
    new: Range<u32>,
    /// Its first row.
    row: u32,
    rows: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    /// With the index of the hunk.
    Change(usize),
    Gap,
}

impl Outline {
    /// Lays the difference out with `context` unchanged lines around each change.
    pub fn lay_out(&self, arrangement: Arrangement, context: u32) -> Layout<'_> {
        Layout::of(self, arrangement, context, &[])
    }

    /// Like [`Self::lay_out`], with more unchanged lines: `opened` are ranges of line numbers in the new file.
    pub fn lay_out_with(&self, arrangement: Arrangement, context: u32, opened: &[Range<u32>]) -> Layout<'_> {
        Layout::of(self, arrangement, context, opened)
    }

    /// All of it, with so many unchanged lines around a change.
    pub fn file_diff(&self, context: u32) -> FileDiff {
        self.file_diff_with(context, &[])
    }

    /// Like [`Self::file_diff`], with more unchanged lines, by their numbers in the new file.
    pub fn file_diff_with(&self, context: u32, opened: &[Range<u32>]) -> FileDiff {
        let count = |lines: fn(&Hunk) -> &Range<u32>| self.hunks.iter().map(|hunk| lines(hunk).len()).sum::<usize>();
        FileDiff {
            change: self.change,
            first_line: self.first_line,
            added: count(|hunk| &hunk.after) as u32,
            removed: count(|hunk| &hunk.before) as u32,
            runs: self.lay_out_with(Arrangement::Unified, context, opened).runs(),
            approximate: self.approximate(),
            is_cut: self.is_cut(),
        }
    }
}

impl<'o> Layout<'o> {
    pub(crate) fn of(outline: &'o Outline, arrangement: Arrangement, context: u32, opened: &[Range<u32>]) -> Self {
        let mut layout = Self { outline, arrangement, segments: Vec::new(), rows: 0, opened: Vec::new() };
        let first = layout.first_numbers().1;
        let from_0 = |lines: &Range<u32>| lines.start.saturating_sub(first)..lines.end.saturating_sub(first);
        let mut opened: Vec<Range<u32>> = opened.iter().map(from_0).collect();
        opened.sort_by_key(|lines| lines.start);
        for lines in opened {
            match layout.opened.last_mut() {
                Some(last) if lines.start <= last.end => last.end = last.end.max(lines.end),
                _ => layout.opened.push(lines),
            }
        }
        let (mut old, mut new) = (0, 0);
        for (index, hunk) in outline.hunks.iter().enumerate() {
            let (before, few) = if index == 0 { (0, 1) } else { (context, FEW) };
            layout.unchanged(old, new..hunk.after.start, (before, context), few, context);
            layout.push(Kind::Change(index), hunk.before.clone(), hunk.after.clone());
            (old, new) = (hunk.before.end, hunk.after.end);
        }
        let before = if outline.hunks.is_empty() { 0 } else { context };
        layout.unchanged(old, new..outline.len(Which::New) as u32, (before, 0), 1, context);
        layout
    }

    /// Unchanged lines, of which the first `before` and the last `after` ones are shown, and the others too if they are
    /// as few as `few`.
    fn unchanged(&mut self, old: u32, lines: Range<u32>, (before, after): (u32, u32), few: u32, context: u32) {
        let count = lines.len() as u32;
        let hidden = count.saturating_sub(before.saturating_add(after));
        let of_old = |new: u32| old + (new - lines.start);
        // A gap takes the place of a line, so it never hides a single one.
        if hidden <= few || context >= count {
            return self.push(Kind::Same, old..old + count, lines);
        }
        let (from, to) = (lines.start + before, lines.end - after);
        let first = self.opened.partition_point(|opened| opened.end <= from);
        let opened: Vec<Range<u32>> =
            self.opened[first..].iter().take_while(|opened| opened.start < to).cloned().collect();
        let mut shown = lines.start..from;
        for next in
            opened.into_iter().map(|opened| opened.start..opened.end.min(to)).chain(std::iter::once(to..lines.end))
        {
            let next = next.start.max(shown.end)..next.end.max(shown.end);
            if next.start - shown.end > 1 {
                self.push(Kind::Same, of_old(shown.start)..of_old(shown.end), shown.clone());
                self.push(Kind::Gap, of_old(shown.end)..of_old(next.start), shown.end..next.start);
                shown.start = next.start;
            }
            shown.end = next.end;
        }
        self.push(Kind::Same, of_old(shown.start)..of_old(shown.end), shown);
    }

    fn push(&mut self, kind: Kind, old: Range<u32>, new: Range<u32>) {
        let rows = match (kind, self.arrangement) {
            (Kind::Gap, _) => 1,
            (Kind::Same, _) => new.len() as u32,
            (Kind::Change(_), Arrangement::Unified) => (old.len() + new.len()) as u32,
            (Kind::Change(hunk), Arrangement::Split) => beside(self.outline.pairs(hunk), old.len(), new.len()).1,
        };
        if rows > 0 {
            self.segments.push(Segment { kind, old, new, row: self.rows, rows });
            self.rows += rows;
        }
    }

    /// Returns how it was laid out.
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Returns whether the file was added, modified or deleted.
    pub fn change(&self) -> FileChange {
        self.outline.change
    }

    /// Returns whether it is known where in the file the lines are. Else their numbers count from 1.
    pub fn is_placed(&self) -> bool {
        self.outline.first_line.is_some()
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows as usize
    }

    /// Returns whether there is no row, since both texts are empty.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the greatest line number of both sides.
    pub fn last_number(&self) -> u32 {
        let (old, new) = self.first_numbers();
        (old + self.outline.len(Which::Old) as u32).max(new + self.outline.len(Which::New) as u32).saturating_sub(1)
    }

    fn first_numbers(&self) -> (u32, u32) {
        self.outline.first_line.unwrap_or((1, 1))
    }

    /// As runs of a file that is drawn as a whole.
    pub(crate) fn runs(&self) -> Vec<DiffRun> {
        let lines = |which, lines: &Range<u32>, hunk: Option<usize>| -> Vec<CodeLine> {
            // Words aren't compared in a large file that is drawn as a whole.
            let marks = hunk.filter(|_| !self.outline.is_large()).and_then(|hunk| self.outline.marks(hunk));
            lines.clone().map(|line| self.outline.line(which, line as usize, hunk, marks.as_deref())).collect()
        };
        let run = |segment: &Segment| match segment.kind {
            Kind::Gap => DiffRun::Gap {
                lines: segment.new.len() as u32,
                section: self.outline.section(segment.new.end as usize),
            },
            Kind::Same => DiffRun::Context(lines(Which::New, &segment.new, None)),
            Kind::Change(hunk) => DiffRun::Change {
                old: lines(Which::Old, &segment.old, Some(hunk)),
                new: lines(Which::New, &segment.new, Some(hunk)),
                pairs: self.outline.pairs(hunk).to_vec(),
            },
        };
        self.segments.iter().map(run).collect()
    }

    /// Returns some of the rows, with colours. Of a file that is too large to be coloured as a whole, the rows are
    /// coloured by themselves: what begins before them, such as a comment, is guessed then.
    pub fn rows(&self, range: Range<usize>) -> Vec<Row> {
        let range = range.start.min(self.len()) as u32..range.end.min(self.len()) as u32;
        let first = self.segments.partition_point(|segment| segment.row + segment.rows <= range.start);
        let mut out = Vec::with_capacity(range.len());
        for segment in self.segments[first..].iter().take_while(|segment| segment.row < range.end) {
            let from = range.start.saturating_sub(segment.row);
            let to = segment.rows.min(range.end - segment.row);
            self.segment(segment, from..to, &mut out);
        }
        for which in [Which::Old, Which::New] {
            if self.outline.side(which).tokens().is_none() {
                colour(&mut out, which, self.outline.language);
            }
        }
        out
    }

    fn segment(&self, segment: &Segment, rows: Range<u32>, out: &mut Vec<Row>) {
        let (old, new) = self.first_numbers();
        let (first_old, first_new) = (segment.old.start, segment.new.start);
        match segment.kind {
            Kind::Gap => out.push(Row::Gap {
                first: new + first_new,
                lines: segment.new.len() as u32,
                section: self.outline.section(segment.new.end as usize),
            }),
            Kind::Same => out.extend(rows.map(|at| Row::Same {
                old: old + first_old + at,
                new: new + first_new + at,
                line: self.outline.line(Which::New, (first_new + at) as usize, None, None),
            })),
            Kind::Change(hunk) => {
                let marks = self.outline.marks(hunk);
                let line = |which, line: u32| {
                    let first = if which == Which::Old { old } else { new };
                    (first + line, self.outline.line(which, line as usize, Some(hunk), marks.as_deref()))
                };
                let removed = segment.old.len() as u32;
                let aligned = match self.arrangement {
                    Arrangement::Unified => Vec::new(),
                    Arrangement::Split => beside(self.outline.pairs(hunk), segment.old.len(), segment.new.len()).0,
                };
                out.extend(rows.map(|at| match self.arrangement {
                    Arrangement::Unified if at < removed => {
                        Row::Changed { old: Some(line(Which::Old, first_old + at)), new: None }
                    }
                    Arrangement::Unified => {
                        Row::Changed { old: None, new: Some(line(Which::New, first_new + at - removed)) }
                    }
                    Arrangement::Split => {
                        let (of_old, of_new) = at_row(&aligned, at, segment);
                        Row::Changed {
                            old: of_old.map(|at| line(Which::Old, first_old + at)),
                            new: of_new.map(|at| line(Which::New, first_new + at)),
                        }
                    }
                }));
            }
        }
    }

    /// Returns how many changes there are.
    pub fn changes(&self) -> u32 {
        self.outline.hunks.len() as u32
    }

    /// Returns the first change that begins behind a row; the first of all for None.
    pub fn change_after(&self, row: Option<u32>) -> Option<ChangePosition> {
        let from = row.map_or(0, |row| self.segments.partition_point(|segment| segment.row <= row));
        self.segments[from..].iter().find_map(Segment::change)
    }

    /// Returns the last change that begins before a row; the last of all for None.
    pub fn change_before(&self, row: Option<u32>) -> Option<ChangePosition> {
        let to = row.map_or(self.segments.len(), |row| self.segments.partition_point(|segment| segment.row < row));
        self.segments[..to].iter().rev().find_map(Segment::change)
    }

    /// Returns the row of a line with this number; None if it is hidden or isn't there.
    pub fn row_of(&self, which: Which, number: u32) -> Option<u32> {
        let (old, new) = self.first_numbers();
        let line = number.checked_sub(if which == Which::Old { old } else { new })?;
        let lines = |segment: &'_ Segment| match which {
            Which::Old => segment.old.clone(),
            Which::New => segment.new.clone(),
        };
        let at = self.segments.partition_point(|segment| lines(segment).end <= line);
        let segment = self.segments.get(at).filter(|segment| lines(segment).contains(&line))?;
        let step = line - lines(segment).start;
        match (segment.kind, self.arrangement) {
            (Kind::Gap, _) => None,
            (Kind::Change(_), Arrangement::Unified) if which == Which::New => {
                Some(segment.row + segment.old.len() as u32 + step)
            }
            (Kind::Change(hunk), Arrangement::Split) => {
                let aligned = beside(self.outline.pairs(hunk), segment.old.len(), segment.new.len()).0;
                let is_it = |row: &u32| {
                    let (old, new) = at_row(&aligned, *row, segment);
                    (if which == Which::Old { old } else { new }) == Some(step)
                };
                let row = if aligned.is_empty() { Some(step) } else { (0..segment.rows).find(is_it) };
                row.map(|row| segment.row + row)
            }
            _ => Some(segment.row + step),
        }
    }

    /// Returns the text of the lines with these numbers, both included; None if one of them isn't there.
    pub fn text_of(&self, which: Which, numbers: (u32, u32)) -> Option<String> {
        let (old, new) = self.first_numbers();
        let first = if which == Which::Old { old } else { new };
        let (from, to) = (numbers.0.checked_sub(first)? as usize, numbers.1.checked_sub(first)? as usize);
        let side = self.outline.side(which);
        if to >= side.len() || from > to {
            return None;
        }
        let is_changed = |line: usize| {
            let hunks = &self.outline.hunks;
            let range = |hunk: &'_ Hunk| if which == Which::Old { hunk.before.clone() } else { hunk.after.clone() };
            let at = hunks.partition_point(|hunk| range(hunk).end as usize <= line);
            hunks.get(at).is_some_and(|hunk| range(hunk).start as usize <= line)
        };
        let text = |line: usize| {
            if is_changed(line) { self.outline.changed_text(which, line) } else { side.line(line).into() }
        };
        Some((from..=to).map(text).collect::<Vec<_>>().join("\n"))
    }

    /// Returns unchanged lines as rows, by their numbers in the new file, both included.
    pub fn unchanged_lines(&self, from: u32, to: u32) -> Vec<Row> {
        let new = self.first_numbers().1;
        let Some(from) = from.checked_sub(new) else { return Vec::new() };
        let last = (to.saturating_sub(new)).min(self.outline.len(Which::New).saturating_sub(1) as u32);
        let at = self.segments.partition_point(|segment| segment.new.end <= from);
        let Some(segment) = self.segments.get(at).filter(|segment| segment.new.contains(&from)) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        if !matches!(segment.kind, Kind::Change(_)) {
            let (start, end) =
                (from - segment.new.start, (last + 1).min(segment.new.end).saturating_sub(segment.new.start));
            let same =
                Segment { kind: Kind::Same, old: segment.old.clone(), new: segment.new.clone(), row: 0, rows: 0 };
            self.segment(&same, start..end.max(start), &mut out);
        }
        out
    }

    /// Which of so many equal stretches of all rows hold removed and added lines.
    pub fn overview(&self, stretches: usize) -> Vec<(bool, bool)> {
        let mut out = vec![(false, false); stretches];
        let of = |row: u32| (row as usize * stretches / self.len().max(1)).min(stretches.saturating_sub(1));
        for segment in self.segments.iter().filter(|segment| matches!(segment.kind, Kind::Change(_))) {
            let (removed, added) = (segment.old.len() as u32, segment.new.len() as u32);
            let start = if self.arrangement == Arrangement::Unified { removed } else { 0 };
            let mut paint = |from: u32, rows: u32, mark: fn(&mut (bool, bool))| {
                if rows > 0 {
                    out[of(segment.row + from)..=of(segment.row + from + rows - 1)].iter_mut().for_each(mark);
                }
            };
            paint(0, removed, |stretch| stretch.0 = true);
            paint(start, added, |stretch| stretch.1 = true);
        }
        out
    }
}

impl Segment {
    fn change(&self) -> Option<ChangePosition> {
        match self.kind {
            Kind::Change(hunk) => Some(ChangePosition { rows: (self.row, self.row + self.rows), index: hunk as u32 }),
            Kind::Same | Kind::Gap => None,
        }
    }
}

/// The lines of one row of a split view, counted from the beginning of their change.
type Beside = (Option<u32>, Option<u32>);

/// Lines of a change beside each other: a pair shares its row, what is between pairs stands by its order. Without pairs
/// only the number of rows is made.
fn beside(pairs: &[(u32, u32)], old: usize, new: usize) -> (Vec<Beside>, u32) {
    if pairs.is_empty() {
        return (Vec::new(), old.max(new) as u32);
    }
    let mut rows = Vec::with_capacity(old.max(new));
    let (mut at_old, mut at_new) = (0, 0);
    let mut until = |rows: &mut Vec<_>, end_old: u32, end_new: u32| {
        while at_old < end_old || at_new < end_new {
            rows.push(((at_old < end_old).then_some(at_old), (at_new < end_new).then_some(at_new)));
            at_old = (at_old + 1).min(end_old);
            at_new = (at_new + 1).min(end_new);
        }
    };
    for &(of_old, of_new) in pairs {
        until(&mut rows, of_old, of_new);
        until(&mut rows, of_old + 1, of_new + 1);
    }
    until(&mut rows, old as u32, new as u32);
    let count = rows.len() as u32;
    (rows, count)
}

fn at_row(aligned: &[Beside], row: u32, segment: &Segment) -> Beside {
    let by_order = |lines: &Range<u32>| (row < lines.len() as u32).then_some(row);
    match aligned.get(row as usize) {
        Some(lines) => *lines,
        None => (by_order(&segment.old), by_order(&segment.new)),
    }
}

/// Colours the lines of one side by themselves.
fn colour(rows: &mut [Row], which: Which, language: Option<&'static str>) {
    let Some(language) = language else { return };
    let mut text = String::new();
    let mut ranges = Vec::new();
    for line in rows.iter().filter_map(|row| row.line(which)) {
        ranges.push(text.len()..text.len() + line.text.len());
        text.push_str(&line.text);
        text.push('\n');
    }
    let mut tokens = syntax::tokens_of_part(Some(language), &text, &ranges).into_iter();
    for row in rows {
        let is_unchanged = matches!(row, Row::Same { .. });
        let Some(line) = row.line_mut(which) else { continue };
        let of_line = tokens.next().unwrap_or_default();
        // An unchanged line has the colours of the new side.
        if !(is_unchanged && which == Which::Old) {
            line.tokens = of_line;
        }
    }
}

impl Row {
    fn line(&self, which: Which) -> Option<&CodeLine> {
        match (self, which) {
            (Self::Same { line, .. }, _) => Some(line),
            (Self::Changed { old, .. }, Which::Old) => old.as_ref().map(|(_, line)| line),
            (Self::Changed { new, .. }, Which::New) => new.as_ref().map(|(_, line)| line),
            (Self::Gap { .. }, _) => None,
        }
    }

    fn line_mut(&mut self, which: Which) -> Option<&mut CodeLine> {
        match (self, which) {
            (Self::Same { line, .. }, _) => Some(line),
            (Self::Changed { old, .. }, Which::Old) => old.as_mut().map(|(_, line)| line),
            (Self::Changed { new, .. }, Which::New) => new.as_mut().map(|(_, line)| line),
            (Self::Gap { .. }, _) => None,
        }
    }
}
