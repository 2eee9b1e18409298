//! Cursor's transcripts of agents: `~/.cursor/projects/<folder>/agent-transcripts/<session>/<session>.jsonl`, one JSON object
//! a line, and those of sub-agents in `subagents` beside it. `text` reads those of before February 2026, which are plain text, and `chat`
//! what its command line keeps in a database.
//!
//! Lines have neither ids nor times, and calls no ids. Ids of messages: `<session>~<offset>`, with `~<n>` of one of several
//! blocks. A result belongs to the oldest call that has none; most transcripts have none at all, so that edits stay proposed.

pub(crate) mod chat;
pub(crate) mod text;

use crate::Span;
use crate::parts::at::{At, derived_id};
use crate::parts::blocks::joined_text;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::{Obj, list};
use crate::parts::result::Result;
use model::{Origin, Role, RunOutcome};

/// Reads one transcript.
pub(crate) struct Cursor {
    log: Log,
    /// The session of the agent that started this one, which the path tells.
    parent: Option<String>,
}

impl Cursor {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "cursor";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 3;

    pub fn new(path: &str) -> Self {
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        let is_child = folders.next() == Some("subagents");
        let parent = folders.next().filter(|_| is_child).map(str::to_owned);
        let stem = stem(path);
        let named = parent.as_ref().map_or_else(|| stem.to_owned(), |parent| format!("{parent}/{stem}"));
        let mut log = Log::new(&named);
        log.are_in_order = true;
        Self { log, parent }
    }

    fn prompt(&mut self, at: &mut At, raw: &str) {
        let blocks = list(raw).unwrap_or_else(|| vec![raw]);
        let lone = Obj::parse(blocks.first().copied().unwrap_or_default()).filter(|_| blocks.len() == 1);
        match lone.and_then(|block| block.filled("text")).filter(|text| parts(text).is_some()) {
            Some(text) => said(&mut self.log, at, &text),
            None => self.log.blocks(at, Role::User, raw, outcome),
        }
    }
}

/// The editor puts what a person asks into a tag, and what it adds around it: what is before, inside and behind.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("<user_query>")?;
    let (asked, behind) = rest.rsplit_once("</user_query>")?;
    Some((before, asked, behind))
}

/// Reads a person's prompt, and the context that the editor added.
fn said(log: &mut Log, at: &mut At, text: &str) {
    let (before, asked, behind) = parts(text).unwrap_or(("", text, ""));
    for (n, context) in [before, behind].into_iter().map(str::trim).enumerate() {
        if !context.is_empty() {
            log.told(at, &derived_id(&at.id, "context", n), "context", context);
        }
    }
    let id = at.id.clone();
    log.prompt(at, &id, asked.trim());
}

/// Ends all open calls as done. Their results aren't in the file, but the agent goes on.
fn end_calls(log: &mut Log, at: &At) {
    log.calls.end_all(&mut log.book, at.session, "done");
}

/// How a call went, as far as its result says.
fn outcome(block: &Obj, text: String) -> Result {
    let state = if block.is_true("is_error") { "failed" } else { "done" };
    Result { state, text, ..Result::default() }
}

contents_of_log!(Cursor);

impl Records for Cursor {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        self.log.session(None);
        let parent = self.parent.clone();
        self.log.facts().set(|facts| &mut facts.parent, parent);
        let Some(mut at) = self.log.line(None, record, text, span) else { return };
        let message = record.obj("message");
        let raw = message.as_ref().and_then(|message| message.raw("content")).unwrap_or("[]");
        match (record.str("role").as_deref(), message.is_some()) {
            (Some("user"), true) => self.prompt(&mut at, raw),
            (Some("assistant"), true) => {
                if record.has("model") {
                    self.log.comes_from(Origin { model: record.filled("model"), ..Origin::default() });
                    at.origin = self.log.origin.clone();
                }
                end_calls(&mut self.log, &at);
                self.log.alive(&mut at);
                self.log.blocks(&mut at, Role::Assistant, raw, outcome);
                self.log.pause(&at);
            }
            (Some(role), true) => self.log.told(&at, &at.id, role, joined_text(raw)),
            _ => {
                let kind = record.filled("type").or_else(|| record.filled("role")).unwrap_or_default();
                self.log.aside(&at, &kind, record);
                if kind == "turn_ended" {
                    let status = record.filled("status").unwrap_or_default();
                    let (ended, state) = match status.as_str() {
                        "error" | "failed" => (RunOutcome::Failed, "cancelled"),
                        "aborted" | "cancelled" => (RunOutcome::Interrupted, "cancelled"),
                        _ => (RunOutcome::Done, "done"),
                    };
                    self.log.calls.end_all(&mut self.log.book, at.session, state);
                    self.log.facts().runs.end(ended, None);
                }
            }
        }
        self.log.say_empty(&at);
    }
}
