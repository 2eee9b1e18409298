//! Events: what the program shows of a session while it goes on. Many say again what an item says.

use super::Rollout;
use super::result::texts;
use super::said::Half;
use crate::Span;
use crate::parts::at::At;
use crate::parts::obj::{Obj, string};
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use model::{Micros, Role, RunOutcome};

impl Rollout {
    /// An event that belongs to a message which is there already, or whose message comes later. False for all others.
    pub(super) fn event(&mut self, kind: &str, event: &Obj, text: &str, time: Option<Micros>, span: Span) -> bool {
        let session = self.session(None);
        let item = event.obj("item").filter(|_| kind == "item_completed");
        let body = item.as_ref().unwrap_or(event);
        let (role, said) = match (kind, item.as_ref().and_then(|item| item.filled("type")).as_deref()) {
            ("user_message", _) => (Role::User, event.filled("message")),
            ("agent_message", _) => (Role::Assistant, event.filled("message")),
            (_, Some("UserMessage")) => (Role::User, body.raw("content").map(|raw| texts(raw).join("\n"))),
            (_, Some("AgentMessage")) => (Role::Assistant, body.raw("content").map(|raw| texts(raw).join("\n"))),
            ("agent_reasoning" | "agent_reasoning_raw_content", _) => (Role::Model, event.filled("text")),
            ("agent_reasoning_section_break", _) => (Role::Model, Some(String::new())),
            (_, Some("Reasoning")) => {
                let raw = ["summary_text", "raw_content"].iter().filter_map(|key| body.raw(key)).map(texts);
                (Role::Model, raw.map(|texts| texts.join("\n\n")).find(|text| !text.is_empty()).or(Some(String::new())))
            }
            ("task_started" | "turn_started", _) => {
                self.enter_turn(event);
                return false;
            }
            _ => return false,
        };
        let Some(said) = said else { return false };
        if self.is_said(session, role, &said, Half::Event, span) {
            return true;
        }
        if role != Role::Model {
            return false;
        }
        let Some(id) = self.id(None, text, span) else { return false };
        self.think(said, time, id, span);
        true
    }

    /// An event with a message of its own.
    pub(super) fn other_event(&mut self, at: &At, kind: &str, event: &Obj) {
        let call_id = event.filled("call_id").or_else(|| event.filled("callId"));
        match kind {
            "user_message" => self.said_event(at, Role::User, event),
            "agent_message" => self.said_event(at, Role::Assistant, event),
            "item_completed" => match event.obj("item") {
                Some(item) => self.item_event(at, &item),
                None => self.aside(at, kind, event),
            },
            "task_started" | "turn_started" => self.task_started(at, event),
            "task_complete" | "turn_complete" => self.task_complete(at, event),
            "turn_aborted" => self.turn_aborted(at, event),
            "token_count" => self.token_count(at, event),
            "context_compacted" => self.compacted(at, None),
            "thread_rolled_back" => self.rolled_back(at, event),
            "error" | "stream_error" => self.error(at, kind, event),
            "exited_review_mode" => self.reviewed(at, kind, event),
            "thread_settings_applied" => {
                if let Some(settings) = event.obj("thread_settings") {
                    self.settings(at.session, &settings);
                }
                let draft = at.aside(&at.id, kind, fields_in_short(kind, event));
                self.say(at, draft);
            }
            "thread_name_updated" => {
                let name = event.filled("thread_name").unwrap_or_default();
                self.book.sessions[at.session].title(TitleRank::Custom, &name);
                let draft = at.aside(&at.id, kind, format!("Title: {name}"));
                self.say(at, draft);
            }
            _ => match call_id {
                Some(call_id) => self.call_event(at, kind, &call_id, event),
                None => self.aside(at, kind, event),
            },
        }
    }

    fn said_event(&mut self, at: &At, role: Role, event: &Obj) {
        match event.filled("message") {
            Some(text) => self.say_text(at, &at.id, role, &text, Half::Event),
            None => self.aside(at, "message", event),
        }
    }

    /// A part of a turn, as newer versions tell of it.
    fn item_event(&mut self, at: &At, item: &Obj) {
        let kind = item.filled("type").unwrap_or_default();
        let id = item.filled("id").unwrap_or_else(|| at.id.clone());
        match kind.as_str() {
            "UserMessage" | "AgentMessage" => {
                let role = if kind == "UserMessage" { Role::User } else { Role::Assistant };
                let text = item.raw("content").map(|raw| texts(raw).join("\n")).unwrap_or_default();
                self.say_text(at, &at.id, role, &text, Half::Event);
            }
            "CommandExecution" => self.call_ended(at, &id, "shell", item),
            "McpToolCall" => self.call_ended(at, &id, "mcp", item),
            "WebSearch" => self.call_ended(at, &id, "web_search", item),
            "Extension" => {
                let tool = item.filled("kind").unwrap_or_else(|| "extension".to_owned());
                self.call_ended(at, &id, &tool, item);
            }
            "FileChange" => self.patched(at, &id, item),
            "Plan" => {
                let text = item.filled("text").unwrap_or_default();
                self.say_text(at, &at.id, Role::Assistant, &text, Half::Event);
            }
            _ => self.aside(at, &kind, item),
        }
    }

    /// An event of a call: `exec_command_end`, `mcp_tool_call_begin`, `collab_agent_spawn_end`.
    fn call_event(&mut self, at: &At, kind: &str, call_id: &str, event: &Obj) {
        if let Some(child) = event.filled("new_thread_id") {
            // Its lines are in a file of its own.
            let name = event.filled("new_agent_nickname");
            self.book.child(at.session, &child, call_id, name.as_deref());
        }
        let tool =
            ["_end", "_response", "_request", "_begin", "_tool_call"].iter().find_map(|end| kind.strip_suffix(end));
        let begins = kind.ends_with("_begin") || kind.ends_with("_request") || kind.ends_with("_delta");
        match kind {
            "patch_apply_end" => self.patched(at, call_id, event),
            // Whatever begins has an item, or an end.
            _ if begins && self.calls.extend(&mut self.book, at, call_id, Vec::new()) => {}
            _ if begins || kind.ends_with("_approval_request") => self.aside(at, kind, event),
            "exec_command_end" => self.call_ended(at, call_id, "shell", event),
            _ => self.call_ended(at, call_id, tool.unwrap_or(kind), event),
        }
    }

    /// Something went wrong: shown to people, given to no model.
    fn error(&mut self, at: &At, kind: &str, event: &Obj) {
        let inner = event.obj("error");
        let message = event.filled("message").or_else(|| inner.as_ref()?.filled("message"));
        let message = message.unwrap_or_else(|| "Something failed".to_owned());
        let info = event.raw("codex_error_info").and_then(string).map(std::borrow::Cow::into_owned);
        let what = info.or_else(|| inner.as_ref()?.filled("kind")).unwrap_or_else(|| kind.to_owned());
        let retryable = kind == "stream_error";
        let draft = at.error(&at.id, &what, message, Some(retryable));
        if !retryable {
            self.book.sessions[at.session].runs.pause(RunOutcome::Failed, at.time);
        }
        self.say(at, draft);
    }
}
