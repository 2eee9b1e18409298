//! Content: a string, or a list of blocks.

use super::obj::{Obj, list, string};
use std::borrow::Cow;

/// The text of all text blocks, or of a lone string.
pub(crate) fn joined_text(raw: &str) -> String {
    string(raw).map_or_else(|| texts(raw).join("\n"), Cow::into_owned)
}

/// The result of an agent, and what the program says to the model in a block behind it. Each block is a text that was
/// written by itself, so that without an empty line the last item of one would go on with the next.
pub(crate) fn agent_text(raw: &str) -> (String, Option<String>) {
    if let Some(text) = string(raw) {
        return (text.into_owned(), None);
    }
    let mut texts = texts(raw);
    let is_note = texts.len() > 1 && texts.last().is_some_and(|text| text.starts_with("agentId: "));
    let note = if is_note { texts.pop() } else { None };
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty()).collect();
    (texts.join("\n\n"), note)
}

/// The texts of a list of blocks.
fn texts(raw: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for block in list(raw).unwrap_or_default() {
        if let Some(text) = string(block) {
            parts.push(text.into_owned());
        } else if let Some(block) = Obj::parse(block) {
            match block.str("type").as_deref() {
                Some("text") | None => parts.extend(block.string("text")),
                Some("tool_reference") => parts.extend(block.string("tool_name")),
                Some("web_search_result") => {
                    let (title, url) = (block.string("title"), block.string("url"));
                    parts.extend([title, url].into_iter().flatten());
                }
                Some(_) => {}
            }
        }
    }
    parts
}

/// A code fence that the text can't close.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// The first `max` characters, with an ellipsis where something is missing.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Text without the control sequences of terminals.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
        } else if chars.next_if_eq(&']').is_some() {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        } else {
            chars.next();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{fenced, plain};

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fenced("", "a\n```\nb"), "````\na\n```\nb\n````");
        assert_eq!(fenced("rust", "x"), "```rust\nx\n```");
    }

    #[test]
    fn terminal_sequences_go() {
        assert_eq!(plain("\u{1b}[2mdim\u{1b}[22m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\."), "dim link.");
    }
}
