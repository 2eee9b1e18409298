//! Text for reading, and text for decisions: what can't be seen or would command the terminal stands as its number, `⟨U+001B⟩`.

use crate::theme::Theme;
use model::exact::{Kind, Piece, pieces};
use model::hidden::{hides, is_needed};
use ratatui::text::Span;

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

/// Returns the lines of a text that a person decides on: each of its characters is seen, and marks have a style of their own.
pub fn exact(text: &str, theme: Theme) -> Vec<Vec<Span<'static>>> {
    let mark = |words: &str| Span::styled(format!("⟨{words}⟩"), theme.warning());
    let mut lines = Vec::new();
    let mut line = Vec::new();
    for piece in pieces(text, Kind::Code) {
        match piece {
            Piece::Mark { words, .. } => line.push(mark(&words)),
            Piece::Plain(text) => {
                for (index, plain) in text.split('\n').enumerate() {
                    if index > 0 {
                        lines.push(std::mem::take(&mut line));
                    }
                    let shown = plain.replace('\t', "→   ");
                    // Without colours a mark is told by its brackets alone: nobody else writes them.
                    for part in shown.split_inclusive(['⟨', '⟩']) {
                        let bracket = part.chars().next_back().filter(|c| matches!(c, '⟨' | '⟩'));
                        if !part.is_empty() {
                            line.push(Span::raw(part.to_owned()));
                        }
                        line.extend(bracket.map(|c| mark(&format!("U+{:04X}", u32::from(c)))));
                    }
                }
            }
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::{exact, text};
    use crate::theme::Theme;

    #[test]
    fn a_command_shows_all_of_itself() {
        let shown = |text: &str| {
            let line = |line: &Vec<ratatui::text::Span<'_>>| line.iter().map(|span| &*span.content).collect::<String>();
            exact(text, Theme::Plain).iter().map(line).collect::<Vec<_>>().join("\n")
        };
        for (text, seen) in [
            ("ls -la | wc\n  x = 'é'\n", "ls -la | wc\n  x = 'é'\n"),
            ("ls\u{1b}[2K\u{202e}x", "ls⟨U+001B⟩[2K⟨U+202E⟩x"),
            ("ls                ; rm", "ls⟨16 spaces⟩; rm"),
            ("ls \n\n\n\nrm ", "ls⟨1 space⟩\n⟨3 empty lines⟩\nrm⟨1 space⟩"),
            ("\tls", "→   ls"),
            ("p\u{430}ypal", "p⟨\u{430} U+0430⟩ypal"),
            // An author can't write a mark: the brackets of one are marked themselves.
            ("⟨U+202E⟩", "⟨⟨U+27E8⟩U+202E⟩⟨U+27E9⟩"),
        ] {
            assert_eq!(shown(text), seen, "{text:?}");
        }
    }

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(text("a\u{1b}[31mred\u{7}\r\nb\tc"), "a⟨U+001B⟩[31mred⟨U+0007⟩\nb    c");
        assert_eq!(text("gpj\u{202e}exe \u{200b}x\rY"), "gpj⟨U+202E⟩exe ⟨U+200B⟩x⟨U+000D⟩Y");
        assert_eq!(text("\u{9b}2J é 日本 ❤️"), "⟨U+009B⟩2J é 日本 ❤️");
    }
}
