//! What terminals read beside the text: colours, movements, titles.

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

/// Does a sequence, or a character that does something, begin here?
pub fn is_special(c: char) -> bool {
    (c.is_ascii_control() && c != '\n' && c != '\t') || c == '\u{9b}'
}

/// Does a terminal do something at it, rather than pass it over? What it passes over, a reader isn't to miss.
pub fn acts(c: char) -> bool {
    matches!(c, '\u{7}' | '\u{8}' | '\r' | '\u{e}' | '\u{f}' | '\u{1b}' | '\u{9b}')
}

/// Progress bars write over their own line: the last writing stays.
pub fn last_rewrite(line: &str) -> &str {
    line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("")
}

/// What stands at the start of `text`, which begins with a control character: parameters of a colour sequence, if it is
/// one, and what follows. Always moves on by at least one character.
pub fn sequence(text: &str) -> (Option<&str>, &str) {
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
