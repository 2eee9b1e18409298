//! Aider's chat history, `.aider.chat.history.md` in the folder of a project: markdown, to which each chat is added.
//!
//! Lines after `####` are a person's, those after `>` the program's, and all others the model's; what it thought is in tags.
//! `# aider chat started at` begins a chat, which is a session. There are no times but that one, in the time zone of the machine,
//! which nothing names: it is read as UTC.
//!
//! Ids of messages: `<folder>~<offset>`, with `~edit~<n>` of what an answer changes (`edits`), and `~approval~<n>` of what the
//! program asked.

mod edits;

use crate::Span;
use crate::parts::asks::decided;
use crate::parts::at::{At, derived_id, extras};
use crate::parts::lines::Texts;
use crate::parts::log::{Log, contents_of_log};
use crate::parts::obj::Obj;
use edits::{Block, Fence, Whole};
use model::envelope::EditState;
use model::message_type::approval::{ApprovalState, Decision};
use model::{Context, Micros, Origin, Part, Role, Spent, Usage};
use serde_json::json;

/// Reads one chat history.
pub(crate) struct History {
    log: Log,
    /// The folder that the file lies in, and its name.
    folder: String,
    named: String,
    section: Option<Section>,
    /// Empty lines before the first section.
    lead: Option<Span>,
    /// The block that is being read.
    block: Option<Block>,
    /// The code that is being read.
    fence: Option<Fence>,
    /// Edits of the last answer, by the id of the message, with the file.
    edits: Vec<(String, String)>,
    /// Whole files in it.
    wholes: Vec<Whole>,
}

/// Lines of one speaker.
struct Section {
    speaker: Speaker,
    at: At,
    /// Empty lines at its end, so far.
    empty: usize,
    is_in_fence: bool,
    /// The thought has ended.
    is_over: bool,
    /// The last lines, one of which may name a file.
    last: [String; 2],
    /// The file of the last block.
    path: Option<String>,
    edits: usize,
    /// The number of questions that the program asked in it.
    asked: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Head,
    Person,
    Program,
    Model,
    /// The model, for itself.
    Thought,
}

const HEAD: &str = "# aider chat started at ";

impl History {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "aider";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 4;

    pub fn new(path: &str) -> Self {
        let folder = path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        let named = folder.rsplit(['/', '\\']).next().unwrap_or_default();
        Self {
            log: Log::new(named),
            folder: folder.to_owned(),
            named: named.to_owned(),
            section: None,
            lead: None,
            block: None,
            fence: None,
            edits: Vec::new(),
            wholes: Vec::new(),
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
        let is_thought =
            self.section.as_ref().is_some_and(|section| section.speaker == Speaker::Thought && !section.is_over);
        if is_thought && !ends || is_tag(line, false) {
            return (Speaker::Thought, line);
        }
        if let Some(text) = said("#### ").or_else(|| (line == "####").then_some("")) {
            let speaker = if is_question(text) { Speaker::Program } else { Speaker::Person };
            return (speaker, text);
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
            // `/ask How?` is followed by the question itself.
            Speaker::Person if is_command(text) => {
                let (name, args) = text.split_once(' ').unwrap_or((text, ""));
                let mut draft = at.text(&at.id, Role::User, "user", text);
                draft.context = Context::None;
                draft.metadata = Some(extras("command", json!({ "name": name, "args": args })));
                draft
            }
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
            Speaker::Thought => {
                self.log.alive(&mut at);
                at.text(&at.id, Role::Model, "thinking", "")
            }
        };
        draft.id.as_str().clone_into(&mut at.id);
        self.log.book.keep(at.session, draft, span);
        self.section = Some(Section::new(speaker, at));
    }

    fn close(&mut self) {
        (self.block, self.fence) = (None, None);
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

    /// The program says what it did, or what an answer took.
    fn program_line(&mut self, line: &str, span: Span) {
        let Some(at) = self.section.as_ref().map(|section| section.at.clone()) else { return };
        if let Some(version) = line.strip_prefix("Aider v") {
            self.log.comes_from(Origin { version: Some(version.to_owned()), ..Origin::default() });
        } else if let Some(model) = ["Model: ", "Main model: "].iter().find_map(|start| line.strip_prefix(start)) {
            let model = model.split(' ').next().map(str::to_owned);
            self.log.comes_from(Origin { model, ..Origin::default() });
        } else if let Some(path) = line.strip_prefix("Applied edit to ") {
            self.settle(&at, path, EditState::Applied, None, span);
        } else if let Some((_, path)) = line.split_once("failed to exactly match lines in ") {
            self.settle(&at, path, EditState::Failed, Some(line), span);
        } else if let Some(figures) = line.strip_prefix("Tokens: ") {
            let id = format!("{}~{}", at.id, span.offset);
            self.log.spent(spent(id, figures));
        } else {
            self.asked(line, span);
        }
    }

    /// A question of the program, with what a person answered.
    fn asked(&mut self, line: &str, span: Span) {
        let Some((question, rest)) = line.split_once(" (Y)es/(N)o") else { return };
        let Some((_, behind)) = rest.rsplit_once('[') else { return };
        let Some((by_default, answer)) = behind.split_once("]:") else { return };
        let answer = Some(answer.trim()).filter(|answer| !answer.is_empty()).unwrap_or(by_default);
        let Some(section) = &mut self.section else { return };
        let state = match answer.to_lowercase().chars().next() {
            Some('n' | 's' | 'd') => ApprovalState::Denied,
            Some('a') => ApprovalState::AllowedAlways,
            _ => ApprovalState::AllowedOnce,
        };
        let verb = if state == ApprovalState::Denied { "denied" } else { "allowed" };
        let decision = Decision { at: Some(section.at.time), ..Decision::new(state) };
        let id = derived_id(&section.at.id, "approval", section.asked);
        section.asked += 1;
        let mut draft = section.at.text(&id, Role::Assistant, "bot", format!("{question} ({verb})"));
        (draft.context, draft.part) = (Context::None, Part::Derived);
        draft.metadata = Some(decided(question, &decision));
        let at = section.at.clone();
        self.log.book.say(at.session, draft, span);
    }
}

/// Returns true if the text is a question of the program, which it answered as the person had answered the one before.
fn is_question(text: &str) -> bool {
    text.split_once(" (Y)es/(N)o").is_some_and(|(_, rest)| rest.contains("]:"))
}

/// Returns true if the text is a command for the program instead of a prompt.
fn is_command(text: &str) -> bool {
    let word = text.strip_prefix('/').map(|rest| rest.split(' ').next().unwrap_or_default());
    let is_name = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    text.starts_with('!') || word.is_some_and(is_name)
}

/// Returns true if the line begins, or with `end` ends, the model's thoughts.
fn is_tag(line: &str, end: bool) -> bool {
    const HIDDEN: &str = "thinking-content-";
    let line = line.trim();
    let inner = line.strip_prefix(if end { "</" } else { "<" }).and_then(|tag| tag.strip_suffix('>'));
    inner.is_some_and(|tag| tag == "think" || tag.starts_with(HIDDEN))
        || line == if end { "► **ANSWER**" } else { "► **THINKING**" }
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

contents_of_log!(History, |history| {
    if let Some(lead) = history.lead.take() {
        history.log.note(lead, "An empty line");
    }
});

impl Texts for History {
    fn line(&mut self, line: &str, span: Span) {
        if line.trim().is_empty() && !self.is_in_code() {
            return self.empty_line(span);
        }
        let (speaker, text) = self.speaker(line);
        let is_same = |section: &Section| {
            section.speaker == speaker
                && !section.is_over
                && match speaker {
                    Speaker::Head => false,
                    // An empty line within what a person says has the mark, too.
                    Speaker::Person => section.empty == 0,
                    Speaker::Program | Speaker::Model | Speaker::Thought => true,
                }
        };
        if !self.section.as_ref().is_some_and(is_same) {
            self.close();
            self.open(speaker, text, span);
        } else if let Some(section) = &mut self.section
            && let Some(draft) = self.log.book.change(section.at.session, &section.at.id, span)
        {
            section.is_over = speaker == Speaker::Thought && is_tag(text, true);
            if !section.is_over {
                let between = if draft.content.is_empty() { 0 } else { section.empty + 1 };
                draft.content.push_str(&"\n".repeat(between));
                draft.content.push_str(text);
            }
            section.empty = 0;
        }
        match speaker {
            Speaker::Model => self.model_line(text, span),
            // A line with the mark of a person repeats a question. The question itself is in the file too.
            Speaker::Program if !line.starts_with('#') => self.program_line(text, span),
            Speaker::Program | Speaker::Head | Speaker::Person | Speaker::Thought => {}
        }
    }

    fn waits(&self) -> bool {
        self.lead.is_some()
    }
}
