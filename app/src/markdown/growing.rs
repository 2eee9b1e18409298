//! A text that is still being written: what is open at its end is closed, so that half a marker isn't shown as letters
//! which vanish a moment later.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::borrow::Cow;

/// The text as it would be if everything that is open ended here.
pub fn repaired(text: &str) -> Cow<'_, str> {
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

/// Where the paragraph, heading, item or cell begins that goes on at the end; None in code, where marks are text, and where
/// all of them have ended: a mark that was never closed stays one.
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
            // What ended before stays as it was written.
            ("Use **kwargs here\n\n", "Use **kwargs here\n\n"),
            ("Use **kwargs here\n\n---\n", "Use **kwargs here\n\n---\n"),
            ("# The **title\n", "# The **title\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(repaired(text), expected, "{text}");
        }
    }
}
