//! Pi's sessions: `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`, one JSON object a line. `OpenClaw` writes the same.
//!
//! The lines are a tree: each names the one that it follows. The conversation goes on from the last line; what isn't on the
//! way to it was left behind.
//!
//! Ids of messages: a line's own one, or a hash of the line in the first format, which has none, with `~<n>` of one of several blocks;
//! `<call id>` of a tool call.

use crate::Span;
use crate::change::Stretch;
use crate::parts::at::{At, extras, sha256};
use crate::parts::blocks::{fenced, joined_text, result_text};
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use model::{Context, MessageId, Origin, Role, Spent, Usage};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};

/// Reads one session.
pub(crate) struct Tree {
    log: Log,
    entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
    /// Entries that came onto the way to the last line, or off it, and don't say so yet.
    moved: BTreeSet<usize>,
}

/// A line of the tree.
struct Entry {
    parent: Option<usize>,
    /// How many lines it follows.
    depth: usize,
    /// Its first message; none of a result, which belongs to its call.
    message: Option<MessageId>,
    offset: u64,
    /// True if it was said in the conversation.
    is_said: bool,
    is_left: bool,
}

impl Tree {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "pi";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 4;

    pub fn new(path: &str) -> Self {
        // `<time>_<session>`
        let stem = stem(path);
        let named = stem.split_once('_').map_or(stem, |(_, session)| session);
        Self { log: Log::new(named), entries: Vec::new(), by_id: HashMap::new(), moved: BTreeSet::new() }
    }

    fn head(&mut self, at: &At, head: &Obj) {
        let (cwd, model) = (head.filled("cwd"), head.filled("modelId"));
        self.log.comes_from(Origin { cwd, model, ..Origin::default() });
        let mut content = "Session started".to_owned();
        if let Some(from) = head.filled("parentSession").or_else(|| head.filled("branchedFrom")) {
            content.push_str(&format!(", forked from {from}"));
        }
        let mut draft = at.aside(&at.id, "session", content);
        draft.origin = self.log.origin.clone();
        self.log.say(at, draft);
    }

    fn message(&mut self, at: &mut At, line: &Obj, message: &Obj) {
        let raw = message.raw("content").unwrap_or("[]");
        match message.str("role").as_deref() {
            Some("user") => {
                self.log.blocks(at, Role::User, raw, outcome);
                self.log.say_empty(at);
            }
            Some("assistant") => {
                self.log.comes_from(Origin { model: message.filled("model"), ..Origin::default() });
                at.origin = self.log.origin.clone();
                self.log.alive(at);
                self.spent(at, line, message);
                self.log.blocks(at, Role::Assistant, raw, outcome);
                self.stop(at, message);
                self.log.say_empty(at);
            }
            Some("toolResult") => self.result(at, message, raw),
            Some("bashExecution") => self.command(at, message),
            Some("compactionSummary" | "branchSummary") => self.summary(at, message),
            role => {
                let sender = message.filled("customType").unwrap_or_else(|| role.unwrap_or("unknown").to_owned());
                let text = joined_text(raw);
                if text.is_empty() {
                    return self.log.aside(at, &sender, message);
                }
                self.log.told(at, &at.id, &sender, text);
            }
        }
    }

    /// Counts what a request took. Copies of a line in another session have the same id and time.
    fn spent(&mut self, at: &At, line: &Obj, message: &Obj) {
        let Some(usage) = message.obj("usage") else { return };
        let count = |name: &str| usage.int(name).unwrap_or(0).clamp(0, 1 << 40);
        let (input, output) = (count("input"), count("output"));
        let usage_of = Usage { input, output, cache_read: count("cacheRead"), cache_write: count("cacheWrite") };
        let part = |key: &str| line.filled(key).unwrap_or_default();
        let cost_usd = usage.obj("cost").and_then(|cost| cost.float("total"));
        let own = line.filled("id").unwrap_or_else(|| at.id.clone());
        let id = format!("{own}~{}", part("timestamp"));
        let stop_reason = message.filled("stopReason");
        self.log.spent_ahead(Spent { id, usage: usage_of, cost_usd, stop_reason, ..Spent::default() });
    }

    fn stop(&mut self, at: &At, message: &Obj) {
        let error = message.filled("errorMessage");
        match message.str("stopReason").as_deref() {
            Some("error") => {
                let error = error.unwrap_or_else(|| "Something failed".to_owned());
                self.log.failed(at, &format!("{}~error", at.id), "api_error", &error);
            }
            Some("aborted") => self.log.interrupted(at, &format!("{}~aborted", at.id)),
            Some("toolUse") => {}
            _ => self.log.pause(at),
        }
    }

    fn result(&mut self, at: &At, message: &Obj, raw: &str) {
        let result = outcome(message, result_text(raw));
        let call_id = message.filled("toolCallId");
        if let (Some(call_id), Some(details), "done") = (&call_id, message.obj("details"), result.state) {
            self.place_edit(at, call_id, &details);
        }
        self.log.result(at, call_id.as_deref(), raw, result);
    }

    /// Where an edit is in its file: newer versions tell it by a patch, older ones by a line.
    fn place_edit(&mut self, at: &At, call_id: &str, details: &Obj) {
        if let Some(patch) = details.filled("patch") {
            return self.log.patched(at, call_id, &patch);
        }
        if let Some(line) = details.int("firstChangedLine") {
            self.log.calls.place_edit(&mut self.log.book, at, call_id, line);
        }
    }

    /// A command that a person ran, and what it gave back.
    fn command(&mut self, at: &mut At, message: &Obj) {
        let shell = message.string("command").unwrap_or_default();
        let output = message.string("output").unwrap_or_default();
        let mut draft = at.text(&at.id, Role::User, "user", format!("! {shell}"));
        draft.metadata = Some(extras("command", json!({ "shell": shell })));
        self.log.say(at, draft);
        let shown = if output.trim().is_empty() { "(no output)".to_owned() } else { fenced("", &output) };
        let mut draft = at.text(&format!("{}~output", at.id), Role::Tool, "command_output", shown);
        let output = json!({ "stdout": output, "stderr": "", "exit_code": message.int("exitCode") });
        draft.metadata = Some(extras("command_output", output));
        if message.is_true("excludeFromContext") {
            draft.context = Context::None;
        }
        self.log.say(at, draft);
    }

    /// Adds a summary of the earlier conversation, or of a branch that was left.
    fn summary(&mut self, at: &At, line: &Obj) {
        if !line.has("tokensBefore") {
            let text = line.filled("summary").unwrap_or_default();
            return self.log.say(at, at.text(&at.id, Role::System, "branch_summary", text));
        }
        self.log.compacted(at, line.filled("summary"), line.int("tokensBefore"));
    }

    /// A line hangs on the tree: what isn't on the way to it was left behind, and what is on it holds.
    fn hang(&mut self, id: Option<String>, line: &Obj, at: &At, said: Option<&Obj>) {
        let newest = self.entries.len().checked_sub(1);
        // The head of the file is the root, and isn't an entry.
        let is_root = id.is_some() && line.filled("parentId").is_none_or(|parent| self.log.facts().key == parent);
        let known = line.filled("parentId").and_then(|parent| self.by_id.get(&parent).copied());
        let parent = if is_root { None } else { known.or(newest) };
        let is_result = said.is_some_and(|said| said.str("role").as_deref() == Some("toolResult"));
        let (message, is_said) = (self.log.first.clone().filter(|_| !is_result), said.is_some());
        let goes_on = parent == newest;
        let speaks = message.is_some();
        let depth = parent.and_then(|parent| self.entries.get(parent)).map_or(0, |parent| parent.depth + 1);
        if !goes_on {
            self.turn(newest, parent);
        }
        self.by_id.extend(id.map(|id| (id, self.entries.len())));
        self.entries.push(Entry { parent, depth, message, offset: at.span.offset, is_said, is_left: false });
        let is_seen = |n: &usize| self.entries.get(*n).is_some_and(|entry| entry.is_said);
        if !goes_on && speaks && self.moved.iter().any(is_seen) {
            self.mark(at.session);
        }
    }

    /// The conversation goes on from another line than the last one: what is below either of them, up to where they meet.
    fn turn(&mut self, mut old: Option<usize>, mut new: Option<usize>) {
        let entries = &self.entries;
        let entry = |at: Option<usize>| at.and_then(|at| entries.get(at));
        let depth = |at: Option<usize>| entry(at).map_or(0, |entry| entry.depth + 1);
        while old != new {
            let lower = if depth(old) >= depth(new) { &mut old } else { &mut new };
            let Some(at) = *lower else { break };
            if !self.moved.remove(&at) {
                self.moved.insert(at);
            }
            *lower = entry(*lower).and_then(|entry| entry.parent);
        }
    }

    /// Reports which of the moved entries are left behind now, and which hold again.
    fn mark(&mut self, session: usize) {
        let moved = std::mem::take(&mut self.moved);
        let (Some(first), Some(last)) = (moved.first().copied(), moved.last().copied()) else { return };
        let mut from: Option<(MessageId, u64, bool)> = None;
        for (n, entry) in self.entries.iter_mut().enumerate().skip(first) {
            if n > last && from.is_none() {
                break;
            }
            let changed = moved.contains(&n);
            if changed {
                entry.is_left = !entry.is_left;
            }
            let Some(message) = &entry.message else { continue };
            let begins = changed.then(|| (message.clone(), entry.offset, entry.is_left));
            if from.as_ref().map(|from| from.2) == begins.as_ref().map(|begins| begins.2) {
                continue;
            }
            if let Some((from, offset, left)) = std::mem::replace(&mut from, begins) {
                let stretch = Stretch { from, before: message.clone() };
                self.log.book.leave(session, stretch, offset..entry.offset, left);
            }
        }
    }
}

/// How a call went, by the message with its result.
fn outcome(message: &Obj, text: String) -> Result {
    let state = if !message.is_true("isError") {
        "done"
    } else if text.contains("aborted") && text.len() < 200 {
        "cancelled"
    } else {
        "failed"
    };
    Result { state, text, ..Result::default() }
}

contents_of_log!(Tree);

impl Records for Tree {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let kind = record.filled("type").unwrap_or_default();
        let id = record.filled("id");
        let is_head = kind == "session";
        self.log.session(id.clone().filter(|_| is_head));
        let own = match &id {
            Some(id) if is_head => format!("{id}~session"),
            Some(id) => id.clone(),
            // Until January 2026 lines had no ids: what they say is the same in a copy.
            None => sha256(text.as_bytes()).split_off(32),
        };
        let Some(mut at) = self.log.line(Some(own), record, text, span) else { return };
        let message = record.obj("message").filter(|_| kind == "message");
        match (kind.as_str(), &message) {
            ("session", _) => return self.head(&at, record),
            (_, Some(message)) => self.message(&mut at, record, message),
            ("model_change", _) => {
                self.log.comes_from(Origin { model: record.filled("modelId"), ..Origin::default() });
                self.log.aside(&at, &kind, record);
            }
            ("compaction" | "branch_summary", _) => self.summary(&at, record),
            ("custom_message", _) => self.message(&mut at, record, record),
            ("session_info", _) => {
                let name = record.filled("name").unwrap_or_default();
                self.log.facts().title(TitleRank::Name, &name);
                self.log.say(&at, at.aside(&at.id, &kind, format!("Title: {name}")));
            }
            _ => self.log.aside(&at, &kind, record),
        }
        self.hang(id, record, &at, message.as_ref());
    }
}
