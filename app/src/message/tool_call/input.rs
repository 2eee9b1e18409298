//! Input of a tool: a command as in a shell, otherwise a table of names and values.

use super::super::{Card, parts::show_all};
use super::look::Look;
use crate::figures::counted;
use crate::html::Html;
use crate::markdown::repaired;
use crate::time_text::whole;
use crate::{json_tree, visible};
use model::message_type::tool_call::ToolCall;
use model::text::clip;
use serde_json::{Map, Value};

/// The input, unless the head says all of it.
pub(super) fn view(card: &Card, call: &ToolCall, look: &Look) -> Option<Html> {
    if call.input.is_empty() || look.says_all {
        return None;
    }
    let mut html = Html::new();
    if let Some(words) = caption(call) {
        html.tag("<p class=\"body mut\">");
        visible::push(&mut html, words);
        html.tag("</p>");
    }
    if let Some((_, command)) = command(&call.input) {
        html.tag("<pre class=\"input\" tabindex=\"0\">$ ");
        let left = cut(card, &command, &mut html);
        html.tag("</pre>");
        more(&left, &mut html);
    }
    let others: Vec<_> = call.input.iter().filter(|(key, value)| !is_told(call, look, key, value)).collect();
    if !others.is_empty() {
        html.tag("<dl class=\"kv input\">");
        for (key, value) in others {
            html.tag("<dt>").text(&clip(&key.replace('_', " "), 60)).tag("</dt><dd>");
            one(card, look, key, value, &mut html);
            html.tag("</dd>");
        }
        html.tag("</dl>");
    }
    (!html.is_empty()).then_some(html)
}

/// Returns the agent's description of its command.
fn caption(call: &ToolCall) -> Option<&str> {
    let words = call.input.get("description")?.as_str()?;
    (command(&call.input).is_some() && !words.trim().is_empty()).then_some(words)
}

/// Writes the first lines of a text, and says how many are left: a text never ends in the middle of a line without a
/// word.
fn cut(card: &Card, text: &str, html: &mut Html) -> Left {
    let (shown, lines) = first_lines(card, text);
    html.html(&card.cut_text(shown).in_pre());
    if lines == 0 && card.cuts(shown) { Left::Words } else { Left::Lines(lines) }
}

/// The hidden part of a text.
enum Left {
    Lines(usize),
    /// The rest of its last line.
    Words,
}

fn first_lines<'t>(card: &Card, text: &'t str) -> (&'t str, usize) {
    /// So many lines are shown, and a few more rather than a button.
    const LINES: usize = 12;
    const AT_MOST: usize = 16;
    let text = text.trim_end();
    if card.whole() || text.lines().nth(AT_MOST).is_none() {
        return (text, 0);
    }
    let end = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at);
    (&text[..end], text[end..].trim_start_matches('\n').lines().count())
}

fn more(left: &Left, html: &mut Html) {
    match left {
        Left::Lines(0) => {}
        Left::Lines(lines) => show_all(html, &format!("Show {}", counted(*lines as i64, "more line"))),
        Left::Words => show_all(html, "Show all"),
    }
}

/// The input as text, for what is folded and for the page of the whole text.
pub(super) fn text(input: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    for (key, value) in input {
        lines.push(match (command(input), value) {
            (Some((name, words)), _) if name == key => format!("$ {words}"),
            (_, Value::String(words)) if words.contains('\n') => format!("{key}:\n{words}"),
            (_, Value::String(words)) => format!("{key}: {words}"),
            (_, other) => format!("{key}: {}", serde_json::to_string_pretty(other).unwrap_or_default()),
        });
    }
    lines.join("\n")
}

/// The command line among the input, and under which key: a string, or its words.
pub(super) fn command(input: &Map<String, Value>) -> Option<(&'static str, String)> {
    ["command", "cmd"].into_iter().find_map(|key| {
        let command = match input.get(key)? {
            Value::String(command) => command.clone(),
            Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?.join(" "),
            _ => return None,
        };
        (!command.is_empty()).then_some((key, command))
    })
}

/// Returns true if it is in the head, above the command, or what goes without saying.
fn is_told(call: &ToolCall, look: &Look, key: &str, value: &Value) -> bool {
    let is_path = matches!(key, "file_path" | "notebook_path" | "path" | "filePath");
    // The head has the whole of a path on hover.
    let in_head = value.as_str().is_some_and(|text| text == look.said && (is_path || text.len() < 90));
    let of_agent = look.agent && matches!(key, "subagent_type" | "description");
    let folder = look.says_folder && key == "path";
    let caption = key == "description" && caption(call).is_some();
    let drawn = command(&call.input).is_some_and(|(name, _)| name == key);
    in_head || of_agent || folder || caption || drawn || is_usual(key, value)
}

/// Returns true if it is what the tool does anyway, or what the head says in a word of its own.
fn is_usual(key: &str, value: &Value) -> bool {
    const USUAL: [(&str, bool); 8] = [
        ("-i", false),
        ("-n", true),
        ("block", true),
        ("fullPage", false),
        ("multiline", false),
        ("replace_all", false),
        ("run_in_background", false),
        ("run_in_background", true),
    ];
    value.as_bool().is_some_and(|value| USUAL.contains(&(key, value)))
}

fn one(card: &Card, look: &Look, key: &str, value: &Value, html: &mut Html) {
    match value {
        Value::String(words) if (look.agent && key == "prompt") || (look.takes_prose && is_markdown(words)) => {
            let (shown, left) = first_lines(card, words);
            // Close elements that the cut left open.
            let shown = if left > 0 { repaired(shown) } else { shown.into() };
            html.tag("<div class=\"prose val\">").html(&card.prose(&shown)).tag("</div>");
            more(&Left::Lines(left), html);
        }
        Value::String(words) if words.contains('\n') || words.chars().nth(200).is_some() => {
            html.tag("<pre class=\"val\" tabindex=\"0\">");
            let left = cut(card, words, html);
            html.tag("</pre>");
            more(&left, html);
        }
        Value::String(words) => visible::push(html, words),
        Value::Number(number) if key == "timeout" && number.as_i64().is_some_and(|ms| ms >= 1_000) => {
            html.text(&whole(number.as_i64().unwrap_or_default().saturating_mul(1_000)));
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(is_short) => {
            let words: Vec<String> = items.iter().map(scalar).collect();
            visible::push(html, &words.join(", "));
        }
        Value::Array(_) | Value::Object(_) => {
            html.html(&json_tree::tree(value));
        }
        other => visible::push(html, &scalar(other)),
    }
}

/// Returns true if a text of several lines has headings, list items or bold text.
fn is_markdown(words: &str) -> bool {
    let marked = |line: &str| {
        let line = line.trim_start();
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len() && heading.starts_with(' ')) || line.starts_with("- ") || line.starts_with("**")
    };
    words.trim().contains('\n') && words.lines().any(marked)
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().nth(60).is_none(),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::is_markdown;

    #[test]
    fn markdown_is_told_by_its_lines() {
        assert!(is_markdown("## Why\nBecause"));
        assert!(is_markdown("Why\n\n- one\n- two"));
        assert!(is_markdown("**Why**\nBecause"));
        assert!(!is_markdown("## Why"));
        assert!(!is_markdown("#!/bin/sh\nls -la"));
        assert!(!is_markdown("one\ntwo - three"));
    }
}
