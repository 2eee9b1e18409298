//! Qwen Code's sessions: `~/.qwen/projects/<project>/chats/<session>.jsonl`, one JSON object a line.
//!
//! Lines are much like Claude Code's, and their messages are contents of Google's API, as Gemini CLI's are: `crate::gemini` reads
//! their parts, and what a call changed in a file. `said` reads prompts and answers, `calls` tool calls and their results,
//! `system` what the program noted.
//!
//! Ids of messages: the line's own `<uuid>`, with `~line<n>` from the second line that has the same, and `~<block>` where a line
//! makes several messages; `<call id>` of a tool call, with `~edit~0`, `~todo~0` and `~file~<n>`; `<file name>~<offset>` of a
//! line without an id. A branch of a session has copies of its lines with the same ids.
//!
//! How to add a kind of line: an arm in `record`, or in `system` for the program's; without one it is shown by its plain
//! fields.

mod calls;
pub(crate) mod said;
mod system;

use crate::parts::at::{At, file_key, message_id, micros};
use crate::parts::book::{Book, Line};
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::lines::Records;
use crate::parts::obj::Obj;
use crate::parts::session::Standing;
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::{Draft, MessageId, Origin};
use std::collections::HashMap;

/// Reads one session.
pub(crate) struct Log {
    book: Book,
    calls: Calls,
    /// The session that the file's name tells.
    named: String,
    /// A name of the file that is the same on every machine, for lines without ids.
    file_key: String,
    /// None until the first line is there.
    main: Option<usize>,
    /// How many lines had an id so far.
    given: HashMap<String, usize>,
    /// The lines that hold, in order.
    order: Vec<Step>,
    /// The first message of the line that is being read.
    first: Option<String>,
    is_copy: bool,
}

/// A line to which a person may go back.
struct Step {
    uuid: String,
    /// Its first message.
    first: String,
    offset: u64,
    /// How the session stood before it, of a prompt.
    before: Option<Standing>,
}

impl Log {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "qwen";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 3;

    pub fn new(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.strip_suffix(".jsonl").unwrap_or(name);
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: stem.to_owned(),
            file_key: file_key(stem),
            main: None,
            given: HashMap::new(),
            order: Vec::new(),
            first: None,
            is_copy: false,
        }
    }

    /// The session of a line: that of the file, which its first line names, or a sub-agent's.
    fn session(&mut self, line: Option<&Obj>) -> usize {
        let agent = line.and_then(|line| line.filled("agentId"));
        let main = self.main.map(|main| self.book.sessions[main].key.clone());
        let key = main.or_else(|| line?.filled("sessionId")).unwrap_or_else(|| self.named.clone());
        if let (None, Some(agent)) = (self.main, &agent) {
            // A file of its own: what can't be read in it is the sub-agent's, too.
            let session = self.child(&key, agent);
            self.main = Some(session);
            return session;
        }
        let main = self.book.session(&key);
        self.main = Some(main);
        match agent {
            Some(agent) if !key.ends_with(&format!("/{agent}")) => self.child(&key, &agent),
            _ => main,
        }
    }

    fn child(&mut self, parent: &str, agent: &str) -> usize {
        let session = self.book.session(&format!("{parent}/{agent}"));
        self.book.sessions[session].set(|facts| &mut facts.parent, Some(parent.to_owned()));
        session
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.first.get_or_insert_with(|| draft.id.as_str().to_owned());
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what a line is.
    fn aside(&mut self, at: &At, kind: &str, line: &Obj) {
        let kind = if kind.is_empty() { "unknown" } else { kind };
        let draft = at.aside(&at.id, kind, fields_in_short(kind, line));
        self.say(at, draft);
    }
}

impl Contents for Log {
    fn note(&mut self, span: Span, text: &str) {
        let session = self.session(None);
        let id = self.id_by_place(span.offset);
        let at = self.book.at(session, None, id, Origin::default(), span);
        self.say(&at, at.aside(&at.id, "note", text));
        self.book.note(session, span.offset, text.to_owned());
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        let key = self.main.and_then(|main| self.book.sessions.get(main)).map_or(&self.named, |session| &session.key);
        (SessionKey(key.clone()), message_id(&self.id_by_place(offset)))
    }

    fn end(&mut self) {
        self.session(None);
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Records for Log {
    fn record(&mut self, _: &str, record: &Obj, span: Span) {
        let session = self.session(Some(record));
        let uuid = record.filled("uuid");
        let stamp = record.filled("timestamp");
        self.is_copy = record.has("forkedFrom");
        self.book.begin_line(Line { api_message: uuid.clone(), time: stamp.clone(), is_copy: self.is_copy });
        self.first = None;
        let id = match &uuid {
            Some(uuid) => {
                let count = self.given.entry(uuid.clone()).or_default();
                *count += 1;
                if *count > 1 { format!("{uuid}~line{count}") } else { uuid.clone() }
            }
            None => self.id_by_place(span.offset),
        };
        let origin = Origin {
            cwd: record.filled("cwd"),
            branch: record.filled("gitBranch"),
            model: record.filled("model"),
            version: record.filled("version"),
            record: None,
        };
        let facts = &mut self.book.sessions[session];
        facts.set(|facts| &mut facts.cwd, origin.cwd.clone());
        facts.set(|facts| &mut facts.branch, origin.branch.clone());
        facts.set(|facts| &mut facts.version, origin.version.clone());
        facts.set(|facts| &mut facts.model, origin.model.clone());
        if facts.facts.project.is_none() {
            facts.set(|facts| &mut facts.project, origin.cwd.clone());
        }
        let mut at = self.book.at(session, stamp.as_deref().and_then(micros), id, origin, span);
        let subtype = record.filled("subtype").unwrap_or_default();
        let before = self.book.sessions[session].standing();
        let kind = record.filled("type").unwrap_or_default();
        let mut is_prompt = false;
        match kind.as_str() {
            "user" => is_prompt = self.asked(&mut at, &subtype, record),
            "assistant" => self.answered(&mut at, uuid.as_deref(), record),
            "tool_result" => self.result(&at, record),
            "system" => self.system(&at, &subtype, record),
            _ => self.aside(&at, &kind, record),
        }
        if self.first.is_none() {
            let draft = at.aside(&at.id, &kind, "A message without content");
            self.say(&at, draft);
        }
        if let (Some(uuid), Some(first)) = (uuid, self.first.take())
            && Some(session) == self.main
        {
            let before = is_prompt.then_some(before);
            self.order.push(Step { uuid, first, offset: span.offset, before });
        }
    }
}
