//! A request as it is put together, and what all agents have in common.

use super::block;
use super::cache::{self, Sent};
use model::Usage;
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextChange, ContextDialect, ContextMessage, ContextPart as Part,
    ContextReply, ContextRole as Role, ContextTokens, ContextVerdict, DroppedBlock, ModelContext, PartTokens,
    UnrecordedPart,
};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Tools that read files, whose results count as files.
const READERS: [&str; 9] =
    ["Read", "NotebookRead", "View", "read", "view", "read_file", "read_many_files", "view_image", "ReadFile"];

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub dialect: ContextDialect,
    pub reply: ContextReply,
    pub system: Vec<ContextBlock>,
    pub tools: Vec<ContextBlock>,
    pub messages: Vec<ContextMessage>,
    pub settings: Map<String, Value>,
    pub unrecorded: Vec<UnrecordedPart>,
    reasons: Vec<String>,
    notes: Vec<String>,
    /// It is what was sent, byte for byte: nothing is to be put right.
    pub is_verified: bool,
}

impl Request {
    pub fn new(dialect: ContextDialect, reply: ContextReply) -> Self {
        Self {
            dialect,
            reply,
            system: Vec::new(),
            tools: Vec::new(),
            messages: Vec::new(),
            settings: Map::new(),
            unrecorded: Vec::new(),
            reasons: Vec::new(),
            notes: Vec::new(),
            is_verified: false,
        }
    }

    /// Adds blocks to the last message, if it is from the same role, or a message.
    pub fn say(&mut self, role: Role, blocks: impl IntoIterator<Item = ContextBlock>) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        match self.messages.last_mut().filter(|last| last.role == role) {
            Some(last) => last.blocks.extend(blocks),
            None => self.messages.push(ContextMessage::new(role, blocks.collect())),
        }
    }

    /// Adds a text that was given to the agent for its system prompt, unless the records have it.
    pub fn give(&mut self, text: &str) {
        let messages = self.messages.iter().flat_map(|message| &message.blocks);
        let mut known = self.system.iter().chain(messages).filter_map(|block| block.content.as_ref());
        if self.is_verified || known.any(|content| holds(content, text)) {
            return;
        }
        self.system.push(block::text(text.to_owned(), Part::System, None));
        self.note("The notices of Verbatim are from its context log: the agent was given them for its system prompt");
    }

    /// Says why it is approximate.
    pub fn doubt(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Says what can't be known, although the messages are right.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Says that the model hasn't answered.
    pub fn unanswered(&mut self) {
        self.note("The model hasn't answered this request, as far as the records show");
    }

    /// The context, with its difference to the request before.
    pub fn finish(mut self, previous: Option<Self>) -> ModelContext {
        self.settle();
        let change = previous.map(|mut previous| {
            previous.settle();
            self.change(previous)
        });
        let reported = self.reply.usage.map(Usage::input_total).filter(|tokens| *tokens > 0);
        if reported.is_none() {
            self.note("No tokens were reported for this request, so how many are unexplained isn't known");
        }
        if self.reply.model.is_none() {
            self.note("The records don't name the model");
        }
        if self.messages.iter().flat_map(|message| &message.blocks).any(|block| block.inexact) {
            self.doubt("The exact wording of some blocks isn't recorded; they are marked");
        }
        let tokens = self.tokens(reported);
        let verdict = if !self.reasons.is_empty() {
            ContextVerdict::Approximate
        } else if self.is_verified {
            ContextVerdict::Verified
        } else {
            ContextVerdict::Recorded
        };
        self.reasons.append(&mut self.notes);
        ModelContext {
            verdict,
            reasons: self.reasons,
            dialect: self.dialect,
            reply: self.reply,
            system: self.system,
            tools: self.tools,
            settings: self.settings,
            messages: self.messages,
            unrecorded: self.unrecorded,
            tokens,
            change,
        }
    }

    fn tokens(&self, reported: Option<i64>) -> ContextTokens {
        let mut sums: HashMap<Part, i64> = HashMap::new();
        for block in
            self.system.iter().chain(&self.tools).chain(self.messages.iter().flat_map(|message| &message.blocks))
        {
            let sum = sums.entry(block.part).or_default();
            *sum = sum.saturating_add(block.tokens);
        }
        let explained = sums.values().fold(0_i64, |sum, tokens| sum.saturating_add(*tokens));
        let unexplained = reported.map(|reported| reported.saturating_sub(explained).max(0));
        sums.insert(Part::Unrecorded, unexplained.unwrap_or_default());
        let part = |part: &Part| {
            let tokens = sums.get(part).copied().filter(|tokens| *tokens > 0)?;
            Some(PartTokens { part: *part, tokens })
        };
        ContextTokens { explained, reported, unexplained, parts: Part::ALL.iter().filter_map(part).collect() }
    }

    /// Puts calls and results together, and counts what the API counts.
    fn settle(&mut self) {
        if !self.is_verified {
            self.pair();
        }
        let mut names: HashMap<String, String> = HashMap::new();
        for block in self.messages.iter_mut().flat_map(|message| &mut message.blocks) {
            let Some(id) = block.call_id.clone() else { continue };
            match block.kind {
                Kind::ToolUse => {
                    names.extend(block.name.clone().map(|name| (id, name)));
                }
                Kind::ToolResult => {
                    block.name = block.name.take().or_else(|| names.get(&id).cloned());
                    if block.name.as_ref().is_some_and(|name| READERS.contains(&name.as_str())) {
                        block.part = Part::Files;
                    }
                }
                _ => {}
            }
        }
        // Reasoning before the last prompt is sent, but most models don't count it.
        let is_prompt = |message: &ContextMessage| {
            message.role == Role::User && !message.blocks.iter().any(|block| block.kind == Kind::ToolResult)
        };
        let last = self.messages.iter().rposition(is_prompt).unwrap_or_default();
        for block in self.messages.iter_mut().take(last).flat_map(|message| &mut message.blocks) {
            if block.kind == Kind::Thinking {
                block.tokens = 0;
            }
        }
    }

    /// A result without its call isn't sent, and no result twice; a call without a result gets one that says so.
    fn pair(&mut self) {
        let (mut calls, mut results) = (HashSet::new(), HashSet::new());
        let mut orphans = 0;
        for message in &mut self.messages {
            message.blocks.retain(|block| match (block.kind, &block.call_id) {
                (Kind::ToolUse, Some(id)) => calls.insert(id.clone()),
                (Kind::ToolResult, Some(id)) => {
                    let has_call = calls.contains(id);
                    orphans += u32::from(!has_call);
                    has_call && results.insert(id.clone())
                }
                _ => true,
            });
        }
        if orphans > 0 {
            self.doubt("The records hold results of calls that aren't in this context; they are left out");
        }
        let mut messages: Vec<ContextMessage> = Vec::with_capacity(self.messages.len());
        let mut missing = Vec::new();
        for message in std::mem::take(&mut self.messages) {
            if !missing.is_empty() && message.role != Role::Assistant {
                let mut blocks: Vec<ContextBlock> = std::mem::take(&mut missing);
                if message.role == Role::User {
                    blocks.extend(message.blocks);
                    messages.push(ContextMessage::new(Role::User, blocks));
                    continue;
                }
                messages.push(ContextMessage::new(Role::User, blocks));
            }
            if message.blocks.is_empty() {
                continue;
            }
            for block in message.blocks.iter().filter(|block| block.kind == Kind::ToolUse) {
                let id = block.call_id.as_ref().filter(|id| !results.contains(*id));
                missing.extend(id.and_then(|id| no_result(self.dialect, id)));
            }
            match messages.last_mut().filter(|last| last.role == message.role) {
                Some(last) => last.blocks.extend(message.blocks),
                None => messages.push(message),
            }
        }
        if !missing.is_empty() {
            messages.push(ContextMessage::new(Role::User, missing));
        }
        self.messages = messages;
    }

    fn as_cached(&self) -> Sent<'_> {
        let Self { reply, system, tools, settings, messages, .. } = self;
        Sent { reply, system, tools, settings, messages }
    }

    /// How it differs from the request before.
    fn change(&mut self, previous: Self) -> ContextChange {
        let mut had: HashMap<Identity, u64> = HashMap::new();
        for block in previous.messages.iter().flat_map(|message| &message.blocks) {
            *had.entry(identity(block)).or_default() += 1;
        }
        // Others count differently.
        let cache = if self.dialect == ContextDialect::Anthropic {
            cache::compare(&previous.as_cached(), &self.as_cached())
        } else {
            None
        };
        let (mut kept, mut added, mut added_tokens) = (0, 0, 0_i64);
        let (mut has_new_summary, mut calls) = (false, HashSet::new());
        for block in self.messages.iter_mut().flat_map(|message| &mut message.blocks) {
            if let Some(left) = had.get_mut(&identity(block)).filter(|left| **left > 0) {
                *left -= 1;
                kept += 1;
            } else {
                block.added = true;
                added += 1;
                added_tokens = added_tokens.saturating_add(block.tokens);
                has_new_summary |= block.part == Part::Summary;
                calls.extend(block.call_id.clone().filter(|_| block.kind == Kind::ToolResult));
            }
        }
        let (mut dropped, mut dropped_tokens) = (Vec::new(), 0_i64);
        for message in previous.messages.into_iter().rev() {
            for mut block in message.blocks.into_iter().rev() {
                let Some(left) = had.get_mut(&identity(&block)).filter(|left| **left > 0) else { continue };
                *left -= 1;
                dropped_tokens = dropped_tokens.saturating_add(block.tokens);
                let is_cleared =
                    block.kind == Kind::ToolResult && block.call_id.as_ref().is_some_and(|id| calls.contains(id));
                block.content = None;
                dropped.push(DroppedBlock { role: message.role, compacted: has_new_summary || is_cleared, block });
            }
        }
        dropped.reverse();
        ContextChange { previous: previous.reply, kept, added, added_tokens, dropped_tokens, dropped, cache }
    }
}

/// Returns true if one of the value's strings contains the text.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(fields) => fields.values().any(|field| holds(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

type Identity = (Kind, Option<String>, u64, String, Option<u64>);

/// Returns a key that is the same for equal blocks of two requests.
fn identity(block: &ContextBlock) -> Identity {
    let at = block.records.first().map(|record| record.offset);
    (block.kind, block.call_id.clone(), block.bytes, block.preview.clone(), at)
}

/// Returns a block in place of a result that isn't recorded.
fn no_result(dialect: ContextDialect, id: &str) -> Option<ContextBlock> {
    const WORDS: &str = "(no result is recorded)";
    let content: Value = match dialect {
        ContextDialect::Anthropic | ContextDialect::Neutral => {
            json!({"type": "tool_result", "tool_use_id": id, "content": WORDS, "is_error": true})
        }
        ContextDialect::Responses => json!({"type": "function_call_output", "call_id": id, "output": WORDS}),
        ContextDialect::Gemini => return None,
    };
    let mut block = block::of(Kind::ToolResult, Part::Results, None, Some(id.to_owned()), content, None);
    block.inexact = true;
    Some(block)
}
