//! Codex's rollouts: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`, one JSON object a line.
//!
//! Since autumn 2025 each line is an envelope of a time, a type and a payload; before, lines were bare items behind a head.
//! Texts of the model and to it are there twice, as an item (`items`) and as an event (`events`): the first of both
//! becomes the message, and the other one belongs to it (`said`, `searches`). A sub-agent's file may begin with a copy
//! of its parent's (`history`). `calls` makes tool calls of items and events, `edits` the edits of files, `result`
//! reads the results, and `turns` counts runs and tokens.
//!
//! Ids of messages: an item's own one; else `<turn>~<n>`, counted within the turn, so that a fork's copies have the same;
//! `<call id>` of a tool call, with `~edit~<n>` and `~todo~0` of what is derived from it; `<file name>~<offset>` of a line
//! without either.
//!
//! How to add a line type: an arm in `items` or `events`; without one it is shown by its plain fields.

mod calls;
mod edits;
mod events;
mod history;
mod items;
mod result;
mod reviews;
mod said;
mod searches;
pub(crate) mod turns;

use crate::parts::at::{At, file_key, hash, message_id, micros};
use crate::parts::book::{Book, Line};
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::lines::Records;
use crate::parts::obj::Obj;
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use history::History;
use model::{Context, Draft, MessageId, Micros, Origin, Role};
use said::Recent;
use searches::Searches;
use std::collections::HashMap;
use turns::Turn;

/// Reads one rollout.
pub(crate) struct Rollout {
    book: Book,
    calls: Calls,
    /// The session that the file's name tells.
    named: String,
    /// A name of the file that is the same on every machine, for lines without ids.
    file_key: String,
    /// None until the first line is there.
    main: Option<usize>,
    origin: Origin,
    turn: Turn,
    recent: Recent,
    searches: Searches,
    /// Ids that were given, with a hash of the line.
    given: HashMap<u64, u64>,
    /// The message that says where older context was given up, until another line comes.
    compacted: Option<String>,
    /// The history that the lines were copied from, as long as they are.
    history: Option<History>,
    /// Commands that go on, by the number that later calls name them by.
    running: HashMap<i64, String>,
}

impl Rollout {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "codex";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 8;

    pub fn new(path: &str) -> Self {
        const UUID: usize = 36;
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.strip_suffix(".jsonl").unwrap_or(name);
        let uuid = stem.len().checked_sub(UUID).and_then(|at| stem.get(at..));
        let named = uuid.filter(|_| stem.starts_with("rollout-")).unwrap_or(stem);
        Self {
            book: Book::default(),
            calls: Calls::default(),
            named: named.to_owned(),
            file_key: file_key(stem),
            main: None,
            origin: Origin::default(),
            turn: Turn::default(),
            recent: Recent::default(),
            searches: Searches::default(),
            given: HashMap::new(),
            compacted: None,
            history: None,
            running: HashMap::new(),
        }
    }

    /// The session of the file. The first head names it; later ones are those of what it was resumed or forked from.
    fn session(&mut self, head: Option<&Obj>) -> usize {
        if let Some(main) = self.main {
            return main;
        }
        let id = head.and_then(|head| head.filled("id").or_else(|| head.filled("session_id")));
        let main = self.book.session(&id.unwrap_or_else(|| self.named.clone()));
        self.main = Some(main);
        main
    }

    /// Returns the data shared by all messages of one line.
    fn at(&mut self, session: usize, time: Option<Micros>, id: String, span: Span) -> At {
        self.book.at(session, time, id, self.origin.clone(), span)
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~{offset}", self.file_key)
    }

    /// The id of a line; none if the very same line was read before.
    fn id(&mut self, own: Option<String>, text: &str, span: Span) -> Option<String> {
        let content = hash(text);
        if let Some(own) = own {
            let known = self.given.get(&hash(&own)).copied();
            return match known {
                Some(known) if known == content => None,
                // Another line took the id: both are kept.
                Some(_) => Some(self.id_by_place(span.offset)),
                None => {
                    self.given.insert(hash(&own), content);
                    Some(own)
                }
            };
        }
        let counted = self.turn.next_id().filter(|id| self.given.insert(hash(id), content).is_none());
        Some(counted.unwrap_or_else(|| self.id_by_place(span.offset)))
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what the line is, for what has no better form.
    fn aside(&mut self, at: &At, kind: &str, line: &Obj) {
        let words = ["message", "text"].iter().find_map(|key| line.filled(key));
        let content = words.unwrap_or_else(|| fields_in_short(kind, line));
        let draft = at.aside(&at.id, if kind.is_empty() { "unknown" } else { kind }, content);
        self.say(at, draft);
    }

    /// A head: what the session is, or, further down, what it goes on from.
    fn head(&mut self, at: &At, head: &Obj) {
        let git = head.obj("git");
        let id = head.filled("id");
        let is_own = id.as_ref().is_none_or(|id| *id == self.book.sessions[at.session].key);
        self.origin.version = head.filled("cli_version").or(self.origin.version.take());
        self.origin.cwd = head.filled("cwd").or(self.origin.cwd.take());
        self.origin.branch = git.as_ref().and_then(|git| git.filled("branch")).or(self.origin.branch.take());
        let origin = self.origin.clone();
        let facts = &mut self.book.sessions[at.session];
        facts.set(|facts| &mut facts.version, origin.version.clone());
        facts.set(|facts| &mut facts.cwd, origin.cwd.clone());
        facts.set(|facts| &mut facts.branch, origin.branch.clone());
        if facts.facts.project.is_none() {
            facts.set(|facts| &mut facts.project, origin.cwd.clone());
        }
        let spawn = head.obj("source").and_then(|source| source.obj("subagent"));
        let spawn = spawn.and_then(|subagent| subagent.obj("thread_spawn"));
        let parent = spawn.as_ref().and_then(|spawn| spawn.filled("parent_thread_id"));
        let parent = parent.or_else(|| head.filled("parent_thread_id"));
        if is_own {
            let is_first = facts.facts.parent.is_none();
            facts.set(|facts| &mut facts.parent, parent.clone());
            if let Some(name) = spawn.as_ref().and_then(|spawn| spawn.filled("agent_nickname")) {
                facts.title(TitleRank::Task, &name);
            }
            self.history =
                parent.as_ref().filter(|_| is_first).and_then(|_| head.filled("forked_from_id")).map(History::of);
        }
        let mut content = match (&id, is_own) {
            (Some(id), false) => format!("Goes on from session {id}"),
            _ if went_back(head) => "A person went back to an earlier prompt".to_owned(),
            _ => "Session started".to_owned(),
        };
        for (what, value) in [
            ("version", &origin.version),
            ("forked from", &head.filled("forked_from_id")),
            ("spawned by", &parent),
            ("agent", &spawn.as_ref().and_then(|spawn| spawn.filled("agent_nickname"))),
            ("role", &spawn.as_ref().and_then(|spawn| spawn.filled("agent_role"))),
        ] {
            if let Some(value) = value {
                content.push_str(&format!(", {what} {value}"));
            }
        }
        let mut draft = at.aside(&at.id, "session_meta", content);
        draft.origin = origin;
        self.say(at, draft);
        let instructions = head.obj("base_instructions").and_then(|base| base.filled("text"));
        if let Some(text) = instructions.or_else(|| head.filled("instructions")) {
            let mut draft = at.text(&format!("{}~instructions", at.id), Role::System, "instructions", text);
            draft.context = Context::Ephemeral;
            self.say(at, draft);
        }
    }

    /// Where older context was given up. The event and the line that holds the new context are one message.
    fn compacted(&mut self, at: &At, line: Option<&Obj>) {
        if let Some(id) = self.compacted.take()
            && self.book.change(at.session, &id, at.span).is_some()
        {
            return self.book.release(at.session, &id);
        }
        let summary = line.and_then(|line| line.filled("message"));
        let sender = if summary.is_some() { "compact_summary" } else { "compact_boundary" };
        let content = summary.clone().unwrap_or_else(|| "Conversation compacted".to_owned());
        let mut draft = at.text(&at.id, Role::System, sender, content);
        draft.context = if summary.is_some() { Context::Turn } else { Context::None };
        draft.metadata = Some(crate::parts::at::extras("compact", serde_json::Map::new()));
        self.compacted = Some(draft.id.as_str().to_owned());
        self.book.keep(at.session, draft, at.span);
    }

    /// The conversation goes on: the other line of the pair doesn't come any more.
    fn forget_compacted(&mut self, session: usize) {
        if let Some(id) = self.compacted.take() {
            self.book.release(session, &id);
        }
    }
}

/// Types of items, with and without an envelope.
fn is_item(kind: &str) -> bool {
    const ENDS: [&str; 4] = ["_call", "_call_output", "_result", "_output"];
    matches!(kind, "message" | "reasoning" | "ghost_snapshot") || ENDS.iter().any(|end| kind.ends_with(end))
}

impl Contents for Rollout {
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
        self.settle_thoughts();
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

/// Returns true if the head belongs to a file in which a session goes on from an earlier line of its own.
fn went_back(head: &Obj) -> bool {
    head.has("history_base") && !head.has("forked_from_id")
}

impl Records for Rollout {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let kind = record.filled("type").unwrap_or_default();
        let payload = record.obj("payload");
        let body = payload.as_ref().unwrap_or(record);
        let inner = body.filled("type").unwrap_or_default();
        let is_head = kind == "session_meta" || kind.is_empty() && record.has("instructions") && record.has("id");
        let session = self.session(Some(body).filter(|_| is_head));
        let stamp =
            record.filled("timestamp").or_else(|| body.filled("timestamp")).or_else(|| record.filled("created_at"));
        let time = stamp.as_deref().and_then(micros);
        let is_item = kind == "response_item" || payload.is_none() && is_item(&kind);
        let own = body.filled("id").filter(|_| is_item || is_head);
        self.book.begin_line(Line { api_message: own.clone().filter(|_| is_item), time: stamp, is_copy: false });
        if self.is_copied(session, &inner, &kind, body, time) {
            return self.copied(session, &inner, body, time, span);
        }
        if kind == "event_msg" && self.event(&inner, body, text, time, span) {
            return;
        }
        if !is_item {
            self.settle_thoughts();
        }
        if is_item {
            self.forget_compacted(session);
        }
        let own = match own {
            Some(_) if is_head && went_back(body) => Some(self.id_by_place(span.offset)),
            Some(id) if is_head => Some(format!("{id}~meta")),
            own => own,
        };
        let Some(id) = self.id(own, text, span) else {
            if !is_head {
                return self.note(span, "A line that was read before, repeated");
            }
            let at = self.at(session, time, self.id_by_place(span.offset), span);
            return self.say(&at, at.aside(&at.id, "session_meta", "Session resumed"));
        };
        let at = self.at(session, time, id, span);
        match kind.as_str() {
            _ if is_head => self.head(&at, body),
            _ if is_item => self.item(&at, &inner, body),
            "event_msg" => self.other_event(&at, &inner, body),
            "turn_context" => self.turn_context(&at, body),
            "compacted" => self.compacted(&at, Some(body)),
            // Oldest items have a role and no type.
            "" if body.has("role") => self.item(&at, "message", body),
            "" if body.has("record_type") => self.aside(&at, "state", body),
            _ => self.aside(&at, &kind, body),
        }
    }

    fn waits(&self) -> bool {
        self.recent.has_thoughts()
    }
}
