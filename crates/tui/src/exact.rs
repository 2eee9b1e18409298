//! Text that a person decides on: each of its characters is seen. Beside what [`crate::visible`] marks, without its
//! exceptions: spaces that push text out of sight, line ends that do so, accents in heaps, and signs and letters that pass for
//! others.

use crate::theme::Theme;
use crate::visible::number;
use model::hidden::hides;
use ratatui::text::Span;
use std::mem::take;

/// So many spaces may stand between two words, and at the beginning of a line.
const GAP: usize = 15;
const INDENT: usize = 40;
/// So many line ends may follow each other.
const LINE_ENDS: usize = 2;
/// A tab is as wide as so many spaces.
const TAB: usize = 4;
/// Accents that one letter may carry.
const ACCENTS: usize = 2;

/// Returns the lines of a text; marks have a style of their own.
pub fn lines(text: &str, theme: Theme) -> Vec<Vec<Span<'static>>> {
    let mut writer = Writer { theme, lines: Vec::new(), spans: Vec::new(), plain: String::new() };
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        let rest = chars.get(at..).unwrap_or_default();
        let same = |is: fn(char) -> bool| rest.iter().take_while(|c| is(**c)).count();
        at += match c {
            '\n' => {
                let ends = same(|c| c == '\n');
                if ends > LINE_ENDS {
                    writer.mark(&format!("⟨{ends} line ends⟩"));
                    writer.end();
                } else {
                    (0..ends).for_each(|_| writer.end());
                }
                ends
            }
            ' ' | '\t' => {
                let run = same(|c| matches!(c, ' ' | '\t'));
                writer.spaces(rest.get(..run).unwrap_or_default(), rest.get(run).copied());
                run
            }
            _ if is_accent(c) => {
                let run = same(is_accent);
                let has_letter = writer.plain.ends_with(char::is_alphanumeric);
                for (index, accent) in rest.iter().take(run).enumerate() {
                    if index < ACCENTS && has_letter {
                        writer.plain.push(*accent);
                    } else {
                        writer.mark(&number(*accent));
                    }
                }
                run
            }
            _ if hides(c) || c.is_whitespace() => {
                let run = rest.iter().take_while(|next| **next == c).count();
                let times = if run > 1 { format!("×{run}") } else { String::new() };
                writer.mark(&format!("{}{times}", number(c)));
                run
            }
            _ => {
                writer.plain.push(c);
                if is_alike(c) {
                    writer.mark(&number(c));
                }
                1
            }
        };
    }
    writer.end();
    writer.lines
}

struct Writer {
    theme: Theme,
    lines: Vec<Vec<Span<'static>>>,
    spans: Vec<Span<'static>>,
    plain: String,
}

impl Writer {
    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.spans.push(Span::raw(take(&mut self.plain)));
        }
    }

    fn mark(&mut self, mark: &str) {
        self.flush();
        self.spans.push(Span::styled(mark.to_owned(), self.theme.warning()));
    }

    fn end(&mut self) {
        self.flush();
        self.lines.push(take(&mut self.spans));
    }

    fn spaces(&mut self, run: &[char], after: Option<char>) {
        let tabs = run.iter().filter(|c| **c == '\t').count();
        let spaces = run.len() - tabs;
        let begins = self.plain.is_empty() && self.spans.is_empty();
        let trails = matches!(after, None | Some('\n' | '\r'));
        if !trails && spaces + tabs * TAB <= if begins { INDENT } else { GAP } {
            for c in run {
                self.plain.push_str(if *c == '\t' { "→   " } else { " " });
            }
            return;
        }
        let counted = |count: usize, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            count => Some(format!("{count} {word}s")),
        };
        let both: Vec<String> = [counted(spaces, "space"), counted(tabs, "tab")].into_iter().flatten().collect();
        self.mark(&format!("⟨{}⟩", both.join(", ")));
    }
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Does it pass for a letter or a sign of ASCII?
fn is_alike(c: char) -> bool {
    matches!(
        c,
        // Greek, Cyrillic, Armenian, Cherokee; letters in other shapes.
        '\u{251}' | '\u{261}' | '\u{370}'..='\u{52f}' | '\u{531}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'
            | '\u{1d00}'..='\u{1d7f}' | '\u{2100}'..='\u{214f}' | '\u{2160}'..='\u{2188}' | '\u{ff01}'..='\u{ff5e}'
            | '\u{1d400}'..='\u{1d7ff}'
            // Dashes, quotes, dots, slashes, and signs of mathematics.
            | '\u{b4}' | '\u{b8}' | '\u{2b9}'..='\u{2df}' | '\u{2010}'..='\u{201f}' | '\u{2024}' | '\u{2027}'
            | '\u{2032}'..='\u{205e}' | '\u{2200}'..='\u{22ff}' | '\u{27e8}' | '\u{27e9}' | '\u{29f5}' | '\u{29f8}'
            | '\u{2cba}' | '\u{3001}' | '\u{a78c}' | '\u{a789}' | '\u{2502}' | '\u{2503}' | '\u{23ae}'
    )
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::theme::Theme;

    fn shown(text: &str) -> String {
        let line = |line: &Vec<ratatui::text::Span<'_>>| line.iter().map(|span| &*span.content).collect::<String>();
        lines(text, Theme::Plain).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_command_shows_all_of_itself() {
        assert_eq!(shown("ls -la | wc\n  x = 'é'"), "ls -la | wc\n  x = 'é'");
        for (text, marked) in [
            ("ls\u{1b}[2K\u{202e}x", "ls⟨U+001B⟩[2K⟨U+202E⟩x"),
            ("ls                ; rm", "ls⟨16 spaces⟩; rm"),
            ("ls \n\n\n\nrm ", "ls⟨1 space⟩⟨4 line ends⟩\nrm⟨1 space⟩"),
            ("\tls", "→   ls"),
            ("p\u{430}ypal", "p\u{430}⟨U+0430⟩ypal"),
            ("a\u{a0}b\u{200b}\u{200b}", "a⟨U+00A0⟩b⟨U+200B⟩×2"),
            ("e\u{301}\u{301}\u{301}", "e\u{301}\u{301}⟨U+0301⟩"),
            ("a\u{2215}b ❤\u{fe0f}", "a\u{2215}⟨U+2215⟩b ❤⟨U+FE0F⟩"),
        ] {
            assert_eq!(shown(text), marked, "{text:?}");
        }
    }

    /// An author can't write a mark: the brackets of one are marked themselves.
    #[test]
    fn marks_can_not_be_written() {
        assert_eq!(shown("⟨U+202E⟩"), "⟨⟨U+27E8⟩U+202E⟩⟨U+27E9⟩");
    }
}
