//! Text in which nothing hides: characters that a reader can't see, or that reorder what is seen, are shown by their
//! number. A command with such a character isn't what it looks like.

use crate::html::Html;
use crate::paths::split_path;
use model::hidden::{BLANK, hides, is_beyond_ascii, is_needed};
use std::fmt::Write as _;

/// Marks drawn in one text; after so many the characters are shown as plain text, since each mark costs an element.
const MAX_MARKS: usize = 100;

/// The text, with `<span class="ctl">U+202E</span>` for what can't be seen.
pub fn push(html: &mut Html, text: &str) {
    mark(html, text, Script::Code);
}

/// Like [`push`], for running text: scripts that are written from right to left keep the marks that they need.
pub fn prose(html: &mut Html, text: &str) {
    mark(html, text, Script::Prose);
}

/// Like [`push`], where no element can stand: `<U+202E>`.
pub fn plain(text: &str) -> String {
    without_elements(text, Script::Code)
}

/// Like [`plain`], for a title, which may be written from right to left.
pub fn line(text: &str) -> String {
    without_elements(text, Script::Prose)
}

fn without_elements(text: &str, script: Script) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some((at, c)) = find(rest, before, script) {
        out.push_str(&rest[..at]);
        // Writing to a string doesn't fail.
        let _ = write!(out, "<U+{:04X}>", u32::from(c));
        rest = &rest[at + c.len_utf8()..];
        before = Some(c);
    }
    out.push_str(rest);
    out
}

/// Purpose of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Code,
    Prose,
}

fn mark(html: &mut Html, text: &str, script: Script) {
    let mut rest = text;
    let mut before = None;
    let mut marks = 0;
    while let Some((at, c)) = find(rest, before, script) {
        html.text(&rest[..at]);
        let number = format!("U+{:04X}", u32::from(c));
        if marks < MAX_MARKS {
            html.tag("<span class=\"ctl\"").attr("title", name(c)).tag(">").text(&number).tag("</span>");
        } else {
            html.text("<").text(&number).text(">");
        }
        marks += 1;
        rest = &rest[at + c.len_utf8()..];
        before = Some(c);
    }
    html.text(rest);
}

/// A text by itself.
pub fn html(text: &str) -> Html {
    let mut html = Html::new();
    push(&mut html, text);
    html
}

/// A path for an element of the class `path`: where room is short its folder is cut, and its name stays.
pub fn path(path: &str) -> Html {
    let (folder, name) = split_path(path);
    let mut html = Html::new();
    html.tag("<span>");
    push(&mut html, folder);
    html.tag("</span><b>");
    push(&mut html, name);
    html.tag("</b>");
    html
}

/// The first piece of code in a title or a label, with what stands before and after it: the words between two
/// backticks.
pub(crate) fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    (!code.is_empty() && code.trim() == code).then_some((before, code, after))
}

/// A title or a label, in which what stands between backticks is code.
pub fn phrase(text: &str) -> Html {
    let mut html = Html::new();
    let mut rest = text;
    while let Some((before, code, after)) = code_span(rest) {
        push(&mut html, before);
        html.tag("<code>");
        push(&mut html, code);
        html.tag("</code>");
        rest = after;
    }
    push(&mut html, rest);
    html
}

/// The first character that hides, and where it stands.
fn find(text: &str, mut before: Option<char>, script: Script) -> Option<(usize, char)> {
    // Almost every text is of bytes that all show.
    if text.bytes().all(|b| (b' '..0x7f).contains(&b) || b == b'\n' || b == b'\t') {
        return None;
    }
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let belongs = || script == Script::Prose && belongs(c, before, after.chars().next());
        if hides(c) && !is_needed(c, before, after) && !belongs() {
            return Some((at, c));
        }
        // The character before a blank of a drawing also precedes the next one.
        if c != BLANK {
            before = Some(c);
        }
    }
    None
}

/// Returns true if it is a line end of another system, or a mark beside letters that need one.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '\r' => true,
        '\u{200c}'..='\u{200f}' | '\u{61c}' => is_beyond_ascii(before) || is_beyond_ascii(after),
        _ => false,
    }
}

fn name(c: char) -> &'static str {
    match c {
        '\u{1b}' => "Escape",
        '\u{8}' => "Backspace",
        '\r' => "Carriage return",
        '\0' => "Null",
        '\u{7f}' => "Delete",
        '\u{ad}' => "Soft hyphen",
        '\u{200b}' => "Zero width space",
        '\u{200c}' => "Zero width non-joiner",
        '\u{200d}' => "Zero width joiner",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => "Direction mark",
        '\u{202a}' | '\u{202b}' => "Direction embedding",
        '\u{202d}' => "Left-to-right override",
        '\u{202e}' => "Right-to-left override",
        '\u{2066}'..='\u{2069}' | '\u{202c}' => "Direction isolate",
        '\u{fe00}'..='\u{fe0f}' => "Variation selector",
        '\u{feff}' => "Byte order mark",
        '\u{e0000}'..='\u{e0fff}' => "Tag, invisible",
        c if c.is_control() => "Control character",
        _ => "Invisible character",
    }
}

#[cfg(test)]
mod tests {
    use super::{html, phrase, plain, prose};
    use crate::html::Html;

    #[test]
    fn what_hides_is_shown_by_its_number() {
        let marked = |text: &str| html(text).as_str().to_owned();
        assert_eq!(marked("a <b>\n\té 日本 👩‍🚀 ❤️"), "a &lt;b&gt;\n\té 日本 👩‍🚀 ❤️");
        assert_eq!(
            marked("rm\u{202e}x\u{200b}"),
            "rm<span class=\"ctl\" title=\"Right-to-left override\">U+202E</span>x<span class=\"ctl\" title=\"Zero \
             width space\">U+200B</span>"
        );
        assert_eq!(marked("a\u{200d}b").matches("U+200D").count(), 1);
        assert_eq!(marked("ad\u{fe0e}min").matches("Variation selector\">U+FE0E").count(), 1);
        let flood = marked(&"\u{1}".repeat(150));
        assert_eq!((flood.matches("<span").count(), flood.matches("U+0001").count()), (100, 150));
    }

    #[test]
    fn words_between_backticks_are_code() {
        let drawn = |text: &str| phrase(text).into_string();
        assert_eq!(drawn("Run `a<b` and `c`"), "Run <code>a&lt;b</code> and <code>c</code>");
        assert_eq!(drawn("one ` alone, ``two``"), "one ` alone, ``two``");
        assert_eq!(drawn("none"), "none");
    }

    #[test]
    fn prose_keeps_the_marks_that_its_script_needs() {
        let written = |text: &str| {
            let mut html = Html::new();
            prose(&mut html, text);
            html.into_string()
        };
        let hebrew =
            "one\r\n\u{5e9}\u{5dc}\u{200f}! \u{645}\u{6cc}\u{200c}\u{62e}\u{648} \u{28ff}\u{2800}\u{2800}\u{28c0}";
        assert_eq!(written(hebrew), hebrew);
        for c in
            ['\u{202e}', '\u{2066}', '\u{200b}', '\u{200e}', '\u{e0041}', '\u{3164}', '\u{ad}', '\u{2800}', '\u{1d173}']
        {
            assert!(written(&format!("a{c}b")).contains(&format!("U+{:04X}", u32::from(c))), "{c:?}");
        }
        assert_eq!(plain("cat\u{202e}gpj.exe"), "cat<U+202E>gpj.exe");
    }
}
