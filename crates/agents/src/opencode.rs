//! `OpenCode`'s sessions: an export, which is one JSON document `{info, messages: [{info, parts}]}`, and the folder `storage`, where
//! each session, message and part is a file of its own.
//!
//! Both say the same with the same ids, so that whatever file comes first, they meet in one session. `messages` reads
//! messages and their parts, `calls` the parts that are tool calls, `edits` what these changed.
//!
//! Ids of messages: `<part>` of a part, `<call id>` of a tool call, with `~edit~<n>`, `~todo~0` and `~file~<n>`; `<message>` of
//! what is known of a message itself, with `~error`; `<session>~meta` of the session; `<file name>~<offset>` of what can't be read. Ids
//! that are missing or were given before are made from the session's and the place in the document.
//!
//! A part that lies by itself doesn't say whose it is: texts of the agent have a time, those of a person have none.
//!
//! How to add a kind of part: an arm in `messages::part`; without one it is shown by its plain fields.

mod calls;
mod edits;
pub(crate) mod messages;

use crate::parts::at::{At, file_key, message_id};
use crate::parts::blocks::cut;
use crate::parts::book::Book;
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::obj::{Obj, object};
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::{Draft, MessageId, Micros, Origin};
use std::collections::HashSet;

/// Reads one export, or one file of the storage.
pub(crate) struct Session {
    book: Book,
    calls: Calls,
    /// The session that the path tells.
    named: String,
    /// A name of the file that is the same on every machine.
    file_key: String,
    main: Option<usize>,
    /// Fields of a file of the storage, until it is whole.
    fields: Vec<(String, String, Span)>,
    /// Ids that were given.
    given: HashSet<String>,
    origin: Origin,
}

/// The word in place of ids in transcripts that were made public.
const REDACTED: &str = "REDACTED";

impl Session {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "opencode";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 5;

    pub fn new(path: &str) -> Self {
        let mut folders = path.rsplit(['/', '\\']);
        let name = folders.next().unwrap_or_default();
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let folder = folders.next().filter(|folder| folder.starts_with("ses_") && stem.starts_with("msg_"));
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: folder.unwrap_or(stem).to_owned(),
            file_key: file_key(stem),
            main: None,
            fields: Vec::new(),
            given: HashSet::new(),
            origin: Origin::default(),
        }
    }

    /// The session of the file, which its first id of one names.
    fn session(&mut self, id: Option<String>) -> usize {
        if let Some(main) = self.main {
            return main;
        }
        let key = self.key(id);
        let main = self.book.session(&key);
        self.main = Some(main);
        main
    }

    fn key(&self, id: Option<String>) -> String {
        let named = || {
            let field = self.fields.iter().find(|(name, ..)| name == "sessionID")?;
            crate::parts::obj::string(&field.1).map(std::borrow::Cow::into_owned)
        };
        id.filter(|id| id != REDACTED).or_else(named).unwrap_or_else(|| self.named.clone())
    }

    /// An id that no other message of the file has: its own one, or else the one by its place.
    fn id(&mut self, session: usize, own: Option<String>, place: &str) -> String {
        let own = own.filter(|own| own != REDACTED && self.given.insert(own.clone()));
        own.unwrap_or_else(|| format!("{}~{place}", self.book.sessions[session].key))
    }

    fn at(&mut self, session: usize, time: Option<Micros>, id: String, span: Span) -> At {
        self.book.at(session, time, id, self.origin.clone(), span)
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what something is.
    fn aside(&mut self, at: &At, kind: &str, line: &Obj) {
        let kind = if kind.is_empty() { "unknown" } else { kind };
        let draft = at.aside(&at.id, kind, in_short(kind, line));
        self.say(at, draft);
    }

    /// Reads the facts of the session itself.
    fn info(&mut self, info: &Obj, span: Span) {
        let session = self.session(info.filled("id"));
        self.origin.version = info.filled("version");
        self.origin.cwd = info.filled("directory");
        let origin = self.origin.clone();
        let parent = info.filled("parentID").filter(|parent| parent != REDACTED);
        let title = info.filled("title").unwrap_or_default();
        let facts = &mut self.book.sessions[session];
        facts.set(|facts| &mut facts.version, origin.version.clone());
        facts.set(|facts| &mut facts.cwd, origin.cwd.clone());
        facts.set(|facts| &mut facts.project, origin.cwd.clone());
        facts.set(|facts| &mut facts.parent, parent.clone());
        if !["New session - ", "Child session - "].iter().any(|start| title.starts_with(start)) {
            facts.title(TitleRank::Agent, &title);
        }
        for key in ["updated", "created"] {
            let time = info.obj("time").and_then(|times| milliseconds(&times, key));
            if let Some(time) = time {
                facts.seen_at(time);
            }
        }
        let id = format!("{}~meta", facts.key);
        let mut words = "Session".to_owned();
        for (what, value) in [("version", origin.version), ("title", Some(title)), ("spawned by", parent)] {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                words.push_str(&format!(", {what} {value}"));
            }
        }
        let at = self.at(session, None, id, span);
        let draft = at.aside(&at.id, "session_meta", words);
        self.say(&at, draft);
    }

    /// The fields so far as one object, and their bytes.
    fn take_fields(&mut self) -> Option<(String, Vec<Span>)> {
        let fields = std::mem::take(&mut self.fields);
        let mut spans: Vec<Span> = Vec::new();
        for (.., span) in &fields {
            match spans.last_mut() {
                Some(last) if last.end() == span.offset => last.len += span.len,
                _ => spans.push(*span),
            }
        }
        let text = || object(fields.iter().map(|(name, raw, _)| (name.as_str(), raw.as_str())));
        (!fields.is_empty()).then(|| (text(), spans))
    }
}

/// Returns a record in one line, without its ids.
fn in_short(kind: &str, line: &Obj) -> String {
    let is_said = |name: &str| !matches!(name, "id" | "sessionID" | "messageID" | "parentID" | "snapshot" | "role");
    let fields = line.fields().filter(|(name, _)| is_said(name));
    Obj::parse(&object(fields)).map_or_else(|| kind.to_owned(), |fields| fields_in_short(kind, &fields))
}

/// A time in milliseconds, as a field of an object.
fn milliseconds(times: &Obj, key: &str) -> Option<Micros> {
    times.int(key).filter(|time| *time > 0).map(|time| Micros(time.saturating_mul(1000)))
}

impl Contents for Session {
    fn note(&mut self, span: Span, text: &str) {
        let session = self.session(None);
        let id = self.note_at(span.offset).1;
        let at = self.at(session, None, id.as_str().to_owned(), span);
        let draft = at.aside(&at.id, "note", text);
        // The fields of a file of the storage are shown with the note: they mean nothing without the rest.
        let fields = self.take_fields().map(|(_, spans)| spans).unwrap_or_default();
        let mut spans = fields.into_iter().chain([span]);
        self.book.keep(session, draft, spans.next().unwrap_or(span));
        for span in spans {
            self.book.change(session, &at.id, span);
        }
        self.book.note(session, span.offset, text.to_owned());
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        let main = self.main.and_then(|main| self.book.sessions.get(main)).map(|session| session.key.clone());
        let id = format!("{}~{offset}", self.file_key);
        (SessionKey(main.unwrap_or_else(|| self.key(None))), message_id(&id))
    }

    fn end(&mut self) {
        let is_export = self.main.is_some();
        let key = self.key(None);
        let Some((text, spans)) = self.take_fields() else { return };
        let (Some(object), Some(&span)) = (Obj::parse(&text), spans.first()) else { return };
        let id = object.filled("id");
        if !is_export && object.has("messageID") && object.has("type") {
            self.lone_part(&object, span);
        } else if !is_export && object.has("role") {
            self.message(&object, None, "message", span);
        } else if !is_export && (object.has("directory") || object.has("projectID")) {
            self.info(&object, span);
        } else {
            let session = self.session(Some(key));
            for (n, span) in spans.into_iter().enumerate() {
                let id = self.id(session, id.clone().filter(|_| n == 0), &format!("fields~{n}"));
                let at = self.at(session, None, id, span);
                self.aside(&at, &object.filled("type").unwrap_or_else(|| "fields".to_owned()), &object);
            }
        }
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Document for Session {
    const LISTS: &'static [&'static str] = &["messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        match Obj::parse(raw) {
            Some(info) if name == "info" => self.info(&info, span),
            _ => self.fields.push((name.to_owned(), raw.to_owned(), span)),
        }
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        let entry = Obj::parse(raw);
        if let Some(info) = entry.as_ref().and_then(|entry| entry.obj("info")) {
            let parts = entry.and_then(|entry| entry.list("parts")).unwrap_or_default();
            self.message(&info, Some(parts), &index.to_string(), span);
        } else {
            let session = self.session(None);
            let id = format!("{}~{index}", self.file_key);
            let at = self.at(session, None, id, span);
            let draft = at.aside(&at.id, "unknown", cut(raw, 200));
            self.say(&at, draft);
        }
    }
}
