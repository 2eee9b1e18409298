//! Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one JSON object a line, appended only.
//!
//! A tour: [`Reader`] cuts lines, and `pieces` finds the records in one; `state` finds session and id of each and hands it
//! to the file that is named after its type (`assistant`, `user`, `system`, `attachments`, `progress`, `queue`,
//! `bookkeeping`); `calls` keeps the open tool calls, whose derived messages `edits`, `todos` and `approvals` make; `tree`
//! finds which turns were rewound; `book` hands out what is new.
//!
//! Ids of messages: `<uuid>`; `<uuid>~<block>`, from 0, where a line has several blocks; `<call id>` of a tool call, and
//! `<call id>~edit~0`, `~todo~0`, `~approval~0`, `~file~<n>` of what is derived from it; `<file name>~<offset>` of a line
//! without an id; `<file name>~<type>` of lines of which the last one wins.
//!
//! How to add a line type: an arm in `state`; without one it is shown by its plain fields.

mod age;
mod answers;
mod api_error;
mod approvals;
mod assistant;
mod at;
mod attachments;
mod bare;
mod blocks;
mod book;
mod bookkeeping;
mod calls;
pub(crate) mod decode;
mod edits;
mod file_name;
mod files;
pub(crate) mod obj;
mod outcome;
mod peers;
mod picture;
pub(crate) mod pieces;
mod preview;
mod progress;
mod queue;
mod runs;
mod said;
mod session;
mod state;
mod subagents;
mod system;
mod todos;
mod tree;
mod user;
mod window;

pub use age::{first_time, is_copied, last_time};
pub use file_name::FileName;

use crate::{Change, SessionKey, Span};
use decode::Encoding;
use model::MessageId;
use obj::Obj;
use pieces::{What, pieces};
use session::TitleRank;
use state::State;

/// Lines that a file without a telling name may begin with before one names the session.
const MAX_WAITING: usize = 64;

/// Reads one transcript: bytes in, changes out.
///
/// ```
/// use agents::claude::Reader;
///
/// let mut reader = Reader::new("/home/ada/.claude/projects/mill/5f1c.jsonl", None);
/// let mut changes = Vec::new();
/// reader.push(b"{\"type\":\"summary\",\"summary\":\"Mend the roof\",\"leafUuid\":\"a\"}\n{\"ty", &mut changes);
/// // The second line is held back until its end arrives, or the file's.
/// reader.finish(&mut changes);
/// assert!(!changes.is_empty());
/// ```
pub struct Reader {
    path: String,
    meta: Option<Meta>,
    /// The bytes of a line whose end isn't there yet; of one that is too long already, the last few.
    torn: Vec<u8>,
    /// Bytes before these that were let go: an even number, so that units of two bytes stay whole.
    dropped: u64,
    /// Where the torn line begins.
    offset: u64,
    /// None until the first bytes are there.
    encoding: Option<Encoding>,
    state: Option<State>,
    /// Lines that were read before the session was known; without their bytes where these are too many.
    waiting: Vec<(Span, Option<Vec<u8>>)>,
}

/// What `agent-<id>.meta.json` tells of a sub-agent.
struct Meta {
    title: Option<String>,
    call_id: Option<String>,
}

impl Reader {
    /// The reader in [`model::source::Source::reader`], and the agent of its sessions.
    pub const NAME: &'static str = "claude_code";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 6;
    /// The most bytes of a line that is read. A longer one becomes a note, which gives its size.
    pub const LONGEST_LINE: usize = 64 << 20;

    /// Makes a reader of the file at `path`, whose name may name the session. `meta_json` is the file
    /// `agent-<id>.meta.json` beside a sub-agent's transcript, if there is one.
    pub fn new(path: &str, meta_json: Option<&[u8]>) -> Self {
        let meta = meta_json.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(Obj::parse).map(|meta| Meta {
            title: meta.filled("description"),
            call_id: meta.filled("toolUseId").or_else(|| meta.filled("toolUseID")),
        });
        let mut reader = Self {
            path: path.to_owned(),
            meta,
            torn: Vec::new(),
            dropped: 0,
            offset: 0,
            encoding: None,
            state: None,
            waiting: Vec::new(),
        };
        if let Some(session) = FileName::parse(path).session {
            reader.state = Some(reader.begin(session));
        }
        reader
    }

    /// Feeds the next bytes of the file, cut anywhere. A last line without its end is held back.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        self.encoding = self.encoding.or_else(|| Encoding::of(self.torn.iter().chain(bytes).copied()));
        let mut rest = bytes;
        while let Some(end) = self.encoding().line_end(&self.torn, rest) {
            let (line, behind) = rest.split_at(end);
            rest = behind;
            if self.torn.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.torn);
                whole.extend_from_slice(line);
                self.line(&whole);
            }
        }
        self.torn.extend_from_slice(rest);
        if self.dropped > 0 || self.torn.len() > Self::LONGEST_LINE {
            let more = self.torn.len().saturating_sub(1) & !1;
            // Assigning the small tail frees the large allocation.
            self.torn = self.torn.split_off(more);
            self.dropped += more as u64;
        }
        self.flush(out);
    }

    fn encoding(&self) -> Encoding {
        self.encoding.unwrap_or(Encoding::Utf8)
    }

    /// Ends the file. A last line without its end is read as it is. An empty file is a session without messages.
    pub fn finish(&mut self, out: &mut Vec<Change>) {
        if !self.torn.is_empty() {
            let line = std::mem::take(&mut self.torn);
            self.line(&line);
        }
        self.settle(None);
        if self.state.is_none() {
            self.state = Some(self.begin(FileName::parse(&self.path).stem));
        }
        self.flush(out);
    }

    /// Returns session and ids of the notes that [`Reader::finish`] makes of a last line without its end, as far as it
    /// can't be read. When more bytes make it a line, they are void.
    pub fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        if self.torn.is_empty() {
            return Vec::new();
        }
        let unnamed;
        let state = if let Some(state) = &self.state {
            state
        } else {
            unnamed = self.begin(FileName::parse(&self.path).stem);
            &unnamed
        };
        let session = SessionKey(state.book.sessions[state.main].key.clone());
        if self.dropped > 0 {
            return vec![(session, at::message_id(&state.id_by_place(self.offset)))];
        }
        let span = Span { offset: self.offset, len: self.torn.len() as u64 };
        let text = self.encoding().decode(&self.torn);
        let notes = spans(self.encoding(), &self.torn, &text, span)
            .filter_map(|(what, span)| matches!(what, What::Note(_)).then_some(span.offset));
        notes.map(|offset| (session.clone(), at::message_id(&state.id_by_place(offset)))).collect()
    }

    /// Returns how many bytes of the file were read as whole lines.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns how many bytes of lines it holds in memory.
    pub fn held_bytes(&self) -> usize {
        self.torn.len() + self.waiting_bytes()
    }

    fn waiting_bytes(&self) -> usize {
        self.waiting.iter().filter_map(|(_, bytes)| bytes.as_ref()).map(Vec::len).sum()
    }

    /// Returns whether there are lines that only [`Reader::finish`] would hand out.
    pub fn holds_back(&self) -> bool {
        !self.torn.is_empty() || !self.waiting.is_empty()
    }

    fn flush(&mut self, out: &mut Vec<Change>) {
        if let Some(state) = &mut self.state {
            state.book.flush(out);
        }
    }

    /// One line, its end included where it has one.
    fn line(&mut self, bytes: &[u8]) {
        let span = Span { offset: self.offset, len: std::mem::take(&mut self.dropped) + bytes.len() as u64 };
        self.offset = span.end();
        let encoding = self.encoding();
        let bytes = Some(bytes).filter(|_| span.len <= Self::LONGEST_LINE as u64);
        if let Some(state) = &mut self.state {
            return read(state, encoding, bytes, span);
        }
        let text = bytes.map(|bytes| encoding.decode(bytes));
        let session = text.iter().flat_map(|text| pieces(text)).find_map(|piece| match piece.what {
            What::Record(record) => Obj::parse(&record)?.filled("sessionId"),
            What::Note(_) => None,
        });
        self.waiting.push((span, bytes.map(<[u8]>::to_vec)));
        let many = self.waiting.len() > MAX_WAITING || self.waiting_bytes() > Self::LONGEST_LINE;
        if session.is_some() || many {
            self.settle(session.as_deref());
        }
    }

    /// The session is known, or never will be: then the file's name stands for it.
    fn settle(&mut self, session: Option<&str>) {
        if self.state.is_some() || self.waiting.is_empty() {
            return;
        }
        let mut state = self.begin(session.unwrap_or(FileName::parse(&self.path).stem));
        for (span, bytes) in std::mem::take(&mut self.waiting) {
            read(&mut state, self.encoding(), bytes.as_deref(), span);
        }
        self.state = Some(state);
    }

    fn begin(&self, session: &str) -> State {
        let file = FileName::parse(&self.path);
        let mut state = State::new(&file, session);
        let main = &mut state.book.sessions[state.main];
        if file.agent.is_some() {
            // Whose call it was is found by the call's id, wherever that is: until then it is the main session's.
            main.set(|facts| &mut facts.parent, Some(session.to_owned()));
            // A workflow's workers are known by its run.
            main.set(|facts| &mut facts.call_id, file.workflow.map(str::to_owned));
            if let Some(meta) = &self.meta {
                main.set(|facts| &mut facts.call_id, meta.call_id.clone());
                main.title(TitleRank::Task, meta.title.as_deref().unwrap_or_default());
            }
        }
        state
    }
}

/// Reads a line; without its bytes it is one that is too long.
fn read(state: &mut State, encoding: Encoding, bytes: Option<&[u8]>, span: Span) {
    let Some(bytes) = bytes else {
        let limit = Reader::LONGEST_LINE >> 20;
        let note = format!(
            "A line of {} bytes, longer than the {limit} MiB that are read; the exported file has all of it",
            span.len
        );
        return state.note(span, &note);
    };
    let text = encoding.decode(bytes);
    let trimmed = pieces::trim(&text);
    if let Some(line) = Obj::parse(trimmed) {
        return state.line(trimmed, &line, span);
    }
    for (what, span) in spans(encoding, bytes, &text, span) {
        match what {
            What::Record(record) => match Obj::parse(&record) {
                Some(line) => state.line(&record, &line, span),
                None => state.note(span, pieces::UNREADABLE),
            },
            What::Note(note) => state.note(span, note),
        }
    }
}

/// The pieces of a line, each with its own bytes of the file.
fn spans<'a>(
    encoding: Encoding,
    bytes: &'a [u8],
    text: &'a str,
    span: Span,
) -> impl Iterator<Item = (What<'a>, Span)> + 'a {
    let pieces = pieces(text);
    let lone = pieces.len() == 1;
    pieces.into_iter().map(move |piece| {
        if lone {
            return (piece.what, span);
        }
        let place = |at| encoding.offset(bytes, text, at) as u64;
        let (start, end) = (place(piece.range.start), place(piece.range.end));
        (piece.what, Span { offset: span.offset + start, len: end - start })
    })
}
