//! How a tool call looks in one line: named as the agent names the tool, drawn by its kind, never by a list of names.

use super::super::Card;
use crate::figures::counted;
use crate::icon::Glyph;
use crate::visible;
use model::{
    Role,
    message_type::tool_call::{ToolCall, ToolKind},
    text::{clip, one_line},
};
use serde_json::Value;
use std::fmt;

/// So many characters of a target are seen on a phone.
const FITS: usize = 24;

/// Nobody reads more of a text that goes away with the pointer.
const MAX_TITLE: usize = 1_000;

#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub(super) struct Look {
    pub kind: ToolKind,
    pub glyph: Glyph,
    /// A state whose colour the icon takes.
    pub tint: Option<&'static str>,
    pub name: ToolName,
    /// True if it starts another agent.
    pub agent: bool,
    /// The subject in one line, as in the input.
    pub said: String,
    /// The subject, shortened for the head.
    pub target: String,
    /// True if the subject is text rather than code.
    pub words: bool,
    /// Role of the agent that it starts.
    pub role: Option<String>,
    /// Is that the path of a file? Where there is no room, its folders give way.
    pub is_path: bool,
    /// `target` uncut, for hovering, where the head may have no room for it.
    pub full_target: Option<String>,
    /// A figure of the result: `164 lines`.
    pub meta: Option<String>,
    /// True if the last lines of the output are the important ones.
    pub tail: bool,
    /// True if the output is markdown.
    pub prose: bool,
    /// May its input be markdown? Never code, commands or patterns.
    pub takes_prose: bool,
    /// True if the line has the whole input.
    pub says_all: bool,
    /// True if the line has the folder.
    pub says_folder: bool,
}

impl Look {
    pub fn of(card: &Card, call: &ToolCall) -> Self {
        let kind = call.kind();
        let agent = is_agent(call);
        let glyph = match card.draft().role {
            _ if agent => Glyph::SUB,
            // Text of a tool has the mark of tools.
            Role::Tool => Glyph::TOOL,
            _ => glyph(kind),
        };
        let titled = || call.title().map(|title| one_line(title, 160));
        let target = call.target();
        let words = agent || target.is_none();
        let said = target.or_else(titled).unwrap_or_default();
        let folder = call.input.get("path").and_then(Value::as_str);
        let folder = folder.filter(|path| kind == ToolKind::Search && !path.is_empty() && *path != said);
        let target = match folder {
            Some(path) if folder_of(card) == path.trim_end_matches('/') => said.clone(),
            Some(path) => format!("{said} in {}", card.short_path(path)),
            None if kind == ToolKind::Execute => {
                one_line(&unwrapped(&one_line(&within(card, &whole(call, &said)), 2000)), 160)
            }
            None => card.short_path(&said).to_owned(),
        };
        let target = match (kind, destination(call)) {
            (ToolKind::Move, Some(to)) => format!("{target} → {}", card.short_path(to)),
            _ => target,
        };
        let of_file = |key: &str| call.input.get(key).and_then(Value::as_str) == Some(said.as_str());
        let is_file = ["file_path", "notebook_path", "filePath"].into_iter().any(of_file);
        let is_path = (is_file || (kind == ToolKind::Read && of_file("path"))) && target.contains(['/', '\\']);
        let role = call.input.get("subagent_type").and_then(Value::as_str).filter(|_| agent);
        let only = call.input.len() == 1;
        let says_all =
            only && call.input.values().all(|value| value.as_str() == Some(said.as_str())) && said.len() < 90;
        // The head has a command without the session's folder: the body has it as it was given.
        let says_all = says_all && (kind != ToolKind::Execute || target == said);
        let uncut = target == said && target.chars().nth(FITS).is_none();
        Self {
            kind,
            glyph,
            tint: agent.then_some("thinking"),
            name: ToolName::of(&call.tool_name),
            agent,
            full_target: (!uncut).then(|| clip(&visible::plain(&whole(call, &said)), MAX_TITLE)),
            said,
            target,
            words,
            role: role.map(|role| clip(role, 120)),
            is_path,
            meta: meta(call, kind).filter(|meta| !meta.is_empty()),
            tail: kind == ToolKind::Execute,
            prose: agent || kind == ToolKind::Fetch,
            takes_prose: matches!(kind, ToolKind::Other | ToolKind::Think | ToolKind::Fetch),
            says_all,
            says_folder: folder.is_some(),
        }
    }
}

/// Returns the full subject, since a line may be shortened.
fn whole(call: &ToolCall, said: &str) -> String {
    let is_cut = said.ends_with('…');
    let command = super::input::command(&call.input).map(|(_, command)| command);
    let strings = call.input.values().filter_map(Value::as_str).map(str::to_owned);
    let begins = |text: &String| {
        let line = one_line(text, said.chars().count());
        line.trim_end_matches('…').starts_with(said.trim_end_matches('…'))
    };
    let of_it = command.into_iter().chain(strings).find(|text| is_cut && begins(text));
    of_it.map_or_else(|| said.to_owned(), |text| text.trim().to_owned())
}

/// Where the agent worked, else the folder of the session.
fn folder_of(card: &Card) -> &str {
    let project = || Some(card.options.project.as_str());
    card.draft().origin.cwd.as_deref().or_else(project).unwrap_or_default().trim_end_matches('/')
}

/// A command in a line without what only hands a text over: `-m "$(cat <<'EOF'`, the text, `EOF`, `)"`.
fn unwrapped(command: &str) -> String {
    let heads = ["\"$(cat <<'EOF' ", "\"$(cat <<EOF "];
    match heads.into_iter().find(|head| command.contains(*head)) {
        Some(head) => command.replace(head, "\"").replace(" EOF )\"", "\""),
        None => command.to_owned(),
    }
}

/// A command without the folder that it runs in: as the beginning of a path, or where it goes there first.
fn within(card: &Card, command: &str) -> String {
    let folder = folder_of(card);
    if folder.is_empty() {
        return command.to_owned();
    }
    let goes_there = [format!("cd {folder} && "), format!("cd \"{folder}\" && ")];
    let command = goes_there.iter().find_map(|going| command.strip_prefix(going.as_str())).unwrap_or(command);
    let folder = format!("{folder}/");
    let mut out = String::new();
    let mut rest = command;
    while let Some((before, after)) = rest.split_once(&folder) {
        out.push_str(before);
        let begins = out.chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || "/._-~$}".contains(c)));
        let goes_on = after.chars().next().is_some_and(|c| c.is_alphanumeric() || "._-@[{*".contains(c));
        if !(begins && goes_on) {
            out.push_str(&folder);
        }
        rest = after;
    }
    out + rest
}

/// Where something is moved to.
fn destination(call: &ToolCall) -> Option<&str> {
    const KEYS: [&str; 6] = ["to", "new_path", "destination", "destination_path", "target", "target_path"];
    KEYS.iter().find_map(|key| call.input.get(*key)?.as_str())
}

/// The icon of a kind.
pub const fn glyph(kind: ToolKind) -> Glyph {
    match kind {
        ToolKind::Read => Glyph::FILE,
        ToolKind::Edit => Glyph::EDIT,
        ToolKind::Delete => Glyph::TRASH,
        ToolKind::Move => Glyph::EXIT,
        ToolKind::Search => Glyph::SEARCH,
        ToolKind::Execute => Glyph::TERM,
        ToolKind::Think => Glyph::THINK,
        ToolKind::Fetch => Glyph::GLOBE,
        ToolKind::Other => Glyph::PLUG,
    }
}

/// Returns true if it starts another agent.
fn is_agent(call: &ToolCall) -> bool {
    call.input.contains_key("subagent_type") || matches!(call.tool_name.as_str(), "Agent" | "Task")
}

/// Name of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName {
    /// Whose tool it is, of one that a server of tools offers: `github` of `mcp__github__create_issue`.
    pub server: Option<String>,
    pub own: String,
}

impl ToolName {
    /// Parses a name. From a name that a model garbled, it takes the valid part.
    pub fn of(tool: &str) -> Self {
        const MAX: usize = 60;
        let (server, own) = tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .map_or((None, tool), |(server, own)| (Some(server), own));
        let own = one_line(own.split(['"', '<', '>']).next().unwrap_or(own), MAX);
        let server = server.map(|server| one_line(&server.replace('_', " "), MAX)).filter(|server| !server.is_empty());
        Self { server, own: if own.is_empty() { "Tool".to_owned() } else { own } }
    }
}

/// `github · create_issue`.
impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(server) => write!(f, "{server} · {}", self.own),
            None => f.write_str(&self.own),
        }
    }
}

fn meta(call: &ToolCall, kind: ToolKind) -> Option<String> {
    if let Some(counts) = call.test_counts() {
        return Some(counts.to_string());
    }
    let result = call.other.get("result")?;
    let number = |key: &str| result.get(key).and_then(Value::as_i64);
    match kind {
        ToolKind::Read => lines_read(result.get("file")?),
        ToolKind::Search => found(call, result),
        _ => number("totalToolUseCount").map(|n| counted(n, "tool call")),
    }
}

/// How many lines of a file were read, and which ones if not all of them.
fn lines_read(file: &Value) -> Option<String> {
    let number = |key: &str| file.get(key).and_then(Value::as_i64).filter(|n| *n > 0);
    let lines = number("numLines")?;
    let first = number("startLine").unwrap_or(1);
    let whole = first == 1 && number("totalLines").is_none_or(|all| all <= lines);
    Some(match lines {
        _ if whole => counted(lines, "line"),
        1 => format!("line {first}"),
        _ => format!("lines {first}\u{2013}{}", first.saturating_add(lines - 1)),
    })
}

/// How much a search found. A count of 0 beside an output is of something that wasn't counted: of files where lines
/// were asked for.
fn found(call: &ToolCall, result: &Value) -> Option<String> {
    let number = |key: &str| result.get(key).and_then(Value::as_i64).filter(|n| *n > 0);
    let nothing = |text: String| text.starts_with("No files found") || text.starts_with("No matches found");
    if call.output_text().is_some_and(nothing) {
        return Some("nothing found".to_owned());
    }
    let matches = number("numMatches").map(|n| if n == 1 { "1 match".to_owned() } else { format!("{n} matches") });
    let lines = number("numLines").map(|n| counted(n, "line"));
    let files = number("numFiles").map(|n| counted(n, "file"));
    let of_lines = result.get("mode").and_then(Value::as_str) == Some("content");
    matches.or(if of_lines { lines } else { files.or(lines) })
}

#[cfg(test)]
mod tests {
    use super::{ToolName, found, lines_read};
    use model::message_type::tool_call::ToolCall;
    use serde_json::{Value, json};

    #[test]
    fn a_search_says_what_it_counted() {
        let said = |output: &str, result: Value| {
            let call = json!({"tool_name": "Grep", "input": {}, "output": output, "result": result});
            let call: ToolCall = serde_json::from_value(call).expect("a call");
            found(&call, &call.other["result"])
        };
        let content = |lines: i64| json!({"mode": "content", "numFiles": 0, "numLines": lines});
        assert_eq!(said("a.rs:1:x", content(51)).as_deref(), Some("51 lines"));
        assert_eq!(said("1:x", content(0)), None);
        assert_eq!(said("No matches found\n\n[Showing results]", content(0)).as_deref(), Some("nothing found"));
        assert_eq!(said("a.rs", json!({"numFiles": 1})).as_deref(), Some("1 file"));
        assert_eq!(said("a.rs:3", json!({"numFiles": 1, "numMatches": 3})).as_deref(), Some("3 matches"));
    }

    #[test]
    fn a_part_of_a_file_says_which_lines() {
        let said = |start: i64, lines: i64, all: i64| {
            lines_read(&json!({"startLine": start, "numLines": lines, "totalLines": all}))
        };
        assert_eq!(said(1, 164, 164).as_deref(), Some("164 lines"));
        assert_eq!(said(50, 30, 164).as_deref(), Some("lines 50\u{2013}79"));
        assert_eq!(said(1, 30, 164).as_deref(), Some("lines 1\u{2013}30"));
        assert_eq!(said(7, 1, 164).as_deref(), Some("line 7"));
        assert_eq!(said(1, 0, 0), None);
        assert_eq!(lines_read(&json!({"numLines": 3})).as_deref(), Some("3 lines"));
    }

    #[test]
    fn tools_have_the_names_that_agents_give_them() {
        let names = [
            "Bash",
            "TaskOutput",
            "mcp__code_host__create_issue",
            "exec_command",
            "Task\" > <a",
            "",
            "mcp__x",
            "mcp____y",
        ]
        .map(|tool| ToolName::of(tool).to_string());
        let expected =
            ["Bash", "TaskOutput", "code host · create_issue", "exec_command", "Task", "Tool", "mcp__x", "y"];
        assert_eq!(names, expected);
    }
}
