//! A large difference as blocks of text: one text node for fifty lines, their numbers in another, their background a
//! gradient. All of it stays findable and selectable, with an element for every dozen lines.

use super::ranges::{Side, units, write_ranges};
use crate::html::Html;
use model::view::{CodeLine, DiffRun, FileDiff, Token};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Lines of one block.
const BLOCK: usize = 50;
/// Rows that are fetched at once.
const CHUNK: usize = 500;
/// Above so many rows the pieces are larger, so that their places alone don't fill the page.
const MANY: usize = 100_000;
const LARGE_CHUNK: usize = 2_500;
/// Longer lines are cut: a browser takes seconds for a line of a megabyte, and nobody reads it.
const MAX_LINE: usize = 4_000;

/// Stands where a gap is.
static EMPTY: CodeLine =
    CodeLine { text: String::new(), tokens: Vec::new(), marks: Vec::new(), no_newline: false, moved: None };

/// A row: a line, or what stands for lines that aren't shown.
enum Row<'d> {
    Line { line: &'d CodeLine, side: Side },
    Gap { lines: u32, section: Option<&'d str> },
}

struct Numbered<'d> {
    row: Row<'d>,
    old: u32,
    new: u32,
}

/// Rows of a difference.
pub fn row_count(diff: &FileDiff) -> usize {
    let rows = |run: &DiffRun| match run {
        DiffRun::Context(lines) => lines.len(),
        DiffRun::Change { old, new, .. } => old.len() + new.len(),
        DiffRun::Gap { .. } => 1,
    };
    diff.runs.iter().map(rows).sum()
}

/// The places of all pieces, the first one filled. `address` is where the others are fetched.
pub fn frame_html(diff: &FileDiff, language: Option<&str>, address: &str) -> Html {
    let rows = row_count(diff);
    let size = if rows > MANY { LARGE_CHUNK } else { CHUNK };
    let mut html = Html::new();
    html.tag("<div class=\"diff blocks\" role=\"region\" aria-label=\"Lines\" tabindex=\"0\"><div class=\"bw\">");
    for start in (0..rows).step_by(size) {
        let end = (start + size).min(rows);
        html.tag("<div class=\"bc\"").attr("style", &format!("--n:{}", end - start));
        html.attr("data-rows", &format!("{address}&rows={start}-{end}")).tag(">");
        if start == 0 {
            html.html(&rows_html(diff, language, 0..end));
        }
        html.tag("</div>");
    }
    html.tag("</div></div>");
    html
}

/// Rows as blocks.
pub fn rows_html(diff: &FileDiff, language: Option<&str>, range: Range<usize>) -> Html {
    let rows = rows(diff, &range);
    let colours = colours(&rows, language);
    let mut html = Html::new();
    for (block, colours) in rows.chunks(BLOCK).zip(colours.chunks(BLOCK)) {
        block_html(&mut html, block, colours);
    }
    html
}

fn rows<'d>(diff: &'d FileDiff, range: &Range<usize>) -> Vec<Numbered<'d>> {
    let (old, new) = diff.first_line.unwrap_or((1, 1));
    let (mut old, mut new, mut at) = (old, new, 0);
    let mut out = Vec::with_capacity(range.len());
    let mut lines = |out: &mut Vec<Numbered<'d>>, lines: &'d [CodeLine], side: Side, old: &mut u32, new: &mut u32| {
        let within = range.start.clamp(at, at + lines.len()) - at..range.end.clamp(at, at + lines.len()) - at;
        let (steps_old, steps_new) = (u32::from(side != Side::New), u32::from(side != Side::Old));
        for step in within {
            let numbers = (*old + steps_old * step as u32, *new + steps_new * step as u32);
            out.push(Numbered { row: Row::Line { line: &lines[step], side }, old: numbers.0, new: numbers.1 });
        }
        *old += steps_old * lines.len() as u32;
        *new += steps_new * lines.len() as u32;
        at += lines.len();
        at
    };
    let mut gap_at = 0;
    for run in &diff.runs {
        if gap_at >= range.end {
            break;
        }
        match run {
            DiffRun::Context(context) => gap_at = lines(&mut out, context, Side::Both, &mut old, &mut new),
            DiffRun::Change { old: gone, new: come, .. } => {
                lines(&mut out, gone, Side::Old, &mut old, &mut new);
                gap_at = lines(&mut out, come, Side::New, &mut old, &mut new);
            }
            DiffRun::Gap { lines: count, section } => {
                // A gap is a row of its own.
                let before = out.len();
                let place = std::slice::from_ref(&EMPTY);
                let (mut none_old, mut none_new) = (old, new);
                gap_at = lines(&mut out, place, Side::Both, &mut none_old, &mut none_new);
                if let Some(row) = out.get_mut(before) {
                    row.row = Row::Gap { lines: *count, section: section.as_deref() };
                }
                old += count;
                new += count;
            }
        }
    }
    out
}

/// Tokens of each row. A file that is too large to be parsed is coloured piece by piece: what begins before a piece, such as
/// a comment, isn't known then.
fn colours<'d>(rows: &'d [Numbered<'d>], language: Option<&str>) -> Vec<Cow<'d, [Token]>> {
    let own = |row: &'d Numbered<'d>| match &row.row {
        Row::Line { line, .. } => Cow::Borrowed(line.tokens.as_slice()),
        Row::Gap { .. } => Cow::Borrowed(&[][..]),
    };
    let mut colours: Vec<_> = rows.iter().map(own).collect();
    let Some(language) = language.filter(|_| colours.iter().all(|tokens| tokens.is_empty())) else { return colours };
    for skipped in [Side::Old, Side::New] {
        let shown: Vec<(usize, &str)> = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| match &row.row {
                Row::Line { line, side } if *side != skipped => Some((at, line.text.as_str())),
                _ => None,
            })
            .collect();
        let text = shown.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
        for ((at, _), line) in shown.iter().zip(diff::highlight(language, &text)) {
            colours[*at] = Cow::Owned(line.tokens);
        }
    }
    colours
}

fn block_html(html: &mut Html, rows: &[Numbered<'_>], colours: &[Cow<'_, [Token]>]) {
    let (mut numbers, mut text, mut ranges) = (String::new(), String::new(), String::new());
    let mut at = 0;
    for (row, tokens) in rows.iter().zip(colours) {
        match &row.row {
            Row::Line { line, side } => {
                let (old, new) = (row.old, row.new);
                let _ = match side {
                    Side::Both => writeln!(numbers, "{old:>6} {new:>6}  "),
                    Side::Old => writeln!(numbers, "{old:>6}        \u{2212}"),
                    Side::New => writeln!(numbers, "       {new:>6} +"),
                };
                let shown = cut(&line.text);
                if shown.len() == line.text.len() {
                    let coloured = CodeLine {
                        text: line.text.clone(),
                        tokens: tokens.to_vec(),
                        marks: line.marks.clone(),
                        ..CodeLine::default()
                    };
                    write_ranges(&mut ranges, &coloured, *side, at);
                }
                at += units(shown);
                text.push_str(shown);
                if shown.len() < line.text.len() {
                    let note = format!(
                        " \u{2026} {} more bytes on this line: copy the file to read them",
                        line.text.len() - shown.len()
                    );
                    at += units(&note);
                    text.push_str(&note);
                }
                if line.no_newline {
                    text.push_str("  (no newline at the end of the file)");
                    at += "  (no newline at the end of the file)".len();
                }
            }
            Row::Gap { lines, section } => {
                numbers.push('\n');
                let words = format!("\u{22ef} {lines} unchanged lines  {}", section.unwrap_or_default().trim());
                at += units(&words);
                text.push_str(&words);
            }
        }
        text.push('\n');
        at += 1;
    }
    html.tag("<div class=\"bk\"").attr("style", &format!("--n:{};background-image:{}", rows.len(), background(rows)));
    // A parser drops the first line end of a `pre`: it gets one to drop.
    html.tag("><pre class=\"bn\" aria-hidden=\"true\">\n").text(&numbers).tag("</pre><pre class=\"bt\"");
    html.attr("data-h", ranges.trim_end()).tag(">\n").text(&text).tag("</pre></div>");
}

/// The beginning of a line that is too long.
fn cut(text: &str) -> &str {
    if text.len() <= MAX_LINE {
        return text;
    }
    let end = (0..=MAX_LINE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Rows of one kind share a stripe.
fn background(rows: &[Numbered<'_>]) -> String {
    let colour = |row: &Numbered<'_>| match &row.row {
        Row::Line { line, side: Side::Old | Side::New } if line.moved.is_some() => "var(--diff-move)",
        Row::Line { side: Side::Old, .. } => "var(--diff-del)",
        Row::Line { side: Side::New, .. } => "var(--diff-add)",
        Row::Line { side: Side::Both, .. } => "#0000",
        Row::Gap { .. } => "var(--diff-gap)",
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
