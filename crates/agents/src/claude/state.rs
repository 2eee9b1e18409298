//! One line after the other: which session, which id, and who reads it.

pub(crate) mod calls;
pub(crate) mod replays;
mod side_chains;

use super::at::{At, file_key, hash, micros};
use super::book::{Book, Line};
use super::file_name::FileName;
use super::obj::Obj;
use super::queue::Queue;
use super::session::TitleRank;
use super::tree::{Rewind, Tree};
use crate::Span;
use calls::Calls;
use model::{Context, Origin, Role};
use replays::Replays;
use side_chains::SideChains;
use std::collections::HashMap;

pub(crate) struct State {
    pub book: Book,
    pub calls: Calls,
    pub sides: SideChains,
    pub queue: Queue<At>,
    pub tree: Tree,
    /// The session of the file itself.
    pub main: usize,
    /// The session's own id that the file belongs to; the parent's for a sub-agent's file.
    pub root: String,
    /// The file is a sub-agent's own: its side chain is the main chain.
    pub agent_file: bool,
    /// A name of the file that is the same on every machine, for lines without ids.
    pub file_key: String,
    /// Lines read so far: hash of the id to hash of the line.
    seen: HashMap<u64, u64>,
    pub replays: Replays,
    /// Titles of `summary` lines whose last message isn't read yet, by hash of that message's id.
    pub summaries: HashMap<u64, String>,
}

impl State {
    /// `session` is the session's own id, the parent's for a sub-agent's file.
    pub fn new(file: &FileName, session: &str) -> Self {
        let mut book = Book::default();
        let key = file.agent.map_or_else(|| session.to_owned(), |agent| format!("{session}/{agent}"));
        let main = book.session(&key);
        Self {
            book,
            calls: Calls::default(),
            sides: SideChains::default(),
            queue: Queue::default(),
            tree: Tree::default(),
            main,
            root: session.to_owned(),
            agent_file: file.agent.is_some(),
            file_key: file_key(file.stem),
            seen: HashMap::new(),
            replays: Replays::default(),
            summaries: HashMap::new(),
        }
    }

    /// A line that is no JSON object.
    pub fn note(&mut self, span: Span, text: &str) {
        self.release_held(None);
        self.say_note(span, text);
    }

    /// A line that was read before.
    pub fn note_repeated(&mut self, span: Span) {
        self.say_note(span, "A line that was read before, repeated");
    }

    fn say_note(&mut self, span: Span, text: &str) {
        let session = &self.book.sessions[self.main];
        let at = At {
            session: self.main,
            span,
            time: session.last_time,
            id: self.id_by_place(span.offset),
            origin: Origin::default(),
            run: None,
        };
        let draft = at.aside(&at.id, "note", text);
        self.book.say(self.main, draft, span);
        self.book.note(self.main, span.offset, text.to_owned());
    }

    /// A line that is a JSON object.
    pub fn line(&mut self, text: &str, line: &Obj, span: Span) {
        if !self.holds(text, line, span) {
            self.read(text, line, span);
        }
    }

    /// Reads a line that isn't held back.
    pub fn read(&mut self, text: &str, line: &Obj, span: Span) {
        let kind = line.str("type").unwrap_or_default();
        let message = line.obj("message").filter(|_| kind == "assistant");
        self.book.begin_line(Line {
            api_message: message.and_then(|message| message.filled("id")),
            time: line.filled("timestamp"),
            is_copy: line.has("forkedFrom"),
        });
        if kind == "progress" {
            return self.progress(text, line, span);
        }
        let Some(id) = self.own_id(line, text, span) else {
            self.count_replay(line);
            return self.note_repeated(span);
        };
        self.enter_line(line);
        let session = match line.filled("parent_tool_use_id") {
            _ if self.agent_file => self.main,
            // In the program's output (`--output-format stream-json`) the lines name the call that began the sub-agent.
            Some(call) => self.child(self.main, &call, Some(&call)),
            None if line.is_true("isSidechain") => self.side_session(line),
            None => self.main,
        };
        let at = self.at(session, line, span, id);
        if kind != "queue-operation" {
            self.leave_queue(kind == "assistant" && session == self.main);
        }
        match kind.as_ref() {
            "queue-operation" => self.queue_operation(&at, line),
            "user" => self.user(&at, line),
            "assistant" => self.assistant(&at, line),
            "system" => self.system(&at, line),
            "attachment" => self.attachment(&at, line),
            "tool_use" => self.tool_use(&at, line, &at.id),
            "tool_result" => self.tool_result(&at, line, &at.id, line, true),
            _ => self.bookkeeping(&at, &kind, line),
        }
    }

    /// The id of a line: its own, or one of file and offset. None if the very same line was read before, or one of which it is a copy.
    pub fn own_id(&mut self, line: &Obj, text: &str, span: Span) -> Option<String> {
        let Some(uuid) = line.filled("uuid") else { return Some(self.id_by_place(span.offset)) };
        let (key, content) = (hash(&uuid), hash(text));
        if let Some(title) = self.summaries.remove(&key) {
            self.book.sessions[self.main].title(TitleRank::Summary, &title);
        }
        match self.seen.get(&key) {
            Some(known) if *known == content => None,
            // Another line took the id: both are kept.
            Some(_) => Some(self.id_by_place(span.offset)),
            None => {
                self.seen.insert(key, content);
                if !self.is_first(line, key) {
                    return None;
                }
                let id = self.copied_id(line, content).unwrap_or(uuid);
                // A call took the id: both are kept.
                Some(if self.calls.has_used(&id) { self.id_by_place(span.offset) } else { id })
            }
        }
    }

    /// The id that a copied line had in the session it was copied from: by it both are known to be the same.
    fn copied_id(&mut self, line: &Obj, content: u64) -> Option<String> {
        let id = line.obj("forkedFrom")?.filled("messageUuid")?;
        let is_free = self.seen.get(&hash(&id)).is_none_or(|known| *known == content);
        self.seen.entry(hash(&id)).or_insert(content);
        is_free.then_some(id)
    }

    /// The id of a line without one of its own.
    pub fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    pub fn has_seen(&self, uuid: &str) -> bool {
        self.has_read(hash(uuid))
    }

    /// Returns true if a line was read whose id has this hash.
    pub fn has_read(&self, id: u64) -> bool {
        self.seen.contains_key(&id)
    }

    /// Returns the data shared by all messages of a line. Updates the session's folder, branch, version and time from
    /// it.
    pub fn at(&mut self, session: usize, line: &Obj, span: Span, id: String) -> At {
        let origin = Origin {
            cwd: line.filled("cwd").or_else(|| line.filled("project")),
            branch: line.filled("gitBranch"),
            model: None,
            version: line.filled("version"),
            record: line.obj("message").and_then(|message| message.filled("role")).or_else(|| line.filled("type")),
        };
        // A `file-history-snapshot` has its time inside.
        let inner = || line.obj("snapshot").and_then(|snapshot| snapshot.str("timestamp"));
        let time = line.str("timestamp").or_else(inner).and_then(|text| micros(&text));
        let facts = &mut self.book.sessions[session];
        if facts.facts.project.is_none() {
            facts.set(|facts| &mut facts.project, origin.cwd.clone().map(one_drive));
        }
        if facts.facts.cwd != origin.cwd {
            facts.set(|facts| &mut facts.cwd, origin.cwd.clone());
        }
        if facts.facts.branch != origin.branch {
            facts.set(|facts| &mut facts.branch, origin.branch.clone());
        }
        if facts.facts.version != origin.version {
            facts.set(|facts| &mut facts.version, origin.version.clone());
        }
        if let Some(time) = time {
            facts.seen_at(time);
        }
        let run = facts.runs.id().map(str::to_owned);
        At { session, span, time: time.unwrap_or(facts.last_time), id, origin, run }
    }

    /// A line comes next. Only those of the session itself are a tree: a sub-agent is never rewound.
    pub fn enter_line(&mut self, line: &Obj) {
        if self.agent_file || line.is_true("isSidechain") {
            self.tree.enter_aside();
        } else {
            self.tree.enter(line);
        }
    }

    /// The line begins a turn, whose first message has this id. What an earlier one left behind no longer holds.
    pub fn begin_turn(&mut self, session: usize, id: &str, offset: u64) {
        if session != self.main {
            return;
        }
        let standing = self.book.sessions[session].standing();
        let Some(Rewind { stretches, end }) = self.tree.begin(id, offset, standing) else { return };
        for (stretch, lines, left) in stretches {
            self.book.leave(session, stretch, lines, left);
        }
        let is_new = end.is_none();
        self.book.sessions[session].go_back(end.unwrap_or_default(), is_new);
    }

    /// A prompt begins a run, and shows that calls without a result never get one.
    pub fn begin_run(&mut self, at: &mut At) {
        self.orphan_calls(at.session);
        let session = &mut self.book.sessions[at.session];
        session.cause = None;
        session.runs.begin(&at.id, at.time);
        at.run = Some(at.id.clone());
    }

    /// The agent speaks: where no prompt began a run, its cause does, or else the line itself.
    pub fn ensure_run(&mut self, at: &mut At) {
        let session = &mut self.book.sessions[at.session];
        match session.cause.take() {
            Some((id, time)) if session.runs.last().is_none_or(|run| run.outcome != model::RunOutcome::Open) => {
                session.runs.begin(&id, time);
            }
            _ if session.runs.id().is_none() => session.runs.begin(&at.id, at.time),
            _ => session.runs.reopen(),
        }
        at.run = session.runs.id().map(str::to_owned);
    }

    /// A message that shows only what the line is, for what has no better form.
    pub fn aside(&mut self, at: &At, sender: &str, content: impl Into<String>) {
        let mut draft = at.text(&at.id, Role::System, sender, content);
        draft.context = Context::None;
        self.book.say(at.session, draft, at.span);
    }
}

/// A folder of Windows by one spelling: programs disagree on the case of the drive's letter.
fn one_drive(mut path: String) -> String {
    if let [b'a'..=b'z', b':', b'\\' | b'/', ..] = path.as_bytes() {
        path[..1].make_ascii_uppercase();
    }
    path
}
