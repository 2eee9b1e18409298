//! A text that is still being written: what is open at its end is closed, so that half a marker isn't shown as letters
//! which vanish a moment later.

use super::fences::{Ending, is_between, separated};
use super::writer::{Surroundings, Writer};
use super::{Breaks, Level, MAX_BYTES, OPTIONS, Written, literal, write};
use crate::html::Html;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::borrow::Cow;

/// The part of a streaming text that no longer changes: the blocks before the last one of its complete lines.
#[derive(Debug, Default)]
pub struct Settled {
    /// Their source.
    text: String,
    blocks: usize,
    /// State after these blocks.
    before: Surroundings,
    /// How much of the text are whole lines, as far as it was looked at.
    lines: usize,
}

/// The blocks of a text that weren't settled.
pub struct Grown {
    pub html: Html,
    /// The number of the first one.
    pub from: usize,
    /// Where in it each block begins.
    pub starts: Vec<usize>,
    /// The number of the block from which on it may still change.
    pub open: usize,
}

impl Settled {
    /// Draws what isn't settled of a text, so that its cost is that of its last blocks; of a text that says something
    /// else than before, all of it. None if anything is cut.
    pub fn grow(&mut self, text: &str, breaks: Breaks, scope: &str, max_elements: usize) -> Option<Grown> {
        if text.len() > MAX_BYTES {
            return None;
        }
        if !text.starts_with(&self.text) {
            *self = Self::default();
        }
        // References of notes and links, and placeholder characters, can affect all blocks: then none is settled.
        let names = |text: &str| text.contains("[^") || text.contains("]:") || literal::stands_in(text);
        let named = names(&text[self.text.len()..]);
        if named {
            *self = Self::default();
        }
        let more = &text[self.text.len()..];
        let written = write(&repaired(more), Writer::new(breaks, scope, self.before.clone()), max_elements);
        let Written { html, starts, mut before, cut } = written;
        if cut {
            return None;
        }
        let mut grown = Grown { html, from: self.blocks, starts, open: self.blocks };
        // A line that isn't whole yet may turn out to go on with the block before.
        let whole = &more[..more.rfind('\n').map_or(0, |at| at + 1)];
        let lines = self.text.len() + whole.len();
        let (settled, last) = if lines == self.lines { (0, 0) } else { before_last_block(whole) };
        self.lines = lines;
        // Fences and TeX aren't blocks of the parser: what begins behind them may not mean the same without them.
        let stands_alone = |before: &Surroundings| {
            let rest = write(&repaired(&more[last..]), Writer::new(breaks, scope, before.clone()), max_elements);
            let here = grown.starts.get(settled).and_then(|start| grown.html.as_str().get(*start..));
            here == Some(rest.html.as_str()) && grown.starts.len() == settled + rest.starts.len()
        };
        if settled > 0 && !named && before.get(settled).is_some_and(stands_alone) {
            self.text.push_str(&whole[..last]);
            self.blocks += settled;
            self.before = before.swap_remove(settled);
            grown.open = self.blocks;
        }
        Some(grown)
    }
}

/// How many blocks are before the last one of a text, and the beginning of the line in which that begins.
fn before_last_block(text: &str) -> (usize, usize) {
    // A carriage return alone ends a line too: blocks that begin behind one aren't found by counting line feeds.
    if text.split('\r').skip(1).any(|rest| !rest.starts_with('\n')) {
        return (0, 0);
    }
    let (mut level, mut blocks, mut last) = (Level::default(), 0_usize, 0);
    let separated = separated(text, Ending::Growing);
    let protected = literal::protected(&separated);
    let parsed = protected.as_deref().unwrap_or(&separated);
    for (event, range) in Parser::new_ext(parsed, OPTIONS).into_offset_iter() {
        if level.begins_block(&event) {
            blocks += 1;
            last = range.start;
        }
    }
    // With its indent, which may be what makes it code. What was parsed has the same lines.
    let lines = parsed.get(..last).unwrap_or_default().matches('\n').count();
    let before = text.split_inclusive('\n').take(lines).map(str::len).sum();
    let lines_before = separated.split_inclusive('\n').take(lines).map(str::len).sum();
    if is_between(text, before) || literal::is_within(&separated, lines_before) {
        return (0, 0);
    }
    (blocks.max(1) - 1, before)
}

/// The text as it would be if everything that is open ended here.
pub fn repaired(text: &str) -> Cow<'_, str> {
    let text = separated(text, Ending::Growing);
    // Text that isn't markdown has no open elements.
    let Some(protected) = literal::protected(&text) else {
        return match closed(&text) {
            Cow::Owned(closed) => Cow::Owned(closed),
            Cow::Borrowed(_) => text,
        };
    };
    Cow::Owned(literal::restored(&closed(&protected)).into_owned())
}

fn closed(text: &str) -> Cow<'_, str> {
    match open_inline(text) {
        Some(start) => {
            let (done, open) = text.split_at(start);
            match close(open) {
                Some(closed) => Cow::Owned(format!("{done}{closed}")),
                None => Cow::Borrowed(text),
            }
        }
        None => Cow::Borrowed(text),
    }
}

/// Where the paragraph, heading, item or cell begins that goes on at the end; None in code, where marks are text, and
/// where all of them have ended: a mark that was never closed stays one.
fn open_inline(text: &str) -> Option<usize> {
    let said = text.trim_end().len();
    let line_ends = text[said..].matches('\n').count();
    let goes_on = |end: usize, ends_with: usize| end >= said && line_ends < ends_with;
    let mut start = None;
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter()
    {
        match event {
            Event::Start(Tag::Paragraph | Tag::Item) => start = goes_on(range.end, 2).then_some(range.start),
            Event::Start(Tag::Heading { .. } | Tag::TableCell) => {
                start = goes_on(range.end, 1).then_some(range.start);
            }
            Event::Start(Tag::CodeBlock(_)) => start = None,
            _ => {}
        }
    }
    start
}

/// A marker that opened and hasn't been closed.
struct Open<'t> {
    marker: &'t str,
    /// Where what it marks begins.
    inside: usize,
}

/// None if nothing is open.
fn close(text: &str) -> Option<String> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next()?;
        let run = rest.len() - rest.trim_start_matches(first).len();
        let step = match first {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '`' => match closing_ticks(&rest[run..], run) {
                Some(end) => run + end,
                None => return Some(with_closed(text, at, &rest[..run], &open)),
            },
            '[' | '!' if first == '[' || rest.starts_with("![") => match link(rest) {
                Link::Whole(len) => len,
                Link::Words => first.len_utf8(),
                Link::Half(words) => {
                    let shown = if first == '!' { String::new() } else { words.to_owned() };
                    return Some(finish(format!("{}{shown}", &text[..at]), &open));
                }
            },
            '*' | '_' | '~' if first != '~' || run == 2 => {
                mark(text, at, run.min(2), &mut open);
                run.min(2)
            }
            _ => first.len_utf8(),
        };
        at += step;
    }
    (!open.is_empty()).then(|| finish(text.to_owned(), &open))
}

/// The length up to the end of the run that closes `ticks` of them.
fn closing_ticks(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
}

fn with_closed(text: &str, at: usize, ticks: &str, open: &[Open<'_>]) -> String {
    let code = &text[at + ticks.len()..];
    // Ticks alone say nothing yet.
    let text =
        if code.trim().is_empty() { text[..at].to_owned() } else { format!("{}{ticks}", text.trim_end_matches('`')) };
    finish(text, open)
}

fn mark<'t>(text: &'t str, at: usize, len: usize, open: &mut Vec<Open<'t>>) {
    let marker = &text[at..at + len];
    let before = text[..at].chars().next_back();
    let after = text[at + len..].chars().next();
    let spaced = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let within_a_word = marker.starts_with('_') && before.is_some_and(char::is_alphanumeric);
    if !spaced(before)
        && let Some(known) = open.iter().rposition(|open| open.marker == marker)
    {
        open.truncate(known);
    } else if (!spaced(after) && !within_a_word) || after.is_none() {
        open.push(Open { marker, inside: at + len });
    }
}

/// Closes what is open, the last one first; a marker with nothing after it goes.
fn finish(mut text: String, open: &[Open<'_>]) -> String {
    for open in open.iter().rev() {
        let inside = text.get(open.inside..).unwrap_or_default();
        if inside.trim().is_empty() {
            text.truncate(open.inside.saturating_sub(open.marker.len()).min(text.len()));
        } else {
            text.truncate(text.trim_end().len());
            text.push_str(open.marker);
        }
    }
    text
}

enum Link<'t> {
    /// It is complete, and so long.
    Whole(usize),
    /// Brackets that are no link.
    Words,
    /// It isn't complete: only its words can be shown.
    Half(&'t str),
}

fn link(text: &str) -> Link<'_> {
    let words_at = if text.starts_with('!') { 2 } else { 1 };
    let Some(end) = text.find(']') else { return Link::Half(&text[words_at..]) };
    let after = &text[end + 1..];
    match after.strip_prefix('(') {
        None => Link::Words,
        Some(address) => match address.find([')', '\n']) {
            Some(at) if address[at..].starts_with(')') => Link::Whole(end + 2 + at + 1),
            Some(_) => Link::Words,
            None => Link::Half(&text[words_at..end]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::repaired;

    #[test]
    fn what_is_open_is_closed() {
        let cases = [
            ("plain words", "plain words"),
            ("some **bold", "some **bold**"),
            ("some **bold** and *thin", "some **bold** and *thin*"),
            ("a ***both", "a ***both***"),
            ("a **", "a "),
            ("code `let x", "code `let x`"),
            ("code ``a ` b", "code ``a ` b``"),
            ("code `", "code "),
            ("gone ~~old", "gone ~~old~~"),
            ("see [the page](https://exa", "see the page"),
            ("see [the pa", "see the pa"),
            ("see ![a picture](htt", "see "),
            ("see [the page](https://example.org) now", "see [the page](https://example.org) now"),
            ("snake_case_name", "snake_case_name"),
            ("2 * 3 * 4", "2 * 3 * 4"),
            ("\\*not open", "\\*not open"),
            ("done **first**\n\nthen **second", "done **first**\n\nthen **second**"),
            ("* one\n* two **bold", "* one\n* two **bold**"),
            ("```rust\nlet a = **b", "```rust\nlet a = **b"),
            ("an array[0] is", "an array[0] is"),
            ("| a |\n|---|\n| **b", "| a |\n|---|\n| **b**"),
            // Ended text stays unchanged.
            ("Use **kwargs here\n\n", "Use **kwargs here\n\n"),
            ("Use **kwargs here\n\n---\n", "Use **kwargs here\n\n---\n"),
            ("# The **title\n", "# The **title\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }
}
