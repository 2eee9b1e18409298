//! Codex: a rollout holds the items of its requests in order, as `response_item` lines.
//!
//! The model's items between two inputs, or up to a report of tokens, are one reply. A `compacted` line replaces the
//! items before; a rollback takes the last turns back. A fork either has copies of the lines of the session that it
//! goes on from, or names that session and how many of its lines it shares: then those are read before its own. Where a
//! person went back, a newer session goes on in a second file, which names in the same way how many lines of the first
//! one hold.

use super::request::Request;
use super::{Log, block, overlap};
use crate::codex::turns::usage;
use crate::parts::obj::{Obj, value};
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextDialect, ContextPart as Part, ContextReply, ContextRole as Role,
    UnrecordedPart,
};
use model::{RecordRef, Usage};
use serde_json::{Value, json};

/// The beginnings of texts that a program wrote, not a person.
const INJECTED: [&str; 8] = [
    "# AGENTS.md",
    "<environment_context>",
    "<permissions",
    "<skills_instructions>",
    "<system>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
];

#[derive(Default)]
pub(super) struct Codex {
    entries: Vec<Entry>,
    /// The first entry of each reply.
    replies: Vec<usize>,
    instructions: Option<ContextBlock>,
    tools: Vec<ContextBlock>,
    model: Option<String>,
    version: Option<String>,
    /// The number of the line that is being read.
    ordinal: Option<i64>,
    /// The next item of the model begins a reply.
    begins: bool,
    /// All tokens, as they were reported last.
    total: Option<String>,
    unreadable: Vec<RecordRef>,
    /// Sessions whose lines were read.
    sessions: Vec<String>,
    /// The session that this one goes on from, whose lines weren't.
    origin: Option<String>,
}

struct Entry {
    at: RecordRef,
    /// The number of its line in the conversation, in newer rollouts.
    ordinal: Option<i64>,
    what: What,
    /// The model, for an item of the model.
    model: Option<String>,
}

enum What {
    /// An item that the model wrote.
    Output(ContextBlock),
    /// An item that it was given.
    Input(Role, ContextBlock),
    /// Replaces all items before. True if these are the exact ones.
    Replace(Vec<(Role, ContextBlock)>, bool),
    /// Turns of a person that are taken back.
    Rollback(usize),
    /// Tokens of the reply before.
    Tokens(Usage),
    /// An event about the reply that is being written: `true`; or about one before.
    Event(bool),
}

impl Log for Codex {
    fn record(&mut self, _: &str, record: &Obj, at: RecordRef) {
        self.ordinal = record.int("ordinal");
        let kind = record.str("type").unwrap_or_default();
        // The oldest rollouts have items without a frame.
        let Some(payload) = record.obj("payload") else {
            if matches!(kind.as_ref(), "message" | "reasoning") || kind.ends_with("_call") || kind.ends_with("_output")
            {
                self.item(record, &at);
            }
            return;
        };
        match kind.as_ref() {
            "response_item" => self.item(&payload, &at),
            "session_meta" => self.session(&payload, &at),
            "turn_context" => self.model = payload.filled("model").or(self.model.take()),
            "compacted" => self.compacted(&payload, &at),
            "token_usage_record" => {
                if let Some(usage) = payload.obj("usage").map(|used| usage(&used)) {
                    self.add(at, What::Tokens(usage));
                }
            }
            "event_msg" => self.event(&payload, at),
            _ => {}
        }
    }

    fn unreadable(&mut self, at: RecordRef) {
        self.unreadable.push(at);
    }

    fn replies(&self) -> Vec<RecordRef> {
        self.replies.iter().filter_map(|index| Some(self.entries.get(*index)?.at.clone())).collect()
    }

    fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let number = match at {
            None => self.replies.len().checked_sub(1)?,
            Some(at) => self.reply_of(at),
        };
        let previous = number.checked_sub(1).filter(|number| *number < self.replies.len());
        Some((self.answered(number), previous.map(|number| self.answered(number))))
    }
}

impl Codex {
    fn add(&mut self, at: RecordRef, what: What) {
        self.entries.push(Entry { at, ordinal: self.ordinal, what, model: self.model.clone() });
    }

    fn session(&mut self, meta: &Obj, at: &RecordRef) {
        let base = meta.obj("history_base");
        let shared = match &base {
            Some(base) => base.filled("thread_id").zip(base.int("end_ordinal_exclusive")),
            None => meta.filled("forked_from_id").zip(meta.int("forked_from_ordinal_exclusive")),
        };
        if let Some((origin, shared)) = shared.filter(|(_, shared)| *shared > 0) {
            // The session that it goes on from may have gone on as well.
            let is_later = |entry: &Entry| entry.ordinal.is_some_and(|ordinal| ordinal >= shared);
            self.keep(self.entries.iter().position(is_later).unwrap_or(self.entries.len()));
            // The session that the origin itself goes on from stays asked for.
            if !self.sessions.contains(&origin) {
                self.origin = Some(origin);
            }
        } else if self.ordinal == Some(0) {
            // The entries so far come from a later file of the same session. They aren't part of this one.
            self.keep(0);
            self.origin = None;
        }
        self.sessions.extend(meta.filled("id"));
        self.version = meta.filled("cli_version").or(self.version.take());
        let text =
            meta.obj("base_instructions").and_then(|it| it.filled("text")).or_else(|| meta.filled("instructions"));
        if let Some(text) = text {
            self.instructions = Some(block::text(text, Part::System, Some(at)));
        }
        if let Some(tools) = meta.list("dynamic_tools") {
            self.tools = tools.into_iter().map(|raw| block::tool(value(raw), Some(at))).collect();
        }
    }

    /// Keeps the first entries. The next item of the model begins a reply.
    fn keep(&mut self, count: usize) {
        self.entries.truncate(count);
        self.replies.retain(|reply| *reply < count);
        self.begins = true;
    }

    fn item(&mut self, item: &Obj, at: &RecordRef) {
        let content = item.without(&["internal_chat_message_metadata_passthrough"]);
        let fields = content.fields().map(|(key, raw)| (key.to_owned(), value(raw))).collect();
        let Some((role, block)) = of_item(&Value::Object(fields), at) else { return };
        if role == Role::Assistant {
            if self.begins || self.replies.is_empty() {
                self.replies.push(self.entries.len());
                self.begins = false;
            }
            self.add(at.clone(), What::Output(block));
        } else {
            self.begins = true;
            self.add(at.clone(), What::Input(role, block));
        }
    }

    fn compacted(&mut self, payload: &Obj, at: &RecordRef) {
        let message = payload.filled("message");
        let replacement = payload.list("replacement_history");
        let is_exact = replacement.is_some();
        let mut items: Vec<(Role, ContextBlock)> =
            replacement.unwrap_or_default().into_iter().filter_map(|raw| of_item(&value(raw), at)).collect();
        let is_summary = |block: &ContextBlock| {
            let text = block.content.as_ref().map(Value::to_string).unwrap_or_default();
            let quoted = message.as_ref().map(|message| Value::from(message.as_str()).to_string());
            block.part == Part::Summary || quoted.is_some_and(|it| it.len() > 2 && text.contains(it.trim_matches('"')))
        };
        for (_, block) in &mut items {
            if is_summary(block) {
                block.part = Part::Summary;
            }
        }
        if !is_exact && let Some(message) = message {
            let item = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": message}]});
            items.extend(of_item(&item, at).map(|(role, block)| (role, ContextBlock { part: Part::Summary, ..block })));
        }
        self.begins = true;
        self.add(at.clone(), What::Replace(items, is_exact));
    }

    fn event(&mut self, event: &Obj, at: RecordRef) {
        match event.str("type").as_deref() {
            Some("token_count") => {
                let Some(info) = event.obj("info") else { return };
                let total = info.raw("total_token_usage").map(str::to_owned);
                // The same report comes again with new limits, and at the beginning of a resumed session.
                if total == self.total {
                    return;
                }
                self.total = total;
                self.begins = true;
                if let Some(usage) = info.obj("last_token_usage").map(|used| usage(&used)) {
                    self.add(at, What::Tokens(usage));
                }
            }
            Some("thread_rolled_back") => {
                let turns = event.int("num_turns").and_then(|turns| usize::try_from(turns).ok()).unwrap_or(1);
                self.begins = true;
                self.add(at, What::Rollback(turns));
            }
            Some("agent_message" | "agent_reasoning") => self.add(at, What::Event(true)),
            Some("item_completed") => {
                let kind = event.obj("item").and_then(|item| item.filled("type"));
                let is_said = matches!(kind.as_deref(), Some("AgentMessage" | "Reasoning"));
                if is_said || kind.as_deref() != Some("UserMessage") {
                    self.add(at, What::Event(is_said));
                }
            }
            Some(kind) if kind.ends_with("_end") => self.add(at, What::Event(false)),
            _ => {}
        }
    }

    /// The number of the reply that a record belongs to; of an input, of the first reply behind it.
    fn reply_of(&self, at: &RecordRef) -> usize {
        let found = self.entries.iter().position(|entry| overlap(&entry.at, at));
        let index = found.unwrap_or_else(|| {
            let is_behind = |entry: &Entry| entry.at.source == at.source && entry.at.offset > at.offset;
            self.entries.iter().position(is_behind).unwrap_or(self.entries.len())
        });
        let up_to = |index: usize| self.replies.partition_point(|reply| *reply <= index);
        match self.entries.get(index).map(|entry| &entry.what) {
            Some(What::Output(_) | What::Tokens(_) | What::Event(false)) => up_to(index).saturating_sub(1),
            Some(What::Event(true)) => {
                let is_output = |entry: &Entry| matches!(entry.what, What::Output(_));
                let next = self.entries.iter().skip(index).position(is_output).map_or(index, |ahead| index + ahead);
                up_to(next).saturating_sub(1)
            }
            _ => up_to(index),
        }
    }

    /// The request of a reply, by its number; behind the last one, the request that would be sent next.
    fn answered(&self, number: usize) -> Request {
        let first = self.replies.get(number).copied();
        let start = first.unwrap_or(self.entries.len());
        let end = self.replies.get(number + 1).copied().unwrap_or(self.entries.len());
        let own = self.entries.get(start..end).unwrap_or_default();
        let outputs = own.iter().filter(|entry| matches!(entry.what, What::Output(_)));
        let usage = own.iter().find_map(|entry| match entry.what {
            What::Tokens(usage) => Some(usage),
            _ => None,
        });
        let id = own.iter().find_map(|entry| match &entry.what {
            What::Output(block) => block.content.as_ref()?.get("id")?.as_str().map(str::to_owned),
            _ => None,
        });
        let reply = ContextReply {
            id,
            seq: None,
            at: None,
            model: own.first().and_then(|entry| entry.model.clone()).or_else(|| self.model.clone()),
            agent_version: self.version.clone(),
            usage,
            records: outputs.map(|entry| entry.at.clone()).collect(),
        };
        let mut request = Request::new(ContextDialect::Responses, reply);
        request.system.extend(self.instructions.clone());
        request.tools.clone_from(&self.tools);
        if self.instructions.is_none() {
            request.unrecorded.push(UnrecordedPart::SystemPrompt);
        }
        request.unrecorded.extend([UnrecordedPart::ToolDefinitions, UnrecordedPart::Settings]);
        if first.is_none() {
            request.unanswered();
        }
        self.items(start, &mut request);
        if self.origin.is_some() {
            request.doubt("The session goes on from another one, whose lines aren't in the records");
        }
        let is_before =
            |at: &&RecordRef| own.first().is_none_or(|own| own.at.source != at.source || at.offset < own.at.offset);
        let lost = self.unreadable.iter().filter(is_before).count();
        if lost > 0 {
            request
                .doubt(format!("Lines that can't be read stand before the reply: {lost}. What they held isn't known"));
        }
        request
    }

    fn items(&self, end: usize, request: &mut Request) {
        let mut items: Vec<(Role, &ContextBlock)> = Vec::new();
        for entry in self.entries.iter().take(end) {
            match &entry.what {
                What::Output(block) => items.push((Role::Assistant, block)),
                What::Input(role, block) => items.push((*role, block)),
                What::Replace(replacement, is_exact) => {
                    items.retain(|(role, block)| !is_exact && *role != Role::Assistant && block.kind == Kind::Text);
                    items.extend(replacement.iter().map(|(role, block)| (*role, block)));
                    if !is_exact {
                        request.doubt(
                            "A compaction doesn't say what it kept: what people said and its summary stand here",
                        );
                    }
                }
                What::Rollback(turns) => {
                    let is_prompt =
                        |(role, block): &(Role, &ContextBlock)| *role == Role::User && block.part == Part::History;
                    let mut prompts = items.iter().enumerate().rev().filter(|(_, item)| is_prompt(item));
                    let from = prompts.nth(turns.saturating_sub(1)).map_or(0, |(index, _)| index);
                    items.truncate(from);
                }
                What::Tokens(_) | What::Event(_) => {}
            }
        }
        for (role, block) in items {
            request.say(role, [block.clone()]);
        }
    }
}

/// An item of the Responses API, and who it is from. None for what isn't sent.
fn of_item(item: &Value, at: &RecordRef) -> Option<(Role, ContextBlock)> {
    let str = |name: &str| item.get(name).and_then(Value::as_str);
    let kind = str("type").unwrap_or("message");
    let make = |kind, part| {
        let call_id = str("call_id").map(str::to_owned);
        block::of(kind, part, str("name").map(str::to_owned), call_id, item.clone(), Some(at))
    };
    Some(match kind {
        "message" => {
            let role = match str("role") {
                Some("assistant") => Role::Assistant,
                Some("user") => Role::User,
                _ => Role::System,
            };
            let block = make(Kind::Text, Part::History);
            let is_injected = role == Role::System || INJECTED.iter().any(|mark| block.preview.starts_with(mark));
            (role, ContextBlock { part: if is_injected { Part::Injected } else { Part::History }, ..block })
        }
        "reasoning" => (Role::Assistant, make(Kind::Thinking, Part::Thinking)),
        "compaction" | "compaction_summary" | "context_compaction" => (Role::User, make(Kind::Other, Part::Summary)),
        "ghost_snapshot" => return None,
        "web_search_call" | "image_generation_call" => (Role::Assistant, make(Kind::Other, Part::Results)),
        kind if kind.ends_with("_output") => (Role::User, make(Kind::ToolResult, Part::Results)),
        kind if kind.ends_with("_call") => (Role::Assistant, make(Kind::ToolUse, Part::Results)),
        _ => (Role::User, make(Kind::Other, Part::History)),
    })
}
