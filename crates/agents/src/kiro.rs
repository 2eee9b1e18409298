//! Kiro's conversations: a saved one, which is a JSON document `{conversation_id, history: [{user, assistant}]}`, and those of
//! `~/.kiro/sessions`, which are lines `{version, kind, data}`.
//!
//! `turns` makes messages of prompts, answers, calls and results, whichever form tells of them.
//!
//! Ids of messages: `<message id>` of an answer or a line, `<answer's id>~asked` of what stood before it in a document, with
//! `~<n>` where that makes several messages; `<call id>` of a tool call, with `~edit~0`; `<session>~meta` of the fields of a
//! document; `<file name>~<offset>` or `<session>~<n>` of what has no id.
//!
//! How to add a kind of line: an arm in `record`; without one it is shown by its plain fields.

mod turns;

use crate::parts::at::{At, file_key, message_id, micros, sha256};
use crate::parts::blocks::cut;
use crate::parts::book::Book;
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::lines::Records;
use crate::parts::obj::{Obj, list, string};
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::{Draft, MessageId, Micros, Origin};
use std::collections::HashSet;

/// Reads one conversation.
pub(crate) struct History {
    book: Book,
    calls: Calls,
    /// The session that the file's name tells.
    named: String,
    /// The session of a document that names an empty one.
    unnamed: String,
    /// A name of the file that is the same on every machine, for lines without ids.
    file_key: String,
    main: Option<usize>,
    /// Fields of a document before its id.
    early: Vec<(String, Span)>,
    /// Names of the fields of a document.
    fields: Vec<String>,
    /// Ids that were given.
    given: HashSet<String>,
    origin: Origin,
}

impl History {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "kiro";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json")).unwrap_or(name);
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: stem.to_owned(),
            unnamed: format!("{stem}~{}", &sha256(path.as_bytes())[..12]),
            file_key: file_key(stem),
            main: None,
            early: Vec::new(),
            fields: Vec::new(),
            given: HashSet::new(),
            origin: Origin::default(),
        }
    }

    /// The session of the file, which a document's id names. Where that is empty, files of one name have a session each.
    fn session(&mut self, id: Option<&str>) -> usize {
        if let Some(main) = self.main {
            return main;
        }
        let main = self.book.session(match id {
            Some("") => &self.unnamed,
            Some(id) => id,
            None => &self.named,
        });
        self.main = Some(main);
        for (name, span) in std::mem::take(&mut self.early) {
            self.meta(main, &name, span);
        }
        main
    }

    /// An id that no other message of the file has.
    fn id(&mut self, own: Option<String>, place: &str) -> String {
        let own = own.filter(|own| self.given.insert(own.clone()));
        own.unwrap_or_else(|| place.to_owned())
    }

    fn at(&mut self, session: usize, time: Option<Micros>, id: String, span: Span) -> At {
        self.book.at(session, time, id, self.origin.clone(), span)
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    /// A field of a document: all of them are one message.
    fn meta(&mut self, session: usize, name: &str, span: Span) {
        self.fields.push(name.to_owned());
        let id = format!("{}~meta", self.book.sessions[session].key);
        let at = self.at(session, None, id, span);
        let draft = at.aside(&at.id, "session_meta", format!("Conversation with {}", self.fields.join(", ")));
        self.book.keep(session, draft, span);
    }

    /// An entry of a history: what the model was told, and what it answered.
    fn turn(&mut self, index: usize, user: Option<&Obj>, assistant: Option<&Obj>, metadata: Option<&Obj>, span: Span) {
        let session = self.session(None);
        let place = format!("{}~{index}", self.book.sessions[session].key);
        let answer = ["Response", "ToolUse"].iter().find_map(|kind| assistant?.obj(kind));
        let own = answer.as_ref().and_then(|answer| answer.filled("message_id"));
        let id = self.id(own, &place);
        let millis =
            |key: &str| metadata.and_then(|metadata| metadata.int(key)).map(|ms| Micros(ms.saturating_mul(1000)));
        let stamp = user.and_then(|user| user.filled("timestamp"));
        let asked = stamp.as_deref().and_then(micros).or_else(|| millis("request_start_timestamp_ms"));
        let answered = millis("stream_end_timestamp_ms").or_else(|| millis("request_start_timestamp_ms")).or(asked);
        if let Some(model) = metadata.and_then(|metadata| metadata.filled("model_id")) {
            self.book.sessions[session].set(|facts| &mut facts.model, Some(model.clone()));
            self.origin.model = Some(model);
        }
        if let Some(user) = user {
            let env = user.obj("env_context").and_then(|env| env.obj("env_state"));
            if let Some(cwd) = env.and_then(|env| env.filled("current_working_directory")) {
                let facts = &mut self.book.sessions[session];
                if facts.facts.project.is_none() {
                    facts.set(|facts| &mut facts.project, Some(cwd.clone()));
                }
                facts.set(|facts| &mut facts.cwd, Some(cwd.clone()));
                self.origin.cwd = Some(cwd);
            }
            let at = self.at(session, asked, format!("{id}~asked"), span);
            self.told(&at, user);
        }
        let at = self.at(session, answered, id, span);
        match (answer, assistant) {
            (Some(answer), _) => {
                let uses = answer.list("tool_uses").unwrap_or_default();
                let uses: Vec<Obj> = uses.into_iter().filter_map(Obj::parse).collect();
                self.answered(&at, &answer.string("content").unwrap_or_default(), &uses);
            }
            (None, Some(other)) => self.say(&at, at.aside(&at.id, "assistant", fields_in_short("assistant", other))),
            (None, None) if user.is_none() => self.say(&at, at.aside(&at.id, "unknown", "An entry without content")),
            (None, None) => {}
        }
    }
}

impl Contents for History {
    fn note(&mut self, span: Span, text: &str) {
        let session = self.session(None);
        let id = self.id_by_place(span.offset);
        let at = self.at(session, None, id, span);
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

impl Records for History {
    fn record(&mut self, _: &str, record: &Obj, span: Span) {
        if let Some(history) = record.list("history") {
            // A document in a line.
            let session = self.session(record.str("conversation_id").as_deref());
            let names: Vec<String> = record.fields().map(|(name, _)| name.to_owned()).collect();
            names.iter().filter(|name| *name != "history").for_each(|name| self.meta(session, name, span));
            for (index, raw) in history.into_iter().enumerate() {
                self.entry("history", index, raw, span);
            }
            return;
        }
        let session = self.session(None);
        let kind = record.filled("kind").unwrap_or_else(|| "unknown".to_owned());
        let data = record.obj("data");
        let body = data.as_ref().unwrap_or(record);
        let place = self.id_by_place(span.offset);
        let id = self.id(body.filled("message_id"), &place);
        let seconds = body.obj("meta").and_then(|meta| meta.int("timestamp"));
        let time = seconds.map(|seconds| Micros(seconds.saturating_mul(1_000_000)));
        let at = self.at(session, time, id, span);
        let content = body.list("content").unwrap_or_default();
        match kind.as_str() {
            "Prompt" | "AssistantMessage" | "ToolResults" if !content.is_empty() => self.line(&at, &kind, &content),
            _ => self.say(&at, at.aside(&at.id, &kind, fields_in_short(&kind, body))),
        }
    }
}

impl Document for History {
    const LISTS: &'static [&'static str] = &["history"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        match (self.main, string(raw)) {
            (None, Some(id)) if name == "conversation_id" => {
                let session = self.session(Some(&id));
                self.meta(session, name, span);
            }
            (None, _) => self.early.push((name.to_owned(), span)),
            (Some(session), _) => self.meta(session, name, span),
        }
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        // Older versions have pairs instead of objects.
        let pair = list(raw).map(|pair| pair.into_iter().map(Obj::parse).collect::<Vec<_>>());
        if let Some([user, assistant]) = pair.as_deref() {
            return self.turn(index, user.as_ref(), assistant.as_ref(), None, span);
        }
        if let Some(entry) = Obj::parse(raw) {
            let (user, assistant) = (entry.obj("user"), entry.obj("assistant"));
            self.turn(index, user.as_ref(), assistant.as_ref(), entry.obj("request_metadata").as_ref(), span);
        } else {
            let session = self.session(None);
            let id = format!("{}~{index}", self.book.sessions[session].key);
            let at = self.at(session, None, id, span);
            self.say(&at, at.aside(&at.id, "unknown", cut(raw, 200)));
        }
    }
}
