//! One side of a difference as lines.

use std::borrow::Cow;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use model::hidden::{BLANK, hides, is_needed, may_hide};
use model::view::{CodeLine, Token};

use crate::{Spaces, syntax};

/// Visible replacement of a carriage return, because browsers would break the line at a real one.
const VISIBLE_RETURN: char = '␍';

/// A text in which everything can be seen: carriage returns that don't end a line, control characters, and characters
/// that have no width or turn the text around.
pub(crate) fn drawable(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(may_hide) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut before = None;
    for (at, char) in text.char_indices() {
        let after = &text[at + char.len_utf8()..];
        match char {
            '\r' if after.starts_with('\n') => out.push(char),
            '\r' => out.push(VISIBLE_RETURN),
            '\n' | '\t' => out.push(char),
            '\0'..='\u{1f}' => out.push(picture(char)),
            '\u{7f}' => out.push('\u{2421}'),
            _ if hides(char) && !is_needed(char, before, after) => {
                let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", char as u32);
            }
            _ => out.push(char),
        }
        // The character before a blank of a drawing also precedes the next one.
        if char != BLANK {
            before = Some(char);
        }
    }
    Cow::Owned(out)
}

/// The picture of a control character: `␛` for escape.
fn picture(char: char) -> char {
    char::from_u32(0x2400 + char as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// A line as it is compared.
#[derive(Clone, Copy, Default)]
pub(crate) struct Compared<'a> {
    pub(crate) line: &'a str,
    pub(crate) spaces: Spaces,
    /// All lines of the other side end in another way: how this one does says nothing.
    pub(crate) is_any_end: bool,
}

impl Compared<'_> {
    /// The line, and whether it ends.
    fn parts(&self) -> (&str, bool) {
        let bare = if self.is_any_end { without_end(self.line) } else { self.line };
        (bare, self.is_any_end && self.line.ends_with('\n'))
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.line.split_whitespace().flat_map(str::bytes)
    }
}

impl PartialEq for Compared<'_> {
    fn eq(&self, other: &Self) -> bool {
        match self.spaces {
            Spaces::Matter => self.parts() == other.parts(),
            Spaces::Ignored => self.bytes().eq(other.bytes()),
        }
    }
}

impl Eq for Compared<'_> {}

impl Hash for Compared<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.spaces {
            Spaces::Matter => self.parts().hash(state),
            // Byte by byte: where the spaces are must not count.
            Spaces::Ignored => self.bytes().for_each(|byte| state.write_u8(byte)),
        }
    }
}

impl AsRef<[u8]> for Compared<'_> {
    fn as_ref(&self) -> &[u8] {
        self.line.as_bytes()
    }
}

/// Lines with their ends, as they are compared.
pub(crate) fn raw(text: &str) -> std::str::SplitInclusive<'_, char> {
    text.split_inclusive('\n')
}

/// Byte ranges of the lines of a text without their ends (`\n` or `\r\n`).
pub(crate) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |line: &str| {
        let range = start..start + without_end(line).len();
        start += line.len();
        range
    };
    raw(text).map(range).collect()
}

fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |bare| bare.strip_suffix('\r').unwrap_or(bare))
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

    /// Returns true if lines of the two texts can differ only in their ends.
    pub(crate) fn differ(self, other: Self) -> bool {
        self == Self::Mixed || other == Self::Mixed || (self != other && self != Self::None && other != Self::None)
    }
}

/// One side: a text, what of it is drawn, and its lines.
#[derive(Debug)]
pub(crate) struct Side {
    text: String,
    /// Where it differs from the text.
    drawable: Option<String>,
    /// Where each line of what is drawn starts, and the end of the last one.
    starts: Vec<u32>,
    language: Option<&'static str>,
    /// Found when the first line is drawn.
    tokens: OnceLock<Vec<Vec<Token>>>,
    /// True if the last line is marked if it has no end.
    pub(crate) marks_end: bool,
    /// True if it may begin inside a comment or a string.
    pub(crate) is_part: bool,
}

impl Side {
    pub(crate) fn of(text: &str, language: Option<&'static str>) -> Self {
        let text = text.to_owned();
        let drawable = match drawable(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(drawable) => Some(drawable),
        };
        let shown = drawable.as_ref().unwrap_or(&text);
        let mut starts = vec![0];
        starts.extend(shown.match_indices('\n').map(|(at, _)| at as u32 + 1));
        if starts.last().is_some_and(|last| (*last as usize) < shown.len()) {
            starts.push(shown.len() as u32);
        }
        Self { drawable, starts, language, tokens: OnceLock::new(), marks_end: false, is_part: false, text }
    }

    /// The text as it came.
    pub(crate) fn raw(&self) -> &str {
        &self.text
    }

    fn shown(&self) -> &str {
        self.drawable.as_ref().unwrap_or(&self.text)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn has_open_end(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    pub(crate) fn has_longer_line(&self, bytes: usize) -> bool {
        self.starts.windows(2).any(|line| (line[1] - line[0]) as usize > bytes)
    }

    /// A line with its end.
    fn with_end(&self, line: usize) -> &str {
        match self.starts.get(line..line + 2) {
            Some(&[start, end]) => &self.shown()[start as usize..end as usize],
            _ => "",
        }
    }

    /// A line without its end (`\n` or `\r\n`).
    pub(crate) fn line(&self, line: usize) -> &str {
        without_end(self.with_end(line))
    }

    /// A line without its end, with a `\r` before that made visible.
    pub(crate) fn line_with_return(&self, line: usize) -> Cow<'_, str> {
        let text = self.line(line);
        if self.with_end(line).ends_with("\r\n") {
            Cow::Owned(format!("{text}{VISIBLE_RETURN}"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The text as it came.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        (0..self.len()).map(|line| self.line(line)).collect()
    }

    /// A line, ready to draw but for its marks.
    pub(crate) fn code(&self, line: usize) -> CodeLine {
        CodeLine {
            text: self.line(line).to_owned(),
            tokens: self.tokens().and_then(|tokens| tokens.get(line)).cloned().unwrap_or_default(),
            marks: Vec::new(),
            no_newline: self.marks_end && line + 1 == self.len(),
            moved: None,
        }
    }

    /// None where the text is too large to be coloured as a whole.
    pub(crate) fn tokens(&self) -> Option<&[Vec<Token>]> {
        let fits = self.language.is_some() && syntax::fits(self.shown());
        let colour = if self.is_part { syntax::tokens_of_part } else { syntax::tokens };
        fits.then(|| self.tokens.get_or_init(|| colour(self.language, self.shown(), &ranges(self.shown()))).as_slice())
    }
}
