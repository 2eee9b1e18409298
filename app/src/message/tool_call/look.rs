//! How a tool call looks in one line: by the kind of its tool, never by a list of names.

use super::super::Card;
use crate::icon::Glyph;
use model::{
    message_type::tool_call::{ToolCall, ToolKind},
    text::{clip, one_line},
};
use serde_json::Value;

#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub(super) struct Look {
    pub kind: ToolKind,
    pub glyph: Glyph,
    /// A state whose colour the icon takes.
    pub tint: Option<&'static str>,
    pub name: String,
    /// Does it start another agent?
    pub agent: bool,
    /// What it works on, in one line, as the tool was told.
    pub said: String,
    /// The same for the head.
    pub target: String,
    /// The same uncut, for hovering.
    pub full_target: Option<String>,
    /// A figure of the result: `164 lines`.
    pub meta: Option<String>,
    /// Are the last lines of the output the ones that matter?
    pub tail: bool,
    /// Is the output markdown?
    pub prose: bool,
    /// Does the line say the whole input?
    pub says_all: bool,
}

impl Look {
    pub fn of(card: &Card, call: &ToolCall) -> Self {
        let kind = call.kind();
        let agent = is_agent(call);
        let glyph = if agent { Glyph::Sub } else { glyph(kind) };
        let titled = || call.title().map(|title| one_line(title, 160));
        let said = call.target().or_else(titled).unwrap_or_default();
        let target = match call.input.get("path").and_then(Value::as_str) {
            Some(path) if kind == ToolKind::Search && !path.is_empty() && path != said => {
                format!("{said} in {}", card.short_path(path))
            }
            _ => card.short_path(&said).to_owned(),
        };
        let target = match (kind, destination(call)) {
            (ToolKind::Move, Some(to)) => format!("{target} → {}", card.short_path(to)),
            _ => target,
        };
        let role = call.input.get("subagent_type").and_then(Value::as_str).filter(|_| agent);
        let meta = [role.map(|role| clip(role, 40)), meta(call, kind)];
        let meta = meta.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} ");
        let only = call.input.len() == 1;
        let says_all =
            only && call.input.values().all(|value| value.as_str() == Some(said.as_str())) && said.len() < 90;
        Self {
            kind,
            glyph,
            tint: agent.then_some("thinking"),
            name: word(call, kind, agent),
            agent,
            full_target: (target != said).then(|| said.clone()),
            said,
            target,
            meta: Some(meta).filter(|meta| !meta.is_empty()),
            tail: kind == ToolKind::Execute,
            prose: agent || kind == ToolKind::Fetch,
            says_all,
        }
    }
}

/// Where something is moved to.
fn destination(call: &ToolCall) -> Option<&str> {
    const KEYS: [&str; 6] = ["to", "new_path", "destination", "destination_path", "target", "target_path"];
    KEYS.iter().find_map(|key| call.input.get(*key)?.as_str())
}

/// The icon of a kind.
pub const fn glyph(kind: ToolKind) -> Glyph {
    match kind {
        ToolKind::Read => Glyph::File,
        ToolKind::Edit => Glyph::Edit,
        ToolKind::Delete => Glyph::Trash,
        ToolKind::Move => Glyph::Exit,
        ToolKind::Search => Glyph::Search,
        ToolKind::Execute => Glyph::Term,
        ToolKind::Think => Glyph::Think,
        ToolKind::Fetch => Glyph::Globe,
        ToolKind::Other => Glyph::Plug,
    }
}

/// Does it start another agent?
fn is_agent(call: &ToolCall) -> bool {
    call.input.contains_key("subagent_type") || matches!(call.tool_name.as_str(), "Agent" | "Task")
}

/// What it does, in a word: by its kind where its input is of the usual shape, else by its name.
fn word(call: &ToolCall, kind: ToolKind, agent: bool) -> String {
    let has = |key: &str| call.input.contains_key(key);
    let named = || name(&call.tool_name);
    let path = has("file_path") || has("path") || has("notebook_path");
    match kind {
        _ if agent => "Agent".to_owned(),
        ToolKind::Execute if has("command") || has("cmd") => "Run".to_owned(),
        ToolKind::Read if path => "Read".to_owned(),
        ToolKind::Search if has("pattern") && call.tool_name.eq_ignore_ascii_case("glob") => "Find".to_owned(),
        ToolKind::Search if has("pattern") || has("query") => "Search".to_owned(),
        ToolKind::Fetch if has("query") => "Search the web".to_owned(),
        ToolKind::Fetch if has("url") => "Fetch".to_owned(),
        ToolKind::Edit if has("content") && !has("old_string") => "Write".to_owned(),
        ToolKind::Edit => "Edit".to_owned(),
        ToolKind::Delete => "Delete".to_owned(),
        ToolKind::Move => "Move".to_owned(),
        _ => named(),
    }
}

/// `mcp__github__create_issue` as `github: create issue`, `TaskOutput` as `Task output`.
fn name(tool: &str) -> String {
    let parts = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    let spaced = |name: &str| name.replace('_', " ");
    let words = parts.map_or_else(|| words(tool), |(server, tool)| format!("{}: {}", spaced(server), spaced(tool)));
    clip(&words, 60)
}

/// A name of several words as a sentence begins.
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in name.replace(['_', '-'], " ").trim().chars() {
        if c.is_uppercase() && before.is_lowercase() {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else if words.is_empty() {
            words.extend(c.to_uppercase());
        } else {
            words.push(c);
        }
        before = c;
    }
    words
}

fn meta(call: &ToolCall, kind: ToolKind) -> Option<String> {
    let result = call.other.get("result")?;
    let number = |key: &str| result.get(key).and_then(Value::as_i64);
    let counted = |n: i64, noun: &str| crate::figures::counted(n, noun);
    match kind {
        ToolKind::Read => {
            let file = result.get("file")?;
            file.get("numLines").and_then(Value::as_i64).map(|lines| counted(lines, "line"))
        }
        ToolKind::Search
            if call
                .output_text()
                .is_some_and(|text| text.trim() == "No files found" || text.trim() == "No matches found") =>
        {
            Some("nothing found".to_owned())
        }
        ToolKind::Search => number("numMatches")
            .map(|n| if n == 1 { "1 match".to_owned() } else { format!("{n} matches") })
            .or_else(|| number("numFiles").map(|n| counted(n, "file"))),
        _ => number("totalToolUseCount").map(|n| counted(n, "tool call")),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_as_people_read_them() {
        let names = ["TaskOutput", "mcp__code_host__create_issue", "send_message", "LSP", "WebSearch", ""].map(name);
        assert_eq!(names, ["Task output", "code host: create issue", "Send message", "LSP", "Web search", ""]);
    }
}
