//! A tool call as readable text: the `content` of its message.
//!
//! The wording is that of an older product's notifications, so that its users see what they know. A preview is cut where
//! the payload has the rest anyway.

use super::blocks::cut;
use crate::parts::edits::language;
use serde_json::Value;

/// Most lines of code in a preview.
const MAX_LINES: usize = 60;

/// Most characters of one command in a preview.
const MAX_COMMAND: usize = 2000;

pub(crate) fn preview(tool: &str, input: &Value) -> String {
    let get = |key: &str| input.get(key).and_then(Value::as_str);
    let name = |what: Option<&str>| format!("Using tool: {tool} - `{}`", what.unwrap_or("unknown"));
    match tool {
        _ if tool.starts_with("mcp__omnara__") => format!("Using tool: {tool}"),
        "Write" => {
            let path = get("file_path").unwrap_or("unknown");
            let code = head(get("content").unwrap_or(""));
            format!("{}\n```{}\n{code}\n```", name(Some(path)), language(path).unwrap_or(""))
        }
        "Read" | "NotebookRead" | "NotebookEdit" => name(get("file_path").or_else(|| get("notebook_path"))),
        "Edit" => edit(input),
        "MultiEdit" => multi_edit(input),
        "Bash" => format!("Using tool: {tool} - `{}`", cut(get("command").unwrap_or(""), MAX_COMMAND)),
        "Grep" | "Glob" => {
            let pattern = cut(get("pattern").unwrap_or("unknown"), 50);
            let place = get("path").unwrap_or("current directory");
            format!("Using tool: {tool} - `{pattern}` in {place}")
        }
        "LS" => name(get("path")),
        "TodoWrite" => todo_list(input),
        "Task" | "Agent" => {
            let agent = get("subagent_type").unwrap_or("unknown");
            format!("Using tool: {tool} - {} (agent: {agent})", cut(get("description").unwrap_or("unknown"), 50))
        }
        "WebFetch" => format!("Using tool: {tool} - `{}`", cut(get("url").unwrap_or("unknown"), 80)),
        "WebSearch" => format!("Using tool: {tool} - {}", get("query").unwrap_or("unknown")),
        "ListMcpResourcesTool" => "Using tool: List MCP Resources".to_owned(),
        _ => {
            const KEYS: [&str; 12] = [
                "file",
                "path",
                "query",
                "content",
                "message",
                "description",
                "name",
                "subject",
                "skill",
                "command",
                "url",
                "prompt",
            ];
            match KEYS.iter().find_map(|key| get(key).filter(|text| !text.is_empty())) {
                Some(what) => format!("Using tool: {tool} - {}", cut(what, 50)),
                None => format!("Using tool: {tool}"),
            }
        }
    }
}

fn edit(input: &Value) -> String {
    let get = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or("");
    let path = input.get("file_path").and_then(Value::as_str).unwrap_or("unknown");
    let mut text = format!("Using tool: **Edit** - `{path}`\n");
    if replaces_all(input) {
        text.push_str("*Replacing all occurrences*\n");
    }
    let diff = diff(get("old_string"), get("new_string"));
    if !diff.is_empty() {
        text = format!("{text}\n```diff\n{diff}\n```");
    }
    text
}

fn multi_edit(input: &Value) -> String {
    let none = Vec::new();
    let edits = input.get("edits").and_then(Value::as_array).unwrap_or(&none);
    let path = input.get("file_path").and_then(Value::as_str).unwrap_or("unknown");
    let plural = if edits.len() == 1 { "" } else { "s" };
    let mut text = format!("Using tool: **MultiEdit** - `{path}`\n*Making {} edit{plural}:*\n", edits.len());
    for (n, edit) in edits.iter().enumerate() {
        let get = |key: &str| edit.get(key).and_then(Value::as_str).unwrap_or("");
        let all = if replaces_all(edit) { " *(replacing all occurrences)*" } else { "" };
        let part =
            format!("\n### Edit {}{all}\n\n```diff\n{}\n```\n", n + 1, diff(get("old_string"), get("new_string")));
        text.push_str(&part);
    }
    text
}

fn replaces_all(edit: &Value) -> bool {
    edit.get("replace_all").and_then(Value::as_bool).unwrap_or(false)
}

/// The changed middle with up to two equal lines around it.
fn diff(old: &str, new: &str) -> String {
    const AROUND: usize = 2;
    let lines = |text: &'_ str| -> Vec<String> {
        if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() }
    };
    let (old, new) = (lines(old), lines(new));
    let mut before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let mut after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(|(a, b)| a == b).count();
    if before == old.len() && before == new.len() {
        (before, after) = (0, 0);
    }
    let mut out = Vec::new();
    let mut add = |mark: &str, part: &[String]| out.extend(part.iter().map(|line| format!("{mark} {line}")));
    add(" ", &old[before.saturating_sub(AROUND)..before]);
    add("-", &old[before..old.len() - after]);
    add("+", &new[before..new.len() - after]);
    add(" ", &old[old.len() - after..][..after.min(AROUND)]);
    if out.len() > MAX_LINES {
        let more = out.len() - MAX_LINES;
        out.truncate(MAX_LINES);
        out.push(format!("... {more} more lines"));
    }
    out.join("\n")
}

fn todo_list(input: &Value) -> String {
    let none = Vec::new();
    let todos = input.get("todos").and_then(Value::as_array).unwrap_or(&none);
    if todos.is_empty() {
        return "Using tool: TodoWrite - clearing todo list".to_owned();
    }
    let lines = todos.iter().map(|todo| {
        let get = |key: &str| todo.get(key).and_then(Value::as_str);
        let mark = match get("status").unwrap_or("pending") {
            "pending" => '○',
            "in_progress" => '◐',
            "completed" => '●',
            _ => '•',
        };
        format!("{mark} {}", cut(get("content").unwrap_or(""), 100))
    });
    format!("Using tool: TodoWrite - Todo List\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The first lines of a text.
fn head(text: &str) -> String {
    match text.match_indices('\n').nth(MAX_LINES) {
        Some((end, _)) => format!("{}\n... {} more lines", &text[..end], text[end + 1..].lines().count()),
        None => text.to_owned(),
    }
}
