//! Copilot CLI's sessions: `~/.copilot/session-state/<session>/events.jsonl`, one event a line.
//!
//! Sub-agents write into the same file: their events name the call that started them, and become a session of their own.
//! It is one of the few agents that record what a person allowed (`permission`) and answered (`asks`). Its to-dos are a table
//! (`todos`).
//!
//! Ids of messages: an event's own one, with `~<part>` where one event says several things; `<call id>` of a tool call, with
//! `~permission~0` of what was asked about it, and `~approval~0` of what it asks itself.
//!
//! How to add an event type: an arm in `event`; without one it is shown by its plain fields.

mod asks;
mod permission;
mod spent;
mod todos;

use crate::Span;
use crate::parts::at::At;
use crate::parts::calls::input;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use crate::parts::todos::of_list;
use asks::Asked;
use model::{Origin, RunOutcome, Spent, Usage};
use spent::Told;
use std::collections::HashMap;
use todos::Todos;

/// Reads the events of one session.
pub(crate) struct Events {
    log: Log,
    /// Open requests to a person, by the id of the request.
    asked: HashMap<String, Asked>,
    /// Calls that weren't allowed.
    denied: Vec<String>,
    /// Reasoning that an event of its own told, until the message that repeats it.
    thought: Option<String>,
    told: Told,
    todos: Todos,
    /// The last call that changed to-dos, with those before it.
    listed: Option<(String, Todos)>,
}

impl Events {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "copilot";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 6;

    pub fn new(path: &str) -> Self {
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        let named = Some(stem(path)).filter(|stem| *stem != "events").or_else(|| folders.next()).unwrap_or_default();
        Self {
            log: Log::new(named),
            asked: HashMap::new(),
            denied: Vec::new(),
            thought: None,
            told: Told::default(),
            todos: Todos::default(),
            listed: None,
        }
    }

    fn event(&mut self, at: &mut At, kind: &str, event: &Obj, data: &Obj) {
        match kind {
            "session.start" | "session.resume" | "session.context_changed" => self.context(at, kind, data),
            "session.model_change" => {
                self.log.comes_from(Origin { model: data.filled("newModel"), ..Origin::default() });
                self.shown(at, kind, data);
            }
            "session.title_changed" => {
                let title = data.filled("title").unwrap_or_default();
                self.log.facts().title(TitleRank::Agent, &title);
                self.log.say(at, at.aside(&at.id, "session_title_changed", format!("Title: {title}")));
            }
            "session.error" => {
                let message = data.filled("message").unwrap_or_else(|| "Something failed".to_owned());
                self.log.failed(at, &at.id, &data.filled("errorType").unwrap_or_default(), &message);
            }
            "session.compaction_complete" if data.has("summaryContent") => {
                self.log.compacted(at, data.filled("summaryContent"), data.int("preCompactionTokens"));
            }
            "session.shutdown" => {
                self.shown(at, kind, data);
                self.expire(at, "expired");
                self.sums(at, data);
                self.log.facts().runs.end(RunOutcome::Done, None);
            }
            "user.message" => self.prompt(at, data),
            "assistant.message" => self.message(at, event, data),
            "assistant.reasoning" => {
                let text = data.string("content").unwrap_or_default();
                self.log.alive(at);
                self.log.thought(at, &at.id, &text);
                self.thought = Some(text);
            }
            "tool.user_requested" | "tool.execution_start" => self.call(at, data, "toolName"),
            "tool.execution_complete" => self.result(at, data),
            "permission.requested" => self.ask(at, data),
            "permission.completed" => self.decide(at, data),
            "user_input.requested" => self.question(at, kind, data),
            "user_input.completed" => self.question_answered(at, kind, data),
            "exit_plan_mode.requested" => self.plan(at, kind, data),
            "exit_plan_mode.completed" => self.plan_decided(at, kind, data),
            "elicitation.requested" => self.form(at, kind, data),
            "elicitation.completed" => self.form_filled(at, kind, data),
            "system.message" | "system.notification" | "skill.invoked" => match data.filled("content") {
                Some(text) => self.log.told(at, &at.id, &kind.replace('.', "_"), text),
                None => self.shown(at, kind, data),
            },
            "subagent.started" | "subagent.completed" | "subagent.failed" => self.subagent(at, kind, data),
            "abort" => {
                self.expire(at, "cancelled");
                self.log.interrupted(at, &at.id);
            }
            _ => self.shown(at, kind, data),
        }
        self.log.say_empty(at);
    }

    /// An event by its plain fields.
    fn shown(&mut self, at: &At, kind: &str, data: &Obj) {
        self.log.aside(at, &kind.replace('.', "_"), data);
    }

    fn context(&mut self, at: &At, kind: &str, data: &Obj) {
        let context = data.obj("context");
        let context = context.as_ref().unwrap_or(data);
        self.log.comes_from(Origin {
            cwd: context.filled("cwd"),
            branch: context.filled("branch"),
            model: data.filled("selectedModel"),
            version: data.filled("copilotVersion"),
            record: None,
        });
        let what = match (kind, data.filled("copilotVersion")) {
            ("session.start", Some(version)) => format!("Session started, version {version}"),
            ("session.start", None) => "Session started".to_owned(),
            ("session.resume", _) => "Session resumed".to_owned(),
            _ => return self.shown(at, kind, data),
        };
        let mut draft = at.aside(&at.id, &kind.replace('.', "_"), what);
        draft.origin = self.log.origin.clone();
        self.log.say(at, draft);
    }

    fn prompt(&mut self, at: &mut At, data: &Obj) {
        let text = data.string("content").unwrap_or_default();
        if let Some(source) = data.filled("source").filter(|source| source != "user") {
            // The program speaks in a person's name.
            self.log.told(at, &at.id, &source, text);
        } else {
            self.expire(at, "expired");
            self.log.prompt(at, &at.id.clone(), &text);
        }
        for (n, raw) in data.list("attachments").unwrap_or_default().into_iter().enumerate() {
            let Some(attachment) = Obj::parse(raw) else { continue };
            let name = ["path", "filePath", "displayName", "url"].iter().find_map(|key| attachment.filled(key));
            let id = format!("{}~attachment~{n}", at.id);
            match name {
                Some(name) => self.log.say(at, at.aside(&id, "attachment", name)),
                None => self.log.aside(&At { id, ..at.clone() }, "attachment", &attachment),
            }
        }
    }

    fn message(&mut self, at: &mut At, event: &Obj, data: &Obj) {
        if data.has("model") {
            self.log.comes_from(Origin { model: data.filled("model"), ..Origin::default() });
            at.origin = self.log.origin.clone();
        }
        self.log.alive(at);
        if let Some(output) = data.int("outputTokens") {
            let id = ["apiCallId", "messageId"].iter().find_map(|key| data.filled(key)).or_else(|| event.filled("id"));
            let id = id.unwrap_or_else(|| at.id.clone());
            let usage = Usage { output: output.clamp(0, 1 << 40), ..Usage::default() };
            self.told.wrote(&id, self.log.origin.model.as_deref(), usage.output);
            self.log.spent_ahead(Spent { id, usage, ..Spent::default() });
        }
        let thought = data.filled("reasoningText");
        if let Some(text) = thought.filter(|text| self.thought.as_ref() != Some(text)) {
            self.log.thought(at, &format!("{}~reasoning", at.id), &text);
        }
        self.thought = None;
        if let Some(text) = data.filled("content") {
            self.log.answer(at, &at.id, &text);
        }
        let requests = data.list("toolRequests").unwrap_or_default();
        for request in requests.iter().filter_map(|raw| Obj::parse(raw)) {
            self.call(at, &request, "name");
        }
        if self.log.first.is_none() && data.has("reasoningOpaque") {
            self.log.thought(at, &format!("{}~reasoning", at.id), "");
        }
        if requests.is_empty() {
            self.log.pause(at);
        }
    }

    /// A call is asked for, or begins. Whatever tells it first makes it.
    fn call(&mut self, at: &mut At, data: &Obj, name: &str) {
        let call_id = data.filled("toolCallId").unwrap_or_else(|| at.id.clone());
        self.log.alive(at);
        if self.log.belongs(at, &call_id) {
            return;
        }
        let tool = data.filled(name).unwrap_or_else(|| "unknown".to_owned());
        let input = data.raw("arguments").map(input).unwrap_or_default();
        let before = self.todos.clone();
        let changed = self.todos.apply(&tool, &input);
        self.log.call(at, &call_id, &tool, input);
        if let Some(entries) = changed {
            if let Some(list) = of_list(&entries) {
                self.log.calls.list(&mut self.log.book, at, &call_id, list);
            }
            self.listed = Some((call_id, before));
        }
    }

    fn result(&mut self, at: &mut At, data: &Obj) {
        let call_id = data.filled("toolCallId");
        let done = data.obj("result");
        let error = data.obj("error");
        let text = done.as_ref().and_then(|done| done.string("content"));
        let text = error.as_ref().and_then(|error| error.filled("message")).or(text).unwrap_or_default();
        let refused =
            error.and_then(|error| error.filled("code")).is_some_and(|code| code == "denied" || code == "rejected");
        let is_denied = |id: &String| self.denied.contains(id);
        let state = match data.raw("success") {
            Some("false") if refused || call_id.as_ref().is_some_and(is_denied) => "denied",
            Some("false") => "failed",
            _ => "done",
        };
        let mut result = Result { state, text, ..Result::default() };
        exit_code(&mut result);
        if let (Some(call_id), Some(diff)) = (&call_id, done.as_ref().and_then(|done| done.filled("detailedContent")))
            && state == "done"
        {
            self.log.patched(at, call_id, &diff);
        }
        // A failed call changed nothing.
        if let Some((_, before)) = self.listed.take_if(|(id, _)| state != "done" && call_id.as_ref() == Some(id)) {
            self.todos = before;
        }
        let raw = done.as_ref().and_then(|done| done.raw("contents")).unwrap_or("[]");
        self.log.result(at, call_id.as_deref(), raw, result);
    }

    fn subagent(&mut self, at: &mut At, kind: &str, data: &Obj) {
        self.shown(at, kind, data);
        let Some(call_id) = data.filled("toolCallId") else { return };
        self.log.belongs(at, &call_id);
        self.log.within(Some(&call_id));
        let child = self.log.facts();
        match kind {
            "subagent.started" => {
                let name = data.filled("agentDisplayName").or_else(|| data.filled("agentName")).unwrap_or_default();
                child.title(TitleRank::Task, &name);
            }
            "subagent.completed" => child.runs.end(RunOutcome::Done, Some(at.time)),
            _ => child.runs.end(RunOutcome::Failed, Some(at.time)),
        }
        self.log.within(None);
    }
}

/// Takes the exit code of a command from the line that the program puts behind its output:
/// `<shellId: 3 completed with exit code 0>`.
fn exit_code(result: &mut Result) {
    let (output, last) = result.text.trim_end().rsplit_once('\n').unwrap_or(("", result.text.trim_end()));
    let code = last.strip_prefix('<').and_then(|line| line.strip_suffix('>')?.rsplit_once(" with exit code "));
    let Some(code) = code.and_then(|(_, code)| code.parse::<i64>().ok()) else { return };
    result.text = if output.is_empty() { String::new() } else { format!("{output}\n") };
    result.details.push(("exit_code", code.into()));
    if code != 0 && result.state == "done" {
        result.state = "failed";
    }
}

contents_of_log!(Events);

impl Records for Events {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let kind = record.filled("type").unwrap_or_default();
        let data = record.obj("data").unwrap_or_else(|| record.clone());
        self.log.session(data.filled("sessionId").filter(|_| kind == "session.start"));
        self.log.within(data.filled("parentToolCallId").as_deref());
        if let Some(mut at) = self.log.line(record.filled("id"), record, text, span) {
            self.event(&mut at, &kind, record, &data);
        }
        self.log.within(None);
    }
}
