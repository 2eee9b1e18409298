//! Logs of the Agent Client Protocol: JSON-RPC, one message a line, bare or in a frame of the program that wrote it.
//!
//! `updates` makes messages of what an agent tells (`session/update`), one update at a time. `requests` reads what both sides
//! ask each other, with the answers; `permission` what a person is asked. Sessions are those of the protocol: a log may hold
//! several.
//!
//! Ids of messages: `messageId` and `toolCallId` where there are any, with `~approval~0` of what was asked about a call; else
//! `<file name>~<offset>`.

mod permission;
mod requests;
mod updates;

use crate::parts::at::{At, file_key, message_id, micros};
use crate::parts::book::{Book, Line};
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::lines::Records;
use crate::parts::obj::{Obj, string};
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::{Draft, MessageId, Micros, Origin};
use requests::Request;
use std::collections::{HashMap, HashSet, VecDeque};
use updates::Talk;

/// Reads one log.
pub(crate) struct Messages {
    book: Book,
    calls: Calls,
    /// The session of lines that belong to none, if the log names none at all.
    named: String,
    /// The prefix of the ids of messages that have no id of their own.
    file_key: String,
    origin: Origin,
    /// The session that was spoken of last. None until one is named.
    current: Option<usize>,
    /// Lines before that: their text, or a note on them.
    before: Vec<(Result<String, String>, Span)>,
    talks: HashMap<usize, Talk>,
    /// Texts that may still go on, oldest first.
    texts: VecDeque<(usize, String)>,
    /// Requests without an answer.
    requests: Vec<Request>,
    /// Calls that a person didn't allow.
    denied: HashSet<String>,
    /// Calls that show a terminal of the client, by its id.
    terminals: HashMap<String, String>,
}

/// Most lines that wait for a session.
const MOST_BEFORE: usize = 64;

impl Messages {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "acp";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 4;

    pub fn new(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: stem.to_owned(),
            file_key: file_key(stem),
            origin: Origin::default(),
            current: None,
            before: Vec::new(),
            talks: HashMap::new(),
            texts: VecDeque::new(),
            requests: Vec::new(),
            denied: HashSet::new(),
            terminals: HashMap::new(),
        }
    }

    /// Begins with a session; what came before belongs to it.
    fn enter(&mut self, key: &str) {
        self.current = Some(self.book.session(key));
        for (line, span) in std::mem::take(&mut self.before) {
            match line {
                Ok(text) => {
                    if let Some(record) = Obj::parse(&text) {
                        self.read(&record, span);
                    }
                }
                Err(note) => self.noted(span, &note),
            }
        }
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    /// Returns the data shared by all messages of one line.
    fn at(&mut self, session: usize, time: Option<Micros>, span: Span) -> At {
        let id = self.id_by_place(span.offset);
        self.book.at(session, time, id, self.origin.clone(), span)
    }

    fn read(&mut self, record: &Obj, span: Span) {
        let inner = inner(record);
        let message = inner.as_ref().unwrap_or(record);
        let stamp = ["timestamp", "ts", "time", "at"].iter().find_map(|key| record.raw(key));
        let time = stamp.and_then(time);
        self.book.begin_line(Line::default());
        let params = message.obj("params");
        let named = session_of(message);
        let request = if message.has("method") { None } else { self.answered(message) };
        let session = match (named, &request) {
            (Some(named), _) => self.book.session(&named),
            (None, Some(request)) => request.session,
            (None, None) => self.current.unwrap_or_else(|| self.book.session(&self.named)),
        };
        self.current = Some(session);
        let mut at = self.at(session, time, span);
        match (message.filled("method"), request) {
            (Some(method), _) if method == "session/update" => {
                match params.as_ref().and_then(|params| params.obj("update")) {
                    Some(update) => self.update(&mut at, &update),
                    None => self.aside(&at, "session_update", message),
                }
            }
            (Some(method), _) => self.request(&mut at, &method, message),
            (None, Some(request)) => self.answer(&mut at, &request, message),
            // Without the protocol around it.
            (None, None) => match message.obj("update").or_else(|| Some(message.clone())) {
                Some(update) if update.has("sessionUpdate") => self.update(&mut at, &update),
                _ => self.shown(&at, message),
            },
        }
    }

    /// An answer without its question, or what is no message of the protocol.
    fn shown(&mut self, at: &At, message: &Obj) {
        let (kind, body) = match (message.obj("result"), message.obj("error")) {
            (_, Some(error)) => ("error", error),
            (Some(result), _) => ("answer", result),
            _ if message.has("jsonrpc") => ("answer", message.without(&["jsonrpc", "id"])),
            _ => ("message", message.clone()),
        };
        self.aside(at, kind, &body);
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what there is, for what has no better form.
    fn aside(&mut self, at: &At, kind: &str, fields: &Obj) {
        let content = fields_in_short(kind, &fields.without(&["sessionUpdate", "jsonrpc"]));
        self.say(at, at.aside(&at.id, kind, content));
    }

    fn noted(&mut self, span: Span, text: &str) {
        let session = self.current.unwrap_or_else(|| self.book.session(&self.named));
        let at = self.at(session, None, span);
        self.say(&at, at.aside(&at.id, "note", text));
        self.book.note(session, span.offset, text.to_owned());
    }
}

/// The message in a frame.
fn inner<'a>(record: &Obj<'a>) -> Option<Obj<'a>> {
    if record.has("jsonrpc") {
        return None;
    }
    ["message", "example", "data", "msg"].iter().find_map(|key| record.obj(key))
}

/// The session that a message names.
fn session_of(message: &Obj) -> Option<String> {
    let named = |inner: Option<Obj>| inner.and_then(|inner| inner.filled("sessionId"));
    named(message.obj("params")).or_else(|| named(message.obj("result"))).or_else(|| message.filled("sessionId"))
}

/// A time as text, or since 1970 in seconds or milliseconds.
fn time(raw: &str) -> Option<Micros> {
    if let Some(text) = string(raw) {
        return micros(&text);
    }
    let number = raw.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)?;
    Some(Micros((number * if number > 1e11 { 1e3 } else { 1e6 }) as i64))
}

impl Contents for Messages {
    fn note(&mut self, span: Span, text: &str) {
        match self.current {
            Some(_) => self.noted(span, text),
            None => self.before.push((Err(text.to_owned()), span)),
        }
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        let session = self.current.and_then(|session| self.book.sessions.get(session));
        let key = session.map_or(&self.named, |session| &session.key);
        (SessionKey(key.clone()), message_id(&self.id_by_place(offset)))
    }

    fn end(&mut self) {
        if self.current.is_none() {
            self.enter(&self.named.clone());
        }
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Records for Messages {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        if self.current.is_none() {
            let inner = inner(record);
            match session_of(inner.as_ref().unwrap_or(record)) {
                Some(key) => self.enter(&key),
                None if self.before.len() < MOST_BEFORE => return self.before.push((Ok(text.to_owned()), span)),
                None => self.enter(&self.named.clone()),
            }
        }
        self.read(record, span);
    }

    fn waits(&self) -> bool {
        !self.before.is_empty()
    }
}
