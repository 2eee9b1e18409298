//! Text in which nothing hides: characters that a reader can't see, or that reorder what is seen, are shown by their
//! number. A command with such a character isn't what it looks like.

use crate::html::Html;

/// Marks drawn in one text; after so many the characters are shown as plain text, since each mark costs an element.
const MAX_MARKS: usize = 100;

/// The text, with `<span class="ctl">U+202E</span>` for what can't be seen.
pub fn push(html: &mut Html, text: &str) {
    let mut rest = text;
    let mut before = None;
    let mut marks = 0;
    while let Some((at, c)) = find(rest, before) {
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

/// The first character that hides, and where it stands.
fn find(text: &str, mut before: Option<char>) -> Option<(usize, char)> {
    // Almost every text is of bytes that all show.
    if text.bytes().all(|b| (b' '..0x7f).contains(&b) || b == b'\n' || b == b'\t') {
        return None;
    }
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if hides(c) && !joins(c, before, chars.peek().map(|(_, next)| *next)) {
            return Some((at, c));
        }
        before = Some(c);
    }
    None
}

fn hides(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Controls; soft hyphen and other fillers; zero width; direction; invisible operators; tags.
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Is it a joiner where scripts and emoji need one? Between plain letters it only hides.
fn joins(c: char, before: Option<char>, after: Option<char>) -> bool {
    let script = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !hides(c));
    matches!(c, '\u{200c}' | '\u{200d}') && script(before) && script(after)
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
        '\u{feff}' => "Byte order mark",
        '\u{e0000}'..='\u{e0fff}' => "Tag, invisible",
        c if c.is_control() => "Control character",
        _ => "Invisible character",
    }
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn what_hides_is_shown_by_its_number() {
        let plain = |text: &str| html(text).as_str().to_owned();
        assert_eq!(plain("a <b>\n\té 日本 👩‍🚀 ❤️"), "a &lt;b&gt;\n\té 日本 👩‍🚀 ❤️");
        assert_eq!(
            plain("rm\u{202e}x\u{200b}"),
            "rm<span class=\"ctl\" title=\"Right-to-left override\">U+202E</span>x<span class=\"ctl\" title=\"Zero \
             width space\">U+200B</span>"
        );
        assert_eq!(plain("a\u{200d}b").matches("U+200D").count(), 1);
        let flood = plain(&"\u{1}".repeat(150));
        assert_eq!((flood.matches("<span").count(), flood.matches("U+0001").count()), (100, 150));
    }
}
