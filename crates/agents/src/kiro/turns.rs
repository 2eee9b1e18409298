//! Prompts, answers, tool calls and their results.

use super::History;
use crate::parts::at::{At, extras};
use crate::parts::blocks::{result_text, without_data};
use crate::parts::calls::NewCall;
use crate::parts::edits::{Finished, Piece, after_call, created, fragment, message};
use crate::parts::obj::{Obj, string, value};
use crate::parts::result::Result;
use crate::parts::short::fields_in_short;
use model::message_type::tool_call::ToolKind;
use model::{Context, Role, RunOutcome};
use serde_json::{Map, Value};

/// Returns the kind of tools whose names don't tell it.
fn kind(tool: &str) -> Option<ToolKind> {
    match tool {
        "fs_read" | "read" => Some(ToolKind::Read),
        "fs_write" | "write" => Some(ToolKind::Edit),
        "execute_bash" | "execute_cmd" | "shell" | "use_aws" => Some(ToolKind::Execute),
        "thinking" | "todo_list" | "todo" | "delegate" | "use_subagent" => Some(ToolKind::Think),
        _ => None,
    }
}

/// The edit that a call stands for, by its input: nothing else tells of it.
fn edit(tool: &str, input: &Map<String, Value>, state: &str, text: &str) -> Option<Finished> {
    if !matches!(tool, "fs_write" | "write") {
        return None;
    }
    let get = |key: &str| input.get(key).and_then(Value::as_str);
    let (path, new) = (get("path")?, get("new_str"));
    let piece = match get("command")? {
        "create" => created(get("file_text").or_else(|| get("content")).or(new).unwrap_or_default()),
        "str_replace" | "strReplace" => {
            fragment(get("old_str").or_else(|| get("oldStr")), new.or_else(|| get("newStr")))
        }
        _ => {
            let line = input.get("insert_line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
            let added = new.or_else(|| get("content"));
            Piece { start_line: line.map(|line| line + 1), ..fragment(None, added) }
        }
    };
    let (state, note) = after_call(state, text);
    Some(message(path, vec![piece], state, note))
}

/// The texts of a result, and the exit code of a command.
fn texts(content: &[&str]) -> (String, Option<i64>) {
    let mut code = None;
    let mut all = Vec::new();
    for raw in content {
        let block = Obj::parse(raw);
        let get = |key: &str| block.as_ref().and_then(|block| block.raw(key));
        // Either `{Text}` and `{Json}`, or `{kind, data}`.
        let raw = get("Text").or_else(|| get("Json")).or_else(|| get("data")).unwrap_or(raw);
        match Obj::parse(raw).filter(|result| result.has("stdout") || result.has("exit_status")) {
            Some(result) => {
                let status = result.int("exit_status").or_else(|| result.str("exit_status")?.trim().parse().ok());
                code = status.or(code);
                all.extend(["stdout", "stderr"].iter().filter_map(|key| result.filled(key)));
            }
            None => all.extend(Some(result_text(raw)).filter(|text| !text.is_empty())),
        }
    }
    (all.join("\n"), code)
}

impl History {
    /// Reads an input of the model: a prompt, results, or both.
    pub(super) fn told(&mut self, at: &At, user: &Obj) {
        let content = user.obj("content");
        let inner = ["Prompt", "ToolUseResults", "CancelledToolUses"]
            .iter()
            .find_map(|kind| Some((*kind, content.as_ref()?.obj(kind)?)));
        let Some((kind, inner)) = inner else {
            return self.say(at, at.aside(&at.id, "user", fields_in_short("user", content.as_ref().unwrap_or(user))));
        };
        let results = inner.list("tool_use_results").unwrap_or_default();
        let results: Vec<Obj> = results.into_iter().filter_map(Obj::parse).collect();
        for (n, result) in results.iter().enumerate() {
            let given = result.filled("tool_use_id");
            let content = result.list("content").unwrap_or_default();
            let status = if kind == "CancelledToolUses" { Some("cancelled".into()) } else { result.str("status") };
            self.result(at, &format!("{}~{n}", at.id), given, &content, status.as_deref());
        }
        match inner.string("prompt") {
            Some(prompt) => self.asked(at, &prompt),
            None if results.is_empty() => self.say(at, at.aside(&at.id, "user", fields_in_short(kind, &inner))),
            None => {}
        }
        if let Some(words) = user.filled("additional_context") {
            let mut draft = at.text(&format!("{}~context", at.id), Role::System, "context", words);
            draft.context = Context::Ephemeral;
            self.say(at, draft);
        }
    }

    fn asked(&mut self, at: &At, prompt: &str) {
        self.calls.end_all(&mut self.book, at.session, "orphaned");
        let session = &mut self.book.sessions[at.session];
        session.runs.begin(&at.id, at.time);
        session.first_prompt(prompt);
        let run = session.runs.id().map(str::to_owned);
        let at = At { run, ..at.clone() };
        self.say(&at, at.text(&at.id, Role::User, "user", prompt));
    }

    /// Reads the model's text and the tools that it called: `{id, name, args}`.
    pub(super) fn answered(&mut self, at: &At, said: &str, uses: &[Obj]) {
        let session = &mut self.book.sessions[at.session];
        session.runs.continue_or_begin(&at.id, at.time, at.origin.model.as_deref());
        if uses.is_empty() {
            session.runs.pause(RunOutcome::Done, at.time);
        }
        let at = At { run: session.runs.id().map(str::to_owned), ..at.clone() };
        if !said.is_empty() || uses.is_empty() {
            self.say(&at, at.text(&at.id, Role::Assistant, "bot", said));
        }
        for (n, call) in uses.iter().enumerate() {
            let call_id = call.filled("id").or_else(|| call.filled("toolUseId"));
            let call_id = call_id.unwrap_or_else(|| format!("{}~call~{n}", at.id));
            let tool = call.filled("name").unwrap_or_else(|| "unknown".to_owned());
            let input = match call.value("args").or_else(|| call.value("input")) {
                Some(Value::Object(fields)) => fields,
                Some(other) => Map::from_iter([("args".to_owned(), other)]),
                None => Map::new(),
            };
            let edit = edit(&tool, &input, "running", "");
            // The command of an edit isn't what it works on.
            let target = edit.as_ref().and_then(|_| input.get("path")?.as_str().map(str::to_owned));
            let new = NewCall { call_id: call_id.clone(), kind: kind(&tool), tool, input, target };
            self.calls.begin(&mut self.book, &at, new);
            if let Some(edit) = edit {
                self.calls.derive(&mut self.book, &at, &call_id, ("edit", 0), (edit.content, edit.metadata));
            }
        }
    }

    /// The result of a tool. If its call isn't known, it becomes a message with this `id`.
    fn result(&mut self, at: &At, id: &str, given: Option<String>, content: &[&str], status: Option<&str>) {
        let (text, code) = texts(content);
        let refused = text.contains("denied") && text.contains("user") || text.contains("rejected by the user");
        let state = match status.map(str::to_lowercase).as_deref() {
            Some("cancelled") => "cancelled",
            Some("error" | "failed" | "failure") if refused => "denied",
            Some("error" | "failed" | "failure") => "failed",
            _ if code.is_some_and(|code| code != 0) => "failed",
            _ => "done",
        };
        let call = given.as_deref().and_then(|id| self.calls.get(id));
        let (Some(call), Some(call_id)) = (call, given.as_deref()) else {
            let mut draft = at.text(id, Role::Tool, "tool_result", text);
            draft.call_id = given;
            draft.metadata = Some(extras("is_error", state == "failed"));
            return self.say(at, draft);
        };
        let payload = self.calls.payload(&self.book, call_id);
        let input = payload.and_then(|payload| payload.get("input")?.as_object().cloned()).unwrap_or_default();
        if let Some(edit) = edit(&call.tool, &input, state, &text) {
            self.calls.derive(&mut self.book, at, call_id, ("edit", 0), (edit.content, edit.metadata));
        }
        let details = code.map(|code| ("exit_code", code.into())).into_iter().collect();
        self.calls.finish(&mut self.book, at, call_id, Result { state, text, details, ..Result::default() });
    }

    /// A line, with blocks `{kind, data}`.
    pub(super) fn line(&mut self, at: &At, kind: &str, content: &[&str]) {
        let (mut said, mut uses) = (Vec::new(), Vec::new());
        for (n, raw) in content.iter().enumerate() {
            let id = format!("{}~{n}", at.id);
            let block = Obj::parse(raw);
            let what = block.as_ref().and_then(|block| block.filled("kind")).unwrap_or_default();
            let data = block.as_ref().and_then(|block| block.raw("data"));
            match (what.as_str(), data, data.and_then(Obj::parse)) {
                ("text", Some(data), _) => said.extend(string(data).map(std::borrow::Cow::into_owned)),
                ("toolUse", _, Some(call)) => uses.push(call),
                ("toolResult", _, Some(result)) => {
                    let content = result.list("content").unwrap_or_default();
                    let given = result.filled("toolUseId");
                    self.result(at, &id, given, &content, result.str("status").as_deref());
                }
                _ => {
                    let mut draft = at.aside(&id, "kiro", "A block of an unknown kind");
                    draft.metadata = Some(extras("item", without_data(value(raw))));
                    self.say(at, draft);
                }
            }
        }
        let said = said.join("\n");
        match kind {
            "Prompt" if !said.is_empty() => self.asked(at, &said),
            "AssistantMessage" if !said.is_empty() || !uses.is_empty() => self.answered(at, &said, &uses),
            _ if !said.is_empty() => self.say(at, at.text(&at.id, Role::System, kind, said)),
            _ => {}
        }
    }
}
