//! The one door to standard output and standard error.
//!
//! Stored text may be anybody's, and a terminal obeys some characters: they set its title, write its clipboard, or turn
//! the direction of what follows. On a terminal they are shown instead. Output to a file or another program stays as it
//! is.

use anyhow::{Context as _, Result};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal as _, Write};

/// Writes text to standard output. A reader that went away, as `head` does, ends the program quietly.
pub fn print(text: &str) -> Result<()> {
    if io::stdout().is_terminal() { write(shown(text).as_bytes()) } else { write(text.as_bytes()) }
}

/// Writes what may be no text to standard output.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    if io::stdout().is_terminal() { write(shown(&String::from_utf8_lossy(bytes)).as_bytes()) } else { write(bytes) }
}

/// Writes a line of JSON to standard output.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print_encoded(&format!("{}\n", serde_json::to_string(value)?))
}

/// Writes text that is JSON to standard output: it says the same on a terminal.
pub fn print_encoded(json: &str) -> Result<()> {
    if io::stdout().is_terminal() { write(escaped(json).as_bytes()) } else { write(json.as_bytes()) }
}

/// Writes a line to standard error. Nobody is told if it can't be written.
pub fn note(text: &str) {
    let mut stderr = io::stderr();
    let text = if stderr.is_terminal() { shown(text) } else { Cow::Borrowed(text) };
    let _ = writeln!(stderr, "{text}");
}

fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        other => other.context("standard output can't be written"),
    }
}

/// Returns true if a terminal obeys the character, or if it changes how a line reads.
pub fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Lines and tabs as they are, and pictures or numbers in place of what a terminal would obey.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| is_command(c) && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            c if is_command(c) => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON that says the same without what a terminal would obey. Such a character stands within strings only.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(|c: char| is_command(c) && !c.is_ascii_whitespace()) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_command(c) && !c.is_ascii_whitespace() {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::{escaped, shown};

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(shown("a\tb\nc é 字 👍"), "a\tb\nc é 字 👍");
        assert_eq!(shown("a\r\nb\rc"), "a\nb␍c");
        assert_eq!(shown("\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\u{202e}"), "␛]0;x␇<U+009B>2J␡<U+202E>");
    }

    #[test]
    fn json_says_the_same() {
        let json = serde_json::to_string("\u{1b}[2J \u{9b}1m \u{202e} \u{7f}\n é").unwrap();
        let escaped = escaped(&json);
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), serde_json::from_str::<String>(&json).unwrap());
        assert!(!escaped.contains(super::is_command));
    }
}
