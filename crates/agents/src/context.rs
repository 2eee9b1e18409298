//! The model's context when it wrote a reply, rebuilt from the records of a session.
//!
//! A tour:
//! - [`Transcript`]: takes the records of a session, and rebuilds the request of any reply.
//! - `request`: the part that is the same for all agents: calls and their results in pairs, one message a role, tokens,
//!   the difference to the request before. `block`: a block of a message. `tokens`: the estimate.
//! - `claude`, `codex`, `gemini`, `opencode`, `qwen`: which records of an agent were sent, and in which order.
//!
//! - [`of_run`]: the input of an agent that gets it from here. [`of_messages`]: the context without records.
//!
//! Nothing here fails: `reasons` of the context lists what isn't known.
//!
//! How to add an agent: a type that implements `Log`, and its arm in [`Transcript::of`].

mod block;
mod cache;
mod claude;
mod codex;
mod gemini;
mod neutral;
mod opencode;
mod qwen;
mod request;
mod tokens;

pub use neutral::{of_messages, of_run};

use crate::Span;
use crate::parts::document::{Parts, Piece};
use crate::parts::lines::Lines;
use crate::parts::obj::Obj;
use crate::parts::pieces::{EMPTY, UNREADABLE};
use model::model_context::ModelContext;
use model::{RecordRef, SourceId};
use request::Request;

/// Which records of an agent were sent in a request.
trait Log: Send {
    /// The fields of its documents whose entries are records, of an agent whose files are documents and not lines.
    fn lists(&self) -> Option<&'static [&'static str]> {
        None
    }
    /// Takes the next record: a line, or an entry of a list.
    fn record(&mut self, text: &str, record: &Obj, at: RecordRef);
    /// Takes another field of a document.
    fn field(&mut self, _name: &str, _value: &Obj) {}
    /// Takes note of bytes that can't be read.
    fn unreadable(&mut self, at: RecordRef);
    /// The agent's own id of the session that this one goes on from, where its records don't hold what was before and weren't taken.
    fn origin(&self) -> Option<&str> {
        None
    }
    /// The last record with a call of this id, or with this text, of an agent whose records aren't the stored ones.
    fn find(&self, _call_id: Option<&str>, _text: &str) -> Option<RecordRef> {
        None
    }
    /// The requests in the order of their replies, each by the first record of its reply.
    fn replies(&self) -> Vec<RecordRef>;
    /// The request that a record of a reply answers; of any other record, the first request that held it; without a record, the last
    /// one. And the one before it.
    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)>;
}

/// The records of a session.
pub struct Transcript {
    log: Box<dyn Log>,
    /// The file that is being read, and where its lines or its document begin.
    reading: Option<(SourceId, u64, Form)>,
}

enum Form {
    Lines(Lines),
    Document(Parts),
}

impl Transcript {
    /// Creates the transcript of an agent, by its name in the store. None if its requests can't be rebuilt from its
    /// records.
    pub fn of(agent: &str) -> Option<Self> {
        let log: Box<dyn Log> = match agent {
            "claude_code" => Box::new(claude::Claude::default()),
            "codex" => Box::new(codex::Codex::default()),
            "gemini" => Box::new(gemini::Gemini::default()),
            "opencode" => Box::new(opencode::OpenCode::default()),
            "qwen" => Box::new(qwen::Qwen::default()),
            _ => return None,
        };
        Some(Self { log, reading: None })
    }

    /// Takes the bytes of a file from `offset` on, in pieces of any size, one file after the other. Where they begin within a
    /// line, that line counts as unreadable.
    pub fn push(&mut self, source: &SourceId, offset: u64, bytes: &[u8]) {
        if self.reading.as_ref().is_none_or(|(reading, ..)| reading != source) {
            self.finish();
            let form = match self.log.lists() {
                Some(lists) => Form::Document(Parts::of(lists)),
                None => Form::Lines(Lines::joined()),
            };
            self.reading = Some((source.clone(), offset, form));
        }
        let Some((source, base, form)) = &mut self.reading else { return };
        let mut file = File { log: self.log.as_mut(), source, base: *base };
        match form {
            Form::Lines(lines) => lines.push(bytes, |line| line.read(&mut file, File::record, File::note)),
            Form::Document(parts) => parts.push(bytes, |piece, span| file.piece(piece, span)),
        }
    }

    /// Ends the file that was read last.
    pub fn finish(&mut self) {
        if let Some((source, base, form)) = self.reading.take() {
            let mut file = File { log: self.log.as_mut(), source: &source, base };
            match form {
                Form::Lines(mut lines) => lines.finish(|line| line.read(&mut file, File::record, File::note)),
                Form::Document(mut parts) => parts.finish(|piece, span| file.piece(piece, span)),
            }
        }
    }

    /// Returns the agent's own id of the session that this one goes on from, if records of that one are needed: they come before these.
    pub fn origin(&self) -> Option<&str> {
        self.log.origin()
    }

    /// Returns the last record that holds a call with this id, or else this text. For records that aren't those of the stored messages, as
    /// what the agent itself keeps of a session that is stored from its protocol.
    pub fn find(&self, call_id: Option<&str>, text: &str) -> Option<RecordRef> {
        self.log.find(call_id, text)
    }

    /// Returns the first record of each reply, in their order.
    pub fn replies(&self) -> Vec<RecordRef> {
        self.log.replies()
    }

    /// Returns the request that a record belongs to: of a reply, the one that it answers; of any other record, the first one that
    /// held it. Without a record, the last one. None if there is no such request. `notices` are what Verbatim gave beside the prompt: they
    /// are in it, also where the records don't have them.
    pub fn context(&self, at: Option<&RecordRef>, notices: Option<&str>) -> Option<ModelContext> {
        let (mut request, previous) = self.log.request(at)?;
        if let Some(notices) = notices {
            request.give(notices);
        }
        Some(request.finish(previous))
    }
}

/// A file that is read into a log. `base` is where its lines begin.
struct File<'a> {
    log: &'a mut dyn Log,
    source: &'a SourceId,
    base: u64,
}

impl File<'_> {
    fn at(&self, span: Span) -> RecordRef {
        RecordRef { source: self.source.clone(), offset: self.base + span.offset, len: span.len }
    }

    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let at = self.at(span);
        self.log.record(text, record, at);
    }

    fn piece(&mut self, piece: Piece, span: Span) {
        match piece {
            Piece::Field { name, raw } => {
                if let Some(value) = Obj::parse(raw) {
                    self.log.field(&name, &value);
                }
            }
            Piece::Entry { raw, at, .. } => match Obj::parse(raw) {
                Some(entry) => self.record(raw, &entry, Span { offset: at, len: raw.len() as u64 }),
                None => self.note(span, UNREADABLE),
            },
            Piece::Note(text) => self.note(span, &text),
            Piece::End => {}
        }
    }

    fn note(&mut self, span: Span, note: &str) {
        if note != EMPTY {
            let at = self.at(span);
            self.log.unreadable(at);
        }
    }
}

/// Returns true if two records share a byte.
fn overlap(a: &RecordRef, b: &RecordRef) -> bool {
    a.source == b.source && a.offset < b.offset + b.len && b.offset < a.offset + a.len
}

/// Returns the place of a value in a record, by its raw text.
fn within(text: &str, raw: &str, at: &RecordRef) -> RecordRef {
    // If the record isn't plain text of the file, the whole record.
    let start =
        (raw.as_ptr() as usize).checked_sub(text.as_ptr() as usize).filter(|start| start + raw.len() <= text.len());
    match start {
        Some(start) => RecordRef { source: at.source.clone(), offset: at.offset + start as u64, len: raw.len() as u64 },
        None => at.clone(),
    }
}
