//! Results of a text search: lines by file, with their numbers and highlighted matches.

use super::super::super::Card;
use crate::html::Html;
use crate::visible;
use model::message_type::tool_call::ToolCall;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// Marks and files drawn with an element of their own; what comes after is text.
const MAX_MARKS: usize = 120;
const MAX_FILES: usize = 100;
/// Lines that are no match and stand around none, drawn until all are asked for.
const MAX_OTHERS: usize = 20;

/// One line that was found, or stands around one.
#[derive(Debug, PartialEq, Eq)]
struct Found<'t> {
    /// Empty where a single file was searched.
    path: &'t str,
    line: &'t str,
    text: &'t str,
    is_match: bool,
}

/// The text as matches by file. None if it doesn't look like that.
pub(super) fn draw(card: &Card, call: &ToolCall, output: &str) -> Option<Html> {
    let lines: Vec<&str> = output.lines().filter(|line| !line.is_empty() && *line != "--").collect();
    let found: Vec<Found<'_>> = lines.iter().filter_map(|line| found(line)).collect();
    let others = lines.len() - found.len();
    if found.is_empty() || others * 4 > lines.len() {
        return None;
    }
    let pattern = pattern(call);
    let only = call.input.get("path").and_then(Value::as_str).unwrap_or_default();
    let mut html = Html::new();
    let (mut at, mut files, mut marks) = (0, 0, 0);
    html.tag("<div class=\"found\">");
    while at < found.len() && files < MAX_FILES {
        // Some tools name a file in full on one line and in short on the next.
        let path = card.short_path(found[at].path);
        let is_other = |next: &Found<'_>| card.short_path(next.path) != path;
        let end = found[at..].iter().position(is_other).map_or(found.len(), |length| at + length);
        let shown = if path.is_empty() { card.short_path(only) } else { path };
        html.tag("<p class=\"path\"").attr("title", &visible::plain(shown)).tag(">");
        html.html(&visible::path(shown)).tag("</p>");
        file(&found[at..end], pattern.as_ref(), &mut marks, &mut html);
        (at, files) = (end, files + 1);
    }
    // Fewer than the lines that were found, which are fetched with the whole card.
    let most = if card.whole() { usize::MAX } else { MAX_OTHERS };
    for line in lines.iter().filter(|line| self::found(line).is_none()).take(most) {
        html.tag("<p class=\"note-line\">");
        visible::push(&mut html, line);
        html.tag("</p>");
    }
    if others > most {
        crate::message::parts::show_all(
            &mut html,
            &format!("Show {}", crate::figures::counted((others - most) as i64, "more line")),
        );
    }
    if at < found.len() {
        let left = crate::figures::counted((found.len() - at) as i64, "line");
        html.tag("<p class=\"note-line\">").text(&format!("{left} more in the full text")).tag("</p>");
    }
    html.tag("</div>");
    Some(html)
}

fn file(found: &[Found<'_>], pattern: Option<&Regex>, marks: &mut usize, html: &mut Html) {
    let numbers: Vec<&str> = found.iter().map(|line| line.line).collect();
    html.tag("<div class=\"source\"><pre class=\"nums\" aria-hidden=\"true\">").text(&numbers.join("\n"));
    html.tag("</pre><pre class=\"code\" tabindex=\"0\">");
    for (number, line) in found.iter().enumerate() {
        if number > 0 {
            html.text("\n");
        }
        let mut at = 0;
        for hit in pattern.filter(|_| line.is_match).into_iter().flat_map(|pattern| pattern.find_iter(line.text)) {
            if hit.is_empty() || *marks >= MAX_MARKS {
                continue;
            }
            visible::push(html, &line.text[at..hit.start()]);
            html.tag("<mark>");
            visible::push(html, hit.as_str());
            html.tag("</mark>");
            (at, *marks) = (hit.end(), *marks + 1);
        }
        visible::push(html, &line.text[at..]);
    }
    html.tag("</pre></div>");
}

/// `path:12:text`, `path-12-text` around a match, `12:text` in a single file.
fn found(line: &str) -> Option<Found<'_>> {
    // Of several numbers, the first one between equal signs is the line number.
    let mut from = 0;
    loop {
        let start = from + line[from..].find(|c: char| c.is_ascii_digit())?;
        let digits = line[start..].find(|c: char| !c.is_ascii_digit())?;
        let end = start + digits;
        let sign = line[end..].chars().next().filter(|c| matches!(c, ':' | '-'));
        let path = sign.and_then(|sign| line[..start].strip_suffix(sign));
        match (sign, path) {
            (Some(sign), Some(path)) if !path.is_empty() && !path.contains([' ', '\t']) => {
                return Some(Found { path, line: &line[start..end], text: &line[end + 1..], is_match: sign == ':' });
            }
            (Some(sign), _) if start == 0 && digits < 8 => {
                return Some(Found { path: "", line: &line[..end], text: &line[end + 1..], is_match: sign == ':' });
            }
            _ => from = end,
        }
    }
}

/// Returns the search pattern. Unsupported patterns aren't highlighted.
fn pattern(call: &ToolCall) -> Option<Regex> {
    let pattern = ["pattern", "query", "regex"].iter().find_map(|key| call.input.get(*key)?.as_str())?;
    let blind = call.input.get("-i").and_then(Value::as_bool).unwrap_or(false);
    RegexBuilder::new(pattern).case_insensitive(blind).size_limit(1 << 20).build().ok()
}

#[cfg(test)]
mod tests {
    use super::{Found, found};

    #[test]
    fn lines_of_ripgrep() {
        let line = |path, line, text, is_match| Some(Found { path, line, text, is_match });
        assert_eq!(found("src/a-2.rs:12:let x = 1:2;"), line("src/a-2.rs", "12", "let x = 1:2;", true));
        assert_eq!(found("src/a.rs-13-}"), line("src/a.rs", "13", "}", false));
        assert_eq!(found("7:fn main()"), line("", "7", "fn main()", true));
        assert_eq!(found("Found 3 files"), None);
        assert_eq!(found("src/plain.rs"), None);
    }
}
