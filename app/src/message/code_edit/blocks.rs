//! A large difference as blocks of text: one text node for a hundred lines, their numbers in another, their background
//! a gradient. All of it stays findable and selectable, with an element for every thirty lines.

use super::diff_view::Part;
use super::ranges::{units, write_ranges};
use crate::html::Html;
use crate::markdown::Side;
use crate::shared::attr;
use diff::{Arrangement, Layout, Row};
use model::view::{CodeLine, FileChange};
use std::fmt::Write;
use std::ops::Range;

/// Rows of one block.
const BLOCK: usize = 100;
/// Rows that are fetched at once.
const CHUNK: usize = 500;
/// Rows that come with the frame: as many as a screen shows, coloured in a few milliseconds.
const FIRST: usize = 120;
/// Places at most: of a larger difference a place is of more rows, and becomes places itself when it comes near.
const PLACES: usize = 400;
/// Longer lines are cut: a browser takes seconds for a line of a megabyte, and nobody reads it.
const MAX_LINE: usize = 4_000;
/// Stands where a row has no number: an empty line of numbers continues the row above it.
const NO_NUMBER: char = '\u{a0}';

/// The places of all rows, the first ones filled. `address` is where the others are fetched.
pub fn frame_html(layout: &Layout<'_>, part: Part<'_>, address: &str) -> Html {
    let rows = layout.len();
    let mut html = Html::new();
    html.tag(match layout.arrangement() {
        Arrangement::Unified => "<div class=\"diff blocks\"",
        Arrangement::Split => "<div class=\"diff blocks two\"",
    });
    let index = part.index;
    let of_part = if index > 0 { format!(", part {}", index + 1) } else { String::new() };
    html.tag(" role=\"region\" tabindex=\"0\"").attr("aria-label", &format!("Lines of {}{of_part}", part.path));
    html.attr(attr::ROWS, &rows.to_string());
    html.attr(attr::PART, &index.to_string()).attr(attr::LOAD, &format!("{address}&part={index}"));
    if let Some(edit) = part.edit {
        html.attr(attr::EDIT, edit);
    }
    let (digits, width) = (Numbers::of_all(layout).digits, number_width(layout));
    html.attr(attr::CHANGES, &layout.changes().to_string());
    html.attr("style", &format!("--d:{digits};--w:{width}")).tag("><div class=\"bw\">");
    places_html(&mut html, layout, 0..rows);
    html.tag("</div></div>");
    html
}

fn places_html(html: &mut Html, layout: &Layout<'_>, range: Range<usize>) {
    let size = CHUNK.max(range.len().div_ceil(PLACES).next_multiple_of(CHUNK));
    let is_leaf = size == CHUNK;
    for start in range.clone().step_by(size) {
        let end = (start + size).min(range.end);
        if start > 0 {
            place_html(html, start..end, |_| {});
        } else if is_leaf {
            let first = FIRST.min(end);
            place_html(html, 0..first, |html| {
                html.html(&rows_html(layout, 0..first, &[]));
            });
            if first < end {
                place_html(html, first..end, |_| {});
            }
        } else {
            place_html(html, 0..end, |html| {
                for start in (0..end).step_by(CHUNK) {
                    places_html(html, layout, start..(start + CHUNK).min(end));
                }
            });
        }
    }
}

fn place_html(html: &mut Html, rows: Range<usize>, fill: impl FnOnce(&mut Html)) {
    html.tag("<div class=\"bc\"").attr("style", &format!("--n:{}", rows.len()));
    html.attr(attr::R, &format!("{}-{}", rows.start, rows.end)).tag(">");
    fill(html);
    html.tag("</div>");
}

/// Rows as blocks; after each of the rows `cuts` a block ends, so that something finds its place there.
pub fn rows_html(layout: &Layout<'_>, range: Range<usize>, cuts: &[usize]) -> Html {
    let rows = layout.rows(range.clone());
    let numbers = Numbers::of_all(layout);
    let mut html = Html::new();
    let mut at = 0;
    while at < rows.len() {
        let cut = cuts.iter().map(|cut| (cut + 1).saturating_sub(range.start)).filter(|cut| *cut > at).min();
        let gap = rows[at..].iter().position(is_gap).map_or(usize::MAX, |before| at + before.max(1));
        let end = (at + BLOCK).min(rows.len()).min(cut.unwrap_or(usize::MAX)).min(gap);
        block_html(&mut html, &rows[at..end], range.start + at, layout, numbers);
        at = end;
    }
    html
}

fn block_html(html: &mut Html, rows: &[Row], first: usize, layout: &Layout<'_>, numbers: Numbers) {
    let background = match layout.arrangement() {
        Arrangement::Unified => stripes(rows, Side::Both),
        Arrangement::Split => format!("{},{}", stripes(rows, Side::Old), stripes(rows, Side::New)),
    };
    html.tag(if rows.iter().any(is_gap) { "<div class=\"bk hid\"" } else { "<div class=\"bk\"" });
    html.attr(attr::ROW, &first.to_string());
    html.attr("style", &format!("--n:{};background-image:{background}", rows.len()));
    let gaps = gaps(rows, first);
    if !gaps.is_empty() {
        html.attr(attr::GAPS, gaps.trim_end());
    }
    html.tag(">");
    match layout.arrangement() {
        Arrangement::Unified => Column::of(rows, side(layout), numbers).draw(html),
        Arrangement::Split => {
            Column::of(rows, Side::Old, numbers).draw(html);
            Column::of(rows, Side::New, numbers).draw(html);
        }
    }
    html.tag("</div>");
}

/// Returns the side of a single column, so that no empty column of numbers is drawn.
fn side(layout: &Layout<'_>) -> Side {
    match layout.change() {
        FileChange::Added => Side::New,
        FileChange::Deleted => Side::Old,
        FileChange::Modified => Side::Both,
    }
}

/// Characters before the text of each row: without it, a block would be as wide as its own numbers, and its text
/// elsewhere.
fn number_width(layout: &Layout<'_>) -> usize {
    let digits = Numbers::of_all(layout).digits;
    let is_pair = layout.arrangement() == Arrangement::Unified && side(layout) == Side::Both;
    if is_pair { 2 * digits + 5 } else { digits + 3 }
}

/// Those are blocks of their own: they never wrap, and end where their buttons begin.
fn is_gap(row: &Row) -> bool {
    matches!(row, Row::Gap { .. })
}

/// `523:40-78`: rows that hide lines, and which ones.
fn gaps(rows: &[Row], first: usize) -> String {
    let gap = |(at, row): (usize, &Row)| match row {
        Row::Gap { first: line, lines, .. } => Some(format!("{}:{line}-{} ", first + at, line + lines - 1)),
        _ => None,
    };
    rows.iter().enumerate().filter_map(gap).collect()
}

/// How numbers are written.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    digits: usize,
    /// Before each of them: those of a part whose place isn't known count from its beginning.
    sign: &'static str,
}

impl Numbers {
    fn of_all(layout: &Layout<'_>) -> Self {
        let digits = layout.last_number().to_string().len().max(4);
        if layout.is_placed() { Self { digits, sign: "" } } else { Self { digits: digits + 1, sign: "\u{b7}" } }
    }

    fn of(self, number: u32) -> String {
        format!("{:>1$}", format!("{}{number}", self.sign), self.digits)
    }
}

/// The text of a block, or of one side of it, as it grows row by row.
#[derive(Default)]
struct Column {
    numbers: String,
    text: String,
    ranges: String,
    /// Length of the text in UTF-16 units.
    units: usize,
}

impl Column {
    /// `Side::Both` has both numbers, and removed and added lines in one column.
    fn of(rows: &[Row], side: Side, numbers: Numbers) -> Self {
        let mut column = Self::default();
        for row in rows {
            column.row(row, side, numbers);
            column.numbers.push('\n');
            column.push("\n");
        }
        column
    }

    /// Numbers stand as far from each other and from the sign as those of a short difference. On phones, where a tab
    /// takes no room, the last number and the sign end every row, and what is before them is out of sight: a column is
    /// left.
    fn row(&mut self, row: &Row, side: Side, numbers: Numbers) {
        let (d, n) = (numbers.digits, |number: &u32| numbers.of(*number));
        // Writing to a string doesn't fail.
        let _ = match (row, side) {
            (Row::Gap { lines, section, .. }, _) => {
                if side != Side::New {
                    let plural = if *lines == 1 { "" } else { "s" };
                    self.push(&format!(
                        "\u{22ef} {lines} unchanged line{plural}  {}",
                        section.as_deref().unwrap_or_default().trim()
                    ));
                }
                write!(self.numbers, "{NO_NUMBER:>d$}")
            }
            (Row::Same { old, new, line }, Side::Both) => {
                self.line(line, Side::Both);
                write!(self.numbers, "{}  {}   ", n(old), n(new))
            }
            (Row::Same { old, line, .. }, Side::Old) => {
                self.line(line, Side::Both);
                write!(self.numbers, "{}   ", n(old))
            }
            (Row::Same { new, line, .. }, Side::New) => {
                self.line(line, Side::Both);
                write!(self.numbers, "{}   ", n(new))
            }
            (Row::Changed { old: Some((old, line)), .. }, Side::Old) => {
                self.line(line, Side::Old);
                write!(self.numbers, "{}  \u{2212}", n(old))
            }
            (Row::Changed { new: Some((new, line)), .. }, Side::New) => {
                self.line(line, Side::New);
                write!(self.numbers, "{}  +", n(new))
            }
            (Row::Changed { old: Some((old, line)), .. }, Side::Both) => {
                self.line(line, Side::Old);
                write!(self.numbers, "{}  \t\u{2212}", n(old))
            }
            (Row::Changed { new: Some((new, line)), .. }, Side::Both) => {
                self.line(line, Side::New);
                write!(self.numbers, "{:d$}\t{}  +", "", n(new))
            }
            (Row::Changed { .. }, _) => write!(self.numbers, "{NO_NUMBER:>d$}"),
        };
    }

    fn line(&mut self, line: &CodeLine, side: Side) {
        let shown = cut(&line.text);
        if shown.len() == line.text.len() {
            write_ranges(&mut self.ranges, line, side, self.units);
        }
        self.push(shown);
        if shown.len() < line.text.len() {
            let left = line.text.len() - shown.len();
            self.push(&format!(" \u{2026} {left} more bytes on this line: copy the file to read them"));
        }
        if line.no_newline {
            self.push("  (no newline at the end of the file)");
        }
    }

    fn push(&mut self, text: &str) {
        self.units += units(text);
        self.text.push_str(text);
    }

    fn draw(&self, html: &mut Html) {
        // A parser drops the first line end of a `pre`: it gets one to drop.
        html.tag("<pre class=\"bn\" aria-hidden=\"true\">\n").text(&self.numbers).tag("</pre><pre class=\"bt\"");
        html.attr(attr::H, self.ranges.trim_end()).tag(">\n").text(&self.text).tag("</pre>");
    }
}

/// The beginning of a line that is too long.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_LINE)]
}

/// Rows of one kind share a stripe.
fn stripes(rows: &[Row], side: Side) -> String {
    let colour = |row: &Row| {
        let of = |line: &CodeLine, usual: &'static str| if line.moved.is_some() { "var(--diff-move)" } else { usual };
        match (row, side) {
            (Row::Gap { .. }, _) => "var(--diff-gap)",
            (Row::Same { .. }, _) => "#0000",
            (Row::Changed { old: Some((_, line)), .. }, Side::Old | Side::Both) => of(line, "var(--diff-del)"),
            (Row::Changed { new: Some((_, line)), .. }, Side::New | Side::Both) => of(line, "var(--diff-add)"),
            (Row::Changed { .. }, _) => "var(--diff-void)",
        }
    };
    let mut stripes = String::from("linear-gradient(");
    let mut at = 0;
    for same in rows.chunk_by(|a, b| colour(a) == colour(b)) {
        let end = at + same.len();
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(stripes, "{comma}{} {}px {}px", colour(&same[0]), at * 20, end * 20);
        at = end;
    }
    stripes.push(')');
    stripes
}

#[cfg(test)]
mod tests {
    use super::{Column, Numbers, Side};
    use diff::Row;
    use model::view::CodeLine;

    #[test]
    fn the_sign_ends_each_row_of_numbers() {
        let line = CodeLine::default();
        let rows = [
            Row::Same { old: 8, new: 9, line: line.clone() },
            Row::Changed { old: Some((9, line.clone())), new: None },
            Row::Changed { old: None, new: Some((10, line)) },
        ];
        let column = Column::of(&rows, Side::Both, Numbers { digits: 4, sign: "" });
        assert_eq!(column.numbers, "   8     9   \n   9  \t\u{2212}\n    \t  10  +\n");
    }
}
