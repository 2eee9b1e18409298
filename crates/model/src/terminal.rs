//! What a terminal shows of an output: carriage returns, erasing and cursor movements are performed, colours become styles.
//!
//! `vte` keeps the state of the parser, `screen` performs what it reads. The work is linear in the output: what a jump of
//! the cursor may fill with blanks is bounded.

mod screen;
mod style;

use screen::Screen;
use std::borrow::Cow;
pub use style::{Colour, Style};
use vte::Parser;

/// An output as a terminal shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'a> {
    /// Characters that a terminal passes over are still in it.
    pub text: Cow<'a, str>,
    /// Where a style begins, as a byte offset in `text`. Up to the first one the style is the default.
    pub styles: Vec<(usize, Style)>,
}

/// Performs an output as a terminal does. A text without anything to perform keeps every byte.
pub fn show(output: &str) -> Shown<'_> {
    if !output.contains(acts) {
        return Shown { text: Cow::Borrowed(output), styles: Vec::new() };
    }
    let mut screen = Screen::new(output.len());
    for (number, line) in output.split('\n').enumerate() {
        if number > 0 {
            screen.break_line();
        }
        // A sequence that is cut off ends with its line: it doesn't swallow the rest of the output.
        let mut parser: Parser = Parser::new();
        for (number, part) in line.split('\u{9b}').enumerate() {
            if number > 0 {
                parser.advance(&mut screen, b"\x1b[");
            }
            parser.advance(&mut screen, part.as_bytes());
        }
    }
    screen.finish()
}

/// Returns the text of [`show`], without the control characters that a terminal passes over.
pub fn plain(output: &str) -> String {
    let mut text = show(output).text.into_owned();
    text.retain(|c| !c.is_ascii_control() || matches!(c, '\n' | '\t'));
    text
}

/// Does a terminal do something at it, rather than pass it over? What it passes over, a reader isn't to miss.
fn acts(c: char) -> bool {
    matches!(c, '\u{7}' | '\u{8}' | '\r' | '\u{e}' | '\u{f}' | '\u{1b}' | '\u{9b}')
}

#[cfg(test)]
mod tests;
