//! Prompts and answers.

use super::Log;
use crate::gemini::content::{ContentPart, FILES, file, parts};
use crate::parts::at::{At, extras};
use crate::parts::blocks::without_data;
use crate::parts::obj::{Obj, value};
use model::{Context, Role, RunOutcome, Spent, Usage};

/// Texts of a content that hooks and other parts of the program added begin so.
const ADDED: [&str; 2] = ["<qwen:", "<system-reminder>"];

impl Log {
    /// Reads a text of a person, or of the program in their name. Returns true if it is a prompt.
    pub(super) fn asked(&mut self, at: &mut At, subtype: &str, record: &Obj) -> bool {
        let payload = record.obj("systemPayload");
        let shown = payload.as_ref().and_then(|payload| payload.filled("displayText"));
        let raw = content(record);
        let parts = parts(&raw);
        let is_person = matches!(subtype, "" | "mid_turn_user_message" | "realtime_message")
            && !matches!(record.str("provenance").as_deref(), Some("goal_control" | "goal_runtime" | "system"));
        let is_child = self.book.sessions[at.session].facts.parent.is_some();
        let said = |part: &ContentPart| matches!(part, ContentPart::Text(text) if !is_added(text));
        let is_prompt = is_person && parts.iter().any(said);
        let session = &mut self.book.sessions[at.session];
        if is_prompt && (subtype.is_empty() || session.runs.id().is_none()) {
            self.calls.end_all(&mut self.book, at.session, "orphaned");
            let session = &mut self.book.sessions[at.session];
            session.runs.begin(&at.id, at.time);
            at.run = session.runs.id().map(str::to_owned);
        }
        let count = parts.len();
        // The files that a prompt names are the texts behind it.
        let mut files: Option<(String, String)> = None;
        for (n, part) in parts.into_iter().enumerate() {
            let id = at.block_id(n, count);
            match part {
                ContentPart::Text(text) if is_person && (files.is_some() || text.trim_start().starts_with(FILES)) => {
                    files.get_or_insert_with(|| (id, String::new())).1.push_str(&text);
                }
                ContentPart::Text(text) if is_person && !is_added(&text) => {
                    let title = shown.clone().unwrap_or_else(|| text.clone());
                    self.book.sessions[at.session].first_prompt(&title);
                    let mut draft = at.text(&id, Role::User, if is_child { "agent" } else { "user" }, text);
                    if is_child {
                        // A sub-agent's prompt isn't a person's words: no memory of people may hold them.
                        draft.context = Context::Ephemeral;
                    }
                    self.say(at, draft);
                }
                ContentPart::Text(text) => {
                    let sender = if is_person || subtype.is_empty() { "context" } else { subtype };
                    let mut draft = at.text(&id, Role::System, sender, text);
                    draft.context = Context::Ephemeral;
                    self.say(at, draft);
                }
                part => self.part(at, &id, Role::User, part),
            }
        }
        if let Some((id, text)) = files {
            let mut draft = at.text(&id, Role::System, "referenced_files", text.trim_start());
            draft.context = Context::Ephemeral;
            self.say(at, draft);
        }
        is_prompt
    }

    /// Reads the model's thoughts, text and calls.
    pub(super) fn answered(&mut self, at: &mut At, uuid: Option<&str>, record: &Obj) {
        let raw = content(record);
        let parts = parts(&raw);
        let calls = parts.iter().any(|part| matches!(part, ContentPart::Call(_)));
        let says = parts.iter().any(|part| matches!(part, ContentPart::Text(_)));
        let session = &mut self.book.sessions[at.session];
        session.runs.continue_or_begin(&at.id, at.time, at.origin.model.as_deref());
        at.run = session.runs.id().map(str::to_owned);
        if says && !calls {
            session.runs.pause(RunOutcome::Done, at.time);
        }
        if let Some(tokens) = record.obj("usageMetadata") {
            let id = uuid.unwrap_or(&at.id).to_owned();
            let spent = Spent { id, usage: usage(&tokens), is_copy: self.is_copy, ..Spent::default() };
            self.book.spent_ahead(at.session, spent);
        }
        let count = parts.len();
        for (n, part) in parts.into_iter().enumerate() {
            let id = at.block_id(n, count);
            match part {
                ContentPart::Text(text) => {
                    let draft = at.text(&id, Role::Assistant, "bot", text);
                    self.say(at, draft);
                }
                part => self.part(at, &id, Role::Assistant, part),
            }
        }
    }

    /// A part that is no text.
    fn part(&mut self, at: &At, id: &str, role: Role, part: ContentPart) {
        match part {
            ContentPart::Text(text) | ContentPart::Thought(text) => {
                let draft = at.text(id, Role::Model, "thinking", text);
                self.say(at, draft);
            }
            ContentPart::Call(call) => self.call(at, id, &call),
            ContentPart::Response(response) => self.stray(at, id, &response),
            ContentPart::File(part) => {
                let Some(file) = file(&mut self.book, &part) else { return };
                self.say(at, at.file(id, role, file));
            }
            ContentPart::Other(raw) => {
                let mut draft = at.aside(id, "qwen", "A part of an unknown kind");
                draft.metadata = Some(extras("item", without_data(value(raw))));
                self.say(at, draft);
            }
        }
    }
}

/// The parts of a line's message, as JSON.
pub(super) fn content(record: &Obj) -> String {
    let message = record.obj("message");
    let raw = message.as_ref().and_then(|message| message.raw("parts").or_else(|| message.raw("content")));
    raw.unwrap_or("[]").to_owned()
}

fn is_added(text: &str) -> bool {
    ADDED.iter().any(|start| text.trim_start().starts_with(start))
}

/// Returns the tokens of a request. Some providers count thoughts as output, others beside it.
pub(crate) fn usage(tokens: &Obj) -> Usage {
    let count = |name: &str| tokens.int(name).unwrap_or(0).clamp(0, 1 << 40);
    let (input, output, cached) =
        (count("promptTokenCount"), count("candidatesTokenCount"), count("cachedContentTokenCount"));
    let thoughts = count("thoughtsTokenCount");
    let is_beside = count("totalTokenCount") == input + output + thoughts;
    Usage {
        input: (input - cached).max(0),
        output: output + if is_beside { thoughts } else { 0 },
        cache_read: cached,
        cache_write: 0,
    }
}
