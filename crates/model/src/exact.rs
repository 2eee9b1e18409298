//! Text that a person decides on, with all of its characters visible. Invisible characters are marked without the
//! exceptions for running text; so are spaces that hide or push away text, and letters of other scripts that look like
//! ASCII letters.

use crate::hidden::{hides, is_needed};
use std::mem::take;

/// Maximum number of spaces between two words or at the start of a line, and of consecutive line ends.
const GAP: usize = 15;
const INDENT: usize = 40;
const LINE_ENDS: usize = 3;
/// Width of a tab in spaces.
const TAB: usize = 8;
/// Maximum number of accents on one letter.
const ACCENTS: usize = 2;

/// Whether a text is for programs or for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For a program: every unusual space and every look-alike is marked.
    Code,
    /// For people, in any script.
    Words,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text to show unchanged, with line ends and tabs.
    Plain(String),
    /// A mark that replaces deceptive characters.
    Mark {
        /// The characters: `U+202E`, `16 spaces`.
        words: String,
        /// The reason, for people.
        why: &'static str,
    },
}

/// Returns the parts of a text, in order.
pub fn pieces(text: &str, kind: Kind) -> Vec<Piece> {
    let mut writer = Writer { kind, pieces: Vec::new(), plain: String::new() };
    let mut at = 0;
    let mut before = None;
    while let Some(c) = text[at..].chars().next() {
        at += writer.step(&text[at..], c, before);
        before = text[..at].chars().next_back();
    }
    writer.flush();
    writer.pieces
}

/// Returns true if nothing in the text is marked.
pub fn is_plain(text: &str, kind: Kind) -> bool {
    pieces(text, kind).iter().all(|piece| matches!(piece, Piece::Plain(_)))
}

struct Writer {
    kind: Kind,
    pieces: Vec<Piece>,
    plain: String,
}

impl Writer {
    /// Takes the first part of a text, and returns its length in bytes.
    fn step(&mut self, rest: &str, c: char, before: Option<char>) -> usize {
        match c {
            ' ' | '\t' => self.space(rest, before),
            '\n' => self.line_end(rest),
            _ if is_unseen(c, before, &rest[c.len_utf8()..], self.kind) => {
                let same = rest.chars().take_while(|next| *next == c).count();
                let number = number(c);
                let mark = if same > 1 { format!("{number} \u{d7}{same}") } else { number };
                self.mark(mark, "This character can't be seen");
                same * c.len_utf8()
            }
            _ if is_accent(c) => {
                let end = rest.find(|next| !is_accent(next)).unwrap_or(rest.len());
                for (index, accent) in rest[..end].chars().enumerate() {
                    if index < ACCENTS && before.is_some_and(|before| !before.is_whitespace()) {
                        self.plain.push(accent);
                    } else {
                        self.mark(number(accent), "A sign that is drawn over others");
                    }
                }
                end
            }
            _ if c.is_alphanumeric() => self.word(rest),
            _ if self.kind == Kind::Code && is_sign_alike(c) => {
                self.mark(format!("{c} {}", number(c)), "It looks like another sign");
                c.len_utf8()
            }
            _ => {
                self.plain.push(c);
                c.len_utf8()
            }
        }
    }

    fn space(&mut self, rest: &str, before: Option<char>) -> usize {
        let end = rest.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(rest.len());
        let run = &rest[..end];
        let tabs = run.matches('\t').count();
        let spaces = run.len() - tabs;
        let trails = matches!(rest[end..].chars().next(), None | Some('\n' | '\r'));
        let room = if matches!(before, None | Some('\n')) { INDENT } else { GAP };
        if !trails && spaces + tabs * TAB <= room {
            self.plain.push_str(run);
            return end;
        }
        let counted = |count: usize, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{count} {word}s")),
        };
        let words: Vec<String> = [counted(spaces, "space"), counted(tabs, "tab")].into_iter().flatten().collect();
        self.mark(words.join(", "), if trails { "At the end of the line" } else { "A gap this wide" });
        end
    }

    fn line_end(&mut self, rest: &str) -> usize {
        let count = rest.bytes().take_while(|byte| *byte == b'\n').count();
        if count > LINE_ENDS {
            self.plain.push('\n');
            self.mark(format!("{} empty lines", count - 1), "Lines without a character");
            self.plain.push('\n');
        } else {
            self.plain.push_str(&rest[..count]);
        }
        count
    }

    /// Takes a run of letters and digits. In a run of ASCII letters, look-alikes of other scripts are marked.
    fn word(&mut self, rest: &str) -> usize {
        // Some of what can't be seen counts as a letter.
        let end = rest.find(|c: char| !c.is_alphanumeric() || hides(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let has_plain = word.bytes().any(|byte| byte.is_ascii_alphabetic());
        let all_alike = || self.kind == Kind::Code && word.chars().all(|c| c.is_ascii_digit() || is_letter_alike(c));
        if word.is_ascii() || !(has_plain || all_alike()) {
            self.plain.push_str(word);
            return end;
        }
        for c in word.chars() {
            if is_letter_alike(c) || (has_plain && is_foreign(c)) {
                self.mark(format!("{c} {}", number(c)), "A letter that looks like another one");
            } else {
                self.plain.push(c);
            }
        }
        end
    }

    fn mark(&mut self, words: String, why: &'static str) {
        self.flush();
        self.pieces.push(Piece::Mark { words, why });
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.pieces.push(Piece::Plain(take(&mut self.plain)));
        }
    }
}

fn number(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Returns true if a character is invisible, or moves the text beside it.
fn is_unseen(c: char, before: Option<char>, after: &str, kind: Kind) -> bool {
    if hides(c) {
        return !(is_part_of_emoji(c, before, after) || kind == Kind::Words && joins(c, before, after));
    }
    let is_shown = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    match c {
        // Spaces of print, as before a French question mark.
        '\u{a0}' | '\u{202f}' | '\u{3000}' if kind == Kind::Words => {
            !is_shown(before) || !is_shown(after.chars().next())
        }
        '\u{fffc}' | '\u{fdd0}'..='\u{fdef}' => true,
        _ => c.is_whitespace() || (u32::from(c) & 0xfffe) == 0xfffe,
    }
}

/// Returns true if a character joins several into one emoji, or selects emoji or text style.
fn is_part_of_emoji(c: char, before: Option<char>, after: &str) -> bool {
    let is_emoji = |c: Option<char>| c == Some('\u{fe0f}') || is_needed('\u{fe0f}', c, "");
    match c {
        '\u{200d}' => is_emoji(before) && is_emoji(after.chars().next()) && !after.starts_with('\u{fe0f}'),
        '\u{fe0e}' | '\u{fe0f}' => is_needed(c, before, after),
        _ => false,
    }
}

/// Returns true for a joiner between letters of a script that uses joiners.
fn joins(c: char, before: Option<char>, after: &str) -> bool {
    let is_joined = |c: Option<char>| {
        matches!(
            c,
            Some('\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
        )
    };
    matches!(c, '\u{200c}' | '\u{200d}') && is_joined(before) && is_joined(after.chars().next())
}

/// Returns true if a character is drawn over the previous one.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20e2}' | '\u{20e4}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Returns true for letters that look like ASCII letters: Cyrillic, Greek, Armenian, full-width, mathematical and
/// others.
fn is_letter_alike(c: char) -> bool {
    "аԁеһіјӏоррԛѕутԝхѵАВЕЅІЈКМНОРСТУХԚԜсαορυνικϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհցıɑɡǀ".contains(c)
        || matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'
            | '\u{1d400}'..='\u{1d7ff}' | '\u{2160}'..='\u{217f}' | '\u{13a0}'..='\u{13f5}')
}

/// Returns true for a letter of a script whose words never contain ASCII letters.
fn is_foreign(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}' | '\u{531}'..='\u{587}' | '\u{13a0}'..='\u{13fd}' | '\u{2c80}'..='\u{2cff}')
}

/// Returns true for punctuation that looks like that of programming languages.
fn is_sign_alike(c: char) -> bool {
    "\u{1c3}\u{2d7}\u{37e}\u{5c3}\u{589}\u{2010}\u{2011}\u{2012}\u{2024}\u{2044}\u{2212}\u{2215}\u{2216}\u{2223}\u{2236}\u{223c}\u{29f5}\u{29f8}\u{29f9}\u{a789}\u{ff04}\u{ff06}\u{ff0d}\u{ff0e}\u{ff0f}\u{ff1c}\u{ff1e}\u{ff3c}\u{ff40}\u{ff5c}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{Kind, Piece, is_plain, pieces};

    /// Returns the text with its marks in braces: `{words: why}`.
    fn code(text: &str) -> String {
        let shown = |piece| match piece {
            Piece::Plain(text) => text,
            Piece::Mark { words, why } => format!("{{{words}: {why}}}"),
        };
        pieces(text, Kind::Code).into_iter().map(shown).collect()
    }

    #[test]
    fn what_is_plain_stays_as_it_is() {
        for text in [
            "ls -la | wc -l",
            "for f in *; do\n\techo \"$f\"\ndone",
            "    indented\n\n\nthree line ends",
            "git commit -m 'fix: é and ü'",
            "echo 日本語 👩‍🚀 ❤️ 1️⃣ привет мир",
            "a\u{301}",
        ] {
            assert!(is_plain(text, Kind::Code), "{text}: {}", code(text));
            assert_eq!(code(text), text);
        }
        for text in ["Bonjour\u{a0}!", "می‌خواهم", "東京\u{3000}大阪", "Run `ls`"] {
            assert!(is_plain(text, Kind::Words), "{text}");
        }
    }

    #[test]
    fn spaces_and_lines_that_hide_are_counted() {
        assert_eq!(code(&format!("ls{}; rm", " ".repeat(200))), "ls{200 spaces: A gap this wide}; rm");
        assert_eq!(code("ls \n\t"), "ls{1 space: At the end of the line}\n{1 tab: At the end of the line}");
        assert_eq!(code(&format!("ls{}rm", "\n".repeat(90))), "ls\n{89 empty lines: Lines without a character}\nrm");
        assert_eq!(code("a\u{a0}b"), "a{U+00A0: This character can't be seen}b");
    }

    #[test]
    fn what_commands_a_terminal_or_turns_text_around_is_marked() {
        let unseen = |number: &str| format!("{{{number}: This character can't be seen}}");
        let (escape, turn) = (unseen("U+001B"), unseen("U+202E"));
        assert_eq!(code("ls\u{1b}[2K\u{202e}x"), format!("ls{escape}[2K{turn}x"));
        assert_eq!(code("b\u{200b}\u{200b}"), format!("b{}", unseen("U+200B \u{d7}2")));
    }

    #[test]
    fn letters_and_signs_that_pass_for_others_are_marked() {
        assert!(code("с\u{443}rl").contains("с U+0441"));
        assert!(code("p\u{430}ypal").contains("\u{430} U+0430"));
        assert!(code("\u{441}\u{435}").contains("U+0435"));
        assert!(code("rm \u{2215}tmp").contains("\u{2215} U+2215"));
        assert!(is_plain("\u{441}\u{435} привет", Kind::Words));
        assert_eq!(code("x\u{301}\u{302}\u{303}").matches("U+0303").count(), 1);
    }

    #[test]
    fn a_run_is_one_mark() {
        assert_eq!(code(&"\u{200b}".repeat(90_000)).matches("U+200B \u{d7}90000").count(), 1);
    }
}
