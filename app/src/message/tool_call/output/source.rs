//! A file as it was read: line numbers beside it, in the colours of its language.

use crate::html::Html;
use crate::markdown::code_lines;
use crate::visible;

/// Longer texts stay plain: colours cost an element each.
const MAX_COLOURED: usize = 200;

/// Lines that a tool numbered itself, as `   12→text` or `12<tab>text`, and what it says after them.
pub(super) struct Numbered<'t> {
    pub first: usize,
    pub code: String,
    /// Notes to the model, such as reminders.
    pub rest: &'t str,
}

impl<'t> Numbered<'t> {
    pub fn read(text: &'t str) -> Option<Self> {
        let mut lines = Vec::new();
        let mut first = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let Some((number, code)) = numbered(line.trim_end_matches(['\n', '\r'])) else { break };
            let start = *first.get_or_insert(number);
            if number != start + lines.len() {
                break;
            }
            lines.push(code);
            at += line.len();
        }
        Some(Self { first: first?, code: lines.join("\n"), rest: text[at..].trim() })
    }
}

fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    let code = line[end..].strip_prefix('→').or_else(|| line[end..].strip_prefix('\t'))?;
    Some((line[..end].parse().ok()?, code))
}

/// Code with its numbers, which are neither selected nor copied.
pub(super) fn draw(path: &str, first: usize, code: &str) -> Html {
    let mut html = Html::new();
    let count = code.split('\n').count();
    let numbers: Vec<String> = (first..first + count).map(|n| n.to_string()).collect();
    html.tag("<div class=\"source\"><pre class=\"nums\" aria-hidden=\"true\">").text(&numbers.join("\n"));
    html.tag("</pre><pre class=\"code\" tabindex=\"0\">");
    let language = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    if count <= MAX_COLOURED && !language.is_empty() {
        code_lines(&mut html, language, code);
    } else {
        visible::push(&mut html, code);
    }
    html.tag("</pre></div>");
    html
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn numbers_are_read_while_they_follow_each_other() {
        let read =
            Numbered::read("    9→a\n   10→\n   11→\tb\n\n<system-reminder>x</system-reminder>").expect("numbered");
        assert_eq!(
            (read.first, read.code.as_str(), read.rest),
            (9, "a\n\n\tb", "<system-reminder>x</system-reminder>")
        );
        let tabs = Numbered::read("1\tx\n3\ty\n").expect("numbered");
        assert_eq!((tabs.code.as_str(), tabs.rest), ("x", "3\ty"));
        assert!(Numbered::read("no numbers").is_none());
        assert!(Numbered::read("").is_none());
    }
}
