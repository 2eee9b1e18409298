//! Tool calls and their results, which come in lines of their own.

use super::Log;
use super::said::content;
use crate::gemini::calls::{kind, outcome};
use crate::gemini::content::{ContentPart, file, parts, response_files, response_text};
use crate::gemini::edits;
use crate::parts::at::{At, derived_id, envelope, extras};
use crate::parts::calls::NewCall;
use crate::parts::obj::{Obj, object};
use crate::parts::todos;
use serde_json::{Map, Value};

impl Log {
    /// A call begins, with the edit or the list that its input already says.
    pub(super) fn call(&mut self, at: &At, id: &str, call: &Obj) {
        let tool = call.filled("name").unwrap_or_else(|| "unknown".to_owned());
        let call_id = call.filled("id").unwrap_or_else(|| id.to_owned());
        let input = match call.value("args") {
            Some(Value::Object(fields)) => fields,
            Some(other) => Map::from_iter([("args".to_owned(), other)]),
            None => Map::new(),
        };
        let edit = edits::of_call(&tool, &input, None, "running", "");
        let list = input.get("todos").and_then(Value::as_array).filter(|_| tool.contains("todo"));
        let list = list.and_then(|list| todos::of_list(list));
        let new = NewCall { call_id: call_id.clone(), kind: kind(&tool), tool, input, target: None };
        self.calls.begin(&mut self.book, at, new);
        self.calls.ask(&mut self.book, at, &call_id);
        let message = self.calls.get(&call_id).map(|call| call.id.clone());
        self.first = self.first.take().or(message);
        if let Some(list) = list {
            self.calls.list(&mut self.book, at, &call_id, list);
        }
        if let Some(edit) = edit {
            self.calls.derive(&mut self.book, at, &call_id, ("edit", 0), (edit.content, edit.metadata));
        }
    }

    /// A line with results.
    pub(super) fn result(&mut self, at: &At, record: &Obj) {
        let raw = content(record);
        let about = record.obj("toolCallResult");
        let about_id = about.as_ref().and_then(|about| about.filled("callId"));
        let all = parts(&raw);
        let count = all.len();
        let responses = all.iter().filter(|part| matches!(part, ContentPart::Response(_))).count();
        for (n, part) in all.into_iter().enumerate() {
            let ContentPart::Response(response) = part else { continue };
            let id = at.block_id(n, count);
            let given = response.filled("id").or_else(|| about_id.clone());
            // Fields about one call don't belong to the others.
            let about = about.as_ref().filter(|_| responses == 1 || about_id.is_some() && about_id == given);
            let Some(call_id) = given.filter(|given| self.calls.get(given).is_some()) else {
                self.stray(at, &id, &response);
                continue;
            };
            let results = if responses == 1 { raw.clone() } else { one(&response) };
            self.answer(at, &call_id, &results, about);
        }
    }

    fn answer(&mut self, at: &At, call_id: &str, results: &str, about: Option<&Obj>) {
        let Some(call) = self.calls.get(call_id) else { return };
        let (session, message, tool) = (call.session, call.id.clone(), call.tool.clone());
        let display = about.and_then(|about| about.obj("resultDisplay"));
        let shown = about.and_then(|about| about.str("resultDisplay"));
        let status = about.and_then(|about| about.str("status"));
        let Some(mut outcome) = outcome(&tool, status.as_deref(), Some(results), shown.as_deref()) else {
            self.calls.extend(&mut self.book, at, call_id, Vec::new());
            return;
        };
        let payload = self.calls.payload(&self.book, call_id);
        let input = payload.and_then(|payload| payload.get("input")?.as_object().cloned()).unwrap_or_default();
        let edit = edits::of_call(&tool, &input, display.as_ref(), outcome.state, &outcome.text);
        if let Some(edit) = edit {
            self.calls.derive(&mut self.book, at, call_id, ("edit", 0), (edit.content, edit.metadata));
        }
        outcome.answers = display.as_ref().and_then(|display| display.value("answers"));
        for (n, part) in response_files(results).iter().enumerate() {
            let Some((content, file)) = file(&mut self.book, part) else { continue };
            let id = derived_id(&message, "file", n);
            let draft = at.derived(&id, call_id, content, envelope(file));
            self.book.say(session, draft, at.span);
        }
        if let Some(agent) = display.and_then(|display| display.filled("agentId")) {
            let parent = self.book.sessions[session].key.clone();
            let child = self.child(&parent, &agent);
            self.book.sessions[child].set(|facts| &mut facts.call_id, Some(call_id.to_owned()));
        }
        self.calls.finish(&mut self.book, at, call_id, outcome);
        self.first = self.first.take().or(Some(message));
    }

    /// A result whose call isn't in the file, or was answered long ago.
    pub(super) fn stray(&mut self, at: &At, id: &str, response: &Obj) {
        let (text, is_error) = response_text(&one(response));
        let mut draft = at.text(id, model::Role::Tool, "tool_result", text);
        draft.call_id = response.filled("id");
        draft.metadata = Some(extras("is_error", is_error));
        self.say(at, draft);
    }
}

/// A content of one response.
fn one(response: &Obj) -> String {
    format!("[{{\"functionResponse\":{}}}]", object(response.fields()))
}
