//! Messages: what a person asked, what the model thought, said and did, and what the program told people.

use super::Chat;
use super::content::{ContentPart, FILES, file, file_data, parts, text};
use crate::parts::at::{At, extras, hash, micros};
use crate::parts::blocks::without_data;
use crate::parts::obj::{Obj, value};
use crate::parts::short::fields_in_short;
use model::{Context, Role, RunOutcome, Spent, Usage};

/// Texts that the program wrote in a person's name begin so.
const WRITTEN: [(&str, &str); 4] = [
    ("This is the Gemini CLI. We are setting up the context", "session_context"),
    ("<session_context>", "session_context"),
    ("<state_snapshot>", "compact_summary"),
    ("System: ", "system"),
];

impl Chat {
    /// Reads a prompt, of a person or of the program in their name.
    pub(super) fn asked(&mut self, at: &mut At, base: &str, record: &Obj, is_new: bool) {
        let raw = content(record);
        let said = text(raw);
        let (said, files) = match said.split_once(FILES) {
            Some((said, files)) => (said.trim_end().to_owned(), Some(format!("{FILES}{files}"))),
            None => (said, None),
        };
        let program = WRITTEN.iter().find(|(start, _)| said.starts_with(start)).map(|(_, sender)| *sender);
        if !said.is_empty() {
            if program.is_none() && is_new {
                self.calls.end_all(&mut self.book, at.session, "orphaned");
                let run = self.wide_id(at.session, base);
                let session = &mut self.book.sessions[at.session];
                session.runs.begin(&run, at.time);
                session.first_prompt(&record.raw("displayContent").map_or_else(|| said.clone(), text));
                at.run = session.runs.id().map(str::to_owned);
            }
            let draft = match program {
                Some(sender) => {
                    let mut draft = at.text(base, Role::System, sender, said);
                    draft.context = Context::Ephemeral;
                    draft
                }
                // A sub-agent's prompt isn't a person's words: no memory of people may hold them.
                None if self.book.sessions[at.session].facts.parent.is_some() => {
                    let mut draft = at.text(base, Role::User, "agent", said);
                    draft.context = Context::Ephemeral;
                    draft
                }
                None => at.text(base, Role::User, "user", said),
            };
            self.put(at, draft);
        }
        if let Some(files) = files {
            let mut draft = at.text(&format!("{base}~context"), Role::System, "referenced_files", files);
            draft.context = Context::Ephemeral;
            self.put(at, draft);
        }
        self.other_parts(at, base, raw, Role::User);
    }

    /// Reads the model's thoughts, text and calls.
    pub(super) fn answered(&mut self, at: &mut At, base: &str, record: &Obj, is_new: bool) {
        let raw = content(record);
        let model = record.filled("model");
        at.origin.model = model.clone().or(at.origin.model.take());
        let calls = record.list("toolCalls").unwrap_or_default();
        let id = self.wide_id(at.session, base);
        let session = &mut self.book.sessions[at.session];
        if is_new {
            if session.runs.id().is_none() {
                session.runs.begin(&id, at.time);
            }
            at.run = session.runs.id().map(str::to_owned);
            session.set(|facts| &mut facts.model, model.clone());
        }
        if at.run.as_deref() == session.runs.id() {
            session.runs.reopen();
            session.runs.alive(at.time);
            session.runs.uses(model.as_deref());
            if calls.is_empty() {
                session.runs.pause(RunOutcome::Done, at.time);
            }
        }
        let tokens = record.obj("tokens");
        if let Some(tokens) = &tokens {
            self.book.spent_ahead(at.session, Spent { id, usage: usage(tokens), ..Spent::default() });
        }
        self.thoughts(at, base, record, raw);
        let said = text(raw);
        if !said.is_empty() {
            let draft = at.text(base, Role::Assistant, "bot", said);
            self.put(at, draft);
        }
        self.other_parts(at, base, raw, Role::Assistant);
        for (n, call) in calls.into_iter().enumerate() {
            match Obj::parse(call) {
                Some(call) => self.call(at, base, n, &call),
                None => self.other(at, &format!("{base}~call~{n}"), call),
            }
        }
        if self.first.is_none() {
            // Its calls come with the next version of the record.
            let count = |key: &str| tokens.as_ref().and_then(|tokens| tokens.int(key)).unwrap_or(0);
            let model = model.unwrap_or_else(|| "the model".to_owned());
            let words = format!("Request to {model}: {} tokens in, {} out", count("input"), count("output"));
            let draft = at.aside(base, "request", words);
            self.put(at, draft);
        }
    }

    fn thoughts(&mut self, at: &At, base: &str, record: &Obj, raw: &str) {
        let mut thoughts = Vec::new();
        let mut at = at.clone();
        for (n, thought) in record.list("thoughts").unwrap_or_default().into_iter().filter_map(Obj::parse).enumerate() {
            if n == 0 {
                at.time = thought.filled("timestamp").as_deref().and_then(micros).unwrap_or(at.time);
            }
            let subject = thought.filled("subject").map(|subject| format!("**{subject}**"));
            let words: Vec<String> = subject.into_iter().chain(thought.filled("description")).collect();
            thoughts.extend(Some(words.join("\n")).filter(|words| !words.is_empty()));
        }
        thoughts.extend(parts(raw).into_iter().filter_map(|part| match part {
            ContentPart::Thought(text) => Some(text),
            _ => None,
        }));
        if !thoughts.is_empty() {
            let draft = at.text(&format!("{base}~thought"), Role::Model, "thinking", thoughts.join("\n\n"));
            self.put(&at, draft);
        }
    }

    /// The parts of a content that are no text.
    fn other_parts(&mut self, at: &At, base: &str, raw: &str, role: Role) {
        let parts = parts(raw);
        let has_results = parts.iter().any(|part| matches!(part, ContentPart::Response(_)));
        for (n, part) in parts.into_iter().enumerate() {
            let id = format!("{base}~part~{n}");
            match part {
                ContentPart::Text(_) | ContentPart::Thought(_) => {}
                // The record has it among its calls, as a rule.
                ContentPart::Call(call) => {
                    let known = call.filled("id").is_some_and(|id| self.callers.contains_key(&hash(&id)));
                    if !known {
                        self.call(at, base, n, &call);
                    }
                }
                ContentPart::Response(response) => self.response(at, &id, &response),
                ContentPart::File(part) if has_results && self.given.contains(&hash(file_data(&part))) => {}
                ContentPart::File(part) => {
                    let Some(file) = file(&mut self.book, &part) else { continue };
                    self.put(at, at.file(&id, role, file));
                }
                ContentPart::Other(raw) => self.other(at, &id, raw),
            }
        }
    }

    /// Shows a part of an unknown form with its data.
    fn other(&mut self, at: &At, id: &str, raw: &str) {
        let mut draft = at.aside(id, "gemini", "A part of an unknown kind");
        draft.metadata = Some(extras("item", without_data(value(raw))));
        self.put(at, draft);
    }

    /// Shows a notice of the program to people, which is no part of the conversation.
    pub(super) fn told(&mut self, at: &At, base: &str, kind: &str, record: &Obj) {
        let words = text(content(record));
        let words = if words.is_empty() { fields_in_short(kind, record) } else { words };
        if kind == "info" && words.to_lowercase().starts_with("request cancelled") {
            self.calls.end_all(&mut self.book, at.session, "cancelled");
            self.book.sessions[at.session].runs.end(RunOutcome::Interrupted, Some(at.time));
        }
        let mut draft = at.aside(base, kind, words.clone());
        if kind == "error" {
            draft = at.error(base, "error", words, Some(false));
            self.book.sessions[at.session].runs.pause(RunOutcome::Failed, at.time);
        }
        self.put(at, draft);
    }
}

/// The content of a message, as JSON.
fn content<'a>(record: &Obj<'a>) -> &'a str {
    record.raw("content").or_else(|| record.raw("parts")).unwrap_or("\"\"")
}

/// Returns the tokens of a request. Gemini counts cache reads as input, and doesn't count thoughts as output.
pub(crate) fn usage(tokens: &Obj) -> Usage {
    let count = |name: &str| tokens.int(name).unwrap_or(0).clamp(0, 1 << 40);
    let cached = count("cached");
    Usage {
        input: (count("input") - cached).max(0) + count("tool"),
        output: count("output") + count("thoughts"),
        cache_read: cached,
        cache_write: 0,
    }
}
