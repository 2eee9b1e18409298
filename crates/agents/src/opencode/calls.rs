//! Parts that are calls of tools.

use super::edits;
use super::{REDACTED, Session, milliseconds};
use crate::parts::at::{At, derived_id, envelope};
use crate::parts::calls::NewCall;
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::todos;
use model::message_type::tool_call::ToolKind;
use serde_json::{Map, Value};

/// Returns the kind of tools whose names don't tell it.
fn kind(tool: &str) -> Option<ToolKind> {
    match tool {
        "read" | "list" => Some(ToolKind::Read),
        "edit" | "write" | "multiedit" | "patch" => Some(ToolKind::Edit),
        "grep" | "codesearch" | "lsp" => Some(ToolKind::Search),
        "webfetch" | "websearch" => Some(ToolKind::Fetch),
        "task" | "todowrite" | "todoread" | "skill" | "plan_enter" | "plan_exit" => Some(ToolKind::Think),
        _ => None,
    }
}

/// How a call went. None as long as it runs.
fn outcome(state: &Obj, metadata: Option<&Obj>) -> Option<Result> {
    let mut result = Result::default();
    match state.str("status").as_deref() {
        Some("completed" | "success") => {
            let text = state.string("output").unwrap_or_default();
            let inner = text.split_once("<task_result>").and_then(|(_, rest)| rest.rsplit_once("</task_result>"));
            let is_task = text.starts_with("<task ");
            let inner = inner.map(|(inner, _)| inner.trim_matches('\n').to_owned()).filter(|_| is_task);
            (result.state, result.text) = ("done", inner.unwrap_or(text));
        }
        Some("error" | "failed") => {
            result.text = state.string("error").or_else(|| state.string("output")).unwrap_or_default();
            let text = result.text.to_lowercase();
            result.state = match () {
                () if text.contains("rejected permission") || text.contains("prevents you from using") => "denied",
                () if text.contains("aborted") => "cancelled",
                () => "failed",
            };
        }
        _ => return None,
    }
    result.answers = metadata.and_then(|metadata| metadata.value("answers"));
    if let Some(code) = metadata.and_then(|metadata| metadata.int("exit")) {
        result.details.push(("exit_code", code.into()));
        if code != 0 && result.state == "done" {
            result.state = "failed";
        }
    }
    if let Some(title) = state.filled("title").filter(|title| !title.contains('\n')) {
        result.details.push(("title", title.into()));
    }
    Some(result)
}

impl Session {
    pub(super) fn call(&mut self, at: &At, part: &Obj) {
        let tool = part.filled("tool").unwrap_or_else(|| "unknown".to_owned());
        let state = part.obj("state").unwrap_or_else(|| part.clone());
        let metadata = state.obj("metadata");
        let call_id = part.filled("callID").filter(|id| id != REDACTED && self.given.insert(id.clone()));
        let call_id = call_id.unwrap_or_else(|| at.id.clone());
        let input = match state.value("input") {
            Some(Value::Object(fields)) => fields,
            Some(other) => Map::from_iter([("input".to_owned(), other)]),
            None => Map::new(),
        };
        let times = state.obj("time");
        let time = |key: &str| times.as_ref().and_then(|times| milliseconds(times, key));
        let mut here = At { time: time("start").unwrap_or(at.time), ..at.clone() };
        self.book.sessions[at.session].seen_at(here.time);
        let outcome = outcome(&state, metadata.as_ref());
        let word = outcome.as_ref().map_or("running", |outcome| outcome.state);
        let text = outcome.as_ref().map(|outcome| outcome.text.as_str()).unwrap_or_default();
        let edits = edits::of_call(&tool, &input, metadata.as_ref(), word, text);
        let list = input.get("todos").and_then(Value::as_array).filter(|_| matches!(word, "done" | "running"));
        let list = list.filter(|_| tool == "todowrite").and_then(|list| todos::of_list(list));
        let path = input.get("filePath").and_then(Value::as_str).map(str::to_owned);
        let target = path.or_else(|| match edits.as_slice() {
            [] => None,
            [first, rest @ ..] => {
                let edits = first.metadata.get("payload")?.get("edits")?;
                let path = edits.get(0)?.get("file_path")?.as_str()?;
                let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
                Some(format!("{path}{more}"))
            }
        });
        let name = input.get("description").and_then(Value::as_str).map(str::to_owned);
        let new = NewCall { call_id: call_id.clone(), tool: tool.clone(), input, kind: kind(&tool), target };
        self.calls.begin(&mut self.book, &here, new);
        self.calls.ask(&mut self.book, &here, &call_id);
        if let Some(list) = list {
            self.calls.list(&mut self.book, &here, &call_id, list);
        }
        for (n, edit) in edits.into_iter().enumerate() {
            self.calls.derive(&mut self.book, &here, &call_id, ("edit", n), (edit.content, edit.metadata));
        }
        let files = self.attachments(&here, &call_id, &state);
        if let Some(outcome) = outcome {
            if let Some(end) = time("end") {
                self.book.sessions[at.session].seen_at(end);
                here.time = end;
            }
            self.calls.finish(&mut self.book, &here, &call_id, outcome.with_files(files));
        }
        // A fork repeats the calls of the session that it was made from, which started the agent.
        let is_repeated = metadata.as_ref().and_then(|metadata| metadata.filled("parentSessionId"));
        let is_repeated = is_repeated.is_some_and(|id| id != REDACTED && id != self.book.sessions[at.session].key);
        let child = metadata.and_then(|metadata| metadata.filled("sessionId")).filter(|id| id != REDACTED);
        if let Some(child) = child.filter(|_| tool == "task" && !is_repeated) {
            self.book.child(at.session, &child, &call_id, name.as_deref());
        }
    }

    /// The files that a tool gave back; how many there are.
    fn attachments(&mut self, at: &At, call_id: &str, state: &Obj) -> usize {
        let mut count = 0;
        let files = state.list("attachments").unwrap_or_default();
        for (n, part) in files.into_iter().filter_map(Obj::parse).enumerate() {
            let (content, file) = self.read_file(&part);
            let Some(call) = self.calls.get(call_id) else { return count };
            let id = derived_id(&call.id, "file", n);
            let draft = at.derived(&id, call_id, content, envelope(file));
            self.say(at, draft);
            count += 1;
        }
        count
    }
}
