//! How a tool call went: read from its result block and, where there is one, the line's structured `toolUseResult`.

use super::bare::{background, bare, without_reminder};
use super::blocks::{agent_text, result_text, without_data};
use super::obj::{Obj, list, string, value};
use crate::parts::files::files_in;
use model::Micros;
use serde_json::{Map, Value};

/// Largest field of a structured result that is kept in the payload, in bytes of JSON. The record holds the rest.
const MAX_FIELD: usize = 4096;

/// Fields of structured results that say again what the output, the input or a derived message says.
const REPEATED: [&str; 31] = [
    "answers",
    "base64",
    "cells",
    "code",
    "content",
    "edits",
    "file",
    "filenames",
    "filePath",
    "isImage",
    "matches",
    "newString",
    "newTodos",
    "new_source",
    "oldString",
    "oldTodos",
    "old_source",
    "original",
    "originalFile",
    "originalFileContents",
    "original_file",
    "persistedOutputPath",
    "persistedOutputSize",
    "plan",
    "prompt",
    "questions",
    "results",
    "stdout",
    "structuredPatch",
    "type",
    "updated_file",
];

pub(crate) struct Outcome {
    /// `done`, `failed`, `denied` or `cancelled`.
    pub state: &'static str,
    /// The text that the model read, without the tags that the program put around it.
    pub text: String,
    /// The reason that the person gave for a refusal.
    pub reason: Option<String>,
    /// Fields of the structured result that nothing else says.
    details: Map<String, Value>,
    exit_code: Option<i64>,
    persisted: Option<(String, Option<i64>)>,
    /// `permissionDecision` of newer versions.
    pub permission: Option<Value>,
    /// The work goes on behind the result.
    pub background: bool,
    /// The program's reminder to the model behind the text.
    reminder: Option<String>,
    /// The status of the background task that was asked about.
    pub task_status: Option<String>,
    /// The command or description of that task.
    pub target: Option<String>,
    /// The number of images and other files in the result. Each is a message of its own.
    files: usize,
}

/// Claude Code stops a command after ten minutes at the latest; in milliseconds.
const LONGEST: i64 = 10 * 60 * 1000;

impl Outcome {
    pub fn ok(&self) -> bool {
        self.state == "done"
    }

    /// Returns true if the result tells what was decided about the call.
    pub fn is_decided(&self) -> bool {
        self.state == "denied" || self.permission.is_some()
    }

    /// The id by which later calls ask for the work that goes on.
    pub fn task_id(&self, line: &Obj) -> Option<String> {
        let result = line.obj("toolUseResult").filter(|_| self.background)?;
        ["backgroundTaskId", "taskId", "agentId"].iter().find_map(|key| result.filled(key))
    }

    /// How long the call ran, in milliseconds: as the tool says, else from call to result. That includes the time in which
    /// a person was asked, maybe overnight; so nothing is said where no command would have run so long.
    fn took(&self, between: i64) -> Option<i64> {
        let own = |key: &str| self.details.get(key).and_then(Value::as_i64).filter(|ms| *ms >= 0);
        own("totalDurationMs").or_else(|| own("durationMs")).or(Some(between).filter(|ms| *ms <= LONGEST))
    }

    /// Writes what the result says into the call's payload.
    pub fn write(&self, payload: &mut Map<String, Value>, started: Micros, now: Micros) {
        payload.shift_remove("progress");
        let field = if self.ok() { "output" } else { "error" };
        // A call that was read as orphaned and is answered after all has neither yet.
        payload.insert(field.to_owned(), self.text.as_str().into());
        payload.insert("state".to_owned(), self.state.into());
        // The result of a launch says nothing of when the work ended.
        if now >= started && started > Micros(0) && !self.background {
            payload.insert("ended_at".to_owned(), now.0.into());
            if let Some(took) = self.took(now.since(started) / 1000) {
                payload.insert("duration_ms".to_owned(), took.into());
            }
        }
        let mut add = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                payload.insert(key.to_owned(), value);
            }
        };
        add("exit_code", self.exit_code.map(Value::from));
        add("reminder", self.reminder.as_deref().map(Value::from));
        add("task_status", self.task_status.as_deref().map(Value::from));
        add("denied_reason", self.reason.as_deref().map(Value::from));
        add("persisted_path", self.persisted.as_ref().map(|(path, _)| path.as_str().into()));
        add("persisted_size", self.persisted.as_ref().and_then(|(_, size)| size.map(Value::from)));
        add("permission", self.permission.clone());
        add("files", (self.files > 0).then(|| self.files.into()));
        add("background", self.background.then_some(true.into()));
        add("result", Some(Value::Object(self.details.clone())).filter(|_| !self.details.is_empty()));
        // The command as it was given says more than what the result tells of it.
        if let Some(target) = &self.target {
            payload.entry("target").or_insert_with(|| target.as_str().into());
        }
    }
}

/// Reads a result. `alone` says that the line's structured result belongs to this block.
pub(crate) fn outcome(tool: &str, block: &Obj, line: &Obj, alone: bool) -> Outcome {
    let content = block.raw("content").or_else(|| block.raw("output")).unwrap_or("\"\"");
    let (text, note) = match tool {
        "Task" | "Agent" => agent_text(content),
        _ => (result_text(content), None),
    };
    let files = files_in(content, alone.then_some(line)).len();
    let structured = if alone { line.raw("toolUseResult") } else { None };
    let said = structured.and_then(string).unwrap_or_default();
    let permission = if alone { line.value("permissionDecision") } else { None };
    let rejected = permission.as_ref().is_some_and(|p| p.get("decision").and_then(Value::as_str) == Some("reject"));
    let denial = if alone { line.filled("toolDenialKind") } else { None };
    let says_error = Obj::parse(content).and_then(|inside| inside.filled("type"));
    let failed = block.is_true("is_error") || says_error.is_some_and(|kind| kind.ends_with("_error"));
    let fields = structured.filter(|raw| raw.starts_with('{')).and_then(Obj::parse);

    let state = if rejected || denial.is_some() || said == "User rejected tool use" || is_refusal(&text) {
        "denied"
    } else if text.contains("Sibling tool call errored")
        || text.starts_with("[Request interrupted by user")
        || fields.as_ref().is_some_and(|fields| fields.is_true("interrupted"))
    {
        "cancelled"
    } else if failed || block.str("type").as_deref() == Some("error") {
        "failed"
    } else {
        "done"
    };
    let reason = (state == "denied").then(|| reason(&text)).flatten();
    let persisted = persisted(&text, fields.as_ref());
    let task = background(tool, &text, fields.as_ref()).unwrap_or_default();
    let (told, reminder) = without_reminder(&text);
    let reminder = reminder.map(str::to_owned).into_iter().chain(note).reduce(|all, next| format!("{all}\n\n{next}"));
    // The text of a result that launches an agent is for the model alone.
    let launch = fields.as_ref().is_some_and(|fields| fields.is_true("isAsync"));
    let text = task.text.unwrap_or_else(|| if launch { String::new() } else { bare(told).to_owned() });
    let details = fields.as_ref().map(|fields| details(fields, &text)).unwrap_or_default();
    Outcome {
        state,
        exit_code: task.exit_code.or_else(|| exit_code(&text, failed, fields.as_ref())),
        persisted,
        reminder,
        task_status: task.status,
        target: task.what,
        background: fields.as_ref().is_some_and(|f| f.is_true("isAsync") || f.has("backgroundTaskId")),
        text,
        reason,
        details,
        permission,
        files,
    }
}

/// Did a person or a rule refuse? The transcript has no field for it in older versions, only these sentences.
fn is_refusal(text: &str) -> bool {
    text.starts_with("The user doesn't want to proceed with this tool use")
        || text.starts_with("The user doesn't want to take this action")
        || (text.starts_with("Permission to use ") && text.contains("has been denied"))
        || text.starts_with("Claude requested permissions to ")
}

fn reason(text: &str) -> Option<String> {
    let (_, said) = text.split_once("the user said:\n")?;
    let said = said.split("\n\nNote: The user's next message").next().unwrap_or(said).trim();
    (!said.is_empty()).then(|| said.to_owned())
}

fn exit_code(text: &str, failed: bool, fields: Option<&Obj>) -> Option<i64> {
    if let Some(code) = fields.and_then(|fields| fields.int("exitCode")) {
        return Some(code);
    }
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let rest = text.strip_prefix("Exit code ").filter(|_| failed)?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok()
}

fn persisted(text: &str, fields: Option<&Obj>) -> Option<(String, Option<i64>)> {
    if let Some(path) = fields.and_then(|fields| fields.filled("persistedOutputPath")) {
        return Some((path, fields.and_then(|fields| fields.int("persistedOutputSize"))));
    }
    let note = text.strip_prefix("<persisted-output>")?;
    let (_, path) = note.split_once("saved to: ")?;
    Some((path.lines().next()?.trim().to_owned(), None))
}

/// The small fields that the rest of the payload doesn't say already.
fn details(fields: &Obj, text: &str) -> Map<String, Value> {
    let mut kept = Map::new();
    for (key, raw) in fields.fields() {
        let empty = matches!(raw, "null" | "\"\"" | "[]" | "{}" | "false");
        // A `task` repeats its output.
        let nested = key == "task" && fields.has("retrieval_status");
        if empty || nested || raw.len() > MAX_FIELD || REPEATED.contains(&key) {
            continue;
        }
        let known = string(raw).is_some_and(|said| text.contains(said.trim_end()));
        if !known || raw.len() < 32 {
            kept.insert(key.to_owned(), without_data(value(raw)));
        }
    }
    let inner = [("file", &[][..]), ("task", &["exitCode", "output", "result"][..])];
    for (name, told) in inner {
        let Some(object) = fields.obj(name).filter(|_| !kept.contains_key(name)) else { continue };
        let repeated = |key: &str| REPEATED.contains(&key) || told.contains(&key);
        let small = object.fields().filter(|(key, raw)| !repeated(key) && raw.len() < 256 && *raw != "null");
        let small: Map<String, Value> = small.map(|(key, raw)| (key.to_owned(), value(raw))).collect();
        if !small.is_empty() {
            kept.insert(name.to_owned(), Value::Object(small));
        }
    }
    if let Some(names) = fields.raw("filenames").and_then(list) {
        kept.entry("numFiles").or_insert_with(|| names.len().into());
    }
    kept
}
