//! Prompts, answers and reasoning. Each stands in the file twice, as an item and as an event.

use super::Rollout;
use crate::Span;
use crate::parts::at::{At, extras, hash};
use crate::parts::files::item;
use model::message_type::file::File;
use model::{Context, Micros, Role};
use std::collections::VecDeque;

/// How many messages are kept for their other half.
const KEPT: usize = 8;

/// Where one half of a message was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Item,
    Event,
}

/// The last messages, whose other half may still come.
#[derive(Default)]
pub(super) struct Recent {
    said: VecDeque<KeptMessage>,
    /// Reasoning that came as events; its item follows, mostly.
    thoughts: Vec<Thought>,
}

struct KeptMessage {
    session: usize,
    id: String,
    role: Role,
    text: u64,
    half: Half,
}

struct Thought {
    text: String,
    time: Option<Micros>,
    id: String,
    span: Span,
}

impl Recent {
    pub fn has_thoughts(&self) -> bool {
        !self.thoughts.is_empty()
    }
}

/// Texts that the program wrote in a person's or its own name begin so.
const WRITTEN: [(&str, &str); 3] = [
    ("# AGENTS.md instructions", "agents_md"),
    ("# Context from my IDE setup:", ""),
    ("The following is the Codex agent history", "history"),
];

/// The name of the tag that a text begins with and that is closed in it.
fn tag(text: &str) -> Option<String> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ' ');
    // A client puts its words before a prompt into a separate block. A block that holds both counts as the person's.
    let is_before_prompt = name == "system" && rest.trim_end().ends_with("</system>");
    let known = name.contains(['_', '-', ' ']) || matches!(name, "skill" | "instructions") || is_before_prompt;
    (known && name.chars().all(is_name) && rest.contains("</")).then(|| name.replace([' ', '-'], "_"))
}

/// Who speaks, where a text in a person's name isn't theirs.
fn program(text: &str) -> Option<String> {
    let text = text.trim_start();
    let written = WRITTEN.iter().find(|(start, _)| text.starts_with(start)).map(|(_, sender)| (*sender).to_owned());
    let picture = || is_picture_tag(text).then(|| "image".to_owned());
    written.or_else(|| tag(text)).or_else(picture).filter(|sender| !sender.is_empty())
}

/// Returns true for the text that Codex writes around an image: `<image>`, `<image name=[Image #1]>`, `</image>`.
fn is_picture_tag(text: &str) -> bool {
    let text = text.trim();
    let is_one = text.find('>').is_some_and(|end| end + 1 == text.len());
    is_one && (matches!(text, "<image>" | "</image>") || text.starts_with("<image name="))
}

/// Splits a prompt from what the program put before it: the files that a person named, and what the editor shows.
fn wrapped(text: &str) -> Option<(&str, &str)> {
    let (before, asked) = text.split_once("## My request for Codex:")?;
    before.trim_start().starts_with("# ").then_some((before.trim(), asked.trim()))
}

/// The names of the files that a person gave with a prompt. Pasted pictures lie in a folder that is emptied, and are in the transcript.
fn named_files(before: &str) -> Vec<String> {
    const EMPTIED: [&str; 4] = ["/var/folders/", "/tmp/", "\\Temp\\", "codex-clipboard"];
    let Some((_, list)) = before.split_once("# Files mentioned by the user:") else { return Vec::new() };
    let list = list.lines().take_while(|line| !line.starts_with("# "));
    let files = list.filter_map(|line| line.strip_prefix("## ")?.split_once(": "));
    let kept = files.filter(|(_, path)| !EMPTIED.iter().any(|folder| path.contains(folder)));
    kept.map(|(name, _)| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

impl Rollout {
    /// The other half of a message is there already: the line belongs to it.
    pub(super) fn is_said(&mut self, session: usize, role: Role, text: &str, half: Half, span: Span) -> bool {
        let text = hash(text.trim());
        let is_it =
            |said: &KeptMessage| said.role == role && said.text == text && said.half != half && said.session == session;
        let Some(said) = self.recent.said.iter().position(is_it).and_then(|at| self.recent.said.remove(at)) else {
            return false;
        };
        let found = self.book.change(said.session, &said.id, span).is_some();
        self.book.release(said.session, &said.id);
        found
    }

    /// A text of the conversation.
    pub(super) fn say_text(&mut self, at: &At, id: &str, role: Role, text: &str, half: Half) {
        let mut at = at.clone();
        let (mut role, mut sender, mut context) = match role {
            Role::User => (role, "user".to_owned(), Context::Turn),
            Role::Assistant => (role, "bot".to_owned(), Context::Turn),
            _ => (Role::System, tag(text.trim_start()).unwrap_or_else(|| "developer".to_owned()), Context::Ephemeral),
        };
        let (said_as, whole) = (role, text);
        let mut text = text;
        if role == Role::User {
            if let Some(program) = program(text) {
                (role, sender, context) = (Role::System, program, Context::Ephemeral);
            } else {
                // A sub-agent's prompt isn't a person's words: no memory of people may hold them.
                if self.book.sessions[at.session].facts.parent.is_some() {
                    (sender, context) = ("agent".to_owned(), Context::Ephemeral);
                }
                self.prompt(&mut at, id);
                if let Some((before, asked)) = wrapped(text) {
                    self.say_wrapper(&at, id, before);
                    text = asked;
                }
                self.book.sessions[at.session].first_prompt(text);
            }
        } else if role == Role::Assistant {
            self.ensure_run(&mut at);
            self.book.sessions[at.session].runs.alive(at.time);
            self.seems_over(&at);
        }
        let mut draft = at.text(id, role, &sender, text);
        draft.context = context;
        if role == Role::User {
            self.prompted(&draft.id, &at);
        }
        let id = draft.id.as_str().to_owned();
        self.book.keep(at.session, draft, at.span);
        self.recent.said.push_back(KeptMessage {
            session: at.session,
            id,
            role: said_as,
            text: hash(whole.trim()),
            half,
        });
        if self.recent.said.len() > KEPT
            && let Some(oldest) = self.recent.said.pop_front()
        {
            self.book.release(oldest.session, &oldest.id);
        }
    }

    /// Adds the program's text before a prompt: for the model alone, except the files that a person named.
    fn say_wrapper(&mut self, at: &At, id: &str, before: &str) {
        let mut draft = at.text(&format!("{id}~before"), Role::System, "context", before);
        draft.context = Context::Ephemeral;
        self.say(at, draft);
        let files = named_files(before);
        if files.is_empty() {
            return;
        }
        let content = files.join(", ");
        let item = |name| item(name, "application/octet-stream".to_owned(), None);
        let files = File { files: files.into_iter().map(item).collect() };
        self.say(at, at.file(&format!("{id}~files"), Role::User, (content, files)));
    }

    /// Reasoning that came as an event.
    pub(super) fn think(&mut self, text: String, time: Option<Micros>, id: String, span: Span) {
        self.recent.thoughts.push(Thought { text, time, id, span });
    }

    /// Reasoning that came as an item, with the events before it. An empty one was hidden from us.
    pub(super) fn say_thought(&mut self, at: &At, id: &str, text: &str) {
        let mut at = at.clone();
        self.ensure_run(&mut at);
        self.book.sessions[at.session].runs.alive(at.time);
        let (own, others): (Vec<Thought>, Vec<Thought>) = std::mem::take(&mut self.recent.thoughts)
            .into_iter()
            .partition(|thought| text.contains(thought.text.trim()));
        self.recent.thoughts = others;
        self.settle_thoughts();
        let mut draft = at.text(id, Role::Model, "thinking", text);
        if text.trim().is_empty() {
            draft.metadata = Some(extras("redacted", true));
        }
        let id = draft.id.as_str().to_owned();
        let first = own.first().map_or(at.span, |thought| thought.span);
        self.book.keep(at.session, draft, first);
        for span in own.iter().skip(1).map(|thought| thought.span).chain([at.span]) {
            self.book.change(at.session, &id, span);
        }
        let said =
            KeptMessage { session: at.session, id, role: Role::Model, text: hash(text.trim()), half: Half::Item };
        self.recent.said.push_back(said);
        if self.recent.said.len() > KEPT
            && let Some(oldest) = self.recent.said.pop_front()
        {
            self.book.release(oldest.session, &oldest.id);
        }
    }

    /// Reasoning whose item didn't come.
    pub(super) fn settle_thoughts(&mut self) {
        for Thought { text, time, id, span } in std::mem::take(&mut self.recent.thoughts) {
            let session = self.session(None);
            let mut at = self.at(session, time, id, span);
            self.ensure_run(&mut at);
            let draft = at.text(&at.id, Role::Model, "thinking", text);
            self.say(&at, draft);
        }
    }
}
