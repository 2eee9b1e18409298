//! A file of one session whose lines become messages one by one: what its reader keeps, and what most of its lines do.

use super::at::{At, derived_id, envelope, extras, file_key, hash, message_id, micros};
use super::blocks::result_text;
use super::book::{Book, Line};
use super::calls::{Calls, NewCall, input};
use super::edits::of_patch;
use super::files::{files_in, is_file};
use super::obj::{Obj, list, string};
use super::patch::{FilePatch, unified};
use super::proposal;
use super::result::Result;
use super::session::Session;
use super::short::fields_in_short;
use super::todos;
use crate::{SessionKey, Span};
use model::envelope::EditState;
use model::{Context, Draft, MessageId, Micros, Origin, Role, RunOutcome, Spent};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Log {
    pub book: Book,
    pub calls: Calls,
    /// Where messages come from, as the lines so far say.
    pub origin: Origin,
    /// The first message of the line that is being read.
    pub first: Option<MessageId>,
    /// The session that the file's path tells.
    named: String,
    /// A name of the file that is the same on every machine, for lines without ids.
    file_key: String,
    /// None until the first line is there.
    main: Option<usize>,
    /// The session that the line belongs to, where that is a sub-agent's.
    child: Option<usize>,
    /// Ids that were given, with a hash of the line.
    given: HashMap<u64, u64>,
    /// Results name no call: they come in the order of the calls.
    pub are_in_order: bool,
    /// The last checklist, as it was handed in.
    todos: Vec<Value>,
}

impl Log {
    /// The log of a file, with the name of its session as far as the path tells it.
    pub fn new(named: &str) -> Self {
        // A sub-agent's name follows that of its parent.
        let own = named.rsplit('/').next().unwrap_or(named);
        Self { named: named.to_owned(), file_key: file_key(own), ..Self::default() }
    }

    /// The session of the file. The first line says which one it is, or the path.
    pub fn session(&mut self, own: Option<String>) -> usize {
        let key = own.unwrap_or_else(|| self.named.clone());
        *self.main.get_or_insert_with(|| self.book.session(&key))
    }

    /// Another session begins in the file.
    pub fn begin_session(&mut self, key: &str) {
        self.main = Some(self.book.session(key));
    }

    /// Returns the session that the line belongs to.
    pub fn facts(&mut self) -> &mut Session {
        let current = self.current();
        &mut self.book.sessions[current]
    }

    /// The session that the line belongs to.
    fn current(&mut self) -> usize {
        let main = self.session(None);
        self.child.unwrap_or(main)
    }

    /// The next lines belong to the sub-agent that a call started; to the session of the file without one.
    pub fn within(&mut self, call_id: Option<&str>) {
        self.child = None;
        if let Some(call_id) = call_id {
            let parent = self.current();
            let key = format!("{}/{call_id}", self.book.sessions[parent].key);
            self.child = Some(self.book.child(parent, &key, call_id, None));
        }
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    /// The next line begins. Returns what its messages have in common. None if the very same line was read before, which a
    /// note says.
    pub fn line(&mut self, own: Option<String>, record: &Obj, text: &str, span: Span) -> Option<At> {
        self.line_at(own, record.raw("timestamp"), text, span)
    }

    /// Like [`Self::line`], where the time stands in another field: `stamp` is its value as JSON.
    pub fn line_at(&mut self, own: Option<String>, stamp: Option<&str>, text: &str, span: Span) -> Option<At> {
        let stamp = stamp.map(|raw| string(raw).unwrap_or(Cow::Borrowed(raw)).into_owned());
        let time = stamp.as_deref().and_then(time);
        self.first = None;
        self.book.begin_line(Line { api_message: None, time: time.and(stamp), is_copy: false });
        let content = hash(text);
        let id = match own.map(|own| (self.given.get(&hash(&own)).copied(), own)) {
            Some((Some(known), _)) if known == content => {
                self.note(span, "A line that was read before, repeated");
                return None;
            }
            Some((None, own)) => {
                self.given.insert(hash(&own), content);
                own
            }
            // Another line took the id: both are kept.
            _ => self.id_by_place(span.offset),
        };
        Some(self.at(time, id, span))
    }

    fn at(&mut self, time: Option<Micros>, id: String, span: Span) -> At {
        let main = self.session(None);
        let session = self.child.unwrap_or(main);
        self.book.at(session, time, id, self.origin.clone(), span)
    }

    /// Where messages come from, from now on; what is None stays.
    pub fn comes_from(&mut self, new: Origin) {
        let old = std::mem::take(&mut self.origin);
        self.origin = Origin {
            cwd: new.cwd.or(old.cwd),
            branch: new.branch.or(old.branch),
            model: new.model.or(old.model),
            version: new.version.or(old.version),
            record: None,
        };
        let origin = self.origin.clone();
        let session = self.facts();
        session.set(|facts| &mut facts.version, origin.version);
        session.set(|facts| &mut facts.branch, origin.branch);
        if session.facts.project.is_none() {
            session.set(|facts| &mut facts.project, origin.cwd.clone());
        }
        session.set(|facts| &mut facts.cwd, origin.cwd);
        session.runs.uses(origin.model.as_deref());
        session.set(|facts| &mut facts.model, origin.model);
    }

    pub fn say(&mut self, at: &At, draft: Draft) {
        self.first.get_or_insert_with(|| draft.id.clone());
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what the line is, for what has no better form.
    pub fn aside(&mut self, at: &At, kind: &str, line: &Obj) {
        let words = ["message", "text"].iter().find_map(|key| line.filled(key));
        let content = words.unwrap_or_else(|| fields_in_short(kind, &line.without(&["id", "parentId"])));
        self.say(at, at.aside(&at.id, if kind.is_empty() { "unknown" } else { kind }, content));
    }

    /// A line of which nothing became a message.
    pub fn say_empty(&mut self, at: &At) {
        if self.first.is_none() {
            self.say(at, at.aside(&at.id, "message", "A message without content"));
        }
    }

    /// Adds a text of the program to the model.
    pub fn told(&mut self, at: &At, id: &str, sender: &str, text: impl Into<String>) {
        let mut draft = at.text(id, Role::System, sender, text);
        draft.context = Context::Ephemeral;
        self.say(at, draft);
    }

    /// A person's words, which begin a run. What the program put before them is said by itself.
    pub fn prompt(&mut self, at: &mut At, id: &str, text: &str) {
        const TAGS: (&str, &str) = ("<system-reminder>", "</system-reminder>");
        let mut rest = text;
        let mut reminders = Vec::new();
        while let Some((inside, behind)) = rest.trim_start().strip_prefix(TAGS.0).and_then(|t| t.split_once(TAGS.1)) {
            reminders.push(inside.trim());
            rest = behind.trim_start();
        }
        for (n, reminder) in reminders.iter().enumerate() {
            self.told(at, &derived_id(id, "reminder", n), "system_reminder", *reminder);
        }
        let (said, tail) = without_id(rest);
        if let Some(tail) = tail {
            self.told(at, &format!("{id}~message_id"), "message_id", tail);
            rest = said;
        }
        if rest.is_empty() && (tail.is_some() || !reminders.is_empty()) {
            return;
        }
        self.begin_run(at);
        self.facts().first_prompt(rest);
        let mut draft = at.text(id, Role::User, "user", rest);
        if self.facts().facts.parent.is_some() {
            // A sub-agent's prompt isn't a person's words: no memory of people may hold them.
            "agent".clone_into(&mut draft.sender);
            draft.context = Context::Ephemeral;
        }
        self.say(at, draft);
    }

    pub fn begin_run(&mut self, at: &mut At) {
        self.calls.end_all(&mut self.book, at.session, "orphaned");
        let model = self.origin.model.clone();
        let runs = &mut self.facts().runs;
        runs.begin(&at.id, at.time);
        runs.uses(model.as_deref());
        at.run = runs.id().map(str::to_owned);
    }

    /// The agent says or does something: where nothing began a run, the line does.
    pub fn alive(&mut self, at: &mut At) {
        if self.facts().runs.id().is_none() {
            self.begin_run(at);
        }
        let runs = &mut self.facts().runs;
        runs.reopen();
        runs.alive(at.time);
        at.run = runs.id().map(str::to_owned);
    }

    pub fn answer(&mut self, at: &At, id: &str, text: &str) {
        self.say(at, at.text(id, Role::Assistant, "bot", text));
    }

    /// Reasoning. An empty one was hidden from us.
    pub fn thought(&mut self, at: &At, id: &str, text: &str) {
        let mut draft = at.text(id, Role::Model, "thinking", text);
        draft.metadata = Some(extras("redacted", true)).filter(|_| text.trim().is_empty());
        self.say(at, draft);
    }

    /// The blocks of a message's content, or its lone text. `outcome` reads the result of a tool, given its block and text.
    pub fn blocks(&mut self, at: &mut At, role: Role, raw: &str, outcome: fn(&Obj, String) -> Result) {
        let blocks = list(raw).unwrap_or_else(|| vec![raw]);
        for (n, raw) in blocks.iter().enumerate() {
            let id = at.block_id(n, blocks.len());
            let block = Obj::parse(raw);
            let text = string(raw).map(Cow::into_owned).or_else(|| block.as_ref()?.string("text"));
            let block = block.unwrap_or_else(|| Obj::beginning(""));
            let kind = block.filled("type").unwrap_or_default();
            let get = |keys: [&str; 2]| keys.iter().find_map(|key| block.filled(key));
            match (kind.as_str(), text) {
                ("text" | "", Some(text)) if role == Role::User => self.prompt(at, &id, &text),
                ("text" | "", Some(text)) => self.answer(at, &id, &text),
                ("thinking" | "redacted_thinking", _) => {
                    self.thought(at, &id, &get(["thinking", "text"]).unwrap_or_default());
                }
                ("tool_use" | "toolCall" | "tool_call", _) => {
                    let tool = block.filled("name").unwrap_or_else(|| "unknown".to_owned());
                    let given = block.raw("input").or_else(|| block.raw("arguments")).map(input).unwrap_or_default();
                    self.call(at, &block.filled("id").unwrap_or(id), &tool, given);
                }
                ("tool_result" | "tool-result", _) => {
                    let content = block.raw("content").unwrap_or("\"\"");
                    let given = get(["tool_use_id", "toolCallId"]);
                    let call_id = given.filter(|id| self.calls.get(id).is_some() || !self.are_in_order);
                    let call_id = call_id.or_else(|| self.calls.oldest_open(block.str("name").as_deref()));
                    let result = outcome(&block, result_text(content));
                    self.result(&At { id, ..at.clone() }, call_id.as_deref(), content, result);
                }
                (_, _) if is_file(&block) => self.file(at, &id, role, &block),
                (kind, _) => self.aside(&At { id, ..at.clone() }, kind, &block),
            }
        }
    }

    /// A block that holds a file.
    pub fn file(&mut self, at: &At, id: &str, role: Role, block: &Obj) {
        let name = (role == Role::User).then(|| "Pasted image".to_owned());
        let file = self.book.file(block, name);
        self.say(at, at.file(id, role, file));
    }

    /// Older context, of so many tokens, was given up for a summary.
    pub fn compacted(&mut self, at: &At, summary: Option<String>, tokens: Option<i64>) {
        let sender = if summary.is_some() { "compact_summary" } else { "compact_boundary" };
        let is_told = summary.is_some();
        let content = summary.unwrap_or_else(|| "Conversation compacted".to_owned());
        let mut draft = at.text(&at.id, Role::System, sender, content);
        draft.context = if is_told { Context::Turn } else { Context::None };
        let figures = Map::from_iter(tokens.map(|tokens| ("preTokens".to_owned(), tokens.into())));
        draft.metadata = Some(extras("compact", figures));
        self.say(at, draft);
    }

    /// Something went wrong: shown to people, given to no model.
    pub fn failed(&mut self, at: &At, id: &str, kind: &str, message: &str) {
        let kind = if kind.is_empty() { "error" } else { kind };
        self.facts().runs.pause(RunOutcome::Failed, at.time);
        self.say(at, at.error(id, kind, message.to_owned(), None));
    }

    /// A person interrupted the agent.
    pub fn interrupted(&mut self, at: &At, id: &str) {
        self.calls.end_all(&mut self.book, at.session, "cancelled");
        self.facts().runs.end(RunOutcome::Interrupted, Some(at.time));
        self.say(at, at.interruption(id));
    }

    /// The run seems over, unless a call is still open.
    pub fn pause(&mut self, at: &At) {
        if self.calls.newest_open(None).is_none() {
            self.facts().runs.pause(RunOutcome::Done, at.time);
        }
    }

    pub fn spent(&mut self, spent: Spent) {
        let session = self.current();
        self.book.spent(session, spent);
    }

    /// Counts a request whose messages follow.
    pub fn spent_ahead(&mut self, spent: Spent) {
        let session = self.current();
        self.book.spent_ahead(session, spent);
    }

    /// A call begins, with the edits and the list that its input already says.
    pub fn call(&mut self, at: &At, call_id: &str, tool: &str, input: Map<String, Value>) {
        let kind = proposal::kind(tool, &input);
        let edits = proposal::edits(kind, &input);
        let target = proposal::target(kind, &input, &edits);
        let kind = kind.or_else(|| (!edits.is_empty()).then_some(model::message_type::tool_call::ToolKind::Edit));
        if let Some(list) = proposal::todos(tool, &input, &self.todos) {
            self.todos = list;
        }
        let list = proposal::todos(tool, &input, &[]).and_then(|_| todos::of_list(&self.todos));
        let new = NewCall { call_id: call_id.to_owned(), tool: tool.to_owned(), input, kind, target };
        self.calls.begin(&mut self.book, at, new);
        self.first.get_or_insert_with(|| message_id(call_id));
        self.calls.ask(&mut self.book, at, call_id);
        if let Some(list) = list {
            self.calls.list(&mut self.book, at, call_id, list);
        }
        for (n, edit) in edits.into_iter().enumerate() {
            self.calls.derive(&mut self.book, at, call_id, ("edit", n), (edit.content, edit.metadata));
        }
    }

    /// A line tells of a call that is known: it belongs to it. False if no such call is known.
    pub fn belongs(&mut self, at: &At, call_id: &str) -> bool {
        let is_known = self.calls.extend(&mut self.book, at, call_id, Vec::new());
        if is_known {
            self.first.get_or_insert_with(|| message_id(call_id));
        }
        is_known
    }

    /// Replaces the proposed change of a call's only edit with the unified diff that the tool reports.
    pub fn patched(&mut self, at: &At, call_id: &str, diff: &str) {
        let files = unified(diff);
        let (Some(path), [file]) = (self.calls.edited(&self.book, call_id), files.as_slice()) else { return };
        let edit = of_patch(&FilePatch { path, ..file.clone() }, EditState::Proposed, None);
        self.calls.derive(&mut self.book, at, call_id, ("edit", 0), (edit.content, edit.metadata));
    }

    /// Finishes a call with its result. `raw` is its content, which may hold files.
    pub fn result(&mut self, at: &At, call_id: Option<&str>, raw: &str, result: Result) {
        let Some(call) = call_id.and_then(|id| self.calls.get(id)) else {
            let mut draft = at.text(&at.id, Role::Tool, "tool_result", result.text);
            draft.call_id = call_id.map(str::to_owned);
            draft.metadata = Some(extras("is_error", result.state != "done"));
            return self.say(at, draft);
        };
        let (call_id, id) = (call_id.unwrap_or_default(), call.id.clone());
        for (n, block) in files_in(raw, None).iter().enumerate() {
            let (content, file) = self.book.file(block, None);
            let draft = at.derived(&derived_id(&id, "file", n), call_id, content, envelope(file));
            self.say(at, draft);
        }
        self.first.get_or_insert_with(|| message_id(call_id));
        self.calls.settle_by(&mut self.book, at, call_id, &result);
        self.calls.finish(&mut self.book, at, call_id, result);
    }

    /// Bytes that can't be read.
    pub fn note(&mut self, span: Span, text: &str) {
        let id = self.id_by_place(span.offset);
        let at = self.at(None, id, span);
        self.say(&at, at.aside(&at.id, "note", text));
        self.book.note(at.session, span.offset, text.to_owned());
    }

    pub fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        let key = self.main.and_then(|main| self.book.sessions.get(main)).map_or(&self.named, |session| &session.key);
        (SessionKey(key.clone()), message_id(&self.id_by_place(offset)))
    }
}

/// Implements `Contents` for a reader by its field `log`, with what it does at the end of the file, if anything.
macro_rules! contents_of_log {
    ($Reader:ty) => {
        contents_of_log!($Reader, |_| {});
    };
    ($Reader:ty, $end:expr) => {
        impl $crate::parts::contents::Contents for $Reader {
            fn note(&mut self, span: $crate::Span, text: &str) {
                self.log.note(span, text);
            }

            fn note_at(&self, offset: u64) -> ($crate::SessionKey, ::model::MessageId) {
                self.log.note_at(offset)
            }

            fn end(&mut self) {
                self.log.session(None);
                let end: fn(&mut Self) = $end;
                end(self);
            }

            fn book(&mut self) -> &mut $crate::parts::book::Book {
                &mut self.log.book
            }
        }
    };
}
pub(crate) use contents_of_log;

/// A person's words without the last line that a program added for the model, `[message_id: 42]`; and that line.
fn without_id(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_end();
    let (said, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let is_id = last.starts_with("[message_id: ") && last.ends_with(']');
    if is_id { (said.trim_end(), Some(last)) } else { (text, None) }
}

/// The name of a file, without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A time, or milliseconds since 1970.
fn time(text: &str) -> Option<Micros> {
    micros(text).or_else(|| text.parse::<i64>().ok().map(|ms| Micros(ms.saturating_mul(1000))))
}
