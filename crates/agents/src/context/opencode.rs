//! `OpenCode`: a session is one document of messages with their parts. A step of the model is one reply.
//!
//! Which words its providers send isn't recorded, so the blocks are told in those of Anthropic's API.

use super::request::Request;
use super::{Log, block, overlap, within};
use crate::opencode::messages::usage;
use crate::parts::obj::{Obj, value};
use model::model_context::{
    ContextBlock, ContextDialect, ContextPart as Part, ContextReply, ContextRole as Role, UnrecordedPart,
};
use model::{RecordRef, Usage};
use serde_json::json;
use std::collections::HashSet;

#[derive(Default)]
pub(super) struct OpenCode {
    turns: Vec<Turn>,
    version: Option<String>,
    calls: HashSet<String>,
    has_damage: bool,
}

/// What a person said, or a step of the model.
#[derive(Default)]
struct Turn {
    at: Option<RecordRef>,
    is_reply: bool,
    is_summary: bool,
    id: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
    /// When it began, in milliseconds.
    began: i64,
    blocks: Vec<ContextBlock>,
    results: Vec<Output>,
}

/// A call's result, and when it was cleared.
struct Output {
    block: ContextBlock,
    cleared_at: Option<i64>,
}

impl Log for OpenCode {
    fn record(&mut self, text: &str, record: &Obj, at: RecordRef) {
        if let Some(info) = record.obj("info") {
            self.version = info.filled("version").or(self.version.take());
        }
        for raw in record.list("messages").unwrap_or_default() {
            match Obj::parse(raw) {
                Some(message) => self.message(text, &message, &at, &within(text, raw, &at)),
                None => self.has_damage = true,
            }
        }
    }

    fn unreadable(&mut self, _: RecordRef) {
        self.has_damage = true;
    }

    fn replies(&self) -> Vec<RecordRef> {
        self.turns.iter().filter(|turn| turn.is_reply).filter_map(|turn| turn.at.clone()).collect()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let is_reply = |index: &usize| self.turns.get(*index).is_some_and(|turn| turn.is_reply);
        let index = match at {
            None => (0..self.turns.len()).rev().find(is_reply)?,
            Some(at) => {
                // A part that has no turn of its own belongs to the message around it.
                let holds = |turn: &Turn| turn.at.as_ref().is_some_and(|own| overlap(own, at));
                let found = self.turns.iter().position(holds).unwrap_or(self.turns.len());
                (found..self.turns.len()).find(is_reply).unwrap_or(self.turns.len())
            }
        };
        let previous = (0..index).rev().find(is_reply);
        Some((self.answered(index), previous.map(|index| self.answered(index))))
    }
}

impl OpenCode {
    /// Takes a message. `document` is where the text stands, `at` where the message does.
    fn message(&mut self, text: &str, message: &Obj, document: &RecordRef, at: &RecordRef) {
        let Some(info) = message.obj("info") else { return };
        let is_reply = info.str("role").as_deref() == Some("assistant");
        let began = info.obj("time").and_then(|time| time.int("created")).unwrap_or_default();
        let new = |at: &RecordRef| Turn {
            at: Some(at.clone()),
            is_reply,
            is_summary: info.is_true("summary"),
            id: info.filled("id"),
            model: info.filled("modelID"),
            usage: info.obj("tokens").map(|tokens| usage(&tokens)),
            began,
            ..Turn::default()
        };
        let mut turn = new(at);
        let mut steps = 0;
        for raw in message.list("parts").unwrap_or_default() {
            let Some(part) = Obj::parse(raw) else { continue };
            let place = within(text, raw, document);
            match part.str("type").as_deref() {
                Some("step-start") => {
                    if steps > 0 {
                        self.turns.push(std::mem::replace(&mut turn, new(&place)));
                    }
                    steps += 1;
                }
                Some("step-finish") => turn.usage = part.obj("tokens").map(|tokens| usage(&tokens)).or(turn.usage),
                _ => self.part(&mut turn, &part, &place),
            }
            // A step begins and ends with its own parts.
            if steps > 1
                && let Some(own) = &mut turn.at
            {
                own.len = (place.offset + place.len).saturating_sub(own.offset);
            }
        }
        self.turns.push(turn);
    }

    fn part(&mut self, turn: &mut Turn, part: &Obj, at: &RecordRef) {
        match part.str("type").as_deref() {
            Some("text") if !part.is_true("ignored") => {
                let counts_as = match (turn.is_summary, part.is_true("synthetic")) {
                    (true, _) => Part::Summary,
                    (_, true) => Part::Injected,
                    _ => Part::History,
                };
                turn.blocks.push(block::text(part.string("text").unwrap_or_default(), counts_as, Some(at)));
            }
            Some("reasoning") => {
                let content = json!({"type": "thinking", "thinking": part.string("text")});
                turn.blocks.push(block::anthropic(content, Part::Thinking, Some(at)));
            }
            Some("subtask") => {
                let mut said = block::text(part.string("prompt").unwrap_or_default(), Part::Injected, Some(at));
                said.inexact = true;
                turn.blocks.push(said);
            }
            Some("file") => {
                let content = json!({"type": "document", "source": {"type": "url", "url": part.value("url"), "media_type": part.value("mime")}});
                let mut file = block::anthropic(content, Part::Files, Some(at));
                file.inexact = true;
                turn.blocks.push(file);
            }
            Some("tool") => self.call(turn, part, at),
            _ => {}
        }
    }

    fn call(&mut self, turn: &mut Turn, part: &Obj, at: &RecordRef) {
        let mut id = part.filled("callID").unwrap_or_default();
        if !self.calls.insert(id.clone()) {
            // Exports may have all ids replaced by the same word.
            id = format!("{id}-{}", part.filled("id").unwrap_or_else(|| at.offset.to_string()));
        }
        let state = part.obj("state");
        let field = |name: &str| state.as_ref().and_then(|state| state.raw(name)).map(value);
        let used = json!({"type": "tool_use", "id": id, "name": part.string("tool"), "input": field("input")});
        turn.blocks.push(block::anthropic(used, Part::Results, Some(at)));
        let error = field("error");
        let content = field("output").or_else(|| error.clone());
        let Some(content) = content else { return };
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error.is_some()});
        let cleared_at = state.and_then(|state| state.obj("time")).and_then(|time| time.int("compacted"));
        turn.results.push(Output { block: block::anthropic(result, Part::Results, Some(at)), cleared_at });
    }

    fn answered(&self, index: usize) -> Request {
        let reply = self.turns.get(index);
        let of_reply = reply.map(|reply| ContextReply {
            id: reply.id.clone(),
            seq: None,
            model: reply.model.clone(),
            agent_version: self.version.clone(),
            usage: reply.usage,
            records: reply.at.iter().cloned().collect(),
        });
        let mut request = Request::new(ContextDialect::Neutral, of_reply.unwrap_or_default());
        request.unrecorded = UnrecordedPart::ALL.to_vec();
        let before = self.turns.get(..index).unwrap_or_default();
        let start = before.iter().rposition(|turn| turn.is_summary).unwrap_or_default();
        if start > 0 {
            request.doubt("What stands around the summary of a compaction isn't recorded");
        }
        let began = reply.map_or(i64::MAX, |reply| reply.began);
        for turn in before.iter().skip(start) {
            let role = if turn.is_reply { Role::Assistant } else { Role::User };
            request.say(role, turn.blocks.iter().cloned());
            let output = |output: &Output| {
                let mut block = output.block.clone();
                if output.cleared_at.is_some_and(|at| at <= began) {
                    super::claude::clear(&mut block);
                }
                block
            };
            request.say(Role::User, turn.results.iter().map(output));
        }
        if reply.is_none() {
            request.unanswered();
        }
        if self.has_damage {
            request.doubt("The document isn't whole, or a part of it can't be read");
        }
        request
    }
}
