//! Text that a person decides on: each of its characters is seen. What [`crate::visible`] marks is marked here too, without
//! the exceptions that running text gets, and so are spaces that hide or push text away, and letters of another script that
//! pass for plain ones.

use crate::html::Html;
use crate::visible::code_span;
use model::hidden::{hides, is_needed};

/// Marks drawn as elements in one text; those after it are drawn as text.
const MAX_MARKS: usize = 400;
/// So many spaces may stand between two words, at the beginning of a line, and so many line ends in a row.
const GAP: usize = 15;
const INDENT: usize = 40;
const LINE_ENDS: usize = 3;
/// A tab is as wide as so many spaces.
const TAB: usize = 8;
/// Accents that one letter may carry.
const ACCENTS: usize = 2;

/// Whether a text is for a program or for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For a program: any unusual space and any look-alike counts.
    Code,
    /// For people, in any script.
    Words,
}

/// Returns one text as HTML.
pub fn html(text: &str, kind: Kind) -> Html {
    let mut html = Html::new();
    push(&mut html, text, kind);
    html
}

/// A title or a label, in which what stands between backticks is code.
pub fn phrase(text: &str) -> Html {
    let mut html = Html::new();
    let mut rest = text;
    while let Some((before, code, after)) = code_span(rest) {
        push(&mut html, before.strip_suffix(' ').unwrap_or(before), Kind::Words);
        html.tag(if before.ends_with(' ') { " <code>" } else { "<code>" });
        push(&mut html, code, Kind::Code);
        html.tag("</code>");
        // The space between two words is no trailing one, whatever stands on its other side.
        let lead = after.strip_prefix(' ').filter(|next| !next.is_empty());
        if lead.is_some() {
            html.text(" ");
        }
        rest = lead.unwrap_or(after);
    }
    push(&mut html, rest, Kind::Words);
    html
}

/// Writes a text.
pub fn push(html: &mut Html, text: &str, kind: Kind) {
    let mut writer = Writer { html, kind, plain: String::new(), marks: 0 };
    writer.write(text, usize::MAX);
    writer.flush();
}

/// Is there anything in it that [`push`] marks?
pub fn is_plain(text: &str, kind: Kind) -> bool {
    let mut html = Html::new();
    let mut writer = Writer { html: &mut html, kind, plain: String::new(), marks: 0 };
    writer.write(text, 0);
    writer.marks == 0
}

struct Writer<'h> {
    html: &'h mut Html,
    kind: Kind,
    plain: String,
    marks: usize,
}

impl Writer<'_> {
    /// Writes a text, up to the first mark beyond so many.
    fn write(&mut self, text: &str, most_marks: usize) {
        let mut at = 0;
        let mut before = None;
        while self.marks <= most_marks
            && let Some(c) = text[at..].chars().next()
        {
            at += self.step(text, at, c, before);
            before = text[..at].chars().next_back();
        }
    }

    /// Writes what begins at a byte; returns how many bytes that was.
    fn step(&mut self, text: &str, at: usize, c: char, before: Option<char>) -> usize {
        let rest = &text[at..];
        match c {
            ' ' | '\t' => self.space(rest, before),
            '\n' => self.line_end(rest),
            _ if is_unseen(c, before, &rest[c.len_utf8()..], self.kind) => {
                let same = rest.chars().take_while(|next| *next == c).count();
                let number = number(c);
                let mark = if same > 1 { format!("{number} \u{d7}{same}") } else { number };
                self.mark(&mark, "This character can't be seen");
                same * c.len_utf8()
            }
            _ if is_accent(c) => {
                let end = rest.find(|next| !is_accent(next)).unwrap_or(rest.len());
                for (index, accent) in rest[..end].chars().enumerate() {
                    if index < ACCENTS && before.is_some_and(|before| !before.is_whitespace()) {
                        self.plain.push(accent);
                    } else {
                        self.mark(&number(accent), "A sign that is drawn over others");
                    }
                }
                end
            }
            _ if c.is_alphanumeric() => self.word(rest),
            _ if self.kind == Kind::Code && is_sign_alike(c) => {
                self.mark(&format!("{c} {}", number(c)), "It looks like another sign");
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
        self.mark(&words.join(", "), if trails { "At the end of the line" } else { "A gap this wide" });
        end
    }

    fn line_end(&mut self, rest: &str) -> usize {
        let count = rest.bytes().take_while(|byte| *byte == b'\n').count();
        if count > LINE_ENDS {
            self.plain.push('\n');
            self.mark(&format!("{} empty lines", count - 1), "Lines without a character");
            self.plain.push('\n');
        } else {
            self.plain.push_str(&rest[..count]);
        }
        count
    }

    /// A run of letters and digits: in one of plain letters those of another script pass for plain ones.
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
                self.mark(&format!("{c} {}", number(c)), "A letter that looks like another one");
            } else {
                self.plain.push(c);
            }
        }
        end
    }

    fn mark(&mut self, words: &str, title: &'static str) {
        self.flush();
        if self.marks < MAX_MARKS {
            self.html.tag("<span class=\"ctl\"").attr("title", title).tag(">").text(words).tag("</span>");
        } else {
            self.html.text("<").text(words).text(">");
        }
        self.marks += 1;
    }

    fn flush(&mut self) {
        self.html.text(&self.plain);
        self.plain.clear();
    }
}

fn number(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Is it a character that shows nothing, or moves what stands beside it?
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

/// Is it what makes one picture of several, or chooses between picture and text?
fn is_part_of_emoji(c: char, before: Option<char>, after: &str) -> bool {
    let is_emoji = |c: Option<char>| c == Some('\u{fe0f}') || is_needed('\u{fe0f}', c, "");
    match c {
        '\u{200d}' => is_emoji(before) && is_emoji(after.chars().next()) && !after.starts_with('\u{fe0f}'),
        '\u{fe0e}' | '\u{fe0f}' => is_needed(c, before, after),
        _ => false,
    }
}

/// Is it a joiner between letters of a script that is written with joiners?
fn joins(c: char, before: Option<char>, after: &str) -> bool {
    let is_joined = |c: Option<char>| {
        matches!(
            c,
            Some('\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
        )
    };
    matches!(c, '\u{200c}' | '\u{200d}') && is_joined(before) && is_joined(after.chars().next())
}

/// Is it drawn over the character before it?
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20e2}' | '\u{20e4}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Letters that can't be told from plain ones: Cyrillic, Greek, Armenian, Latin beyond ASCII, of full width, of mathematics.
fn is_letter_alike(c: char) -> bool {
    "аԁеһіјӏоррԛѕутԝхѵАВЕЅІЈКМНОРСТУХԚԜсαορυνικϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհցıɑɡǀ".contains(c)
        || matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'
            | '\u{1d400}'..='\u{1d7ff}' | '\u{2160}'..='\u{217f}' | '\u{13a0}'..='\u{13f5}')
}

/// Is it a letter of a script that no word shares with plain letters?
fn is_foreign(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}' | '\u{531}'..='\u{587}' | '\u{13a0}'..='\u{13fd}' | '\u{2c80}'..='\u{2cff}')
}

/// Signs that can't be told from those of programs.
fn is_sign_alike(c: char) -> bool {
    "\u{1c3}\u{2d7}\u{37e}\u{5c3}\u{589}\u{2010}\u{2011}\u{2012}\u{2024}\u{2044}\u{2212}\u{2215}\u{2216}\u{2223}\u{2236}\u{223c}\u{29f5}\u{29f8}\u{29f9}\u{a789}\u{ff04}\u{ff06}\u{ff0d}\u{ff0e}\u{ff0f}\u{ff1c}\u{ff1e}\u{ff3c}\u{ff40}\u{ff5c}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{Kind, html, is_plain, phrase};

    fn code(text: &str) -> String {
        html(text, Kind::Code).into_string().replace("<span class=\"ctl\" title=\"", "{").replace("</span>", "}")
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
        }
        for text in ["Bonjour\u{a0}!", "می‌خواهم", "東京\u{3000}大阪", "Run `ls`"] {
            assert!(is_plain(text, Kind::Words), "{text}");
        }
        assert_eq!(phrase("Run `a<b` now ").into_string().matches("1 space").count(), 1);
        assert_eq!(phrase("Run `a` and `b`").into_string(), "Run <code>a</code> and <code>b</code>");
    }

    #[test]
    fn spaces_and_lines_that_hide_are_counted() {
        assert_eq!(code(&format!("ls{}; rm", " ".repeat(200))), "ls{A gap this wide\">200 spaces}; rm");
        assert_eq!(code("ls \n\t"), "ls{At the end of the line\">1 space}\n{At the end of the line\">1 tab}");
        assert_eq!(code(&format!("ls{}rm", "\n".repeat(90))), "ls\n{Lines without a character\">89 empty lines}\nrm");
        assert_eq!(code("a\u{a0}b"), "a{This character can&#39;t be seen\">U+00A0}b");
    }

    #[test]
    fn letters_of_another_script_are_told() {
        assert!(code("с\u{443}rl").contains("с U+0441"));
        assert!(code("\u{441}\u{435}").contains("U+0435"));
        assert!(code("rm \u{2215}tmp").contains("\u{2215} U+2215"));
        assert!(is_plain("\u{441}\u{435} привет", Kind::Words));
        assert_eq!(code("x\u{301}\u{302}\u{303}").matches("U+0303").count(), 1);
    }

    #[test]
    fn a_run_costs_one_mark() {
        assert_eq!(code(&"\u{200b}".repeat(90_000)).matches("U+200B \u{d7}90000").count(), 1);
        let flood = html(&"\u{200b}\u{200c}".repeat(1_000), Kind::Code);
        assert_eq!(flood.as_str().matches("<span").count(), super::MAX_MARKS);
        assert_eq!(flood.as_str().matches("U+200").count(), 2_000);
    }
}
