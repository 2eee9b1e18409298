//! Answers of the model: one line a content block, several lines an API message.

use super::at::{At, envelope, extras};
use super::obj::{Obj, string, value};
use super::runs::{usage, written_for_an_hour};
use super::state::State;
use model::run::of_tier;
use model::{Body, Draft, Micros, Role, RunOutcome, Spent};
use serde_json::{Map, Value};

/// The model name of messages that the program itself made up.
const SYNTHETIC: &str = "<synthetic>";

impl State {
    pub fn assistant(&mut self, at: &At, line: &Obj) {
        let Some(message) = line.obj("message") else {
            return self.aside(at, "assistant", "A message without content");
        };
        let model = message.filled("model");
        let synthetic = model.as_deref() == Some(SYNTHETIC);
        let mut at = at.clone();
        at.origin.model = model.clone().filter(|_| !synthetic);
        self.ensure_run(&mut at);
        self.book.sessions[at.session].runs.alive(at.time);
        let mut heard_at = std::mem::replace(&mut self.book.sessions[at.session].heard_at, at.time);
        self.quiet_question(at.session, None);

        if line.is_true("isApiErrorMessage") {
            return self.api_error_message(&at, line, &message);
        }
        if !synthetic {
            let session = &mut self.book.sessions[at.session];
            session.set(|facts| &mut facts.model, model.clone());
            let key = message.filled("id").unwrap_or_else(|| at.id.clone());
            session.runs.uses(model.as_deref());
            if let Some(spent) = spent(&key, line, &message) {
                let began_at = Some(heard_at).filter(|heard| *heard > Micros(0));
                let model = model.as_deref().map(|model| priced(model, &message));
                self.book.spent_ahead(at.session, Spent { model, began_at, ..spent });
            }
            self.book.sessions[at.session].runs.wrote(&key, message.raw("content").map_or(0, written));
        }
        let raw = message.raw("content").unwrap_or("[]");
        if let Some(text) = string(raw) {
            self.assistant_text(&at, line, &at.id, &text, synthetic);
        } else {
            let blocks = super::obj::list(raw).unwrap_or_default();
            for (index, raw) in blocks.iter().enumerate() {
                let id = at.block_id(index, blocks.len());
                match Obj::parse(raw) {
                    Some(block) => self.assistant_block(&at, line, &block, raw, &id, synthetic, heard_at),
                    None => self.unknown_block(&at, "block", raw, &id),
                }
                heard_at = at.time;
            }
            if blocks.is_empty() {
                self.aside(&at, "assistant", "A message without content");
            }
        }
        self.judge_end(&at, &message);
    }

    /// A line of the model that repeats an earlier one may know more of what its API message used.
    pub fn count_replay(&mut self, line: &Obj) {
        let message = line.obj("message").filter(|_| line.str("type").as_deref() == Some("assistant"));
        let Some((message, id)) = message.and_then(|message| message.filled("id").map(|id| (message, id))) else {
            return;
        };
        for session in &mut self.book.sessions {
            if let Some(spent) = spent(&id, line, &message).filter(|_| session.runs.has_counted(&id)) {
                session.runs.count(spent);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a block, its line, and what came before; one caller")]
    fn assistant_block(
        &mut self,
        at: &At,
        line: &Obj,
        block: &Obj,
        raw: &str,
        id: &str,
        synthetic: bool,
        heard_at: Micros,
    ) {
        match block.str("type").as_deref() {
            Some("text") => {
                self.assistant_text(at, line, id, &block.str("text").unwrap_or_default(), synthetic);
            }
            Some("thinking" | "redacted_thinking") => {
                let text = block.string("thinking").or_else(|| block.string("text")).unwrap_or_default();
                let mut draft = at.text(id, Role::Model, "thinking", text);
                if draft.content.trim().is_empty() {
                    draft.metadata = Some(extras("redacted", true));
                }
                if heard_at > Micros(0) && at.time > heard_at {
                    let took = at.time.since(heard_at) / (Micros::SECOND / 1000);
                    draft.metadata.get_or_insert_default().insert("duration_ms".to_owned(), took.into());
                }
                self.book.say(at.session, draft, at.span);
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => self.tool_use(at, block, id),
            Some(kind) if kind.ends_with("tool_result") => self.tool_result(at, block, id, line, false),
            Some("image" | "document") => self.file(at, block, id, Role::Assistant),
            Some("fallback") => {
                let (from, to) = (model_name(block, "from"), model_name(block, "to"));
                let mut draft = at.aside(id, "fallback", format!("Model changed from `{from}` to `{to}`"));
                draft.metadata = Some(extras("fallback", value(raw)));
                self.book.say(at.session, draft, at.span);
            }
            kind => self.unknown_block(at, kind.unwrap_or("block"), raw, id),
        }
    }

    fn assistant_text(&mut self, at: &At, line: &Obj, id: &str, text: &str, synthetic: bool) {
        let mut draft =
            if synthetic { at.aside(id, "synthetic", text) } else { at.text(id, Role::Assistant, "bot", text) };
        if let Some(older) = line.value("supersedesUuids") {
            draft.metadata = Some(extras("supersedes", older));
        }
        if line.is_true("isAbortedMidStream") {
            draft.metadata.get_or_insert_default().insert("aborted".to_owned(), true.into());
        }
        self.book.say(at.session, draft, at.span);
    }

    /// A block of a kind that we don't know: shown with its data.
    pub fn unknown_block(&mut self, at: &At, kind: &str, raw: &str, id: &str) {
        let payload = match value(raw) {
            Value::Object(map) => map,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        let words = Obj::parse(raw).and_then(|block| block.filled("text")).filter(|words| !words.trim().is_empty());
        let content = words.unwrap_or_else(|| format!("A block of type `{kind}`"));
        let mut draft = at.text(id, Role::Assistant, "bot", content);
        draft.metadata = Some(envelope(Body::Unknown { message_type: format!("claude_code.{kind}"), payload }));
        self.book.say(at.session, draft, at.span);
    }

    /// An ERROR message with what else is known of it.
    pub fn error<const N: usize>(&mut self, at: &At, mut draft: Draft, extras: [(&str, Option<Value>); N]) {
        let known = extras.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        draft.metadata.get_or_insert_default().extend(known);
        self.book.say(at.session, draft, at.span);
    }

    /// Pauses the run if the turn seems over with this line. Newer versions write a stop reason on a message's last
    /// line. Older ones seldom do: there, a text without open calls is the best sign available.
    fn judge_end(&mut self, at: &At, message: &Obj) {
        let over = match message.str("stop_reason").as_deref() {
            Some("tool_use" | "pause_turn") => false,
            Some(_) => true,
            None => !says_stop_reasons(at) && message.raw("content").is_some_and(ends_with_text),
        };
        if over && !self.calls.has_open(at.session) {
            self.book.sessions[at.session].runs.pause(RunOutcome::Done, at.time);
        }
    }
}

/// The model's name for its price: another one where the request was fast, of a batch, or had priority.
fn priced(model: &str, message: &Obj) -> String {
    let usage = message.obj("usage");
    let get = |key: &str| usage.as_ref().and_then(|usage| usage.filled(key));
    let tier = get("service_tier").filter(|tier| tier != "standard").or_else(|| get("speed"));
    of_tier(model, tier.as_deref())
}

/// Returns the tokens and the cost of the line's API message.
fn spent(id: &str, line: &Obj, message: &Obj) -> Option<Spent> {
    let (usage, cost_usd) = (usage(message), line.float("costUSD"));
    (usage.is_some() || cost_usd.is_some()).then(|| Spent {
        id: id.to_owned(),
        usage: usage.unwrap_or_default(),
        cache_write_1h: written_for_an_hour(message),
        cost_usd,
        is_copy: line.has("forkedFrom"),
        stop_reason: message.filled("stop_reason"),
        ..Spent::default()
    })
}

/// Bytes that the model wrote, about: texts, reasoning and the inputs of tools.
fn written(content: &str) -> usize {
    if content.starts_with('"') {
        return content.len();
    }
    let blocks = super::obj::list(content).unwrap_or_default();
    let of_block = |raw: &&str| {
        let block = Obj::parse(raw)?;
        ["text", "thinking", "input"].iter().find_map(|key| block.raw(key)).map(str::len)
    };
    blocks.iter().filter_map(of_block).sum()
}

/// Returns true if the version reliably writes stop reasons. None up to 2.1.49 does, and 2.1.181 does.
fn says_stop_reasons(at: &At) -> bool {
    let version = at.origin.version.as_deref().unwrap_or_default();
    let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    numbers.as_slice() >= [2, 1, 100].as_slice()
}

fn ends_with_text(content: &str) -> bool {
    match super::obj::list(content) {
        Some(blocks) => blocks
            .last()
            .and_then(|raw| Obj::parse(raw))
            .is_some_and(|block| block.str("type").as_deref() == Some("text")),
        None => content.starts_with('"'),
    }
}

fn model_name(block: &Obj, field: &str) -> String {
    let named = block.obj(field).and_then(|model| model.filled("model"));
    named.or_else(|| block.filled(field)).unwrap_or_else(|| "unknown".to_owned())
}
