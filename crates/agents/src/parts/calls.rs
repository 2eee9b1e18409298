//! Tool calls by the agent's own ids: each is one `TOOL_CALL` message, which its result and what is derived from it change
//! later.

use super::asks;
use super::at::{At, derived_id, envelope, message_id};
use super::blocks::cut;
use super::book::Book;
use super::obj::{Obj, string, value};
use super::result::Result;
use model::envelope::{EditState, INTERRUPTED};
use model::message_type::todo::TodoProgress;
use model::message_type::tool_call::{ToolCall, ToolKind, ToolState};
use model::text::one_line;
use model::{Draft, MessageId, Micros, Part, Role, Status};
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};

/// How many answered calls are kept, for what comes late.
const KEPT: usize = 64;

/// Most characters of the reason why an edit wasn't applied.
pub(crate) const MAX_NOTE: usize = 300;

/// Most characters of a target in a call's text.
const MAX_TARGET: usize = 2000;

/// A call that a later line may still change.
pub(crate) struct Call {
    pub session: usize,
    /// Id of the `TOOL_CALL` message.
    pub id: String,
    pub tool: String,
    pub started: Micros,
    pub is_open: bool,
    /// Ids of the derived messages.
    pub derived: Vec<String>,
    /// The progress of the session's list before the call changed it.
    todos: Option<TodoProgress>,
}

/// A call as it begins.
pub(crate) struct NewCall {
    pub call_id: String,
    pub tool: String,
    pub input: Map<String, Value>,
    /// None where the tool's name or the input says it.
    pub kind: Option<ToolKind>,
    /// The target of the call for people, where the input doesn't have it.
    pub target: Option<String>,
}

/// The calls of a file.
#[derive(Default)]
pub(crate) struct Calls {
    by_id: HashMap<String, Call>,
    open: Vec<String>,
    answered: VecDeque<String>,
}

impl Calls {
    pub fn get(&self, call_id: &str) -> Option<&Call> {
        self.by_id.get(call_id)
    }

    /// Returns the payload of the call's message so far. None if no such call is known.
    pub fn payload<'a>(&self, book: &'a Book, call_id: &str) -> Option<&'a Value> {
        let call = self.by_id.get(call_id)?;
        book.peek(call.session, &call.id)?.metadata.as_ref()?.get("payload")
    }

    /// The newest open call of a tool; of any tool if none is named.
    pub fn newest_open(&self, tool: Option<&str>) -> Option<String> {
        let is_it = |id: &&String| self.by_id.get(*id).is_some_and(|call| tool.is_none_or(|tool| call.tool == tool));
        self.open.iter().rev().find(is_it).cloned()
    }

    /// The oldest open call, by the name of its tool if one is named.
    pub fn oldest_open(&self, tool: Option<&str>) -> Option<String> {
        let is_it = |id: &&String| self.by_id.get(*id).is_some_and(|call| tool.is_none_or(|tool| call.tool == tool));
        self.open.iter().find(is_it).cloned()
    }

    /// A call begins.
    pub fn begin(&mut self, book: &mut Book, at: &At, new: NewCall) {
        let id = message_id(&new.call_id);
        self.begin_as(book, at, id, new);
    }

    /// Like [`Self::begin`], with another id for its message.
    pub fn begin_as(&mut self, book: &mut Book, at: &At, id: MessageId, new: NewCall) {
        let NewCall { call_id, tool, input, kind, target } = new;
        let mut todos = None;
        if let Some(old) = self.by_id.remove(&call_id) {
            self.open.retain(|open| *open != call_id);
            self.answered.retain(|answered| *answered != call_id);
            release(book, &old);
            todos = old.todos;
        }
        let id = id.as_str().to_owned();
        let kind = kind.unwrap_or_else(|| ToolKind::from_tool_name(&tool, &input));
        let started_at = Some(at.time.0).filter(|time| *time > 0);
        let call = ToolCall::new(tool.as_str(), input)
            .with("kind", kind.as_str())
            .with("state", ToolState::Running.as_str())
            .with("target", target.as_deref())
            .with("started_at", started_at);
        let content = match target.or_else(|| call.target()) {
            Some(target) => about(&tool, &target),
            None => format!("Using tool: {tool}"),
        };
        let mut draft = at.text(&id, Role::Assistant, "bot", content);
        draft.status = Status::Streaming;
        draft.call_id = Some(call_id.clone());
        draft.metadata = Some(envelope(call));
        book.keep(at.session, draft, at.span);
        let call = Call { session: at.session, id, tool, started: at.time, is_open: true, derived: Vec::new(), todos };
        self.open.push(call_id.clone());
        self.by_id.insert(call_id, call);
    }

    /// Adds, or changes, the message of a kind that a call stands for: the call itself is shown by it.
    pub fn derive(
        &mut self,
        book: &mut Book,
        at: &At,
        call_id: &str,
        (kind, n): (&str, usize),
        (content, metadata): (String, Map<String, Value>),
    ) {
        let Some(call) = self.by_id.get_mut(call_id) else { return };
        let id = derived_id(&call.id, kind, n);
        let here = At { session: call.session, ..at.clone() };
        if let Some(draft) = book.change(call.session, &id, at.span) {
            (draft.content, draft.metadata) = (content, Some(metadata));
        } else {
            book.keep(call.session, here.derived(&id, call_id, content, metadata), at.span);
            call.derived.push(id);
        }
        if let Some(draft) = book.touch(call.session, &call.id) {
            draft.part = Part::Replaced;
        }
    }

    /// Takes back a message that a call stood for: another one of it says the same.
    pub fn retract(&self, book: &mut Book, at: &At, call_id: &str, (kind, n): (&str, usize)) {
        let Some(call) = self.by_id.get(call_id) else { return };
        if let Some(draft) = book.change(call.session, &derived_id(&call.id, kind, n), at.span) {
            draft.status = Status::Retracted;
        }
    }

    /// Like [`Self::derive`], for the list that a call hands in: it holds unless the call fails.
    pub fn list(&mut self, book: &mut Book, at: &At, call_id: &str, (content, metadata): (String, Map<String, Value>)) {
        let session = &mut book.sessions[at.session];
        if let Some(call) = self.by_id.get_mut(call_id) {
            call.todos.get_or_insert(session.todos().unwrap_or_default());
        }
        session.count_todos(&metadata);
        self.derive(book, at, call_id, ("todo", 0), (content, metadata));
    }

    /// The questions or the plan that a call puts to a person become a message of its own, which its result answers.
    pub fn ask(&mut self, book: &mut Book, at: &At, call_id: &str) {
        let Some(call) = self.by_id.get(call_id) else { return };
        let input = self.payload(book, call_id).and_then(|payload| payload.get("input")?.as_object());
        let Some(asked) = input.and_then(|input| asks::from_call(&call.tool, input)) else { return };
        let (session, id) = (call.session, derived_id(&call.id, "approval", 0));
        self.derive(book, at, call_id, ("approval", 0), asked);
        if let Some(draft) = book.touch(session, &id) {
            draft.requires_user_input = true;
        }
    }

    /// Session and id of the message with what an open call asks a person.
    pub fn asked(&self, call_id: &str) -> Option<(usize, String)> {
        let call = self.by_id.get(call_id).filter(|call| call.is_open)?;
        let id = derived_id(&call.id, "approval", 0);
        call.derived.contains(&id).then_some((call.session, id))
    }

    /// A line belongs to a call, and may say more of it. False if no such call is known.
    pub fn extend(&self, book: &mut Book, at: &At, call_id: &str, details: Vec<(&'static str, Value)>) -> bool {
        let Some(call) = self.by_id.get(call_id) else { return false };
        let Some(draft) = book.change(call.session, &call.id, at.span) else { return false };
        if let Some(payload) = payload(draft) {
            payload.extend(details.into_iter().map(|(key, value)| (key.to_owned(), value)));
        }
        true
    }

    /// The result of a call. False if no such call is known.
    pub fn finish(&mut self, book: &mut Book, at: &At, call_id: &str, result: Result) -> bool {
        let Some(call) = self.by_id.get_mut(call_id) else { return false };
        let Some(draft) = book.change(call.session, &call.id, at.span) else { return false };
        draft.status = Status::Final;
        if let Some(payload) = payload(draft) {
            let field = if result.state == "done" { "output" } else { "error" };
            payload.insert(field.to_owned(), result.text.as_str().into());
            payload.insert("state".to_owned(), result.state.into());
            if call.started > Micros(0) && at.time >= call.started {
                payload.insert("ended_at".to_owned(), at.time.0.into());
            }
            payload.extend(result.details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        }
        if result.state != "done"
            && let Some(before) = call.todos.take()
        {
            book.sessions[call.session].recount_todos(Some(before));
            retract_list(book, at, call.session, &call.id);
        }
        book.sessions[call.session].runs.alive(at.time);
        self.decide(book, at, call_id, &result);
        self.close(book, call_id);
        true
    }

    /// A person's answer to what a call asked, by its result.
    fn decide(&self, book: &mut Book, at: &At, call_id: &str, result: &Result) {
        let Some(call) = self.by_id.get(call_id) else { return };
        let id = derived_id(&call.id, "approval", 0);
        if !call.derived.contains(&id) {
            return;
        }
        let input = self.payload(book, call_id).and_then(|payload| payload.get("input")?.as_object().cloned());
        let Some(draft) = book.change(call.session, &id, at.span) else { return };
        draft.requires_user_input = false;
        let content = payload(draft).and_then(|asked| asks::decide(asked, &input.unwrap_or_default(), result, at.time));
        if let Some(content) = content {
            draft.content = content;
        }
    }

    /// Calls of a session that get no result any more.
    pub fn end_all(&mut self, book: &mut Book, session: usize, state: &str) {
        let here = |id: &&String| self.by_id.get(*id).is_some_and(|call| call.session == session);
        for call_id in self.open.iter().filter(here).cloned().collect::<Vec<_>>() {
            let Some(call) = self.by_id.get(&call_id) else { continue };
            if let Some(draft) = book.touch(session, &call.id) {
                draft.status = Status::Final;
                if let Some(payload) = payload(draft) {
                    payload.insert("state".to_owned(), state.into());
                }
            }
            if let Some(draft) = book.touch(session, &derived_id(&call.id, "approval", 0)) {
                draft.requires_user_input = false;
                if let Some(payload) = payload(draft) {
                    asks::close(payload, state);
                }
            }
            self.close(book, &call_id);
        }
    }

    /// The edits of a call become what its result says of them.
    pub fn settle_by(&self, book: &mut Book, at: &At, call_id: &str, result: &Result) {
        let said = || Some(one_line(&result.text, MAX_NOTE));
        let (state, note) = match result.state {
            "done" => (EditState::Applied, None),
            "cancelled" => (EditState::Rejected, Some(INTERRUPTED.to_owned())),
            "denied" => (EditState::Rejected, said()),
            _ => (EditState::Failed, said()),
        };
        self.settle(book, at, call_id, state, note);
    }

    /// Edits of a call that are still proposed get a state; `note` says why they weren't applied.
    pub fn settle(&self, book: &mut Book, at: &At, call_id: &str, state: EditState, note: Option<String>) {
        let Some(call) = self.by_id.get(call_id) else { return };
        for id in &call.derived {
            if book.peek(call.session, id).is_some_and(is_proposed)
                && let Some(draft) = book.change(call.session, id, at.span)
            {
                settle(draft, state, note.as_deref());
            }
        }
    }

    /// The file of the only edit that a call stands for.
    pub fn edited(&self, book: &Book, call_id: &str) -> Option<String> {
        let call = self.by_id.get(call_id)?;
        let [id] = call.derived.as_slice() else { return None };
        let edits = book.peek(call.session, id)?.metadata.as_ref()?.get("payload")?.get("edits")?;
        Some(edits.get(0)?.get("file_path")?.as_str()?.to_owned())
    }

    /// Sets where the only edit of a call is: its first changed line is this one of the new file.
    pub fn place_edit(&self, book: &mut Book, at: &At, call_id: &str, line: i64) {
        let Some(call) = self.by_id.get(call_id) else { return };
        let [id] = call.derived.as_slice() else { return };
        let metadata = book.change(call.session, id, at.span).and_then(|draft| draft.metadata.as_mut());
        let Some(metadata) = metadata else { return };
        let edits = metadata.get("payload").and_then(|payload| payload.get("edits")?.as_array());
        let Some([edit]) = edits.map(Vec::as_slice) else { return };
        let text = |key: &str| edit.get(key).and_then(Value::as_str);
        let (Some(old), Some(new)) = (text("old_content"), text("new_content")) else { return };
        let same = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
        let start = line.saturating_sub(same as i64);
        if let Some(info) = metadata.get_mut("edit_info").and_then(|infos| infos.get_mut(0)).filter(|_| start > 0) {
            info["start_line"] = start.min(1 << 31).into();
        }
    }

    fn close(&mut self, book: &mut Book, call_id: &str) {
        let Some(call) = self.by_id.get_mut(call_id) else { return };
        if std::mem::replace(&mut call.is_open, false) {
            self.open.retain(|open| open != call_id);
            self.answered.push_back(call_id.to_owned());
        }
        if self.answered.len() > KEPT
            && let Some(call) = self.answered.pop_front().and_then(|oldest| self.by_id.remove(&oldest))
        {
            release(book, &call);
        }
    }
}

/// The list of a call that failed never held: the call itself, with its failure, is shown again.
pub(crate) fn retract_list(book: &mut Book, at: &At, session: usize, call: &str) {
    if let Some(draft) = book.change(session, &derived_id(call, "todo", 0), at.span) {
        draft.status = Status::Retracted;
        if let Some(draft) = book.touch(session, call) {
            draft.part = Part::Whole;
        }
    }
}

fn release(book: &mut Book, call: &Call) {
    book.release(call.session, &call.id);
    for id in &call.derived {
        book.release(call.session, id);
    }
}

/// The text of a call that works on something.
pub(crate) fn about(tool: &str, target: &str) -> String {
    format!("Using tool: {tool} - `{}`", cut(target, MAX_TARGET))
}

/// Returns true if one of the message's edits is still proposed.
fn is_proposed(draft: &Draft) -> bool {
    let infos = draft.metadata.as_ref().and_then(|metadata| metadata.get("edit_info")?.as_array());
    let open = |info: &Value| info.get("state").and_then(Value::as_str) == Some("proposed");
    infos.is_some_and(|infos| infos.iter().any(open))
}

/// A proposed edit gets a state; `note` says why it wasn't applied.
pub(crate) fn settle(draft: &mut Draft, state: EditState, note: Option<&str>) {
    let ended = if state == EditState::Applied { String::new() } else { format!(" ({state})") };
    draft.content = draft.content.replace(" (proposed)", &ended);
    let infos = draft.metadata.as_mut().and_then(|metadata| metadata.get_mut("edit_info")?.as_array_mut());
    for info in infos.into_iter().flatten() {
        info["state"] = state.as_str().into();
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            info["note"] = note.into();
        }
    }
}

/// Returns the input of a call as an object. Parses JSON in a string, and puts any other value under `input`.
pub(crate) fn input(raw: &str) -> Map<String, Value> {
    let given = match string(raw) {
        Some(text) if Obj::parse(&text).is_some() => value(&text),
        Some(text) => text.into(),
        None => value(raw),
    };
    match given {
        Value::Object(fields) => fields,
        other => Map::from_iter([("input".to_owned(), other)]),
    }
}

/// The payload of a message with an envelope.
pub(crate) fn payload(draft: &mut Draft) -> Option<&mut Map<String, Value>> {
    draft.metadata.as_mut()?.get_mut("payload")?.as_object_mut()
}
