//! Actions and their observations: tool calls, edits and lists of tasks.

use super::{Conversation, without_thought};
use crate::parts::asks::decided;
use crate::parts::at::At;
use crate::parts::blocks::{joined_text, result_text};
use crate::parts::calls::NewCall;
use crate::parts::edits::{Piece, created, fragment, message, of_patch, of_windows};
use crate::parts::obj::{Obj, value};
use crate::parts::patch::apply_patch;
use crate::parts::result::Result;
use crate::parts::todos;
use model::Role;
use model::envelope::EditState;
use model::message_type::approval::{ApprovalState, Decision};
use model::message_type::tool_call::ToolKind;
use serde_json::{Map, Value};

/// Returns the kind of tools whose names don't tell it.
fn kind_of(tool: &str, input: &Map<String, Value>) -> Option<ToolKind> {
    let views = input.get("command").and_then(Value::as_str) == Some("view");
    match tool {
        "file_editor" | "str_replace_editor" | "planning_file_editor" | "edit" | "write" | "apply_patch" => {
            Some(if views { ToolKind::Read } else { ToolKind::Edit })
        }
        "read" => Some(ToolKind::Read),
        "terminal" | "execute_bash" | "run" | "run_ipython" | "execute_ipython_cell" => Some(ToolKind::Execute),
        "grep" | "glob" => Some(ToolKind::Search),
        "think" | "task_tracker" | "task_tracking" | "delegate" | "task" => Some(ToolKind::Think),
        "finish" => Some(ToolKind::Other),
        _ if tool.starts_with("brows") => Some(ToolKind::Fetch),
        _ => None,
    }
}

/// The pieces of an edit that an input asks for.
fn proposed(input: &Map<String, Value>) -> Vec<Piece> {
    let get = |key: &str| input.get(key).and_then(Value::as_str);
    match get("command").unwrap_or_default() {
        "create" => vec![created(get("file_text").unwrap_or_default())],
        "str_replace" => vec![fragment(get("old_str"), Some(get("new_str").unwrap_or_default()))],
        "insert" => {
            let line = input.get("insert_line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
            vec![Piece { start_line: line.map(|line| line + 1), ..fragment(None, get("new_str")) }]
        }
        // Before the SDK.
        "" if input.contains_key("path") => get("content").map(created).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The list of a task tracker, in the words of a checklist.
fn tasks(input: &Map<String, Value>) -> Option<Vec<Value>> {
    let mut tasks = input.get("task_list")?.as_array()?.clone();
    for status in tasks.iter_mut().filter_map(|task| task.get_mut("status")) {
        if status == "done" {
            *status = "completed".into();
        }
    }
    Some(tasks).filter(|_| input.get("command").and_then(Value::as_str) == Some("plan"))
}

impl Conversation {
    pub(super) fn action(&mut self, at: &mut At, event: &Obj) {
        self.ensure_run(at);
        let thought = self.reasoning(at, event);
        let words = event.raw("thought").map(joined_text).unwrap_or_default();
        let words = without_thought(&words, &thought);
        if !words.is_empty() {
            self.say(at, at.text(&at.id, Role::Assistant, "bot", words));
        }
        let call = event.obj("tool_call");
        let given = || {
            let text = call.as_ref()?.filled("arguments")?;
            Some(value(&text)).filter(Value::is_object)
        };
        // Fields that the model left out are null there.
        let input = match event.value("action").or_else(given) {
            Some(Value::Object(mut fields)) => {
                fields.retain(|key, value| key != "kind" && !value.is_null());
                fields
            }
            _ => Map::new(),
        };
        let tool = event.filled("tool_name").unwrap_or_else(|| "unknown".to_owned());
        let call_id = event.filled("tool_call_id").unwrap_or_else(|| format!("{}~call", at.id));
        let last = input.get("message").and_then(Value::as_str).filter(|_| tool == "finish").map(str::to_owned);
        self.begin(at, &call_id, tool, input, event.filled("summary"));
        if let Some(last) = last.filter(|last| !last.trim().is_empty()) {
            self.say(at, at.text(&format!("{}~finish", at.id), Role::Assistant, "bot", last));
        }
    }

    fn begin(&mut self, at: &At, call_id: &str, tool: String, input: Map<String, Value>, title: Option<String>) {
        let path = input.get("path").and_then(Value::as_str).map(str::to_owned);
        let kind = kind_of(&tool, &input);
        let is_edit = kind == Some(ToolKind::Edit);
        let pieces = if is_edit { proposed(&input) } else { Vec::new() };
        let patch = input.get("patch").and_then(Value::as_str).filter(|_| is_edit).and_then(apply_patch);
        let tasks = tasks(&input).and_then(|tasks| todos::of_list(&tasks));
        let first = patch.as_ref().and_then(|patch| Some(patch.first()?.path.clone()));
        let target = path.clone().or(first).filter(|_| matches!(kind, Some(ToolKind::Edit | ToolKind::Read)));
        self.calls.begin(&mut self.book, at, NewCall { call_id: call_id.to_owned(), tool, input, kind, target });
        let title = title.map(|title| ("title", title.into())).into_iter().collect();
        self.calls.extend(&mut self.book, at, call_id, title);
        if let Some(list) = tasks {
            self.calls.list(&mut self.book, at, call_id, list);
        }
        if let Some(path) = path.filter(|_| !pieces.is_empty()) {
            let done = message(&path, pieces, EditState::Proposed, None);
            self.calls.derive(&mut self.book, at, call_id, ("edit", 0), (done.content, done.metadata));
        }
        for (n, patch) in patch.iter().flatten().enumerate() {
            let done = of_patch(patch, EditState::Proposed, None);
            self.calls.derive(&mut self.book, at, call_id, ("edit", n), (done.content, done.metadata));
        }
    }

    /// Finishes a call with its result. `seen` are the fields of the result, `content` is its text.
    fn finish(&mut self, at: &mut At, call_id: &str, seen: &Obj, content: &str, mut result: Result) {
        self.ensure_run(at);
        let metadata = seen.obj("metadata");
        let code = seen.int("exit_code").or_else(|| metadata.as_ref()?.int("exit_code")).filter(|code| *code >= 0);
        if let Some(code) = code {
            result.details.push(("exit_code", code.into()));
            if code != 0 && result.state == "done" {
                result.state = "failed";
            }
        }
        self.cwd(metadata.and_then(|metadata| metadata.filled("working_dir")));
        let Some(call) = self.calls.get(call_id) else {
            let mut draft = at.text(&at.id, Role::Tool, "tool_result", result.text);
            draft.call_id = Some(call_id.to_owned());
            return self.say(at, draft);
        };
        let id = call.id.clone();
        self.pictures(at, content, Some((&id, call_id)));
        self.settle(at, call_id, seen, &result);
        self.calls.finish(&mut self.book, at, call_id, result);
    }

    /// Edits become what the result says. Where it has the file before and after, their place is known.
    fn settle(&mut self, at: &At, call_id: &str, seen: &Obj, result: &Result) {
        let Some(call) = self.calls.get(call_id) else { return };
        let new = seen.string("new_content").filter(|_| result.state == "done" && call.derived.len() < 2);
        let is_edit = seen.filled("command").is_none_or(|command| command != "view");
        let (Some(new), Some(path), true) = (new, seen.filled("path"), is_edit) else {
            return self.calls.settle_by(&mut self.book, at, call_id, result);
        };
        let was_there = seen.raw("prev_exist") != Some("false");
        let pieces = match seen.string("old_content").filter(|_| was_there) {
            Some(old) => of_windows(&old, &new, &[]),
            None => vec![created(&new)],
        };
        let done = message(&path, pieces, EditState::Applied, None);
        self.calls.derive(&mut self.book, at, call_id, ("edit", 0), (done.content, done.metadata));
    }

    pub(super) fn observation(&mut self, at: &mut At, event: &Obj) {
        let Some(seen) = event.obj("observation") else { return self.aside(at, "observation", event) };
        let content = ["content", "output", "message", "result"].iter().find_map(|key| seen.raw(key)).unwrap_or("\"\"");
        let state = if seen.is_true("is_error") { "failed" } else { "done" };
        let call_id = event.filled("tool_call_id").or_else(|| event.filled("action_id")).unwrap_or_default();
        let result = Result { state, text: joined_text(content), ..Result::default() };
        self.finish(at, &call_id, &seen, content, result);
        self.extended(at, event);
        if event.str("tool_name").as_deref() == Some("finish") {
            self.book.sessions[at.session].runs.pause(model::RunOutcome::Done, at.time);
        }
    }

    /// A person, or a hook, said no.
    pub(super) fn rejected(&mut self, at: &mut At, event: &Obj) {
        let call_id = event.filled("tool_call_id").unwrap_or_default();
        let reason = event.filled("rejection_reason").unwrap_or_default();
        if event.str("rejection_source").as_deref() != Some("hook") && self.calls.get(&call_id).is_some() {
            let title = format!("Use of {}", event.filled("tool_name").unwrap_or_default());
            let text = Some(reason.clone()).filter(|reason| !reason.is_empty());
            let decision = Decision { at: Some(at.time), text, ..Decision::new(ApprovalState::Denied) };
            let content = format!("{title} (denied): {reason}");
            self.calls.derive(&mut self.book, at, &call_id, ("approval", 0), (content, decided(&title, &decision)));
        }
        let result = Result { state: "denied", text: reason, ..Result::default() };
        self.finish(at, &call_id, event, "", result);
    }

    pub(super) fn call_failed(&mut self, at: &mut At, event: &Obj) {
        let text = event.filled("error").unwrap_or_default();
        let call_id = event.filled("tool_call_id").unwrap_or_default();
        self.finish(at, &call_id, event, "", Result { state: "failed", text, ..Result::default() });
    }

    /// A call of another agent that `OpenHands` drives, told anew with each step.
    pub(super) fn foreign_call(&mut self, at: &mut At, event: &Obj) {
        self.ensure_run(at);
        let call_id = event.filled("tool_call_id").unwrap_or_else(|| at.id.clone());
        if self.calls.get(&call_id).is_none() {
            let tool = event.filled("title").unwrap_or_else(|| "unknown".to_owned());
            let input = match event.value("raw_input") {
                Some(Value::Object(fields)) => fields,
                Some(other) => Map::from_iter([("input".to_owned(), other)]),
                None => Map::new(),
            };
            let kind = event.str("tool_kind").as_deref().and_then(ToolKind::parse);
            let new = NewCall { call_id: call_id.clone(), tool, input, kind, target: None };
            self.calls.begin(&mut self.book, at, new);
        }
        let raw = ["content", "raw_output"].iter().find_map(|key| event.raw(key).filter(|raw| *raw != "[]"));
        let text = raw.map(result_text).unwrap_or_default();
        let state = match event.str("status").as_deref() {
            Some("completed") if !event.is_true("is_error") => "done",
            Some("completed" | "failed") => "failed",
            _ => {
                self.calls.extend(&mut self.book, at, &call_id, Vec::new());
                return;
            }
        };
        self.calls.finish(&mut self.book, at, &call_id, Result { state, text, ..Result::default() });
    }

    /// An action before the SDK.
    pub(super) fn older_action(&mut self, at: &mut At, action: &str, event: &Obj) {
        const INNER: [&str; 7] =
            ["thought", "confirmation_state", "security_risk", "impl_source", "hidden", "blocking", "is_static"];
        self.ensure_run(at);
        let mut input = match event.value("args") {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let words = input.get("thought").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        input.retain(|key, value| !INNER.contains(&key.as_str()) && !value.is_null());
        if !words.is_empty() {
            self.say(at, at.text(&at.id, Role::Assistant, "bot", words));
        }
        let call = event.obj("tool_call_metadata");
        let named = |name: &str| call.as_ref().and_then(|call| call.filled(name));
        let call_id = named("tool_call_id").unwrap_or_else(|| format!("{}~call", at.id));
        if let Some(number) = event.int("id") {
            self.numbered.insert(number, call_id.clone());
        }
        let tool = named("function_name").unwrap_or_else(|| action.to_owned());
        self.begin(at, &call_id, tool, input, None);
    }

    pub(super) fn older_observation(&mut self, at: &mut At, observation: &str, event: &Obj) {
        let extras = event.obj("extras");
        let call = event.obj("tool_call_metadata").and_then(|call| call.filled("tool_call_id"));
        let call_id = event.int("cause").and_then(|cause| self.numbered.remove(&cause)).or(call);
        let Some(call_id) = call_id else {
            let shown = extras.as_ref().unwrap_or(event);
            let words =
                event.filled("content").unwrap_or_else(|| crate::parts::short::fields_in_short(observation, shown));
            return self.say(at, at.aside(&at.id, observation, words));
        };
        let failed = observation == "error" || event.raw("success") == Some("false");
        let state = match observation {
            "user_rejected" => "denied",
            _ if failed => "failed",
            _ => "done",
        };
        let content = event.raw("content").unwrap_or("\"\"");
        let result = Result { state, text: joined_text(content), ..Result::default() };
        self.finish(at, &call_id, extras.as_ref().unwrap_or(event), "", result);
    }
}
