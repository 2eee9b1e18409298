//! How a tool call looks in one line: by the kind of its tool, never by a list of names.

use super::super::Card;
use crate::icon::Glyph;
use model::{
    message_type::tool_call::{ToolCall, ToolKind},
    text::{clip, one_line},
};
use serde_json::Value;

pub(super) struct Look {
    pub kind: ToolKind,
    pub glyph: Glyph,
    /// A state whose colour the icon takes.
    pub tint: Option<&'static str>,
    pub name: String,
    /// What it works on, in one line.
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
        let glyph = match kind {
            _ if agent => Glyph::Sub,
            ToolKind::Read => Glyph::File,
            ToolKind::Edit => Glyph::Edit,
            ToolKind::Delete => Glyph::Trash,
            ToolKind::Move => Glyph::Exit,
            ToolKind::Search => Glyph::Search,
            ToolKind::Execute => Glyph::Term,
            ToolKind::Think => Glyph::Think,
            ToolKind::Fetch => Glyph::Globe,
            ToolKind::Other => Glyph::Plug,
        };
        let said = call.target().or_else(|| call.title().map(|title| one_line(title, 160))).unwrap_or_default();
        let target = match call.input.get("path").and_then(Value::as_str) {
            Some(path) if kind == ToolKind::Search && !path.is_empty() && path != said => {
                format!("{said} in {}", card.short_path(path))
            }
            _ => card.short_path(&said).to_owned(),
        };
        let target = match call.input.get("subagent_type").and_then(Value::as_str) {
            Some(role) if agent => format!("{role}: {target}"),
            _ => target,
        };
        let only = call.input.len() == 1;
        let says_all =
            only && call.input.values().all(|value| value.as_str() == Some(said.as_str())) && said.len() < 90;
        Self {
            kind,
            glyph,
            tint: agent.then_some("thinking"),
            name: name(&call.tool_name),
            full_target: (target != said).then_some(said),
            target,
            meta: meta(call, kind),
            tail: kind == ToolKind::Execute,
            prose: agent || kind == ToolKind::Fetch,
            says_all,
        }
    }
}

/// Does it start another agent?
fn is_agent(call: &ToolCall) -> bool {
    call.input.contains_key("subagent_type") || matches!(call.tool_name.as_str(), "Agent" | "Task")
}

/// `mcp__github__create_issue` as `github: create_issue`.
fn name(tool: &str) -> String {
    let parts = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    parts.map_or_else(|| clip(tool, 60), |(server, tool)| clip(&format!("{server}: {tool}"), 60))
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
        ToolKind::Search => number("numMatches")
            .map(|n| if n == 1 { "1 match".to_owned() } else { format!("{n} matches") })
            .or_else(|| number("numFiles").map(|n| counted(n, "file"))),
        _ => number("totalToolUseCount").map(|n| counted(n, "tool call")),
    }
}
