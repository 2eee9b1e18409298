//! Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one JSON object a line, appended only.
//!
//! A tour: [`Reader`] gets lines of `parts::lines`; `state` finds session and id of each and hands it
//! to the file that is named after its type (`assistant`, `user`, `system`, `attachments`, `progress`, `queued`,
//! `bookkeeping`); `calls` keeps the open tool calls, whose derived messages `edits`, `todos` and `approvals` make; `tree`
//! finds which turns were rewound; `book` hands out what is new.
//!
//! Ids of messages: `<uuid>`; `<uuid>~<block>`, from 0, where a line has several blocks; `<call id>` of a tool call, and
//! `<call id>~edit~0`, `~todo~0`, `~approval~0`, `~file~<n>` of what is derived from it; `<file name>~<offset>` of a line
//! without an id; `<file name>~<type>` of lines of which the last one wins.
//!
//! How to add a line type: an arm in `state`; without one it is shown by its plain fields.

mod api_error;
mod approvals;
mod assistant;
mod attachments;
mod bare;
mod bookkeeping;
mod calls;
mod edits;
mod file_name;
mod files;
mod outcome;
mod peers;
mod preview;
mod progress;
pub(crate) mod queue;
mod queued;
mod replays;
mod reviews;
mod said;
mod state;
mod subagents;
mod system;
mod todos;
mod tree;
mod user;

pub use approvals::{approval_id, asked, tells_all};
pub(crate) use attachments::readable;
pub use file_name::FileName;
pub use said::wrap_page_message;

use crate::parts::decode::Encoding;
use crate::parts::lines::{Lines, RawLine};
use crate::parts::pieces::What;
use crate::parts::{at, blocks, book, obj, runs, session};
use crate::{Change, SessionKey, Span};
use model::MessageId;
use obj::Obj;
use session::TitleRank;
use state::State;

/// Lines that a file without a telling name may begin with before one names the session.
const MAX_WAITING: usize = 64;

/// Reads one transcript: bytes in, changes out.
///
/// ```
/// use agents::Reader as _;
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
    lines: Lines,
    state: Option<State>,
    /// Lines that were read before the session was known; without their bytes where these are too many.
    waiting: Vec<(Span, Option<Vec<u8>>)>,
}

/// The fields of a sub-agent's `agent-<id>.meta.json` that are read.
struct Meta {
    title: Option<String>,
    call_id: Option<String>,
}

impl Reader {
    /// The reader in [`model::source::Source::reader`], and the agent of its sessions.
    pub const NAME: &'static str = "claude_code";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 11;
    /// The most bytes of a line that is read. A longer one becomes a note, which gives its size.
    pub const LONGEST_LINE: usize = Lines::LONGEST;

    /// Makes a reader of the file at `path`, whose name may name the session. `meta_json` is the file
    /// `agent-<id>.meta.json` beside a sub-agent's transcript, if there is one.
    pub fn new(path: &str, meta_json: Option<&[u8]>) -> Self {
        let meta = meta_json.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(Obj::parse).map(|meta| Meta {
            title: meta.filled("description"),
            call_id: meta.filled("toolUseId").or_else(|| meta.filled("toolUseID")),
        });
        let (lines, waiting) = (Lines::joined(), Vec::new());
        let mut reader = Self { path: path.to_owned(), meta, lines, state: None, waiting };
        if let Some(session) = FileName::parse(path).session {
            reader.state = Some(reader.begin(session));
        }
        reader
    }

    fn waiting_bytes(&self) -> usize {
        self.waiting.iter().filter_map(|(_, bytes)| bytes.as_ref()).map(Vec::len).sum()
    }

    fn flush(&mut self, out: &mut Vec<Change>) {
        if let Some(state) = &mut self.state {
            state.book.flush(out);
        }
    }

    fn line(&mut self, line: RawLine) {
        if let Some(state) = &mut self.state {
            return line.read(state, State::line, State::note);
        }
        let mut session = None;
        line.each(|what, _| {
            if let (None, What::Record(record)) = (&session, what) {
                session = Obj::parse(&record).and_then(|record| record.filled("sessionId"));
            }
        });
        self.waiting.push((line.span, line.bytes.map(<[u8]>::to_vec)));
        let many = self.waiting.len() > MAX_WAITING || self.waiting_bytes() > Self::LONGEST_LINE;
        if session.is_some() || many {
            self.settle(line.encoding, session.as_deref());
        }
    }

    /// The session is known, or never will be: then the file's name stands for it.
    fn settle(&mut self, encoding: Encoding, session: Option<&str>) {
        if self.state.is_some() || self.waiting.is_empty() {
            return;
        }
        let mut state = self.begin(session.unwrap_or(FileName::parse(&self.path).stem));
        for (span, bytes) in std::mem::take(&mut self.waiting) {
            RawLine { bytes: bytes.as_deref(), encoding, span }.read(&mut state, State::line, State::note);
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

impl crate::Reader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(bytes, |line| self.line(line));
        self.lines = lines;
        self.flush(out);
    }

    /// Also reads lines that waited for a session. An empty file is a session without messages.
    fn finish(&mut self, out: &mut Vec<Change>) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line));
        self.lines = lines;
        self.settle(self.lines.encoding(), None);
        if self.state.is_none() {
            self.state = Some(self.begin(FileName::parse(&self.path).stem));
        }
        if let Some(state) = &mut self.state {
            state.release_held(None);
        }
        self.flush(out);
    }

    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        let offsets = self.lines.torn_notes();
        let unnamed;
        let state = if let Some(state) = &self.state {
            state
        } else {
            unnamed = self.begin(FileName::parse(&self.path).stem);
            &unnamed
        };
        let session = SessionKey(state.book.sessions[state.main].key.clone());
        let id = |offset| at::message_id(&state.id_by_place(offset));
        offsets.into_iter().map(|offset| (session.clone(), id(offset))).collect()
    }

    fn offset(&self) -> u64 {
        self.lines.offset()
    }

    fn held_bytes(&self) -> usize {
        self.lines.held() + self.waiting_bytes() + self.state.as_ref().map_or(0, |state| state.replays.held_bytes())
    }

    fn holds_back(&self) -> bool {
        self.held_bytes() > 0 || !self.waiting.is_empty()
    }
}
