//! Gemini CLI's sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json` and `.jsonl`.
//!
//! Before 0.40 a session is one JSON document, which is written anew each time. Since then it is lines: a head, messages, `$set` with
//! changes of the head, and `$rewindTo` with the message that a person went back to. A message that comes again replaces the
//! one with its id: `messages` makes the same messages of it anew, `calls` its tool calls, `edits` what they changed.
//! `content` reads the parts of texts. The sessions of sub-agents lie in a folder with their parent's id.
//!
//! Ids of messages: `<id>` of the text of a record, with `~thought`, `~context` and `~part~<n>` of what else it holds;
//! `<call id>` of a tool call, with `~edit~0`, `~todo~0` and `~file~<n>`; `<file name>~<offset>` of a line without an id;
//! `<file name>~<list>~<n>` of an entry without one; `<session>~meta` of the head.
//!
//! How to add a type of message: an arm in `message`; without one it is shown by its plain fields.

pub(crate) mod calls;
pub(crate) mod content;
pub(crate) mod edits;
pub(crate) mod messages;

use crate::parts::at::{At, file_key, hash, message_id, micros};
use crate::parts::blocks::cut;
use crate::parts::book::{Book, Line};
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::lines::Records;
use crate::parts::obj::{Obj, list, object, string};
use crate::parts::runs::RunIndex;
use crate::parts::session::{Standing, TitleRank};
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span, Stretch};
use model::{Draft, MessageId, Micros, Origin};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Reads one session.
pub(crate) struct Chat {
    book: Book,
    calls: Calls,
    /// The session that the file's name tells, until the head is there.
    named: String,
    /// The session of which a sub-agent's is a part, by the folder.
    parent: Option<String>,
    /// A name of the file that is the same on every machine, for lines without ids.
    file_key: String,
    main: Option<usize>,
    /// Fields of a document, until its session is known.
    early: Vec<(String, String, Span)>,
    /// The fields of the head, for people.
    head: Vec<(String, String)>,
    /// The records by hashes of their ids.
    records: HashMap<u64, Record>,
    /// Hashes of ids of the records that hold, in order.
    order: Vec<u64>,
    /// The first bytes of each message so far, by a hash of its id.
    spans: HashMap<u64, Span>,
    /// All bytes of the few messages whose bytes lie in several places.
    scattered: HashMap<u64, Vec<Span>>,
    /// How the session stood before the last prompt.
    standing: Arc<Standing>,
    /// Hashes of the files that calls gave back: a record of their results has them once more.
    given: HashSet<u64>,
    /// The record that each call belongs to: hashes of their ids.
    callers: HashMap<u64, u64>,
    /// Messages of the last record, which may be changed until the next one.
    held: Vec<String>,
    /// The first message of the record that is being read.
    first: Option<String>,
    /// The last record's first message, to which what is written behind it belongs.
    last: Option<String>,
}

/// A record that may come again, or be rewound. A file has hundreds of thousands of them, and all are held: what most have in
/// common is left out or shared.
struct Record {
    /// The beginning of its messages' ids, where it isn't the record's own id.
    base: Option<Box<str>>,
    /// Its first message, where its id isn't that of the base, and of the first record that holds.
    first: Option<Box<str>>,
    /// Where its first version begins.
    offset: u64,
    run: Option<RunIndex>,
    /// How the session stood before it, of a person's.
    before: Option<Arc<Standing>>,
    /// A person went back to before it.
    is_left: bool,
}

/// Fields that only say again what is known.
const REPEATED: [&str; 5] = ["kind", "lastUpdated", "projectHash", "sessionId", "startTime"];

impl Chat {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "gemini";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 6;

    pub fn new(path: &str) -> Self {
        let mut folders = path.rsplit(['/', '\\']);
        let name = folders.next().unwrap_or_default();
        let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json")).unwrap_or(name);
        let folder = folders.next().filter(|_| folders.next() == Some("chats"));
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: stem.to_owned(),
            parent: folder.map(str::to_owned),
            file_key: file_key(stem),
            main: None,
            early: Vec::new(),
            head: Vec::new(),
            records: HashMap::new(),
            order: Vec::new(),
            spans: HashMap::new(),
            scattered: HashMap::new(),
            standing: Arc::default(),
            given: HashSet::new(),
            callers: HashMap::new(),
            held: Vec::new(),
            first: None,
            last: None,
        }
    }

    fn key(&self, id: &str) -> String {
        self.parent.as_ref().map_or_else(|| id.to_owned(), |parent| format!("{parent}/{id}"))
    }

    /// The session of the file. The first head names it.
    fn session(&mut self, id: Option<&str>) -> usize {
        if let Some(main) = self.main {
            return main;
        }
        let key = self.key(id.unwrap_or(&self.named));
        let main = self.book.session(&key);
        self.main = Some(main);
        let parent = self.parent.clone();
        self.book.sessions[main].set(|facts| &mut facts.parent, parent);
        for (name, raw, span) in std::mem::take(&mut self.early) {
            self.head_field(main, &name, &raw, span);
        }
        main
    }

    fn at(&mut self, session: usize, time: Option<Micros>, id: String, span: Span) -> At {
        self.book.at(session, time, id, Origin::default(), span)
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    /// An id that no other session has, of a run or a request. Ids of today are unique by themselves, except those that are made of
    /// the content.
    fn wide_id(&self, session: usize, id: &str) -> String {
        const UNIQUE: usize = 32;
        if id.len() >= UNIQUE && !is_made_of_content(id) {
            id.to_owned()
        } else {
            format!("{}~{id}", self.book.sessions[session].key)
        }
    }

    /// All bytes of a message, with these.
    fn spans_of(&mut self, id: &str, span: Span) -> Vec<Span> {
        let id = hash(message_id(id).as_str());
        let first = *self.spans.entry(id).or_insert(span);
        let mut spans = self.scattered.get(&id).cloned().unwrap_or_else(|| vec![first]);
        match spans.last_mut() {
            Some(last) if last.offset <= span.offset && span.end() <= last.end() => return spans,
            Some(last) if last.end() == span.offset => last.len += span.len,
            _ => spans.push(span),
        }
        if let [only] = spans[..] {
            self.spans.insert(id, only);
        } else {
            self.scattered.insert(id, spans.clone());
        }
        spans
    }

    /// A message, which comes with all its bytes each time. It is kept until the next record.
    fn put(&mut self, at: &At, draft: Draft) {
        let id = draft.id.as_str().to_owned();
        self.first.get_or_insert_with(|| id.clone());
        let spans = self.spans_of(&id, at.span);
        self.book.release(at.session, &id);
        self.book.keep(at.session, draft, spans[0]);
        for span in spans.into_iter().skip(1) {
            self.book.change(at.session, &id, span);
        }
        self.held.push(id);
    }

    /// The next record begins.
    fn settle(&mut self, session: usize) {
        for id in std::mem::take(&mut self.held) {
            self.book.release(session, &id);
        }
        self.first = None;
    }

    /// A message that shows only what a record is.
    fn aside(&mut self, at: &At, sender: &str, words: String) {
        let draft = at.aside(&at.id, sender, words);
        self.put(at, draft);
        self.last = Some(message_id(&at.id).as_str().to_owned());
    }

    /// A field of the head.
    fn head_field(&mut self, session: usize, name: &str, raw: &str, span: Span) {
        const LONG: usize = 1000;
        let facts = &mut self.book.sessions[session];
        let said = string(raw);
        match (name, &said) {
            ("startTime" | "lastUpdated", Some(time)) => micros(time).into_iter().for_each(|time| facts.seen_at(time)),
            ("summary", Some(summary)) => facts.title(TitleRank::Agent, summary),
            ("directories", None) if facts.facts.parent.is_some() => {
                let folder = list(raw).and_then(|folders| string(folders.first()?).map(std::borrow::Cow::into_owned));
                facts.set(|facts| &mut facts.cwd, folder.clone());
                facts.set(|facts| &mut facts.project, folder);
            }
            _ => {}
        }
        self.head.retain(|(known, _)| known != name);
        if raw.len() < LONG && !matches!(name, "startTime" | "lastUpdated") {
            self.head.push((name.to_owned(), raw.to_owned()));
        }
        let fields = object(self.head.iter().map(|(name, raw)| (name.as_str(), raw.as_str())));
        let words = Obj::parse(&fields).map_or_else(String::new, |fields| fields_in_short("Session", &fields));
        let id = format!("{}~meta", self.book.sessions[session].key);
        let at = self.at(session, None, id, span);
        let draft = at.aside(&at.id, "session_meta", words);
        self.book.keep(session, draft, span);
    }

    /// A head, or a whole document in a line.
    fn head(&mut self, record: &Obj, span: Span) {
        let session = self.session(record.str("sessionId").as_deref());
        self.settle(session);
        for (name, raw) in record.fields().filter(|(name, _)| *name != "messages") {
            self.head_field(session, name, raw, span);
        }
        for (n, entry) in record.list("messages").unwrap_or_default().into_iter().enumerate() {
            self.entry(entry, format!("{}~messages~{n}", self.file_key), span);
        }
    }

    /// Fields of the head change.
    fn set(&mut self, set: &Obj, span: Span) {
        let session = self.session(set.str("sessionId").as_deref());
        let time = set.filled("lastUpdated").as_deref().and_then(micros);
        let is_repeated = set.fields().all(|(name, _)| REPEATED.contains(&name));
        if is_repeated && let Some(last) = self.last.clone() {
            if let Some(time) = time {
                self.book.sessions[session].seen_at(time);
            }
            self.spans_of(&last, span);
            if self.book.change(session, &last, span).is_some() {
                return;
            }
        }
        self.settle(session);
        let at = self.at(session, time, self.id_by_place(span.offset), span);
        let messages = set.list("messages");
        if let Some(messages) = &messages {
            // Earlier messages stay as they were: the model goes on with a shorter form of them.
            self.aside(&at, "history", format!("The model goes on with a history of {} messages", messages.len()));
        } else if let Some(summary) = set.filled("summary") {
            self.book.sessions[session].title(TitleRank::Agent, &summary);
            self.aside(&at, "title", format!("Title: {summary}"));
        } else {
            self.aside(&at, "settings", fields_in_short("settings", set));
        }
        for (n, entry) in messages.unwrap_or_default().into_iter().enumerate() {
            let id = Obj::parse(entry).and_then(|entry| entry.filled("id"));
            if id.is_none_or(|id| !self.records.contains_key(&hash(&id))) {
                self.entry(entry, format!("{}~{n}", at.id), span);
            }
        }
    }

    /// A person went back to before a message: it no longer holds, nor does what came after it.
    fn rewind(&mut self, to: &str, span: Span) {
        let session = self.session(None);
        self.settle(session);
        let at = self.at(session, None, self.id_by_place(span.offset), span);
        self.calls.end_all(&mut self.book, session, "orphaned");
        self.aside(&at, "rewind", "The conversation was rewound".to_owned());
        // Without the message nothing holds, for the agent too.
        let of = hash(to);
        let from = self.order.iter().position(|id| *id == of).unwrap_or(0);
        let left = self.order.split_off(from);
        let Some(first) = left.first().and_then(|id| self.records.get(id)) else { return };
        let from = first.first.as_deref().or(first.base.as_deref()).unwrap_or(to);
        let stretch = Stretch { from: message_id(from), before: message_id(&at.id) };
        self.book.leave(session, stretch, first.offset..span.offset, true);
        let is_asked = |id: &u64| self.records.get(id).is_some_and(|record| record.before.is_some());
        let before = left.iter().find_map(|id| self.records.get(id)?.before.clone());
        if let Some(before) = before {
            self.book.sessions[session].go_back((*before).clone(), !self.order.iter().any(is_asked));
        }
        for id in left {
            if let Some(record) = self.records.get_mut(&id) {
                record.is_left = true;
            }
        }
    }

    /// An entry of a list.
    fn entry(&mut self, raw: &str, id: String, span: Span) {
        if let Some(record) = Obj::parse(raw) {
            self.message(&record, id, span);
        } else {
            let session = self.session(None);
            self.settle(session);
            let at = self.at(session, None, id, span);
            self.aside(&at, "unknown", cut(raw, 200));
        }
    }

    /// A message, whether it is new or replaces one. `id` is for one without its own.
    fn message(&mut self, record: &Obj, id: String, span: Span) {
        let session = self.session(None);
        self.settle(session);
        let id = record.filled("id").unwrap_or(id);
        let stamp = record.filled("timestamp");
        let time = stamp.as_deref().and_then(micros);
        let time = time.or_else(|| record.int("ts").map(|seconds| Micros(seconds.saturating_mul(1_000_000))));
        self.book.begin_line(Line { api_message: None, time: stamp, is_copy: false });
        let known = self.records.get(&hash(&id));
        let is_new = known.is_none_or(|known| known.is_left);
        let base = match known {
            Some(known) if known.is_left => format!("{id}~{}", span.offset),
            Some(known) => known.base.as_deref().unwrap_or(&id).to_owned(),
            None if is_made_of_content(&id) => self.wide_id(session, &id),
            None => id.clone(),
        };
        let run = known.and_then(|known| known.run);
        let mut at = self.at(session, time, base.clone(), span);
        if !is_new {
            at.run = run.and_then(|run| self.book.sessions[session].runs.id_of(run)).map(str::to_owned);
        }
        let kind = record.filled("type").or_else(|| record.filled("role")).unwrap_or_default();
        let before = (is_new && kind == "user").then(|| self.standing(session));
        match kind.as_str() {
            "user" => self.asked(&mut at, &base, record, is_new),
            "gemini" | "model" | "assistant" => self.answered(&mut at, &base, record, is_new),
            "info" | "warning" | "error" => self.told(&at, &base, &kind, record),
            "" => self.aside(&at, "unknown", fields_in_short("record", record)),
            _ => self.aside(&at, &kind, fields_in_short(&kind, record)),
        }
        if self.first.is_none() {
            self.aside(&at, &kind, "A message without content".to_owned());
        }
        self.last.clone_from(&self.first);
        if is_new {
            let first = self.first.clone().filter(|first| self.order.is_empty() || *first != base).map(Into::into);
            let run = at.run.and_then(|run| self.book.sessions[session].runs.index_of(&run));
            let base = Some(base).filter(|base| *base != id).map(Into::into);
            self.order.push(hash(&id));
            let record = Record { base, first, offset: span.offset, run, before, is_left: false };
            self.records.insert(hash(&id), record);
        }
    }

    /// How the session stands. Prompts between which nothing changed share it.
    fn standing(&mut self, session: usize) -> Arc<Standing> {
        let now = self.book.sessions[session].standing();
        if *self.standing != now {
            self.standing = Arc::new(now);
        }
        Arc::clone(&self.standing)
    }
}

/// Returns true if the id is a hash. Gemini CLI's own text before a conversation is the same in all that begin in a
/// folder on one day.
fn is_made_of_content(id: &str) -> bool {
    const DIGITS: usize = 32;
    id.len() == DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Contents for Chat {
    fn note(&mut self, span: Span, text: &str) {
        let session = self.session(None);
        self.settle(session);
        let at = self.at(session, None, self.id_by_place(span.offset), span);
        self.aside(&at, "note", text.to_owned());
        self.book.note(session, span.offset, text.to_owned());
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        let main = self.main.and_then(|main| self.book.sessions.get(main)).map(|session| session.key.clone());
        (SessionKey(main.unwrap_or_else(|| self.key(&self.named))), message_id(&self.id_by_place(offset)))
    }

    fn end(&mut self) {
        self.session(None);
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Records for Chat {
    fn record(&mut self, _: &str, record: &Obj, span: Span) {
        let is_message = record.has("id") || record.has("role");
        if let Some(to) = record.str("$rewindTo") {
            self.rewind(&to, span);
        } else if let Some(set) = record.obj("$set") {
            self.set(&set, span);
        } else if record.has("history") && !is_message {
            // A document in a line.
            record.fields().for_each(|(name, raw)| match list(raw).filter(|_| name == "history") {
                Some(history) => {
                    let entries = history.into_iter().enumerate();
                    entries.for_each(|(n, raw)| Document::entry(self, "history", n, raw, span));
                }
                None => self.field(name, raw, span),
            });
        } else if !is_message && (record.has("sessionId") || record.has("messages")) {
            self.head(record, span);
        } else {
            self.message(record, self.id_by_place(span.offset), span);
        }
    }
}

impl Document for Chat {
    const LISTS: &'static [&'static str] = &["history", "messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        match (self.main, string(raw)) {
            (None, Some(id)) if name == "sessionId" => {
                let session = self.session(Some(&id));
                self.head_field(session, name, raw, span);
            }
            (None, _) => self.early.push((name.to_owned(), raw.to_owned(), span)),
            (Some(session), _) => self.head_field(session, name, raw, span),
        }
    }

    fn entry(&mut self, list: &str, index: usize, raw: &str, span: Span) {
        self.entry(raw, format!("{}~{list}~{index}", self.file_key), span);
    }
}
