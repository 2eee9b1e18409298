//! Tags in texts: calls that the model writes, and what the program says to it.

use serde_json::{Map, Value};

/// Tools that are called by tags.
const TOOLS: [&str; 28] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "edit_file",
    "insert_content",
    "search_and_replace",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "browser_action",
    "web_fetch",
    "web_search",
    "use_mcp_tool",
    "access_mcp_resource",
    "load_mcp_documentation",
    "ask_followup_question",
    "attempt_completion",
    "plan_mode_respond",
    "update_todo_list",
    "new_task",
    "new_rule",
    "condense",
    "switch_mode",
    "fetch_instructions",
];
/// Parameters whose text may hold tags itself.
const TEXTS: [&str; 5] = ["content", "diff", "result", "arguments", "response"];
/// Tags around a person's words.
const PERSON: [&str; 3] = ["task", "feedback", "user_message"];

/// A call as tags, with what stands before it.
pub(super) struct Written<'t> {
    pub before: &'t str,
    pub tool: &'static str,
    pub input: Map<String, Value>,
}

/// Returns the call that a text of the model ends with.
pub(super) fn call_in(text: &str) -> Option<Written<'_>> {
    let begins = |tool: &'static str| Some((text.find(&format!("<{tool}>"))?, tool));
    let (at, tool) = TOOLS.into_iter().filter_map(begins).min()?;
    let (before, rest) = text.split_at(at);
    let (inside, _) = rest.get(tool.len() + 2..)?.rsplit_once(&format!("</{tool}>"))?;
    Some(Written { before, tool, input: params(inside) })
}

fn params(mut rest: &str) -> Map<String, Value> {
    let mut params = Map::new();
    while let Some((name, body)) = rest.split_once('<').and_then(|(_, tag)| tag.split_once('>')) {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let close = format!("</{name}>");
        let split = if TEXTS.contains(&name) { body.rsplit_once(&close) } else { body.split_once(&close) };
        match split.filter(|_| is_name) {
            Some((value, behind)) => {
                let value = value.strip_prefix('\n').unwrap_or(value);
                let value = value.strip_suffix('\n').unwrap_or(value);
                params.insert(name.to_owned(), value.into());
                rest = behind;
            }
            None => rest = body,
        }
    }
    params
}

/// Splits the reasoning off that older versions write before an answer.
pub(super) fn thought_in(text: &str) -> (Option<&str>, &str) {
    let inside = text.trim_start().strip_prefix("<thinking>").and_then(|rest| rest.split_once("</thinking>"));
    inside.map_or((None, text), |(thought, rest)| (Some(thought.trim()), rest))
}

/// A part of what the model is told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told<'t> {
    /// The person's text.
    Person(&'t str),
    /// Text that the program adds, with its kind.
    Program(&'static str, &'t str),
    /// A result, or text that can't be told from one.
    Words(&'t str),
}

/// Splits a text that the model is told into what a person said, what the program adds, and the rest.
pub(super) fn told(text: &str) -> Vec<Told<'_>> {
    let mut parts = Vec::new();
    let trimmed = text.trim();
    if trimmed.starts_with("Files attached by the user:") || trimmed.starts_with("# task_progress") {
        return vec![Told::Program("reminder", trimmed)];
    }
    let mut rest = without_head(trimmed);
    let person = PERSON.into_iter().filter_map(|tag| {
        let (before, inside) = rest.split_once(&format!("<{tag}>"))?;
        let (words, behind) = inside.split_once(&format!("</{tag}>"))?;
        Some((before.len(), before, words, behind))
    });
    if let Some((_, before, words, behind)) = person.min() {
        parts.extend(words_of(before));
        parts.push(Told::Person(words.trim()));
        rest = behind;
    }
    match rest.split_once("<environment_details>") {
        Some((before, details)) => {
            parts.extend(words_of(before));
            let details = details.split_once("</environment_details>").map_or(details, |(details, _)| details);
            parts.push(Told::Program("environment_details", details.trim()));
        }
        None if rest.starts_with("[ERROR]") => parts.push(Told::Program("error", rest)),
        None if rest.starts_with("[TASK RESUMPTION]") => parts.push(Told::Program("resumption", rest)),
        None => parts.extend(words_of(rest)),
    }
    parts
}

fn words_of(text: &str) -> Option<Told<'_>> {
    let text = text.trim();
    (!text.is_empty()).then(|| Told::Words(answer_in(text).unwrap_or(text)))
}

/// Returns the person's answer to a question, if the result is one.
pub(super) fn answer_in(text: &str) -> Option<&str> {
    text.trim().strip_prefix("<answer>")?.strip_suffix("</answer>").map(str::trim)
}

/// Returns true if the text begins with the head of a result.
pub(super) fn is_result(text: &str) -> bool {
    let text = text.trim();
    without_head(text).len() != text.len()
}

/// A result without its head, `[read_file for 'a.rs'] Result:`.
fn without_head(text: &str) -> &str {
    let head = text.strip_prefix('[').and_then(|rest| rest.split_once("] Result:"));
    head.filter(|(call, _)| !call.contains('\n')).map_or(text, |(_, rest)| rest.trim_start())
}

/// The folder that the environment's details name.
pub(super) fn folder_in(details: &str) -> Option<&str> {
    let line = details.lines().find(|line| {
        ["# Current Working Directory (", "# Current Workspace Directory ("].iter().any(|start| line.starts_with(start))
    })?;
    let (_, rest) = line.split_once('(')?;
    rest.rsplit_once(')').map(|(folder, _)| folder).filter(|folder| !folder.is_empty())
}
