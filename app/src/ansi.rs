//! Terminal output as HTML: colours become classes, every other escape sequence goes.

use crate::html::Html;

/// What SGR sequences can say here. Backgrounds and true colours are left out: they can't follow the theme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    bold: bool,
    dim: bool,
    /// 1 to 6: red, green, yellow, blue, magenta, cyan.
    colour: u8,
}

/// The text with `<span class="a31 a1">` around what was coloured.
pub fn to_html(text: &str) -> Html {
    let mut html = Html::new();
    let mut style = Style::default();
    // Nothing to interpret: by far the most common case.
    if !text.contains(is_special) {
        html.text(text);
        return html;
    }
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            html.text("\n");
        }
        draw_line(last_rewrite(line.trim_end_matches('\r')), &mut style, &mut html);
    }
    html
}

/// The text without escape sequences, as it was finally to be read.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let mut rest = last_rewrite(line.trim_end_matches('\r'));
        while let Some(at) = rest.find(is_special) {
            out.push_str(&rest[..at]);
            rest = sequence(&rest[at..]).1;
        }
        out.push_str(rest);
    }
    out
}

fn is_special(c: char) -> bool {
    (c.is_ascii_control() && c != '\n' && c != '\t') || c == '\u{9b}'
}

/// Progress bars write over their own line: the last writing stays.
fn last_rewrite(line: &str) -> &str {
    line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("")
}

fn draw_line(line: &str, style: &mut Style, html: &mut Html) {
    let mut rest = line;
    loop {
        let at = rest.find(is_special).unwrap_or(rest.len());
        draw_text(&rest[..at], *style, html);
        if at == rest.len() {
            return;
        }
        let (sgr, after) = sequence(&rest[at..]);
        if let Some(parameters) = sgr {
            apply(parameters, style);
        }
        rest = after;
    }
}

fn draw_text(text: &str, style: Style, html: &mut Html) {
    if text.is_empty() {
        return;
    }
    if style == Style::default() {
        html.text(text);
        return;
    }
    html.tag("<span class=\"");
    let colour = match style.colour {
        1 => "a31",
        2 => "a32",
        3 => "a33",
        4 => "a34",
        5 => "a35",
        6 => "a36",
        _ => "",
    };
    html.tag(colour);
    html.tag(if style.bold { " a1" } else { "" }).tag(if style.dim { " a2" } else { "" });
    html.tag("\">").text(text).tag("</span>");
}

/// What stands at the start of `text`, which begins with a control character: parameters of a colour sequence, if it is
/// one, and what follows. Always moves on by at least one character.
fn sequence(text: &str) -> (Option<&str>, &str) {
    let Some(after_escape) = text.strip_prefix('\u{1b}') else {
        let mut chars = text.chars();
        let first = chars.next();
        return if first == Some('\u{9b}') { control(chars.as_str()) } else { (None, chars.as_str()) };
    };
    if let Some(body) = after_escape.strip_prefix('[') {
        return control(body);
    }
    if after_escape.starts_with([']', 'P', '_', '^', 'X']) {
        // A string for the terminal itself (a title, a link): ends with BEL or ESC \.
        let body = &after_escape[1..];
        let end = body.find(['\u{7}', '\u{1b}']).unwrap_or(body.len());
        let after = &body[end..];
        let after = after.strip_prefix("\u{1b}\\").or_else(|| after.strip_prefix('\u{7}')).unwrap_or(after);
        return (None, after);
    }
    // ESC, intermediate bytes, one final byte.
    let body = after_escape.trim_start_matches(|c: char| (' '..='/').contains(&c));
    let mut chars = body.chars();
    match chars.next() {
        Some(c) if ('0'..='~').contains(&c) => (None, chars.as_str()),
        _ => (None, body),
    }
}

/// A control sequence after its `ESC [`.
fn control(body: &str) -> (Option<&str>, &str) {
    let end = body.find(|c: char| !(' '..='?').contains(&c)).unwrap_or(body.len());
    let (parameters, from) = body.split_at(end);
    let mut chars = from.chars();
    match chars.next() {
        Some('m') => (Some(parameters), chars.as_str()),
        Some(c) if ('@'..='~').contains(&c) => (None, chars.as_str()),
        _ => (None, from),
    }
}

fn apply(parameters: &str, style: &mut Style) {
    let mut codes = parameters.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
    while let Some(code) = codes.next() {
        match code {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            22 => (style.bold, style.dim) = (false, false),
            31..=36 => style.colour = (code - 30) as u8,
            91..=96 => style.colour = (code - 90) as u8,
            90 => (style.colour, style.dim) = (0, true),
            30 | 37 | 39 | 97 => style.colour = 0,
            38 | 48 => {
                let chosen = extended(&mut codes);
                if code == 38 {
                    style.colour = chosen;
                }
            }
            _ => {}
        }
    }
}

/// The colour of `38;5;n`, where it is one of the first sixteen. `38;2;r;g;b` is read over.
fn extended(codes: &mut impl Iterator<Item = u16>) -> u8 {
    match codes.next() {
        Some(5) => match codes.next() {
            Some(n @ 1..=6) => n as u8,
            Some(n @ 9..=14) => (n - 8) as u8,
            _ => 0,
        },
        Some(2) => {
            codes.nth(2);
            0
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, to_html};

    #[test]
    fn colours_become_classes() {
        let text = "\u{1b}[32;1mFinished\u{1b}[0m in \u{1b}[2m3 s\u{1b}[22m \u{1b}[38;5;9mred\u{1b}[39m \u{1b}[38;2;1;2;3mtrue\u{1b}[m";
        assert_eq!(
            to_html(text).as_str(),
            "<span class=\"a32 a1\">Finished</span> in <span class=\" a2\">3 s</span> <span class=\"a31\">red</span> true"
        );
    }

    #[test]
    fn other_sequences_go() {
        let cases = [
            ("\u{1b}]0;title\u{7}a", "a"),
            ("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("a\u{1b}[2K\u{1b}[1;1Hb\u{1b}[?25l", "ab"),
            ("10 %\r50 %\r100 %\r\ndone\r", "100 %\ndone"),
            ("x\u{8}\u{1b}(By\u{1b}", "xy"),
            ("\u{1b}[31", ""),
            ("a\u{1b}]never ends", "a"),
        ];
        for (text, want) in cases {
            assert_eq!(plain(text), want, "{text:?}");
        }
        assert_eq!(to_html("\u{1b}[2K<b>\n\u{1b}[3mi").as_str(), "&lt;b&gt;\ni");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[\\x00-\\x7f\u{9b}ä\\[\\];m0-9\\x1b]{0,60}") {
            let escape = char::from(0x1b);
            proptest::prop_assert!(!to_html(&text).as_str().contains(escape));
            proptest::prop_assert!(!plain(&text).contains(escape));
        }
    }
}
