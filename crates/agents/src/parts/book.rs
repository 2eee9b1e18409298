//! Changes that are read but not yet handed out, and the few messages that later lines may still change.
//!
//! Most messages are written once and leave with the next flush. A message that can change (an open tool call, a
//! title) is *kept*: each change makes it leave again, once per flush, with its newest state. How long one is kept
//! depends on lines alone, never on how the bytes were cut, so that any splitting gives the same last state.

use super::at::{At, hash, sha256};
use super::session::{Session, TitleRank};
use crate::{Change, SessionKey, Span, Stretch};
use model::{CopyMarks, Draft, Micros, Origin, Part, Role, Spent, Twin};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A kept message's place: session and id.
type Place = (usize, String);

struct BookEntry {
    draft: Draft,
    spans: Vec<Span>,
    is_copy: bool,
    dirty: bool,
    /// Nobody may change it any more; it goes with the next flush.
    released: bool,
}

enum Slot {
    Once(usize, Box<Draft>, Vec<Span>, CopyMarks),
    Kept(Place),
    Note(usize, u64, String),
}

#[derive(Default)]
pub(crate) struct Book {
    pub sessions: Vec<Session>,
    by_key: HashMap<String, usize>,
    kept: HashMap<Place, BookEntry>,
    slots: Vec<Slot>,
    blobs: Vec<Change>,
    line: Line,
    rewound: Vec<(usize, Stretch, bool)>,
    /// Hashes of ids that were given away.
    given: HashSet<u64>,
}

/// The fields of the line being read that show where it came from.
#[derive(Default)]
pub(crate) struct Line {
    pub api_message: Option<String>,
    /// As it stands in the line.
    pub time: Option<String>,
    pub is_copy: bool,
}

impl Line {
    /// The marks of a message of this line.
    fn marks(&self, draft: &Draft) -> CopyMarks {
        let hash = |of: &String| {
            let (role, kind) = (draft.role.as_str(), draft.message_type());
            let parts = [of.as_str(), role, &draft.sender, kind, &draft.content];
            sha256(parts.join("\0").as_bytes()).split_off(32)
        };
        let by_message = self.api_message.as_ref().map(|id| Twin::ApiMessage(hash(id)));
        let twin = by_message.or_else(|| self.time.as_ref().map(|time| Twin::Time(hash(time))));
        CopyMarks { twin, is_copy: self.is_copy }
    }
}

impl Book {
    /// The next line begins.
    pub fn begin_line(&mut self, line: Line) {
        self.line = line;
    }

    /// The session with this key, created where it is new.
    pub fn session(&mut self, key: &str) -> usize {
        if let Some(&at) = self.by_key.get(key) {
            return at;
        }
        let at = self.sessions.len();
        self.sessions.push(Session::new(key.to_owned()));
        self.by_key.insert(key.to_owned(), at);
        at
    }

    /// The session of the sub-agent that a call started, created where it is new. A call that names its own session started none.
    pub fn child(&mut self, parent: usize, key: &str, call_id: &str, name: Option<&str>) -> usize {
        let parent = self.sessions[parent].key.clone();
        let at = self.session(key);
        if key == parent {
            return at;
        }
        let child = &mut self.sessions[at];
        child.set(|facts| &mut facts.parent, Some(parent));
        child.set(|facts| &mut facts.call_id, Some(call_id.to_owned()));
        if let Some(name) = name {
            child.title(TitleRank::Task, name);
        }
        at
    }

    /// Returns the data shared by all messages of a record. A record without a time has that of the one before.
    pub fn at(&mut self, session: usize, time: Option<Micros>, id: String, origin: Origin, span: Span) -> At {
        let facts = &mut self.sessions[session];
        facts.before_time = facts.last_time;
        if let Some(time) = time {
            facts.seen_at(time);
        }
        let run = facts.runs.id().map(str::to_owned);
        At { session, span, time: time.unwrap_or(facts.last_time), id, origin, run }
    }

    /// Gives an id to a message that no other one of the session may get. False if one has it.
    pub fn give(&mut self, session: usize, id: &str) -> bool {
        self.given.insert(hash(&format!("{session} {id}")))
    }

    /// A message that no later line changes.
    pub fn say(&mut self, session: usize, draft: Draft, span: Span) {
        self.said(session, &draft);
        let marks = self.line.marks(&draft);
        self.slots.push(Slot::Once(session, Box::new(draft), vec![span], marks));
    }

    /// Words and calls of the model belong to a request.
    fn said(&mut self, session: usize, draft: &Draft) {
        if matches!(draft.role, Role::Assistant | Role::Model) && draft.part != Part::Derived {
            let of = &mut self.sessions[session];
            of.runs.said(&draft.id, of.before_time);
        }
    }

    /// Counts a request of the model whose messages were said.
    pub fn spent(&mut self, session: usize, spent: Spent) {
        let of = &mut self.sessions[session];
        let ended_at = spent.ended_at.or(Some(of.last_time));
        of.runs.count(Spent { ended_at, ..spent });
    }

    /// Counts a request of the model whose messages follow.
    pub fn spent_ahead(&mut self, session: usize, spent: Spent) {
        let of = &mut self.sessions[session];
        let began_at = spent.began_at.or(Some(of.before_time)).filter(|began| *began > Micros(0));
        let ended_at = spent.ended_at.or(Some(of.last_time));
        of.runs.count_ahead(Spent { began_at, ended_at, ..spent });
    }

    pub fn note(&mut self, session: usize, offset: u64, text: String) {
        self.slots.push(Slot::Note(session, offset, text));
    }

    pub fn blob(&mut self, sha256: String, mime: String, bytes: Vec<u8>) {
        self.blobs.push(Change::Blob { sha256, mime, bytes });
    }

    /// A message that later lines may change, or the newest state of one that is kept already.
    pub fn keep(&mut self, session: usize, draft: Draft, span: Span) {
        let place = (session, draft.id.as_str().to_owned());
        if let Some(entry) = self.kept.get_mut(&place) {
            if entry.released {
                entry.spans.clear();
            }
            let left_behind = entry.draft.left_behind;
            entry.draft = Draft { left_behind, ..draft };
            extend(&mut entry.spans, span);
            entry.released = false;
            mark(entry, &place, &mut self.slots);
        } else {
            self.said(session, &draft);
            let is_copy = self.line.is_copy;
            self.kept
                .insert(place.clone(), BookEntry { draft, spans: vec![span], is_copy, dirty: true, released: false });
            self.slots.push(Slot::Kept(place));
        }
    }

    /// The messages of these bytes were left behind, or hold again. Later changes of those that are kept say so too.
    pub fn leave(&mut self, session: usize, stretch: Stretch, bytes: Range<u64>, left: bool) {
        let begins_here = |entry: &&mut BookEntry| entry.spans.first().is_some_and(|span| bytes.contains(&span.offset));
        let here = self.kept.iter_mut().filter(|((of, _), _)| *of == session).map(|(_, entry)| entry);
        here.filter(begins_here).for_each(|entry| entry.draft.left_behind = left);
        self.rewound.push((session, stretch, left));
    }

    /// A kept message, to be changed because of the line at `span`.
    pub fn change(&mut self, session: usize, id: &str, span: Span) -> Option<&mut Draft> {
        let place = (session, id.to_owned());
        let entry = self.kept.get_mut(&place).filter(|entry| !entry.released)?;
        extend(&mut entry.spans, span);
        mark(entry, &place, &mut self.slots);
        Some(&mut entry.draft)
    }

    /// A kept message, to be changed for another reason than bytes of its own.
    pub fn touch(&mut self, session: usize, id: &str) -> Option<&mut Draft> {
        let place = (session, id.to_owned());
        let entry = self.kept.get_mut(&place).filter(|entry| !entry.released)?;
        mark(entry, &place, &mut self.slots);
        Some(&mut entry.draft)
    }

    pub fn peek(&self, session: usize, id: &str) -> Option<&Draft> {
        self.kept.get(&(session, id.to_owned())).filter(|entry| !entry.released).map(|entry| &entry.draft)
    }

    /// No later line changes this message.
    pub fn release(&mut self, session: usize, id: &str) {
        let place = (session, id.to_owned());
        match self.kept.get_mut(&place) {
            Some(entry) if entry.dirty => entry.released = true,
            _ => {
                self.kept.remove(&place);
            }
        }
    }

    /// Hands out everything that is new or changed: blobs, sessions, then messages in the order of their lines, then runs.
    pub fn flush(&mut self, out: &mut Vec<Change>) {
        out.append(&mut self.blobs);
        for session in &mut self.sessions {
            if session.changed {
                session.changed = false;
                let key = SessionKey(session.key.clone());
                out.push(Change::Session { key, facts: session.facts.clone() });
            }
        }
        let keys: Vec<SessionKey> = self.sessions.iter().map(|session| SessionKey(session.key.clone())).collect();
        for slot in self.slots.drain(..) {
            match slot {
                Slot::Once(at, draft, spans, marks) => {
                    out.push(Change::Message { session: keys[at].clone(), draft: *draft, spans, marks });
                }
                Slot::Note(at, offset, text) => out.push(Change::Note { session: keys[at].clone(), offset, text }),
                Slot::Kept(place) => {
                    let session = keys[place.0].clone();
                    match self.kept.get_mut(&place) {
                        Some(entry) if entry.released => {
                            if let Some(BookEntry { draft, spans, is_copy, .. }) = self.kept.remove(&place) {
                                let marks = CopyMarks { twin: None, is_copy };
                                out.push(Change::Message { session, draft, spans, marks });
                            }
                        }
                        Some(entry) => {
                            entry.dirty = false;
                            let (draft, spans) = (entry.draft.clone(), entry.spans.clone());
                            let marks = CopyMarks { twin: None, is_copy: entry.is_copy };
                            out.push(Change::Message { session, draft, spans, marks });
                        }
                        None => {}
                    }
                }
            }
        }
        out.extend(self.rewound.drain(..).map(|(at, stretch, left)| Change::Rewound {
            session: keys[at].clone(),
            stretch,
            left,
        }));
        for (session, key) in self.sessions.iter_mut().zip(keys) {
            let runs = session.runs.changed().into_iter();
            out.extend(runs.map(|(run, spent)| Change::Run { session: key.clone(), run, spent }));
        }
    }
}

fn mark(entry: &mut BookEntry, place: &Place, slots: &mut Vec<Slot>) {
    if !entry.dirty {
        entry.dirty = true;
        slots.push(Slot::Kept(place.clone()));
    }
}

/// Adds a span; neighbouring lines become one.
fn extend(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if *last == span => {}
        Some(last) if last.end() == span.offset => last.len += span.len,
        Some(last) if last.offset <= span.offset && span.end() <= last.end() => {}
        _ => spans.push(span),
    }
}
