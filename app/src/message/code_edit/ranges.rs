//! Coloured ranges of a line, as text that the browser converts to highlights: one text node instead of an element per
//! word. Offsets are in UTF-16 units, as in the browser.

use crate::markdown::{Side, unseen};
use model::view::CodeLine;
use std::fmt::Write;

/// Adds the ranges of a line that begins at `base`: `k0+5` is a keyword of five units. Beside the syntax there are `a`
/// and `d`, changed words of the new and of the old side, `w`, spaces at the end of an added line, and `x`, what is
/// [`unseen`].
pub fn write_ranges(out: &mut String, line: &CodeLine, side: Side, base: usize) {
    let mut units = Units { text: &line.text, bytes: 0, counted: 0, is_ascii: line.text.is_ascii() };
    let mut add = |letter: char, start: usize, end: usize, units: &mut Units<'_>| {
        let (start, end) = (units.at(start), units.at(end));
        if end > start {
            let _ = write!(out, "{letter}{}+{} ", base + start, end - start);
        }
    };
    for token in &line.tokens {
        add(token.class.letter(), token.start as usize, token.end as usize, &mut units);
    }
    let mark = if side == Side::Old { 'd' } else { 'a' };
    units.reset();
    for &(start, end) in &line.marks {
        add(mark, start as usize, end as usize, &mut units);
    }
    let end = line.text.trim_end().len();
    if side == Side::New && end < line.text.len() {
        units.reset();
        add('w', end, line.text.len(), &mut units);
    }
    units.reset();
    for unseen in unseen(&line.text, side) {
        add('x', unseen.start, unseen.end, &mut units);
    }
}

/// UTF-16 units of a line.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Counts on from the last place that was asked for.
struct Units<'a> {
    text: &'a str,
    bytes: usize,
    counted: usize,
    is_ascii: bool,
}

impl Units<'_> {
    fn reset(&mut self) {
        (self.bytes, self.counted) = (0, 0);
    }

    fn at(&mut self, byte: usize) -> usize {
        if self.is_ascii {
            return byte.min(self.text.len());
        }
        self.counted += self.text.get(self.bytes..byte).map_or(0, units);
        self.bytes = byte.max(self.bytes);
        self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::{Side, write_ranges};
    use model::view::{CodeLine, Token, TokenClass};

    fn ranges(line: &CodeLine, side: Side) -> String {
        let mut out = String::new();
        write_ranges(&mut out, line, side, 100);
        out
    }

    #[test]
    fn offsets_count_utf16_units() {
        let token = |start, end, class| Token { start, end, class };
        let line = CodeLine {
            text: "let \u{1f680} = \"\u{e9}\"; \u{27e8}U+202E\u{27e9}  ".to_owned(),
            tokens: vec![token(0, 3, TokenClass::Keyword), token(11, 15, TokenClass::String)],
            marks: vec![(4, 8)],
            ..CodeLine::default()
        };
        assert_eq!(ranges(&line, Side::New), "k100+3 s109+3 a104+2 w122+2 x114+8 ");
        assert_eq!(ranges(&line, Side::Old), "k100+3 s109+3 d104+2 x114+8 ");
    }

    #[test]
    fn spaces_that_look_like_others_are_marked_on_changed_lines() {
        let line = CodeLine { text: "a\u{a0}b\u{202f}c \u{27e8}d\u{27e9}".to_owned(), ..CodeLine::default() };
        assert_eq!((ranges(&line, Side::New), ranges(&line, Side::Both)), ("x101+1 x103+1 ".to_owned(), String::new()));
    }
}
