//! Progress lines of older versions: a third of all lines. Most belong to a tool call; some hold a sub-agent's whole lines.

use super::at::micros;
use super::obj::Obj;
use super::state::State;
use crate::Span;
use crate::parts::short::fields_in_short;
use model::Micros;
use serde_json::{Value, json};

impl State {
    pub fn progress(&mut self, text: &str, line: &Obj, span: Span) {
        let data = line.obj("data");
        let kind = data.as_ref().and_then(|data| data.filled("type")).unwrap_or_else(|| "progress".to_owned());
        if kind == "agent_progress"
            && let Some(data) = &data
            && let Some(raw) = data.raw("message")
            && let Some(embedded) = Obj::parse(raw)
        {
            self.enter_line(line);
            return self.agent_progress(line, data, &embedded, raw, span);
        }
        let Some(id) = self.own_id(line, text, span) else {
            return self.note(span, "A line that was read before, repeated");
        };
        self.enter_line(line);
        let at = self.at(self.main, line, span, id);
        let news = data.as_ref().filter(|_| kind == "bash_progress").map(|data| {
            json!({
                "output": data.string("output"),
                "elapsed_seconds": data.float("elapsedTimeSeconds"),
                "total_lines": data.int("totalLines"),
            })
        });
        for owner in ["toolUseID", "parentToolUseID"] {
            if let Some(call_id) = line.filled(owner)
                && self.progress_of(&call_id, &at, news.clone())
            {
                return;
            }
        }
        let content = match (&data, kind.as_str()) {
            (Some(data), "hook_progress") => {
                format!(
                    "Hook {}: {}",
                    data.filled("hookName").unwrap_or_default(),
                    data.filled("command").unwrap_or_default()
                )
            }
            (Some(data), _) => fields_in_short(&kind, data),
            (None, _) => fields_in_short(&kind, line),
        };
        self.aside(&at, &kind, content);
    }

    /// A whole line of a sub-agent, told by its parent.
    fn agent_progress(&mut self, line: &Obj, data: &Obj, embedded: &Obj, raw: &str, span: Span) {
        let Some(id) = self.own_id(embedded, raw, span) else {
            return self.note(span, "A line that was read before, repeated");
        };
        let call_id = line.filled("parentToolUseID");
        let parent = call_id.as_deref().and_then(|id| self.calls.get(id)).map_or(self.main, |call| call.session);
        let agent = data.filled("agentId").or_else(|| call_id.clone()).unwrap_or_else(|| "agent".to_owned());
        let child = self.child(parent, &agent, call_id.as_deref());
        let mut at = self.at(child, line, span, id);
        if let Some(time) = embedded.str("timestamp").and_then(|text| micros(&text)) {
            at.time = time;
            self.book.sessions[child].seen_at(time);
        }
        match embedded.str("type").as_deref() {
            Some("user") => self.user(&at, embedded),
            Some("assistant") => self.assistant(&at, embedded),
            other => {
                let kind = other.unwrap_or("agent_progress").to_owned();
                self.bookkeeping(&at, &kind, embedded);
            }
        }
    }
}

impl State {
    /// A sub-agent's session, known from its parent's file.
    pub fn child(&mut self, parent: usize, agent: &str, call_id: Option<&str>) -> usize {
        let key = format!("{}/{agent}", self.root);
        let child = self.book.session(&key);
        let parent_key = self.book.sessions[parent].key.clone();
        let title = call_id.and_then(|id| self.call_input(id, "description"));
        let started = call_id.and_then(|id| self.calls.get(id)).map(|call| call.started).filter(|at| *at > Micros(0));
        let session = &mut self.book.sessions[child];
        if key != parent_key {
            session.set(|facts| &mut facts.parent, Some(parent_key));
        }
        session.set(|facts| &mut facts.call_id, call_id.map(str::to_owned));
        // Its own lines may be elsewhere, or gone: it began when it was called.
        if let Some(started) = started.filter(|_| session.facts.first_at.is_none()) {
            session.seen_at(started);
        }
        if let Some(title) = title {
            session.title(super::session::TitleRank::Task, &title);
        }
        child
    }

    /// A text of a call's input.
    pub fn call_input(&self, call_id: &str, key: &str) -> Option<String> {
        let call = self.calls.get(call_id)?;
        let metadata = self.book.peek(call.session, &call.id)?.metadata.as_ref()?;
        metadata.get("payload")?.get("input")?.get(key).and_then(Value::as_str).map(str::to_owned)
    }
}
