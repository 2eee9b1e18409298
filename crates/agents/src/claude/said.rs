//! Texts on user lines: few are prompts. The rest is commands, their output, notices and reminders in tags, which are
//! unwrapped into readable text.

use super::at::extras;
use super::blocks::fenced;
use super::obj::Obj;
use model::terminal::plain;
use model::{Context, Role};
use serde_json::{Map, Value, json};

/// Who speaks where a task in the background reports, and the key of what it says.
pub(crate) const TASK_NOTIFICATION: &str = "task_notification";

/// The tags of such a report.
const NOTIFICATIONS: [&str; 2] = ["task-notification", "agent-notification"];

/// The tag around a person's words that a hook gives to the agent.
const PAGE_MESSAGE: &str = "verbatim-message";

/// How Claude Code writes closing tags that stand in what a hook says.
const ESCAPED: [(&str, &str); 2] =
    [("<\\/task-notification>", "</task-notification>"), ("&lt;/system-reminder>", "</system-reminder>")];

/// How the program begins what it says to the model behind a report.
const BEHIND: [&str; 2] = ["Read the output file", "Full transcript available"];

/// Who speaks where older context is summed up.
pub(crate) const COMPACT_SUMMARY: &str = "compact_summary";

/// Shown where a command printed nothing.
const NO_OUTPUT: &str = "(no output)";

/// The effect of a text on the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A prompt: a run begins.
    Begins,
    /// Something that the agent may answer: if it does, the run begins here.
    Causes,
    /// The person stopped the run.
    Interrupts,
    Nothing,
}

/// A text, understood.
pub(crate) struct Said {
    pub role: Role,
    pub sender: String,
    /// The sender's name, of another agent.
    pub name: Option<String>,
    pub context: Context,
    pub content: String,
    pub metadata: Option<Map<String, Value>>,
    pub turn: Turn,
}

impl Said {
    fn new(role: Role, sender: &str, context: Context, content: impl Into<String>) -> Self {
        let sender = sender.to_owned();
        Self { role, sender, name: None, context, content: content.into(), metadata: None, turn: Turn::Nothing }
    }
    fn with(mut self, key: &str, value: Value) -> Self {
        self.metadata = Some(extras(key, value));
        self
    }
    fn turn(mut self, turn: Turn) -> Self {
        self.turn = turn;
        self
    }
}

/// Reads a text of a user line. `line` has the flags.
pub(crate) fn said(text: &str, line: &Obj) -> Said {
    let start = text.trim_start();
    if line.is_true("isCompactSummary") {
        return Said::new(Role::System, COMPACT_SUMMARY, Context::Turn, text);
    }
    if let Some(said) = page_message(start).or_else(|| tagged(start)) {
        return said;
    }
    if let Some(said) = line.obj("origin").and_then(|origin| from_other(&origin, text)) {
        return said;
    }
    if line.is_true("isMeta") {
        let skill = line.has("sourceToolUseID") || start.starts_with("Base directory for this skill:");
        let sender = if skill { "skill" } else { "meta" };
        return Said::new(Role::System, sender, Context::Turn, text).turn(Turn::Causes);
    }
    Said::new(Role::User, "user", Context::Turn, text).turn(Turn::Begins)
}

/// A text that didn't come from a person, as its line says. None where it did.
pub(crate) fn from_other(origin: &Obj, text: &str) -> Option<Said> {
    let kind = origin.filled("kind").filter(|kind| kind != "human")?;
    let mut said = Said::new(Role::System, &kind.replace('-', "_"), Context::Turn, text).turn(Turn::Causes);
    said.name = ["name", "fromName", "from", "sender", "server"].iter().find_map(|key| origin.filled(key));
    Some(said)
}

/// Wraps a person's words, as a hook gives them to the agent behind a report: the reader finds them there.
pub fn wrap_page_message(words: &str) -> String {
    format!("<{PAGE_MESSAGE}>\n{words}\n</{PAGE_MESSAGE}>")
}

/// Words that a person wrote on the page, and a hook gave to the agent: they are the person's, whatever the program says around them.
pub(crate) fn page_message(start: &str) -> Option<Said> {
    let name = NOTIFICATIONS.iter().find(|name| start.starts_with(&format!("<{name}>")))?;
    let (_, behind) = split_notification(start, name);
    let mut words = tag(behind, PAGE_MESSAGE)?.trim().to_owned();
    for (written, meant) in ESCAPED {
        words = words.replace(written, meant);
    }
    (!words.is_empty()).then(|| Said::new(Role::User, "user", Context::Turn, words).turn(Turn::Begins))
}

/// Texts that the program wrote. None for what a person may have typed.
pub(crate) fn tagged(start: &str) -> Option<Said> {
    if start.starts_with("[Request interrupted by user") {
        let said = Said::new(Role::User, "user", Context::None, start.trim_end());
        let what = if start.contains("for tool use") { "tool_use" } else { "turn" };
        let mut said = said.with("interrupted", what.into()).turn(Turn::Interrupts);
        // A control word that was carried out: the policy shows it as such.
        said.metadata.get_or_insert_default().insert("consumed".to_owned(), true.into());
        return Some(said);
    }
    if start.starts_with("Caveat: The messages below were generated by the user while running local commands") {
        return Some(Said::new(Role::System, "caveat", Context::None, start));
    }
    let name = start.strip_prefix('<')?.split_once('>')?.0;
    Some(match name {
        "command-name" | "command-message" | "command-args" => command(start)?,
        "local-command-stdout" | "local-command-stderr" => {
            let text = plain(tag(start, name)?);
            // The indent of the first line aligns it with the next ones, so only the end is trimmed.
            let text = Some(text.trim_end()).filter(|text| !text.is_empty()).unwrap_or(NO_OUTPUT);
            let said = Said::new(Role::Tool, "command_output", Context::None, text);
            said.with("command_output", json!({ "stream": name.trim_start_matches("local-command-") }))
        }
        "local-command-caveat" => Said::new(Role::System, "caveat", Context::None, tag(start, name)?.trim()),
        "bash-input" => {
            let shell = tag(start, name)?;
            let said = Said::new(Role::User, "user", Context::Turn, format!("! {shell}"));
            said.with("command", json!({ "shell": shell }))
        }
        "bash-stdout" | "bash-stderr" => {
            let (out, err) = (tag(start, "bash-stdout").unwrap_or(""), tag(start, "bash-stderr").unwrap_or(""));
            let both: Vec<String> =
                [out, err].iter().filter(|text| !text.trim().is_empty()).map(|text| plain(text)).collect();
            let content = if both.is_empty() { NO_OUTPUT.to_owned() } else { fenced("", &both.join("\n")) };
            let said = Said::new(Role::Tool, "command_output", Context::Turn, content);
            said.with("command_output", json!({ "stdout": out, "stderr": err }))
        }
        name if NOTIFICATIONS.contains(&name) => notification(start, name),
        // The program describes the editor to the model in a block of its own, beside the prompt. So it does with
        // notices of a run (`system`).
        "system" | "system-reminder" | "ide_opened_file" | "ide_selection" | "ide_diagnostics" => {
            let inside = tag(start, name)?;
            let rest = start.split_once(&format!("</{name}>")).map_or("", |(_, rest)| rest);
            if !rest.trim().is_empty() {
                return None;
            }
            Said::new(Role::System, &name.replace('-', "_"), Context::Ephemeral, inside.trim())
        }
        _ => return None,
    })
}

/// A slash command, as it was typed.
fn command(text: &str) -> Option<Said> {
    let name = tag(text, "command-name").or_else(|| tag(text, "command-message"))?.trim();
    let name = if name.starts_with('/') { name.to_owned() } else { format!("/{name}") };
    let args = tag(text, "command-args").map_or("", str::trim);
    let mut content = name.clone();
    if !args.is_empty() {
        content.push(' ');
        content.push_str(args);
    }
    let mut command = json!({ "name": name, "args": args });
    if let Some(message) = tag(text, "command-message") {
        command["message"] = message.trim().into();
    }
    let said = Said::new(Role::User, "user", Context::None, content);
    Some(said.with("command", command).turn(Turn::Causes))
}

/// Splits a report of a background task from what stands behind it: another report, or a person's words. None where nothing
/// does, or where the line isn't a person's: then what is behind is told with the report.
pub(crate) fn behind_notification<'a>(text: &'a str, line: &Obj) -> Option<(&'a str, &'a str)> {
    let name =
        NOTIFICATIONS.iter().find(|name| text.trim_start().strip_prefix('<').is_some_and(|t| t.starts_with(*name)))?;
    let (report, behind) = split_notification(text, name);
    let other =
        line.is_true("isMeta") || line.obj("origin").is_some_and(|origin| from_other(&origin, behind).is_some());
    let is_report = NOTIFICATIONS.iter().any(|name| behind.starts_with(&format!("<{name}>")));
    let is_program = BEHIND.iter().any(|start| behind.starts_with(start));
    (!behind.is_empty() && (is_report || !other && !is_program)).then_some((report, behind))
}

/// Splits a text behind the tag that ends a report. What a task gave back may hold such a tag as well.
fn split_notification<'a>(text: &'a str, name: &str) -> (&'a str, &'a str) {
    let close = format!("</{name}>");
    let is_end = |at: usize| text[..at].contains("</result>") || !text[..at].contains("<result>");
    let end = text.match_indices(&close).map(|(at, _)| at).find(|at| is_end(*at));
    let (report, behind) = text.split_at(end.map_or(text.len(), |at| at + close.len()));
    (report, behind.trim())
}

/// Reads the report of a background task.
fn notification<'a>(text: &'a str, outer: &str) -> Said {
    let (text, behind) = split_notification(text, outer);
    let mut fields = Map::new();
    for name in
        ["task-id", "agent-id", "tool-use-id", "task-type", "output-file", "status", "summary", "result", "usage"]
    {
        let inside = tag(text, name);
        // The first of each is the report's own: what a task gave back may quote others.
        let close = format!("</{name}>");
        let own =
            |inside: &'a str| if name == "result" { inside } else { inside.split(&close).next().unwrap_or(inside) };
        if let Some(value) = inside.map(own) {
            fields.insert(name.replace('-', "_"), value.trim().into());
        }
    }
    let get = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or("");
    let parts: Vec<&str> = [get("summary"), get("result")].into_iter().filter(|part| !part.is_empty()).collect();
    let mut content =
        if parts.is_empty() { tag(text, outer).unwrap_or(text).trim().to_owned() } else { parts.join("\n\n") };
    let behind = tag(behind, "system-reminder").filter(|_| behind.starts_with("<system-reminder>")).unwrap_or(behind);
    if !behind.trim().is_empty() {
        content.push_str("\n\n");
        content.push_str(behind.trim());
    }
    fields.shift_remove("result");
    let said = Said::new(Role::System, TASK_NOTIFICATION, Context::Turn, content);
    said.with(TASK_NOTIFICATION, Value::Object(fields)).turn(Turn::Causes)
}

/// The text between `<name>` and the last `</name>`; up to the end where the tag isn't closed.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}>");
    let (_, rest) = text.split_once(&open)?;
    Some(rest.rsplit_once(&format!("</{name}>")).map_or(rest, |(inside, _)| inside))
}
