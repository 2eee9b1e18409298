//! Calls of tools. A record holds all that is known of its calls: each time it comes, they are made anew.

use super::Chat;
use super::content::{file, file_data, response_files, response_text};
use super::edits;
use crate::parts::at::{At, derived_id, envelope, hash, message_id, micros};
use crate::parts::calls::NewCall;
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::todos;
use model::message_type::tool_call::ToolKind;
use serde_json::{Map, Value};

/// Returns the kind of tools whose names don't tell it.
pub(crate) fn kind(tool: &str) -> Option<ToolKind> {
    match tool {
        "list_directory" | "read_many_files" | "read_mcp_resource" => Some(ToolKind::Read),
        "edit" => Some(ToolKind::Edit),
        "search_file_content" | "list_mcp_resources" => Some(ToolKind::Search),
        "google_web_search" => Some(ToolKind::Fetch),
        "read_background_output" | "list_background_processes" => Some(ToolKind::Execute),
        "write_todos"
        | "todo_write"
        | "task"
        | "agent"
        | "delegate_to_agent"
        | "codebase_investigator"
        | "invoke_agent"
        | "update_topic"
        | "enter_plan_mode"
        | "exit_plan_mode" => Some(ToolKind::Think),
        _ if tool.starts_with("tracker_") => Some(ToolKind::Think),
        _ => None,
    }
}

/// How a call went, by its status, the parts that it gave back, and what people were shown. None as long as it runs.
pub(crate) fn outcome(
    tool: &str,
    status: Option<&str>,
    results: Option<&str>,
    display: Option<&str>,
) -> Option<Result> {
    let (mut text, is_error) = results.map(response_text).unwrap_or_default();
    let refused =
        ["User did not allow", "denied by policy", "rejected by user"].iter().any(|words| text.contains(words));
    let state = match status {
        Some("success") => "done",
        Some("cancelled" | "error") if refused => "denied",
        Some("cancelled") => "cancelled",
        Some("error") => "failed",
        Some(_) => return None,
        None => {
            results?;
            if is_error { "failed" } else { "done" }
        }
    };
    let mut result = Result { state, ..Result::default() };
    if tool == "run_shell_command" {
        // The model reads the output among lines about it.
        let code = text.rsplit_once("Exit Code: ").map(|(_, rest)| rest.trim_start_matches('-'));
        let digits = code.map(|code| code.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
        let code = digits.and_then(|digits| digits.parse::<i64>().ok());
        if let Some(code) = code {
            result.details.push(("exit_code", code.into()));
            if code != 0 && state == "done" {
                result.state = "failed";
            }
        }
        text = display.filter(|shown| !shown.is_empty() && state == "done").map_or(text, str::to_owned);
    } else if text.is_empty() {
        display.unwrap_or_default().clone_into(&mut text);
    }
    Some(Result { text, ..result })
}

impl Chat {
    /// A call of a record, whose ids begin with `base`. `n` is its place among the calls of the record.
    pub(super) fn call(&mut self, at: &At, base: &str, n: usize, call: &Obj) {
        let tool = call.filled("name").unwrap_or_else(|| "unknown".to_owned());
        let call_id = match call.filled("id") {
            Some(id) if *self.callers.entry(hash(&id)).or_insert_with(|| hash(base)) == hash(base) => id,
            Some(id) => format!("{base}~{id}"),
            None => format!("{base}~call~{n}"),
        };
        let input = match call.value("args") {
            Some(Value::Object(fields)) => fields,
            Some(other) => Map::from_iter([("args".to_owned(), other)]),
            None => Map::new(),
        };
        let display = call.obj("resultDisplay");
        let shown = call.str("resultDisplay");
        let results = call.raw("result");
        let outcome = outcome(&tool, call.str("status").as_deref(), results, shown.as_deref());
        let state = outcome.as_ref().map_or("running", |outcome| outcome.state);
        let text = outcome.as_ref().map(|outcome| outcome.text.clone()).unwrap_or_default();
        let edit = edits::of_call(&tool, &input, display.as_ref(), state, &text);
        // Tools that change single items show the list that comes of it.
        let changed = display.as_ref().and_then(|display| display.value("todos"));
        let changed = changed.filter(|_| tool.starts_with("tracker_"));
        let given = input.get("todos").filter(|_| tool.contains("todo")).or(changed.as_ref());
        let list = given.and_then(Value::as_array).filter(|_| matches!(state, "done" | "running"));
        let list = list.and_then(|list| todos::of_list(list));
        let kind = kind(&tool).or_else(|| edit.as_ref().map(|_| ToolKind::Edit));
        let spans = self.spans_of(&call_id, at.span);
        let first = At { span: spans[0], ..at.clone() };
        self.calls.begin(&mut self.book, &first, NewCall { call_id: call_id.clone(), tool, input, kind, target: None });
        self.calls.ask(&mut self.book, &first, &call_id);
        if let Some(list) = list {
            self.calls.list(&mut self.book, &first, &call_id, list);
        }
        if let Some(edit) = edit {
            self.calls.derive(&mut self.book, &first, &call_id, ("edit", 0), (edit.content, edit.metadata));
        }
        let files = self.result_files(&first, &call_id, results);
        if let Some(outcome) = outcome.map(|outcome| outcome.with_files(files)) {
            let ended = call.filled("timestamp").as_deref().and_then(micros).unwrap_or(at.time);
            self.book.sessions[at.session].seen_at(ended);
            self.calls.finish(&mut self.book, &At { time: ended, ..first }, &call_id, outcome);
        }
        self.child(at, &call_id, call);
        let Some(call) = self.calls.get(&call_id) else { return };
        self.first.get_or_insert_with(|| call.id.clone());
        for span in spans.into_iter().skip(1) {
            for id in std::iter::once(&call.id).chain(&call.derived) {
                self.book.change(call.session, id, span);
            }
        }
    }

    /// The files that a tool gave back; how many there are.
    fn result_files(&mut self, at: &At, call_id: &str, results: Option<&str>) -> usize {
        let mut count = 0;
        for (n, part) in results.map(response_files).unwrap_or_default().iter().enumerate() {
            self.given.insert(hash(file_data(part)));
            let Some((content, file)) = file(&mut self.book, part) else { continue };
            let Some(call) = self.calls.get(call_id) else { return count };
            let id = derived_id(&call.id, "file", n);
            let draft = at.derived(&id, call_id, content, envelope(file));
            self.book.say(at.session, draft, at.span);
            count += 1;
        }
        count
    }

    /// The session of the agent that a call started.
    fn child(&mut self, at: &At, call_id: &str, call: &Obj) {
        let Some(agent) = call.filled("agentId") else { return };
        let key = format!("{}/{agent}", self.book.sessions[at.session].key);
        self.book.child(at.session, &key, call_id, call.filled("displayName").as_deref());
    }

    /// Reads the result of a tool in a content of its own. It belongs to the call, which has the result already.
    pub(super) fn response(&mut self, at: &At, id: &str, response: &Obj) {
        let call_id = response.filled("id");
        let call = call_id.as_deref().and_then(|id| self.calls.get(id));
        if let (None, Some(call_id)) = (call, call_id.as_deref().filter(|id| self.callers.contains_key(&hash(id)))) {
            self.first.get_or_insert_with(|| message_id(call_id).as_str().to_owned());
            return;
        }
        let raw = response.raw("response").unwrap_or("\"\"");
        let text = crate::parts::blocks::result_text(raw);
        if let (Some(call), Some(call_id)) = (call, &call_id) {
            if call.is_open {
                self.calls.finish(&mut self.book, at, call_id, Result { state: "done", text, ..Result::default() });
            } else {
                self.calls.extend(&mut self.book, at, call_id, Vec::new());
            }
            let id = self.calls.get(call_id).map(|call| call.id.clone());
            self.first = self.first.take().or(id);
            return;
        }
        let mut draft = at.text(id, model::Role::Tool, "tool_result", text);
        draft.call_id = call_id;
        self.put(at, draft);
    }
}
