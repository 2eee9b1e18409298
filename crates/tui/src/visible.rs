//! Text for reading: what can't be seen or would command the terminal stands as its number, `⟨U+001B⟩`.

use model::hidden::{hides, is_needed};

/// Columns of a tab.
const TAB: &str = "    ";

/// Returns the text with what hides made visible. Line ends stay; a carriage return before one goes.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for (at, c) in text.char_indices() {
        let after = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            '\t' => out.push_str(TAB),
            '\r' if after.starts_with('\n') => {}
            _ if hides(c) && !is_needed(c, before, after) => out.push_str(&number(c)),
            _ => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// Returns the text in one line of at most `most` characters.
pub fn line(text: &str, most: usize) -> String {
    self::text(&model::text::one_line(text, most))
}

/// The sign that stands for a character.
pub fn number(c: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(text("a\u{1b}[31mred\u{7}\r\nb\tc"), "a⟨U+001B⟩[31mred⟨U+0007⟩\nb    c");
        assert_eq!(text("gpj\u{202e}exe \u{200b}x\rY"), "gpj⟨U+202E⟩exe ⟨U+200B⟩x⟨U+000D⟩Y");
        assert_eq!(text("\u{9b}2J é 日本 ❤️"), "⟨U+009B⟩2J é 日本 ❤️");
    }
}
