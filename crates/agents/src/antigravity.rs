//! Antigravity's command line: a log of steps, one JSON object a line.
//!
//! A step of a tool doesn't name its call: results come in the order of the calls. Ids of messages: `<file>~<offset>`, with `~thinking`
//! of reasoning and `~call~<n>` of a tool call.

use crate::Span;
use crate::parts::at::{At, derived_id};
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::{Obj, value};
use crate::parts::result::Result;
use serde_json::{Map, Value};

/// Reads one log.
pub(crate) struct Steps {
    log: Log,
}

impl Steps {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "antigravity";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        // The session's own folder is named after it.
        let is_id = |part: &&str| part.len() == 36 && part.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let named = path.rsplit(['/', '\\']).skip(1).find(is_id).unwrap_or_else(|| stem(path));
        Self { log: Log::new(named) }
    }

    /// A person's words stand in a tag, and what the program adds behind them.
    fn asked(&mut self, at: &mut At, content: &str) {
        const TAGS: (&str, &str) = ("<USER_REQUEST>", "</USER_REQUEST>");
        let inside = content.trim_start().strip_prefix(TAGS.0).and_then(|text| text.split_once(TAGS.1));
        let (words, added) = inside.unwrap_or((content, ""));
        let id = at.id.clone();
        self.log.prompt(at, &id, words.trim());
        if !added.trim().is_empty() {
            self.log.told(at, &format!("{id}~added"), "context", added.trim());
        }
    }

    fn answered(&mut self, at: &mut At, step: &Obj) {
        self.log.alive(at);
        if let Some(thought) = step.filled("thinking") {
            self.log.thought(at, &format!("{}~thinking", at.id), &thought);
        }
        if let Some(text) = step.filled("content") {
            self.log.answer(at, &at.id, &text);
        }
        let calls = step.list("tool_calls").unwrap_or_default();
        for (n, call) in calls.into_iter().filter_map(Obj::parse).enumerate() {
            let tool = call.filled("name").unwrap_or_else(|| "unknown".to_owned());
            self.log.call(at, &derived_id(&at.id, "call", n), &tool, arguments(&call));
        }
        self.log.say_empty(at);
        self.log.pause(at);
    }

    /// The result of a tool. It belongs to the oldest open call.
    fn result(&mut self, at: &At, step: &Obj) {
        let state = match step.str("status").as_deref() {
            Some("ERROR" | "FAILED") => "failed",
            Some("CANCELED" | "CANCELLED") => "cancelled",
            _ => "done",
        };
        let text = step.string("content").unwrap_or_default();
        let call = self.log.calls.oldest_open(None);
        self.log.result(at, call.as_deref(), "\"\"", Result { state, text, ..Result::default() });
    }
}

/// The input of a call, each value of which is JSON in a string.
fn arguments(call: &Obj) -> Map<String, Value> {
    let Some(fields) = call.obj("args") else { return Map::new() };
    let decoded = |raw: &str| match value(raw) {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    fields.fields().map(|(name, raw)| (name.to_owned(), decoded(raw))).collect()
}

contents_of_log!(Steps);

impl Records for Steps {
    fn record(&mut self, text: &str, step: &Obj, span: Span) {
        let Some(mut at) = self.log.line_at(None, step.raw("created_at"), text, span) else { return };
        let kind = step.filled("type").unwrap_or_default();
        let content = step.string("content");
        match (kind.as_str(), step.str("source").as_deref(), content) {
            ("USER_INPUT", _, Some(content)) => self.asked(&mut at, &content),
            ("PLANNER_RESPONSE", ..) => self.answered(&mut at, step),
            ("CHECKPOINT", _, content) => self.log.compacted(&at, content, None),
            (_, Some("MODEL"), Some(_)) => self.result(&at, step),
            (_, _, Some(content)) => self.log.told(&at, &at.id, &kind.to_lowercase(), content),
            _ => self.log.aside(&at, &kind.to_lowercase(), step),
        }
    }
}
