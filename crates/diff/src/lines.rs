//! One side of a difference as lines.

use std::borrow::Cow;
use std::ops::Range;

use model::view::{CodeLine, Token};

use crate::syntax;

/// What stands for a carriage return that is to be seen: browsers would break the line at a real one.
const VISIBLE_RETURN: char = '␍';

/// A text with its carriage returns made harmless: those that don't end a line become visible.
pub(crate) fn drawable(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let is_alone = char == '\r' && rest.peek() != Some(&'\n');
        out.push(if is_alone { VISIBLE_RETURN } else { char });
    }
    Cow::Owned(out)
}

/// Lines with their ends, as they are compared.
pub(crate) fn raw(text: &str) -> std::str::SplitInclusive<'_, char> {
    text.split_inclusive('\n')
}

/// Byte ranges of the lines of a text without their ends (`\n` or `\r\n`).
pub(crate) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |line: &str| {
        let bare = line.strip_suffix('\n').map_or(line, |bare| bare.strip_suffix('\r').unwrap_or(bare));
        let range = start..start + bare.len();
        start += line.len();
        range
    };
    raw(text).map(range).collect()
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// There are none.
    None,
    Lf,
    CrLf,
    Mixed,
}

impl Ends {
    pub(crate) fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let with_return = text.matches("\r\n").count();
        match (all, with_return) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            _ if all == with_return => Self::CrLf,
            _ => Self::Mixed,
        }
    }

    /// Could lines of both texts differ in their ends alone?
    pub(crate) fn differ(self, other: Self) -> bool {
        self == Self::Mixed || other == Self::Mixed || (self != other && self != Self::None && other != Self::None)
    }
}

/// One side: a drawable text and its lines.
pub(crate) struct Side<'a> {
    text: &'a str,
    ranges: Vec<Range<usize>>,
    tokens: Vec<Vec<Token>>,
    /// Is the last line to be marked as having no end?
    pub(crate) marks_end: bool,
}

impl<'a> Side<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, ranges: ranges(text), tokens: Vec::new(), marks_end: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn colour(&mut self, language: Option<&'static str>) {
        self.tokens = syntax::tokens(language, self.text, &self.ranges);
    }

    pub(crate) fn texts(&self) -> Vec<&'a str> {
        self.ranges.iter().map(|range| &self.text[range.clone()]).collect()
    }

    /// Lines of a range, ready to draw but for their marks.
    pub(crate) fn code(&mut self, lines: Range<usize>) -> Vec<CodeLine> {
        let last = self.len().saturating_sub(1);
        let line = |at: usize| CodeLine {
            text: self.text[self.ranges[at].clone()].to_owned(),
            tokens: self.tokens.get_mut(at).map(std::mem::take).unwrap_or_default(),
            marks: Vec::new(),
            no_newline: self.marks_end && at == last,
        };
        lines.map(line).collect()
    }

    /// The same with a `\r` before the line's end made visible.
    pub(crate) fn code_with_returns(&mut self, lines: Range<usize>) -> Vec<CodeLine> {
        let mut code = self.code(lines.clone());
        for (line, at) in code.iter_mut().zip(lines) {
            if self.text[self.ranges[at].end..].starts_with("\r\n") {
                line.text.push(VISIBLE_RETURN);
            }
        }
        code
    }
}
