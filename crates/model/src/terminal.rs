//! Renders output as a terminal shows it: carriage returns, erasing and cursor movements are executed, colours become
//! styles.
//!
//! `vte` parses the output, `screen` executes it. The work is linear in the output, because the number of blanks that
//! jumps of the cursor create is limited.

mod screen;
mod style;

use screen::Screen;
use std::borrow::Cow;
pub use style::{Colour, Style};
use vte::Parser;

/// Output as a terminal shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The text. Characters that a terminal ignores are still in it.
    pub text: Cow<'a, str>,
    /// Byte offsets in `text` at which a style begins. Before the first one, the style is the default.
    pub styles: Vec<(usize, Style)>,
}

/// Renders output as a terminal does. A text without control sequences is unchanged.
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

/// Returns the text of [`show`], without control characters that a terminal ignores.
pub fn plain(output: &str) -> String {
    let mut text = show(output).text.into_owned();
    text.retain(|c| !c.is_ascii_control() || matches!(c, '\n' | '\t'));
    text
}

/// Returns true if a terminal acts on a character. Ignored ones stay, so that readers don't miss them.
fn acts(c: char) -> bool {
    matches!(c, '\u{7}' | '\u{8}' | '\r' | '\u{e}' | '\u{f}' | '\u{1b}' | '\u{9b}')
}

#[cfg(test)]
mod tests;
