//! Conversations of `OpenHands`: those of its SDK, one JSON object a line or a file, and the older ones, an array in one document.
//!
//! An action and its observation are one tool call, by the id of the call (`calls`). `state` reads what the program says of
//! itself: tokens, errors, whether it runs. Ids of messages are those of the events; older ones are counted in each file.

mod calls;
mod state;

use crate::parts::at::{At, derived_id, envelope, extras, file_key, message_id, micros};
use crate::parts::blocks::{cut, joined_text};
use crate::parts::book::{Book, Line};
use crate::parts::calls::Calls;
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::lines::Records;
use crate::parts::obj::{Obj, list, string};
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::{Context, Draft, MessageId, Origin, Role, RunOutcome};
use serde_json::{Map, json};
use state::Total;
use std::collections::{HashMap, HashSet};

/// Reads the events of one conversation.
pub(crate) struct Conversation {
    book: Book,
    calls: Calls,
    /// The only session of the book.
    session: usize,
    key: String,
    /// The prefix of the ids of messages that have no id of their own.
    file_key: String,
    origin: Origin,
    /// Ids that were given.
    given: HashSet<String>,
    /// Older events name an action by its number: the calls by it.
    numbered: HashMap<i64, String>,
    /// Tokens so far, by what they were used for.
    totals: HashMap<String, Total>,
    /// The message that shows tokens.
    shown: Option<String>,
}

impl Conversation {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "openhands";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 3;

    pub fn new(path: &str) -> Self {
        let mut names = path.split(['/', '\\']).rev();
        let name = names.next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // A conversation is a folder; its events lie in one file, or each in a file of its own.
        let folder = match names.next() {
            Some("events") => names.next(),
            folder => folder.filter(|_| stem == "events"),
        };
        let key = folder.filter(|folder| !folder.is_empty()).unwrap_or(stem).to_owned();
        let mut book = Book::default();
        Self {
            calls: Calls::default(),
            session: book.session(&key),
            book,
            key,
            file_key: file_key(stem),
            origin: Origin::default(),
            given: HashSet::new(),
            numbered: HashMap::new(),
            totals: HashMap::new(),
            shown: None,
        }
    }

    fn event(&mut self, event: &Obj, span: Span) {
        let stamp = event.filled("timestamp");
        self.book.begin_line(Line { api_message: None, time: stamp.clone(), is_copy: false });
        // Times are those of the machine, mostly without a zone.
        let time = stamp.and_then(|stamp| micros(&stamp).or_else(|| micros(&format!("{stamp}Z"))));
        let own = event.filled("id").or_else(|| Some(format!("{}~{}", self.file_key, event.int("id")?)));
        let id = own.filter(|own| self.given.insert(own.clone())).unwrap_or_else(|| self.id_by_place(span.offset));
        let mut at = self.book.at(self.session, time, id, self.origin.clone(), span);
        match event.filled("kind") {
            Some(kind) => self.sdk(&mut at, &kind, event),
            None => self.older(&mut at, event),
        }
    }

    fn sdk(&mut self, at: &mut At, kind: &str, event: &Obj) {
        match kind {
            "SystemPromptEvent" => self.system_prompt(at, event),
            "MessageEvent" => self.message(at, event),
            "ActionEvent" => self.action(at, event),
            "ObservationEvent" => self.observation(at, event),
            "UserRejectObservation" => self.rejected(at, event),
            "AgentErrorEvent" => self.call_failed(at, event),
            "ACPToolCallEvent" => self.foreign_call(at, event),
            "ConversationErrorEvent" | "ServerErrorEvent" => self.error(at, event),
            "PauseEvent" | "InterruptEvent" => self.interrupted(at),
            "Condensation" | "CondensationSummaryEvent" => self.condensed(at, event),
            "ConversationStateUpdateEvent" => self.state_update(at, event),
            _ => self.aside(at, &words_of(kind), event),
        }
    }

    /// Conversation before the SDK: `action` or `observation` say what they are.
    fn older(&mut self, at: &mut At, event: &Obj) {
        let args = event.obj("args");
        let arg = |name: &str| args.as_ref().and_then(|args| args.filled(name));
        let by_person = event.str("source").as_deref() == Some("user");
        let action = event.filled("action").unwrap_or_default();
        match (action.as_str(), event.filled("observation")) {
            (_, Some(observation)) => self.older_observation(at, &observation, event),
            ("message", _) => {
                let text = arg("content").or_else(|| event.filled("message")).unwrap_or_default();
                if by_person { self.prompt(at, &text) } else { self.answer(at, &text) }
            }
            ("system", _) => self.notice(at, &at.id, "instructions", &arg("content").unwrap_or_default()),
            ("think", _) => self.thought(at, &arg("thought").unwrap_or_default()),
            ("finish" | "reject", _) => {
                let words = ["final_thought", "message", "thought"].iter().find_map(|name| arg(name));
                self.answer(at, &words.or_else(|| event.filled("message")).unwrap_or_default());
                self.book.sessions[at.session].runs.end(RunOutcome::Done, Some(at.time));
            }
            ("" | "recall" | "change_agent_state" | "null" | "start" | "pause" | "stop" | "resume", _) => {
                let kind = if action.is_empty() { "event" } else { &action };
                let content = fields_in_short(kind, args.as_ref().unwrap_or(event));
                self.say(at, at.aside(&at.id, kind, content));
            }
            ("condensation", _) => self.condensed(at, args.as_ref().unwrap_or(event)),
            _ => self.older_action(at, &action, event),
        }
    }

    fn id_by_place(&self, offset: u64) -> String {
        format!("{}~at~{offset}", self.file_key)
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what the event is, for what has no better form.
    fn aside(&mut self, at: &At, kind: &str, event: &Obj) {
        let words = ["message", "text", "detail"].iter().find_map(|key| event.filled(key));
        let content = words.unwrap_or_else(|| fields_in_short(kind, &event.without(&["id", "kind", "source"])));
        self.say(at, at.aside(&at.id, kind, content));
    }

    /// Adds a text of the program to the model.
    fn notice(&mut self, at: &At, id: &str, sender: &str, text: &str) {
        let mut draft = at.text(id, Role::System, sender, text);
        draft.context = Context::Ephemeral;
        self.say(at, draft);
    }

    /// The agent speaks: where no prompt began a run, the event does.
    fn ensure_run(&mut self, at: &mut At) {
        let runs = &mut self.book.sessions[at.session].runs;
        runs.continue_or_begin(&at.id, at.time, self.origin.model.as_deref());
        at.run = runs.id().map(str::to_owned);
    }

    fn prompt(&mut self, at: &mut At, text: &str) {
        self.calls.end_all(&mut self.book, at.session, "orphaned");
        let session = &mut self.book.sessions[at.session];
        session.runs.begin(&at.id, at.time);
        session.runs.uses(self.origin.model.as_deref());
        session.first_prompt(text);
        at.run = session.runs.id().map(str::to_owned);
        self.say(at, at.text(&at.id, Role::User, "user", text));
    }

    /// The agent's words, after which a person has the turn.
    fn answer(&mut self, at: &mut At, text: &str) {
        self.ensure_run(at);
        self.say(at, at.text(&at.id, Role::Assistant, "bot", text));
        if self.calls.newest_open(None).is_none() {
            self.book.sessions[at.session].runs.pause(RunOutcome::Done, at.time);
        }
    }

    fn thought(&mut self, at: &mut At, text: &str) {
        self.ensure_run(at);
        self.say(at, at.text(&at.id, Role::Model, "thinking", text));
    }

    /// Adds the model's thoughts, in whichever form its provider hands them out, and returns them.
    fn reasoning(&mut self, at: &At, event: &Obj) -> String {
        let blocks = event.list("thinking_blocks").unwrap_or_default();
        let of_block = |raw: &str| Obj::parse(raw)?.filled("thinking");
        let item = event.obj("responses_reasoning_item");
        let summary = item.and_then(|item| item.list("summary")).unwrap_or_default();
        let all = blocks.iter().filter_map(|raw| of_block(raw)).collect::<Vec<_>>().join("\n\n");
        let summary = summary.into_iter().filter_map(|raw| string(raw).map(std::borrow::Cow::into_owned));
        let summary = summary.collect::<Vec<_>>().join("\n\n");
        let found = [event.filled("reasoning_content").unwrap_or_default(), all, summary];
        let thought = found.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default();
        if !thought.is_empty() || !blocks.is_empty() {
            let mut draft = at.text(&format!("{}~thinking", at.id), Role::Model, "thinking", thought.as_str());
            draft.metadata = Some(extras("redacted", true)).filter(|_| thought.is_empty());
            self.say(at, draft);
        }
        thought
    }

    fn system_prompt(&mut self, at: &At, event: &Obj) {
        let text = |name: &str| event.obj(name).and_then(|text| text.filled("text")).or_else(|| event.filled(name));
        self.notice(at, &at.id, "instructions", &text("system_prompt").unwrap_or_default());
        if let Some(context) = text("dynamic_context") {
            self.notice(at, &format!("{}~context", at.id), "context", &context);
        }
    }

    fn message(&mut self, at: &mut At, event: &Obj) {
        let message = event.obj("llm_message");
        let message = message.as_ref().unwrap_or(event);
        let content = message.raw("content").unwrap_or("\"\"");
        let text = joined_text(content);
        match event.str("source").as_deref() {
            Some("user") => self.prompt(at, &text),
            Some("agent") => {
                self.ensure_run(at);
                let thought = self.reasoning(at, message);
                self.answer(at, without_thought(&text, &thought));
            }
            _ => self.notice(at, &at.id, "environment", &text),
        }
        self.pictures(at, content, None);
        self.extended(at, event);
    }

    /// Adds the text that skills and rules added to a message.
    fn extended(&mut self, at: &At, event: &Obj) {
        let text = event.raw("extended_content").map(joined_text).unwrap_or_default();
        if !text.is_empty() {
            self.notice(at, &format!("{}~extended", at.id), "context", &text);
        }
    }

    /// The pictures among blocks: `{type: image, image_urls}`. Those of a result hang at its call.
    fn pictures(&mut self, at: &At, raw: &str, call: Option<(&str, &str)>) {
        let urls = list(raw).unwrap_or_default().into_iter().filter_map(|block| Obj::parse(block)?.list("image_urls"));
        for (n, url) in urls.flatten().filter_map(string).enumerate() {
            let block = json!({ "type": "image_url", "image_url": url }).to_string();
            let Some(block) = Obj::parse(&block) else { continue };
            let (content, file) = self.book.file(&block, None);
            let draft = if let Some((id, call_id)) = call {
                at.derived(&derived_id(id, "file", n), call_id, content, envelope(file))
            } else {
                at.file(&derived_id(&at.id, "file", n), Role::User, (content, file))
            };
            self.say(at, draft);
        }
    }

    fn condensed(&mut self, at: &At, event: &Obj) {
        let summary = event.filled("summary");
        let sender = if summary.is_some() { "compact_summary" } else { "compact_boundary" };
        let context = if summary.is_some() { Context::Turn } else { Context::None };
        let content = summary.unwrap_or_else(|| "Conversation compacted".to_owned());
        let mut draft = at.text(&at.id, Role::System, sender, content);
        draft.context = context;
        draft.metadata = Some(extras("compact", Map::new()));
        self.say(at, draft);
    }
}

/// `TokenEvent` as `token_event`.
fn words_of(kind: &str) -> String {
    let mut words = String::with_capacity(kind.len() + 4);
    let mut was_small = false;
    for c in kind.chars() {
        if c.is_ascii_uppercase() && was_small {
            words.push('_');
        }
        was_small = c.is_ascii_lowercase();
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// Some models write their thoughts into the text as well, in a tag before it.
fn without_thought<'a>(text: &'a str, thought: &str) -> &'a str {
    let inner = text.trim_start().strip_prefix("<think>").and_then(|rest| rest.split_once("</think>"));
    inner.filter(|(inner, _)| inner.trim() == thought.trim()).map_or(text, |(_, rest)| rest).trim()
}

impl Contents for Conversation {
    fn note(&mut self, span: Span, text: &str) {
        let id = self.id_by_place(span.offset);
        let at = self.book.at(self.session, None, id, self.origin.clone(), span);
        self.say(&at, at.aside(&at.id, "note", text));
        self.book.note(self.session, span.offset, text.to_owned());
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        (SessionKey(self.key.clone()), message_id(&self.id_by_place(offset)))
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Records for Conversation {
    fn record(&mut self, _: &str, record: &Obj, span: Span) {
        self.event(record, span);
    }
}

impl Document for Conversation {
    const LISTS: &'static [&'static str] = &["events", "history"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        const MOST: usize = 200;
        self.note(span, &format!("{}: {}", name.replace('_', " "), cut(raw, MOST)));
    }

    fn entry(&mut self, _: &str, _: usize, raw: &str, span: Span) {
        match Obj::parse(raw) {
            Some(event) => self.event(&event, span),
            None => self.note(span, "An entry that is no event"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{without_thought, words_of};

    #[test]
    fn a_thought_is_said_once() {
        assert_eq!(without_thought("<think>Dry.\n</think>\n\nI water.", "Dry."), "I water.");
        assert_eq!(without_thought("<think>Wet.</think>", "Dry."), "<think>Wet.</think>");
        assert_eq!(words_of("LLMCompletionLogEvent"), "llmcompletion_log_event");
    }
}
