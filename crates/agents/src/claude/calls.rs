//! Tool calls: each is one `TOOL_CALL` message, which its result, progress and denial change later.

use super::at::{At, derived_id, envelope, extras, hash, message_id};
use super::bare::is_stop;
use super::edits;
use super::obj::Obj;
use super::outcome::{Outcome, outcome};
use super::preview::preview;
use super::state::State;
use super::state::calls::{Call, Task};
use super::{approvals, reviews, todos};
use crate::parts::asks;
use crate::parts::blocks::cut;
use crate::parts::calls::{payload, retract_list};
use model::message_type::todo::TodoProgress;
use model::message_type::tool_call::{ToolCall, ToolKind, ToolState};
use model::text::one_line;
use model::{Draft, Part, Role, Status};
use serde_json::{Map, Value};

/// How many answered calls are kept, for progress lines that come late.
const KEPT: usize = 64;

/// A command with more characters is told by its description.
const MAX_COMMAND: usize = 80;

/// The arguments by which tools name a task in the background.
const TASK_IDS: [&str; 4] = ["task_id", "bash_id", "shell_id", "agentId"];

/// The status of a task that was ended on purpose.
const STOPPED: &str = "stopped";

/// A call and its result.
struct Answered<'a> {
    /// The result's line, in the session of the call.
    at: &'a At,
    call_id: &'a str,
    /// Id of the `TOOL_CALL` message.
    id: &'a str,
    tool: &'a str,
    input: &'a Value,
    outcome: &'a Outcome,
    line: &'a Obj<'a>,
}

impl State {
    /// A tool call begins. Old fixtures have calls without ids, which take the block's.
    pub fn tool_use(&mut self, at: &At, block: &Obj, block_id: &str) {
        let tool = block.filled("name").unwrap_or_else(|| "unknown".to_owned());
        let given = block.filled("id");
        let fresh = given.as_ref().is_none_or(|id| self.calls.used.insert(hash(id)) && !self.has_seen(id));
        let call_id = given.clone().unwrap_or_else(|| block_id.to_owned());
        let id = message_id(if fresh { &call_id } else { block_id }).as_str().to_owned();
        if let Some(old) = self.calls.by_id.remove(&call_id) {
            self.calls.open.retain(|open| *open != call_id);
            self.calls.answered.retain(|answered| *answered != call_id);
            self.release(&old);
        }

        let input = block.value("input").unwrap_or_else(|| Map::new().into());
        let content = preview(&tool, &input);
        let input = match input {
            Value::Object(_) => input,
            other => Map::from_iter([("value".to_owned(), other)]).into(),
        };
        let mut draft = at.text(&id, Role::Assistant, "bot", content);
        draft.status = Status::Streaming;
        draft.call_id = Some(call_id.clone());
        let todos = self.book.sessions[at.session].todos();
        let derived = self.derive(at, &id, &call_id, &tool, &input);
        if derived.is_some() {
            draft.part = Part::Replaced;
        }
        let kind = input.as_object().map_or(ToolKind::Other, |input| ToolKind::from_tool_name(&tool, input));
        let title = input.get("description").and_then(Value::as_str).and_then(|text| text.trim().lines().next());
        let title = title.map(|title| cut(title, 120));
        let task = TASK_IDS.iter().find_map(|key| input.get(*key)?.as_str());
        let target = task.and_then(|id| self.calls.task(id));
        let input = if let Value::Object(input) = input { input } else { Map::new() };
        let call = ToolCall::new(tool.as_str(), input)
            .with("kind", kind.as_str())
            .with("state", ToolState::Running.as_str())
            .with("title", title)
            .with("target", target)
            .with("started_at", Some(at.time.0).filter(|time| *time > 0));
        let mut metadata = envelope(call);
        metadata.extend(given.map(|given| ("tool_use_id".to_owned(), given.into())));
        draft.metadata = Some(metadata);
        self.book.keep(at.session, draft, at.span);
        let ids = derived.iter().map(|draft| draft.id.as_str().to_owned()).collect();
        if let Some(draft) = derived {
            self.book.keep(at.session, draft, at.span);
        }
        let call = Call {
            session: at.session,
            id,
            tool,
            started: at.time,
            open: true,
            counted: false,
            answer: None,
            derived: ids,
            todos,
        };
        self.calls.open.push(call_id.clone());
        self.calls.by_id.insert(call_id, call);
    }

    /// The message that a call's input already allows.
    fn derive(&mut self, at: &At, id: &str, call_id: &str, tool: &str, input: &Value) -> Option<Draft> {
        if let Some((content, metadata)) = edits::proposed(tool, input) {
            return Some(at.derived(&derived_id(id, "edit", 0), call_id, content, metadata));
        }
        if let Some((content, metadata)) = todos::from_write(tool, input) {
            self.book.sessions[at.session].count_todos(&metadata);
            return Some(at.derived(&derived_id(id, "todo", 0), call_id, content, metadata));
        }
        if let Some((content, metadata)) = input.as_object().and_then(|input| asks::from_call(tool, input)) {
            self.book.sessions[at.session].question = Some(call_id.to_owned());
            let mut draft = at.derived(&derived_id(id, "approval", 0), call_id, content, metadata);
            draft.requires_user_input = true;
            return Some(draft);
        }
        if tool == "TodoWrite" && todos::clears(input) {
            let session = &mut self.book.sessions[at.session];
            let cleared = TodoProgress { open: 0, ..session.todos().unwrap_or_default() };
            session.set(|facts| &mut facts.todos, Some(cleared));
        }
        None
    }

    /// A tool's result. `alone` says that the line holds no other result, so that its structured outcome is this one's.
    pub fn tool_result(&mut self, at: &At, block: &Obj, block_id: &str, line: &Obj, alone: bool) {
        let given = block.filled("tool_use_id");
        let call_id = given.clone().or_else(|| self.idless_call(at.session));
        let Some((call_id, call)) = call_id.and_then(|id| self.calls.by_id.get(&id).map(|call| (id, call))) else {
            return self.stray_result(at, block, block_id, given);
        };
        let (session, id, tool, started) = (call.session, call.id.clone(), call.tool.clone(), call.started);
        let derived = call.derived.clone();
        let mut outcome = outcome(&tool, block, line, alone);
        if alone && is_refused_update(&tool, line) {
            outcome.state = "failed";
        }
        let mut input = Value::Null;
        if let Some(draft) = self.book.change(session, &id, at.span) {
            draft.status = Status::Final;
            if let Some(payload) = payload(draft) {
                if !derived.is_empty()
                    || outcome.task_status.is_some()
                    || tool.starts_with("Task")
                    || is_stop(&tool)
                    || tool == reviews::TOOL
                    || outcome.background
                    || outcome.is_decided()
                {
                    input = payload.get("input").cloned().unwrap_or_default();
                }
                outcome.write(payload, started, at.time);
                // The sessions of a workflow's workers name its run.
                if let Some(run) = line.obj("toolUseResult").filter(|_| alone).and_then(|result| result.filled("runId"))
                {
                    payload.insert("run_id".to_owned(), run.into());
                }
            }
        }
        if let Some((task, what)) = outcome.task_id(line).zip(named(&input)) {
            self.calls.tasks.insert(task, Task { call_id: call_id.clone(), what, is_stopped: false });
        }
        let status = if is_stop(&tool) && outcome.ok() { Some(STOPPED) } else { outcome.task_status.as_deref() };
        if let Some((task, status)) = TASK_IDS.iter().find_map(|key| input.get(*key)?.as_str()).zip(status) {
            self.task_is(at, task, status);
        }
        self.tool_files(at, block, &call_id, &id, alone.then_some(line));
        let here = At { session, ..at.clone() };
        let (input, outcome) = (&input, &outcome);
        self.settle(&Answered { at: &here, call_id: &call_id, id: &id, tool: &tool, input, outcome, line });
        if matches!(tool.as_str(), "Task" | "Agent") {
            self.link_child(at, session, &call_id, outcome, line);
        }
        if matches!(outcome.state, "denied" | "failed") {
            self.book.sessions[session].trouble = outcome.state;
        }
        self.book.sessions[session].runs.alive(at.time);
        if let Some(call) = self.calls.by_id.get_mut(&call_id) {
            call.answer = line.filled("uuid").or_else(|| Some(at.id.clone()));
        }
        self.close(&call_id);
    }

    /// The derived messages learn how the call went.
    fn settle(&mut self, answered: &Answered) {
        let Answered { at, call_id, id, tool, input, outcome, line } = *answered;
        let Some(call) = self.calls.by_id.get_mut(call_id) else { return };
        let fresh = !std::mem::replace(&mut call.counted, true);
        let before = call.todos;
        let edit = derived_id(id, "edit", 0);
        if self.book.peek(at.session, &edit).is_some() {
            let done = edits::finished(tool, input, outcome, line, self.book.sessions[at.session].trouble);
            if let Some(draft) = self.book.change(at.session, &edit, at.span) {
                draft.content = done.content;
                draft.metadata = Some(done.metadata);
            }
        }
        self.settle_approval(answered, fresh);
        if fresh && outcome.ok() {
            self.settle_tasks(answered);
            self.settle_reviews(answered);
        } else if fresh && tool == "TodoWrite" {
            self.book.sessions[at.session].recount_todos(before);
            retract_list(&mut self.book, at, at.session, id);
        }
    }

    /// Settles the approvals of a call: answers the request that it made, or records that it was itself allowed or
    /// denied.
    fn settle_approval(&mut self, answered: &Answered, fresh: bool) {
        let Answered { at, call_id, id, tool, input, outcome, line } = *answered;
        let approval = derived_id(id, "approval", 0);
        // A second result, of a process that went on beside another one, decides nothing any more: nobody was asked again.
        if self.book.peek(at.session, &approval).is_some_and(|draft| fresh || approvals::is_undecided(draft))
            && let Some(draft) = self.book.change(at.session, &approval, at.span)
        {
            draft.requires_user_input = false;
            approvals::decide(draft, outcome, line, at.time);
        }
        self.quiet_question(at.session, Some(call_id));
        if !matches!(tool, "AskUserQuestion" | "ExitPlanMode" | "exit_plan_mode")
            && let Some((content, metadata)) = approvals::permission(tool, input, outcome, at.time)
        {
            self.book.keep(at.session, at.derived(&approval, call_id, content, metadata), at.span);
            self.remember_derived(call_id, approval);
        }
    }

    /// A tool that changes single tasks shows the list that comes of it.
    fn settle_tasks(&mut self, answered: &Answered) {
        let Answered { at, call_id, id, tool, input, line, .. } = *answered;
        let session = &mut self.book.sessions[at.session];
        let Some((content, metadata)) = session.tasks.apply(tool, input, line) else { return };
        session.count_todos(&metadata);
        let todo = derived_id(id, "todo", 0);
        self.book.keep(at.session, at.derived(&todo, call_id, content, metadata), at.span);
        self.remember_derived(call_id, todo);
        self.replace_call(at.session, id);
    }

    fn settle_reviews(&mut self, answered: &Answered) {
        let Answered { at, call_id, id, tool, input, .. } = *answered;
        let reviews = reviews::from_call(tool, input);
        if !reviews.is_empty() {
            self.replace_call(at.session, id);
        }
        for (n, (content, metadata)) in reviews.into_iter().enumerate() {
            let review = at.derived(&derived_id(id, "review", n), call_id, content, metadata);
            self.book.say(at.session, review, at.span);
        }
    }

    /// Derived messages are shown in place of the call.
    fn replace_call(&mut self, session: usize, id: &str) {
        if let Some(draft) = self.book.touch(session, id) {
            draft.part = Part::Replaced;
        }
    }

    fn remember_derived(&mut self, call_id: &str, id: String) {
        if let Some(call) = self.calls.by_id.get_mut(call_id) {
            call.derived.push(id);
        }
    }

    /// A result whose call isn't in the file, or was answered long ago.
    fn stray_result(&mut self, at: &At, block: &Obj, block_id: &str, call_id: Option<String>) {
        let text = block.raw("content").map(super::blocks::result_text);
        let text = text.or_else(|| block.string("output")).unwrap_or_default();
        let of_call = call_id.clone().unwrap_or_else(|| block_id.to_owned());
        self.tool_files(at, block, &of_call, block_id, None);
        let mut draft = at.text(block_id, Role::Tool, "tool_result", text);
        draft.call_id = call_id;
        draft.metadata = Some(extras("is_error", block.is_true("is_error")));
        self.book.say(at.session, draft, at.span);
    }

    /// The call that began a task in the background learns how far that is. Returns the status that holds: a task that was
    /// stopped on purpose ends by a signal, which the program reports as a failure.
    pub fn task_is<'a>(&mut self, at: &At, task: &str, status: &'a str) -> &'a str {
        let Some(task) = self.calls.tasks.get_mut(task) else { return status };
        task.is_stopped |= matches!(status, STOPPED | "killed");
        let status = if task.is_stopped && !matches!(status, "killed" | "completed") { STOPPED } else { status };
        let Some(call) = self.calls.by_id.get(&task.call_id) else { return status };
        let (session, id) = (call.session, call.id.clone());
        if let Some(payload) = self.book.change(session, &id, at.span).and_then(payload) {
            payload.insert("task_status".to_owned(), status.into());
        }
        status
    }

    /// The newest open call of a session; results without an id mean that one.
    fn idless_call(&self, session: usize) -> Option<String> {
        self.calls.open_in(session).pop()
    }

    /// Progress of a call, while it is open: the line belongs to it. False if no such call is known.
    pub fn progress_of(&mut self, call_id: &str, at: &At, news: Option<Value>) -> bool {
        let Some(call) = self.calls.by_id.get(call_id) else { return false };
        let (session, id, open) = (call.session, call.id.clone(), call.open);
        let Some(draft) = self.book.change(session, &id, at.span) else { return false };
        if let (true, Some(news), Some(payload)) = (open, news, payload(draft)) {
            payload.insert("progress".to_owned(), news);
        }
        true
    }

    /// Calls that a prompt finds open never get a result.
    pub fn orphan_calls(&mut self, session: usize) {
        self.end_calls(session, "orphaned");
    }

    /// A person interrupted the agent: calls that are open went down with that.
    pub fn cancel_calls(&mut self, session: usize) {
        self.end_calls(session, "cancelled");
    }

    fn end_calls(&mut self, session: usize, state: &str) {
        for call_id in self.calls.open_in(session) {
            let Some(call) = self.calls.by_id.get(&call_id) else { continue };
            let (id, derived) = (call.id.clone(), call.derived.clone());
            if let Some(draft) = self.book.touch(session, &id) {
                draft.status = Status::Final;
                if let Some(payload) = payload(draft) {
                    payload.insert("state".to_owned(), state.into());
                    payload.shift_remove("progress");
                }
            }
            for id in derived {
                if let Some(draft) = self.book.touch(session, &id) {
                    approvals::expire(draft);
                    draft.requires_user_input = false;
                }
            }
            self.close(&call_id);
        }
        self.book.sessions[session].question = None;
    }

    /// The agent went on: an open question isn't waited for any more. Its own answer is no such sign.
    pub fn quiet_question(&mut self, session: usize, answered: Option<&str>) {
        let Some(call_id) = self.book.sessions[session].question.take() else { return };
        if answered == Some(call_id.as_str()) {
            return;
        }
        let derived = self.calls.by_id.get(&call_id).map(|call| call.derived.clone()).unwrap_or_default();
        for id in derived {
            if let Some(draft) = self.book.touch(session, &id) {
                draft.requires_user_input = false;
            }
        }
    }

    fn close(&mut self, call_id: &str) {
        let Some(call) = self.calls.by_id.get_mut(call_id) else { return };
        if call.open {
            call.open = false;
            self.calls.open.retain(|open| open != call_id);
            self.calls.answered.push_back(call_id.to_owned());
        }
        if self.calls.answered.len() > KEPT
            && let Some(oldest) = self.calls.answered.pop_front()
            && let Some(call) = self.calls.by_id.remove(&oldest)
        {
            self.release(&call);
        }
    }

    fn release(&mut self, call: &Call) {
        self.book.release(call.session, &call.id);
        for id in &call.derived {
            self.book.release(call.session, id);
        }
    }
}

/// Did the list refuse a change? It says so in its structured result alone.
fn is_refused_update(tool: &str, line: &Obj) -> bool {
    let result = line.obj("toolUseResult").filter(|_| matches!(tool, "TaskCreate" | "TaskUpdate"));
    result.is_some_and(|result| result.raw("success") == Some("false"))
}

/// Returns the name of a background task for people: its command if that is short, else its description.
fn named(input: &Value) -> Option<String> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let (command, description) = (text("command"), text("description"));
    let short = command.filter(|command| !command.contains('\n') && command.chars().nth(MAX_COMMAND).is_none());
    short.or(description).or(command).map(|what| one_line(what, 2 * MAX_COMMAND))
}
