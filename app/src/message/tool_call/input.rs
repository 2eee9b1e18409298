//! What a tool was given: a command as a shell shows it, the rest as a table of names and values.

use super::super::Card;
use super::look::Look;
use crate::html::Html;
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
    if let Some((_, command)) = command(&call.input) {
        html.tag("<pre class=\"input\" tabindex=\"0\">$ ");
        html.html(&card.cut_text(&command));
        html.tag("</pre>");
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

/// Is it in the head, or drawn as a command?
fn is_told(call: &ToolCall, look: &Look, key: &str, value: &Value) -> bool {
    let in_head = value.as_str().is_some_and(|text| text == look.said && text.len() < 90);
    let of_agent = look.agent && matches!(key, "subagent_type" | "description");
    in_head || of_agent || command(&call.input).is_some_and(|(name, _)| name == key)
}

fn one(card: &Card, look: &Look, key: &str, value: &Value, html: &mut Html) {
    match value {
        Value::String(prompt) if look.agent && key == "prompt" => {
            html.tag("<div class=\"prose val\">").html(&card.prose(prompt)).tag("</div>");
        }
        Value::String(words) if words.contains('\n') || words.chars().nth(200).is_some() => {
            html.tag("<pre class=\"val\" tabindex=\"0\">");
            html.html(&card.cut_text(words));
            html.tag("</pre>");
        }
        Value::String(words) => visible::push(html, words),
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
