//! Hermes: `~/.hermes/sessions/*.json`, a document of a session's facts and its messages, which are those of a chat.
//!
//! Ids of messages: `<session>~<index>`, with `~thinking` of reasoning; `<call id>` of a tool call; `<session>~meta` of the facts.

use crate::parts::at::At;
use crate::parts::blocks::{cut, result_text};
use crate::parts::book::Book;
use crate::parts::calls::input;
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::log::{Log, stem};
use crate::parts::obj::{Obj, string};
use crate::parts::result::Result;
use crate::{SessionKey, Span};
use model::{MessageId, Origin, Role};

/// Reads one session.
pub(crate) struct Session {
    log: Log,
    /// The facts so far, by name, with their bytes; kept until the session is known.
    early: Vec<(String, Span)>,
    facts: Vec<String>,
    key: Option<String>,
}

impl Session {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "hermes";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        Self { log: Log::new(stem(path)), early: Vec::new(), facts: Vec::new(), key: None }
    }

    /// The session's id, which a field says before the messages.
    fn begin(&mut self) -> String {
        let session = self.log.session(self.key.clone());
        for (name, span) in std::mem::take(&mut self.early) {
            self.facts.push(name);
            let id = format!("{}~meta", self.log.facts().key);
            let words = format!("Session with {}", self.facts.join(", "));
            let Some(at) = self.log.line_at(Some(id), None, &words, span) else { continue };
            let draft = at.aside(&at.id, "session_meta", words);
            self.log.book.keep(session, draft, span);
        }
        self.log.facts().key.clone()
    }

    fn message(&mut self, at: &mut At, message: &Obj) {
        let raw = message.raw("content").unwrap_or("\"\"");
        let role = message.filled("role").unwrap_or_default();
        match role.as_str() {
            "user" => self.log.blocks(at, Role::User, raw, done),
            "assistant" => {
                self.log.alive(at);
                let thought = ["reasoning", "reasoning_content"].iter().find_map(|key| message.filled(key));
                if let Some(thought) = thought {
                    self.log.thought(at, &format!("{}~thinking", at.id), &thought);
                }
                let text = result_text(raw);
                if !text.is_empty() {
                    self.log.answer(at, &at.id, &text);
                }
                self.calls(at, message);
                self.log.pause(at);
            }
            "tool" => {
                let outcome = done(message, result_text(raw));
                self.log.result(at, message.filled("tool_call_id").as_deref(), raw, outcome);
            }
            "system" => self.log.told(at, &at.id, "instructions", result_text(raw)),
            _ => self.log.aside(at, &role, message),
        }
        self.log.say_empty(at);
    }

    fn calls(&mut self, at: &At, message: &Obj) {
        let calls = message.list("tool_calls").unwrap_or_default();
        for (n, call) in calls.into_iter().filter_map(Obj::parse).enumerate() {
            let function = call.obj("function").unwrap_or_else(|| call.clone());
            let id = call.filled("id").unwrap_or_else(|| format!("{}~call~{n}", at.id));
            let tool = function.filled("name").unwrap_or_else(|| "unknown".to_owned());
            self.log.call(at, &id, &tool, function.raw("arguments").map(input).unwrap_or_default());
        }
    }
}

/// How a call went.
fn done(message: &Obj, text: String) -> Result {
    let failed = message.str("finish_reason").as_deref() == Some("error") || message.is_true("is_error");
    Result { state: if failed { "failed" } else { "done" }, text, ..Result::default() }
}

impl Contents for Session {
    fn note(&mut self, span: Span, text: &str) {
        self.begin();
        self.log.note(span, text);
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        self.log.note_at(offset)
    }

    fn end(&mut self) {
        self.begin();
    }

    fn book(&mut self) -> &mut Book {
        &mut self.log.book
    }
}

impl Document for Session {
    const LISTS: &'static [&'static str] = &["messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        self.early.push((name.to_owned(), span));
        let text = string(raw).map(std::borrow::Cow::into_owned).filter(|text| !text.is_empty());
        if name == "session_id" {
            self.key = self.key.take().or(text);
            self.begin();
        } else if self.key.is_some() {
            self.begin();
            match name {
                "model" => self.log.comes_from(Origin { model: text, ..Origin::default() }),
                "cwd" => self.log.comes_from(Origin { cwd: text, ..Origin::default() }),
                "session_start" | "last_updated" => {
                    if let Some(time) = text.as_deref().and_then(crate::parts::at::micros) {
                        self.log.facts().seen_at(time);
                    }
                }
                "title" => {
                    let title = text.unwrap_or_default();
                    self.log.facts().title(crate::parts::session::TitleRank::Agent, &title);
                }
                _ => {}
            }
        }
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        let key = self.begin();
        let message = Obj::parse(raw);
        let stamp = message.as_ref().and_then(|message| message.raw("timestamp"));
        let Some(mut at) = self.log.line_at(Some(format!("{key}~{index}")), stamp, raw, span) else { return };
        match message {
            Some(message) => self.message(&mut at, &message),
            None => self.log.say(&at, at.aside(&at.id, "unknown", cut(raw, 200))),
        }
    }
}
