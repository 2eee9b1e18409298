//! Aider's chat history, `.aider.chat.history.md` in the folder of a project: markdown, to which each chat is added.
//!
//! Lines after `####` are a person's, those after `>` the program's, and all others the model's. `# aider chat started at`
//! begins a chat, which is a session. There are no times but that one, in the time zone of the machine, which nothing names:
//! it is read as UTC.
//!
//! Ids of messages: `<folder>~<offset>`, with `~edit~<n>` of what a SEARCH/REPLACE block changes.

use crate::parts::at::{At, derived_id};
use crate::parts::calls::settle;
use crate::parts::edits::{created, fragment, message};
use crate::parts::lines::{Lines, RawLine};
use crate::parts::log::Log;
use crate::parts::obj::Obj;
use crate::parts::pieces::What;
use crate::{Change, Reader, SessionKey, Span};
use model::{Context, MessageId, Micros, Origin, Part, Role, Spent, Usage};

/// Reads one chat history.
pub(crate) struct History {
    lines: Lines,
    chat: Chat,
}

struct Chat {
    log: Log,
    /// The folder that the file lies in, and its name.
    folder: String,
    named: String,
    section: Option<Section>,
    /// Empty lines before the first section.
    lead: Option<Span>,
    /// The block that is being read.
    block: Option<Block>,
    /// Edits of the last answer, by the id of the message, with the file.
    edits: Vec<(String, String)>,
}

/// Lines of one speaker.
struct Section {
    speaker: Speaker,
    at: At,
    /// Empty lines at its end, so far.
    empty: usize,
    is_in_fence: bool,
    /// The last lines, one of which may name a file.
    last: [String; 2],
    /// The file of the last block.
    path: Option<String>,
    edits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Head,
    Person,
    Program,
    Model,
}

/// A SEARCH/REPLACE block.
struct Block {
    start: Span,
    old: String,
    new: String,
    is_replacing: bool,
}

const HEAD: &str = "# aider chat started at ";

impl History {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "aider";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        let folder = path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        let named = folder.rsplit(['/', '\\']).next().unwrap_or_default();
        let chat = Chat {
            log: Log::new(named),
            folder: folder.to_owned(),
            named: named.to_owned(),
            section: None,
            lead: None,
            block: None,
            edits: Vec::new(),
        };
        Self { lines: Lines::default(), chat }
    }
}

impl Chat {
    fn raw_line(&mut self, line: RawLine) {
        match line.bytes {
            Some(bytes) => self.line(line.encoding.decode(bytes).trim_end_matches(['\r', '\n']), line.span),
            None => line.each(|what, span| {
                if let What::Note(text) = what {
                    self.log.note(span, &text);
                }
            }),
        }
    }

    fn line(&mut self, line: &str, span: Span) {
        let line = line.trim_start_matches('\u{feff}');
        if line.trim().is_empty() && self.block.is_none() {
            return self.empty_line(span);
        }
        let (speaker, text) = self.speaker(line);
        let goes_on =
            self.section.as_ref().is_some_and(|section| section.speaker == speaker && speaker != Speaker::Head);
        if !goes_on {
            self.close();
            self.open(speaker, text, span);
        } else if let Some(section) = &mut self.section
            && let Some(draft) = self.log.book.change(section.at.session, &section.at.id, span)
        {
            draft.content.push_str(&"\n".repeat(section.empty + 1));
            draft.content.push_str(text);
            section.empty = 0;
        }
        match speaker {
            Speaker::Model => self.model_line(text, span),
            Speaker::Program => self.program_line(text, span),
            Speaker::Head | Speaker::Person => {}
        }
    }

    fn empty_line(&mut self, span: Span) {
        let Some(section) = &mut self.section else {
            let len = self.lead.map_or(0, |lead| lead.len);
            self.lead = Some(Span { offset: span.offset - len, len: span.len + len });
            return;
        };
        section.empty += 1;
        self.log.book.change(section.at.session, &section.at.id, span);
    }

    /// Who wrote a line, and what it says. The model's code may begin like a line of others.
    fn speaker<'a>(&self, line: &'a str) -> (Speaker, &'a str) {
        let is_code = self.section.as_ref().is_some_and(|section| section.is_in_fence);
        let said = |start: &str| line.strip_prefix(start).map(str::trim_end);
        if line.starts_with(HEAD) {
            return (Speaker::Head, line);
        }
        // A fence that the model left open ends with what the program says of the answer.
        let ends = ["> Tokens: ", "> Applied edit to ", "> Commit "].iter().any(|start| line.starts_with(start));
        if is_code && !ends {
            return (Speaker::Model, line);
        }
        if let Some(text) = said("#### ").or_else(|| (line == "####").then_some("")) {
            return (Speaker::Person, text);
        }
        match said("> ").or_else(|| (line == ">").then_some("")) {
            Some(text) => (Speaker::Program, text),
            None => (Speaker::Model, line),
        }
    }

    fn open(&mut self, speaker: Speaker, text: &str, span: Span) {
        let lead = self.lead.take().map_or(0, |lead| lead.len);
        let span = Span { offset: span.offset - lead, len: span.len + lead };
        if let Some(time) = text.strip_prefix(HEAD).filter(|_| speaker == Speaker::Head) {
            self.begin_chat(time.trim());
        }
        let Some(mut at) = self.log.line(None, &Obj::beginning(""), text, span) else { return };
        let draft = match speaker {
            Speaker::Head => at.aside(&at.id, "session_start", "Session started"),
            Speaker::Program => at.aside(&at.id, "aider", text),
            Speaker::Person => {
                self.release_edits();
                self.log.begin_run(&mut at);
                self.log.facts().first_prompt(text);
                at.text(&at.id, Role::User, "user", text)
            }
            Speaker::Model => {
                self.log.alive(&mut at);
                self.log.pause(&at);
                at.text(&at.id, Role::Assistant, "bot", text)
            }
        };
        draft.id.as_str().clone_into(&mut at.id);
        self.log.book.keep(at.session, draft, span);
        let (last, path) = ([String::new(), String::new()], None);
        self.section = Some(Section { speaker, at, empty: 0, is_in_fence: false, last, path, edits: 0 });
    }

    /// Nobody says any more what became of the edits of an answer.
    fn release_edits(&mut self) {
        for (id, _) in std::mem::take(&mut self.edits) {
            let session = self.log.session(None);
            self.log.book.release(session, &id);
        }
    }

    fn close(&mut self) {
        self.block = None;
        if let Some(section) = self.section.take() {
            self.log.book.release(section.at.session, &section.at.id);
        }
    }

    /// `2026-01-31 12:00:00`
    fn begin_chat(&mut self, time: &str) {
        self.release_edits();
        let key: String = time.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.log.begin_session(&format!("{}~{key}", self.named));
        self.log.origin = Origin::default();
        self.log.comes_from(Origin { cwd: Some(self.folder.clone()), ..Origin::default() });
        let time = time.parse::<jiff::civil::DateTime>().and_then(|time| time.to_zoned(jiff::tz::TimeZone::UTC));
        if let Ok(time) = time {
            self.log.facts().seen_at(Micros(time.timestamp().as_microsecond()));
        }
    }

    /// A line of an answer may belong to a block that changes a file.
    fn model_line(&mut self, line: &str, span: Span) {
        let Some(section) = &mut self.section else { return };
        let mark = |c: char, word: &str| {
            let count = line.chars().take_while(|found| *found == c).count();
            (5..=9).contains(&count) && line[count..].trim() == word
        };
        let Some(block) = &mut self.block else {
            if mark('<', "SEARCH") {
                // The file stands before the fence, or before the block.
                let names = section.last.iter().rev().map(|line| line.trim().trim_matches(['*', '`', '#', ':']).trim());
                let path =
                    names.filter(|name| !name.is_empty() && !name.contains(' ')).find(|name| name.contains(['.', '/']));
                section.path = path.map(str::to_owned).or(section.path.take());
                section.is_in_fence = true;
                self.block = Some(Block { start: span, old: String::new(), new: String::new(), is_replacing: false });
            } else {
                if line.starts_with("```") {
                    section.is_in_fence = !section.is_in_fence;
                }
                section.last.swap(0, 1);
                line.clone_into(&mut section.last[1]);
            }
            return;
        };
        if mark('=', "") {
            block.is_replacing = true;
        } else if mark('>', "REPLACE") {
            self.edit(span);
        } else {
            let side = if block.is_replacing { &mut block.new } else { &mut block.old };
            side.push_str(line);
            side.push('\n');
        }
    }

    /// A block ends: what it would change.
    fn edit(&mut self, end: Span) {
        let (Some(block), Some(section)) = (self.block.take(), &mut self.section) else { return };
        let Some(path) = section.path.clone() else { return };
        let piece =
            if block.old.is_empty() { created(&block.new) } else { fragment(Some(&block.old), Some(&block.new)) };
        let edit = message(&path, vec![piece], "proposed", None);
        let id = derived_id(&section.at.id, "edit", section.edits);
        section.edits += 1;
        let mut draft = section.at.text(&id, Role::Assistant, "bot", edit.content);
        (draft.context, draft.part, draft.metadata) = (Context::None, Part::Derived, Some(edit.metadata));
        self.edits.push((draft.id.as_str().to_owned(), path));
        let span = Span { offset: block.start.offset, len: end.end() - block.start.offset };
        self.log.book.keep(section.at.session, draft, span);
    }

    /// The program says what it did, or what an answer took.
    fn program_line(&mut self, line: &str, span: Span) {
        let Some(at) = self.section.as_ref().map(|section| section.at.clone()) else { return };
        if let Some(version) = line.strip_prefix("Aider v") {
            self.log.comes_from(Origin { version: Some(version.to_owned()), ..Origin::default() });
        } else if let Some(model) = ["Model: ", "Main model: "].iter().find_map(|start| line.strip_prefix(start)) {
            let model = model.split(' ').next().map(str::to_owned);
            self.log.comes_from(Origin { model, ..Origin::default() });
        } else if let Some(path) = line.strip_prefix("Applied edit to ") {
            self.settle(&at, path, "applied", None, span);
        } else if let Some((_, path)) = line.split_once("failed to exactly match lines in ") {
            self.settle(&at, path, "failed", Some(line), span);
        } else if let Some(figures) = line.strip_prefix("Tokens: ") {
            let id = format!("{}~{}", at.id, span.offset);
            self.log.spent(spent(id, figures));
        }
    }

    fn settle(&mut self, at: &At, path: &str, state: &str, note: Option<&str>, span: Span) {
        for (id, _) in self.edits.extract_if(.., |(_, file)| *file == path) {
            if let Some(draft) = self.log.book.change(at.session, &id, span) {
                settle(draft, state, note);
            }
            self.log.book.release(at.session, &id);
        }
    }

    fn end(&mut self) {
        self.log.session(None);
        if let Some(lead) = self.lead.take() {
            self.log.note(lead, "An empty line");
        }
    }
}

/// `3.2k sent, 1k cache write, 2k cache hit, 400 received. Cost: $0.01 message, $0.02 session.`
fn spent(id: String, figures: &str) -> Spent {
    let mut usage = Usage::default();
    let (counts, cost) = figures.split_once(". Cost: ").unwrap_or((figures, ""));
    for count in counts.trim_end_matches('.').split(", ") {
        let Some((number, what)) = count.split_once(' ') else { continue };
        let number = number.replace(',', "");
        let (number, unit) = match (number.strip_suffix('k'), number.strip_suffix('M')) {
            (Some(number), _) => (number, 1e3),
            (_, Some(number)) => (number, 1e6),
            _ => (number.as_str(), 1.0),
        };
        let number = number.parse::<f64>().map_or(0, |number| (number * unit).clamp(0.0, 1e12) as i64);
        match what {
            "sent" => usage.input = number,
            "received" => usage.output = number,
            "cache hit" => usage.cache_read = number,
            "cache write" => usage.cache_write = number,
            _ => {}
        }
    }
    usage.input = (usage.input - usage.cache_read - usage.cache_write).max(0);
    let cost_usd = cost.strip_prefix('$').and_then(|cost| cost.split(' ').next()?.parse().ok());
    Spent { id, usage, cost_usd, ..Spent::default() }
}

impl Reader for History {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        let chat = &mut self.chat;
        self.lines.push(bytes, |line| chat.raw_line(line));
        chat.log.book.flush(out);
    }

    fn finish(&mut self, out: &mut Vec<Change>) {
        let chat = &mut self.chat;
        self.lines.finish(|line| chat.raw_line(line));
        chat.end();
        chat.log.book.flush(out);
    }

    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        Vec::new()
    }

    fn offset(&self) -> u64 {
        self.lines.offset()
    }

    fn held_bytes(&self) -> usize {
        self.lines.held()
    }

    fn holds_back(&self) -> bool {
        self.lines.held() > 0 || self.chat.lead.is_some()
    }
}
