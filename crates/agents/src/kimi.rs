//! Kimi Code CLI: `~/.kimi-code/sessions/<folder>/session_<id>/agents/<agent>/wire.jsonl`, one JSON object a line. What isn't the
//! `main` agent is a sub-agent.
//!
//! The log holds most things twice: as they were asked for (`turn.prompt`, `usage.record`) and as they entered the context
//! (`context.append_message`, the end of a step). Messages and tokens come from the latter; the former are shown by their fields.
//!
//! Ids of messages: `<uuid>` of a part of an answer; `<call id>` of a tool call, with `~permission~0`; `<file>~<offset>` else.

use crate::Span;
use crate::parts::asks::decided;
use crate::parts::at::{At, derived_id, message_id};
use crate::parts::blocks::result_text;
use crate::parts::calls::input;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use model::message_type::approval::{ApprovalState, Decision};
use model::{Origin, Role, Spent, Usage};

/// Reads the log of one agent.
pub(crate) struct Wire {
    log: Log,
    /// The session that started it, for a sub-agent.
    parent: Option<String>,
}

impl Wire {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "kimi";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 3;

    pub fn new(path: &str) -> Self {
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        let (agent, above, session) = (folders.next(), folders.next(), folders.next());
        let (named, parent) = match (agent, above, session) {
            (Some(agent), Some("agents"), Some(session)) => {
                let session = session.strip_prefix("session_").unwrap_or(session);
                match agent {
                    "main" => (session.to_owned(), None),
                    agent => (format!("{session}/{agent}"), Some(session.to_owned())),
                }
            }
            _ => (stem(path).to_owned(), None),
        };
        Self { log: Log::new(&named), parent }
    }

    fn configured(&mut self, at: &At, kind: &str, record: &Obj) {
        let (model, cwd) = (record.filled("modelAlias"), record.filled("cwd"));
        self.log.comes_from(Origin { model, cwd, ..Origin::default() });
        if let Some(prompt) = record.filled("systemPrompt") {
            self.log.told(at, &at.id, "instructions", prompt);
        } else {
            self.log.aside(at, kind, record);
        }
    }

    /// A message as it entered the context.
    fn message(&mut self, at: &mut At, message: &Obj) {
        let raw = message.raw("content").unwrap_or("\"\"");
        let by_person = message.obj("origin").is_none_or(|origin| origin.str("kind").as_deref() == Some("user"));
        match message.str("role").as_deref() {
            Some("user") if by_person => self.log.blocks(at, Role::User, raw, done),
            Some("assistant") => {
                self.log.alive(at);
                self.log.blocks(at, Role::Assistant, raw, done);
            }
            _ => {
                let text = result_text(raw);
                self.log.told(at, &at.id, "context", text);
            }
        }
        self.log.say_empty(at);
    }

    /// Reads an event within a step of the agent.
    fn event(&mut self, at: &mut At, event: &Obj) {
        let kind = event.filled("type").unwrap_or_default();
        self.log.alive(at);
        match kind.as_str() {
            "content.part" => self.part(at, event),
            "tool.call" => {
                let call_id = event.filled("toolCallId").unwrap_or_else(|| at.id.clone());
                let tool = event.filled("name").unwrap_or_else(|| "unknown".to_owned());
                self.log.call(at, &call_id, &tool, event.raw("args").map(input).unwrap_or_default());
            }
            "tool.result" => {
                let result = event.obj("result").unwrap_or_else(|| event.clone());
                let raw = result.raw("output").or_else(|| result.raw("error")).unwrap_or("\"\"");
                let outcome = done(&result, result_text(raw));
                self.log.result(at, event.filled("toolCallId").as_deref(), raw, outcome);
            }
            "step.end" => {
                let id = event.filled("messageId").or_else(|| event.filled("uuid")).unwrap_or_else(|| at.id.clone());
                if let Some(usage) = event.obj("usage") {
                    self.log.spent(Spent {
                        id,
                        usage: spent(&usage),
                        first_token_ms: event.int("llmFirstTokenLatencyMs"),
                        stop_reason: event.filled("finishReason"),
                        ..Spent::default()
                    });
                }
                self.log.aside(at, &kind, &event.without(&["type", "uuid"]));
                if event.str("finishReason").as_deref() != Some("tool_use") {
                    self.log.pause(at);
                }
            }
            _ => self.log.aside(at, &kind, &event.without(&["type", "uuid"])),
        }
    }

    fn part(&mut self, at: &mut At, event: &Obj) {
        let Some(part) = event.obj("part") else { return self.log.aside(at, "content.part", event) };
        match (part.str("type").as_deref(), part.string("think"), event.raw("part")) {
            (Some("think"), Some(thought), _) => self.log.thought(at, &at.id, &thought),
            (_, _, Some(raw)) => self.log.blocks(at, Role::Assistant, raw, done),
            _ => {}
        }
        self.log.say_empty(at);
    }

    /// The decision of a person or a rule about a call. The log has it before the call.
    fn decided(&mut self, at: &mut At, record: &Obj) {
        let result = record.obj("result").unwrap_or_else(|| record.clone());
        let call_id = record.filled("toolCallId").unwrap_or_else(|| at.id.clone());
        let (state, verb) = match (result.str("decision").as_deref(), result.str("scope").as_deref()) {
            (Some("approved"), Some("session")) => (ApprovalState::AllowedAlways, "allowed"),
            (Some("approved"), _) => (ApprovalState::AllowedOnce, "allowed"),
            (Some("rejected" | "denied"), _) => (ApprovalState::Denied, "denied"),
            (Some("cancelled"), _) => (ApprovalState::Cancelled, "cancelled"),
            _ => (ApprovalState::DecidedElsewhere, "decided elsewhere"),
        };
        let title = record.filled("action").or_else(|| record.filled("toolName"));
        let title = title.unwrap_or_else(|| "Use of a tool".to_owned());
        let (text, via) = (result.filled("feedback"), Some("terminal".to_owned()));
        let decision = Decision { at: Some(at.time), text, via, ..Decision::new(state) };
        let id = derived_id(message_id(&call_id).as_str(), "permission", 0);
        self.log.alive(at);
        let draft = at.derived(&id, &call_id, format!("{title} ({verb})"), decided(&title, &decision));
        self.log.say(at, draft);
    }
}

/// How a call went.
fn done(result: &Obj, text: String) -> Result {
    let is_error = result.is_true("isError") || result.is_true("is_error") || result.has("error");
    let state = match is_error {
        false => "done",
        true if text.contains("rejected by the user") => "denied",
        true => "failed",
    };
    Result { state, text, ..Result::default() }
}

fn spent(usage: &Obj) -> Usage {
    let count = |name: &str| usage.int(name).unwrap_or(0).clamp(0, 1 << 40);
    Usage {
        input: count("inputOther"),
        output: count("output"),
        cache_read: count("inputCacheRead"),
        cache_write: count("inputCacheCreation"),
    }
}

contents_of_log!(Wire);

impl Records for Wire {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let kind = record.filled("type").unwrap_or_default();
        let event = record.obj("event").filter(|_| kind == "context.append_loop_event");
        let part = event.as_ref().filter(|event| event.str("type").as_deref() == Some("content.part"));
        let own = part.and_then(|part| part.filled("uuid"));
        let parent = self.parent.clone();
        self.log.session(None);
        self.log.facts().set(|facts| &mut facts.parent, parent);
        let stamp = record.raw("time").or_else(|| record.raw("created_at"));
        let Some(mut at) = self.log.line_at(own, stamp, text, span) else { return };
        match (kind.as_str(), record.obj("message"), event) {
            ("context.append_message", Some(message), _) => self.message(&mut at, &message),
            (_, _, Some(event)) => self.event(&mut at, &event),
            ("config.update", ..) => self.configured(&at, &kind, record),
            ("permission.record_approval_result", ..) => self.decided(&mut at, record),
            ("turn.cancel", ..) => {
                let id = at.id.clone();
                self.log.interrupted(&at, &id);
            }
            _ => self.log.aside(&at, &kind, &record.without(&["type", "time"])),
        }
    }
}
