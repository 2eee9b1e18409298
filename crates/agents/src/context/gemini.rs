//! Gemini CLI: messages in order; a record with a known id replaces its message, `$rewindTo` takes messages back.
//!
//! A message of the model is one reply; over the Agent Client Protocol, its calls are a second message. Calls are recorded with their
//! results, which go back in the next message of the person. Newer versions record that message too: where it has no results, the person
//! interrupted the calls, and they weren't sent.

use super::request::Request;
use super::{Log, block, overlap, within};
use crate::gemini::messages::usage;
use crate::parts::obj::{Obj, string, value};
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextDialect, ContextPart as Part, ContextReply, ContextRole as Role,
    UnrecordedPart,
};
use model::{RecordRef, Usage};
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Gemini {
    steps: Vec<Step>,
    unreadable: Vec<RecordRef>,
}

/// The effect of a record on the list of messages.
enum Step {
    /// Adds a message, or replaces the one with its id.
    Put(Box<Message>),
    /// Replaces all messages.
    Clear,
    /// Takes back the message with this id and all behind it.
    Rewind(String),
}

#[derive(Clone)]
struct Message {
    at: RecordRef,
    id: Option<String>,
    is_reply: bool,
    blocks: Vec<ContextBlock>,
    /// The results of a reply's calls.
    results: Vec<ContextBlock>,
    model: Option<String>,
    usage: Option<Usage>,
}

impl Message {
    /// Returns true if it has the calls of the same reply, whose words are in the message before.
    fn continues(&self, before: &Self) -> bool {
        let is_call = |block: &ContextBlock| block.kind == Kind::ToolUse;
        let has_only_calls = !self.blocks.is_empty() && self.blocks.iter().all(is_call);
        has_only_calls && self.is_reply && before.is_reply && !before.blocks.iter().any(is_call)
    }
}

impl Log for Gemini {
    fn record(&mut self, text: &str, record: &Obj, at: RecordRef) {
        let patch = record.obj("$set");
        if let Some(id) = record.filled("$rewindTo") {
            self.steps.push(Step::Rewind(id));
        } else if let Some(messages) = patch.as_ref().unwrap_or(record).list("messages") {
            self.steps.push(Step::Clear);
            for raw in messages {
                if let Some(message) = Obj::parse(raw) {
                    self.put(&message, within(text, raw, &at));
                }
            }
        } else if patch.is_none() {
            self.put(record, at);
        }
    }

    fn unreadable(&mut self, at: RecordRef) {
        self.unreadable.push(at);
    }

    fn replies(&self) -> Vec<RecordRef> {
        let first = |(index, step): (usize, &Step)| match step {
            Step::Put(message) if message.is_reply && self.first(message) == Some(index) => Some(message.at.clone()),
            _ => None,
        };
        self.steps.iter().enumerate().filter_map(first).collect()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let is_reply = |index: &usize| matches!(self.steps.get(*index), Some(Step::Put(message)) if message.is_reply);
        let index = match at {
            None => (0..self.steps.len()).rev().find(is_reply)?,
            Some(at) => {
                let holds = |step: &Step| matches!(step, Step::Put(message) if overlap(&message.at, at));
                let found = self.steps.iter().position(holds).unwrap_or(self.steps.len());
                (found..self.steps.len()).find(is_reply).unwrap_or(self.steps.len())
            }
        };
        let index = match self.steps.get(index) {
            Some(Step::Put(message)) => self.first(message).unwrap_or(index),
            _ => index,
        };
        let before = self.messages(index);
        let mut previous = before.iter().rposition(|message| message.is_reply);
        if let Some(end) = previous
            && let Some([first, calls]) = before.get(end.saturating_sub(1)..=end)
            && calls.continues(first)
        {
            previous = Some(end - 1);
        }
        let previous =
            previous.map(|end| self.answered(before.get(..end).unwrap_or_default(), before.get(end).copied()));
        let reply = match self.steps.get(index) {
            Some(Step::Put(message)) => Some(message.as_ref()),
            _ => None,
        };
        Some((self.answered(&before, reply), previous))
    }
}

impl Gemini {
    fn put(&mut self, message: &Obj, at: RecordRef) {
        let kind = message.str("type").unwrap_or_default().into_owned();
        let is_reply = match kind.as_str() {
            "gemini" | "model" => true,
            "user" => false,
            // Notices are for people.
            _ => return,
        };
        let mut blocks = parts(message.raw("content"), &at);
        let mut results = Vec::new();
        for raw in message.list("toolCalls").unwrap_or_default() {
            let Some(call) = Obj::parse(raw) else { continue };
            let name = call.filled("name").unwrap_or_default();
            let id = own_id(&call.filled("id").unwrap_or_default(), &name).to_owned();
            let used = json!({"functionCall": {"id": id, "name": name, "args": call.value("args")}});
            blocks.push(block::of(Kind::ToolUse, Part::Results, Some(name.clone()), Some(id), used, Some(&at)));
            results.extend(parts(call.raw("result"), &at));
        }
        let usage = message.obj("tokens").map(|tokens| usage(&tokens));
        let (id, model) = (message.filled("id"), message.filled("model"));
        self.steps.push(Step::Put(Box::new(Message { at, id, is_reply, blocks, results, model, usage })));
    }

    /// The step that began a message, or the one that it continues.
    fn first(&self, message: &Message) -> Option<usize> {
        let own = self.steps.iter().position(|step| match step {
            Step::Put(other) if message.id.is_some() => other.id == message.id,
            Step::Put(other) => other.at == message.at,
            _ => false,
        })?;
        match self.steps.get(..own)?.last() {
            Some(Step::Put(before)) if message.continues(before) => self.first(before),
            _ => Some(own),
        }
    }

    /// The messages as they stood before a step.
    fn messages(&self, end: usize) -> Vec<&Message> {
        let mut messages: Vec<&Message> = Vec::new();
        for step in self.steps.iter().take(end) {
            match step {
                Step::Clear => messages.clear(),
                Step::Rewind(id) => {
                    let from = messages.iter().position(|message| message.id.as_ref() == Some(id));
                    messages.truncate(from.unwrap_or(messages.len()));
                }
                Step::Put(message) => {
                    let same = |other: &&mut &Message| other.id.is_some() && other.id == message.id;
                    match messages.iter_mut().find(same) {
                        Some(known) => *known = message,
                        None => messages.push(message),
                    }
                }
            }
        }
        messages
    }

    /// Returns true if the messages are all that was sent. Older versions record neither the start of a session nor the
    /// messages that results come in.
    fn records_all(&self) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Put(message) if !message.is_reply => {
                message.blocks.iter().any(|block| block.part == Part::Injected || block.kind == Kind::ToolResult)
            }
            _ => false,
        })
    }

    fn answered(&self, before: &[&Message], reply: Option<&Message>) -> Request {
        let of_reply = reply.map(|reply| ContextReply {
            id: reply.id.clone(),
            seq: None,
            at: None,
            model: reply.model.clone(),
            agent_version: None,
            usage: reply.usage,
            records: vec![reply.at.clone()],
        });
        let mut request = Request::new(ContextDialect::Gemini, of_reply.unwrap_or_default());
        request.unrecorded = vec![
            UnrecordedPart::SystemPrompt,
            UnrecordedPart::ToolDefinitions,
            UnrecordedPart::Reminders,
            UnrecordedPart::Settings,
        ];
        let has_context =
            before.iter().flat_map(|it| &it.blocks).any(|block| block.preview.starts_with("<session_context>"));
        if !has_context {
            request.unrecorded.push(UnrecordedPart::Memory);
        }
        let records_all = self.records_all();
        for message in before {
            let role = if message.is_reply { Role::Assistant } else { Role::User };
            request.say(role, message.blocks.iter().cloned());
            if !records_all {
                request.say(Role::User, message.results.iter().cloned());
            }
        }
        if reply.is_none() {
            request.unanswered();
        }
        let is_before = |at: &&RecordRef| reply.is_none_or(|reply| at.offset < reply.at.offset);
        if self.unreadable.iter().any(|at| is_before(&at)) {
            request.doubt("Records that can't be read stand before the reply. What they held isn't known");
        }
        request
    }
}

/// The parts of a content: a text, a part, or a list of them.
pub(super) fn parts(raw: Option<&str>, at: &RecordRef) -> Vec<ContextBlock> {
    let Some(raw) = raw else { return Vec::new() };
    if let Some(text) = string(raw) {
        return Vec::from_iter((!text.is_empty()).then(|| of_part(json!({"text": text}), at)));
    }
    match value(raw) {
        Value::Array(parts) => parts.into_iter().map(|part| of_part(part, at)).collect(),
        part @ Value::Object(_) => vec![of_part(part, at)],
        _ => Vec::new(),
    }
}

fn of_part(mut part: Value, at: &RecordRef) -> ContextBlock {
    if let Some(text) = part.as_str() {
        part = json!({"text": text});
    }
    if let Some(response) = part.get_mut("functionResponse") {
        let str = |name: &str| response.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = str("name");
        let id = str("id").map(|id| own_id(&id, name.as_deref().unwrap_or_default()).to_owned());
        if let (Some(fields), Some(id)) = (response.as_object_mut(), &id) {
            fields.insert("id".to_owned(), id.as_str().into());
        }
        return block::of(Kind::ToolResult, Part::Results, name, id, part, Some(at));
    }
    if let Some(call) = part.get("functionCall") {
        let str = |name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
        return block::of(Kind::ToolUse, Part::Results, str("name"), str("id"), part, Some(at));
    }
    let kind = if part.get("inlineData").is_some() { Kind::Image } else { Kind::Text };
    let is_injected =
        part.get("text").and_then(Value::as_str).is_some_and(|text| text.starts_with("<session_context>"));
    let counts_as = match kind {
        Kind::Image => Part::Files,
        _ if is_injected => Part::Injected,
        _ => Part::History,
    };
    block::of(kind, counts_as, None, None, part, Some(at))
}

/// A call's id as it is sent: the records put the tool's name before it.
fn own_id<'a>(id: &'a str, name: &str) -> &'a str {
    id.strip_prefix(name).and_then(|rest| rest.strip_prefix("__")).unwrap_or(id)
}
