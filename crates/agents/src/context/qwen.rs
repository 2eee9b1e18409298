//! Qwen Code: lines form a tree by `parentUuid`, and hold contents of Google's API. The request of a reply is the branch that ends before it,
//! from the last compression on, whose line has the contents that it left.
//!
//! Which words its providers send isn't recorded, so the blocks are told in those of Google's API.

use super::gemini::parts;
use super::request::Request;
use super::{Log, overlap};
use crate::parts::obj::Obj;
use crate::qwen::said::usage;
use model::model_context::{
    ContextBlock, ContextBlockKind as Kind, ContextDialect, ContextPart as Part, ContextReply, ContextRole as Role,
    UnrecordedPart,
};
use model::{RecordRef, Usage};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Qwen {
    lines: Vec<Line>,
    /// By their ids. Parts of one answer may have the same.
    by_id: HashMap<String, Vec<usize>>,
    unreadable: Vec<RecordRef>,
}

struct Line {
    at: RecordRef,
    id: Option<String>,
    parent: Option<String>,
    /// The sub-agent whose line it is.
    agent: Option<String>,
    is_reply: bool,
    said: Said,
    model: Option<String>,
    version: Option<String>,
    usage: Option<Usage>,
}

type Content = (Role, Vec<ContextBlock>);

/// The effect of a line on the contents that are sent.
enum Said {
    Nothing,
    Adds(Content),
    /// Replaces all of them.
    Compresses(Vec<Content>),
    /// Takes back a prompt that was this command, which the program answered itself.
    Answers(String),
}

impl Log for Qwen {
    fn record(&mut self, _: &str, record: &Obj, at: RecordRef) {
        let id = record.filled("uuid");
        if let Some(id) = &id {
            self.by_id.entry(id.clone()).or_default().push(self.lines.len());
        }
        self.lines.push(Line {
            said: said(record, &at),
            at,
            id,
            parent: record.filled("parentUuid"),
            agent: record.filled("agentId"),
            is_reply: record.str("type").as_deref() == Some("assistant"),
            model: record.filled("model"),
            version: record.filled("version"),
            usage: record.obj("usageMetadata").map(|tokens| usage(&tokens)),
        });
    }

    fn unreadable(&mut self, at: RecordRef) {
        self.unreadable.push(at);
    }

    fn replies(&self) -> Vec<RecordRef> {
        let firsts = (0..self.lines.len()).filter(|at| self.is_reply(*at) && self.first(*at) == *at);
        firsts.filter_map(|at| self.lines.get(at)).map(|line| line.at.clone()).collect()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let end = self.lines.len();
        let index = match at {
            None => (0..end).rev().find(|at| self.is_reply(*at))?,
            Some(at) => {
                let found = self.lines.iter().position(|line| overlap(&line.at, at)).unwrap_or(end);
                let agent = self.lines.get(found).and_then(|line| line.agent.as_ref());
                let is_own = |at: &usize| self.lines.get(*at).is_some_and(|line| line.agent.as_ref() == agent);
                (found..end).find(|at| self.is_reply(*at) && is_own(at)).unwrap_or(end)
            }
        };
        let index = self.first(index);
        let (branch, _) = self.branch(index);
        let previous = branch.iter().rev().find(|at| self.is_reply(**at)).map(|at| self.first(*at));
        Some((self.answered(index), previous.map(|at| self.answered(at))))
    }
}

impl Qwen {
    fn is_reply(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| line.is_reply)
    }

    /// The first line of those that have the id of this one.
    fn first(&self, at: usize) -> usize {
        let id = self.lines.get(at).and_then(|line| line.id.as_ref());
        id.and_then(|id| self.by_id.get(id)).and_then(|all| all.first()).copied().unwrap_or(at)
    }

    /// The lines before a reply on its branch, in their order; before what isn't answered yet, those of the last line's. False beside them
    /// where a parent isn't there.
    fn branch(&self, reply: usize) -> (Vec<usize>, bool) {
        let (mut branch, mut is_whole, mut before) = (Vec::new(), true, reply);
        let agent = self.lines.get(reply).and_then(|line| line.agent.as_ref());
        let mut parent = match self.lines.get(reply) {
            Some(line) => line.parent.as_ref(),
            None => self.lines.iter().rev().find_map(|line| line.id.as_ref()),
        };
        while let Some(id) = parent {
            let mut group: Vec<usize> =
                self.by_id.get(id).into_iter().flatten().copied().filter(|at| *at < before).collect();
            if group.is_empty() {
                is_whole = false;
                // The line that was read before it is the best guess.
                group.extend(before.checked_sub(1));
            }
            let Some((first, line)) = group.first().and_then(|at| Some((*at, self.lines.get(*at)?))) else { break };
            if line.agent.as_ref() == agent {
                branch.extend(group.into_iter().rev());
            } else if agent.is_some() {
                // The parent's lines are no part of a sub-agent's context.
                break;
            }
            (before, parent) = (first, line.parent.as_ref());
        }
        branch.reverse();
        (branch, is_whole)
    }

    fn answered(&self, index: usize) -> Request {
        let reply = self.lines.get(index);
        let of_reply = reply.map(|reply| {
            let parts = reply.id.as_ref().and_then(|id| self.by_id.get(id)).into_iter().flatten();
            let parts: Vec<&Line> = parts.filter_map(|at| self.lines.get(*at)).collect();
            ContextReply {
                id: reply.id.clone(),
                seq: None,
                at: None,
                model: reply.model.clone(),
                agent_version: reply.version.clone(),
                usage: parts.iter().rev().find_map(|part| part.usage).or(reply.usage),
                records: vec![reply.at.clone()],
            }
        });
        let mut request = Request::new(ContextDialect::Gemini, of_reply.unwrap_or_default());
        request.unrecorded = vec![
            UnrecordedPart::SystemPrompt,
            UnrecordedPart::ToolDefinitions,
            UnrecordedPart::Memory,
            UnrecordedPart::Reminders,
            UnrecordedPart::Settings,
        ];
        let (branch, is_whole) = self.branch(index);
        if !is_whole {
            request.doubt("The parent of a record isn't there: what was read before it stands for it");
        }
        for (role, blocks) in contents(branch.iter().filter_map(|at| self.lines.get(*at))) {
            request.say(role, blocks);
        }
        if reply.is_none() {
            request.unanswered();
        }
        let is_before =
            |at: &RecordRef| reply.is_none_or(|reply| at.source == reply.at.source && at.offset < reply.at.offset);
        if self.unreadable.iter().any(is_before) {
            request.doubt("Records that can't be read stand before the reply. What they held isn't known");
        }
        request
    }
}

/// The contents that lines leave, in their order.
fn contents<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    for line in lines {
        match &line.said {
            Said::Nothing => {}
            Said::Adds(content) => contents.push(content.clone()),
            Said::Compresses(left) => contents.clone_from(left),
            Said::Answers(command) => {
                contents.pop_if(|(role, blocks)| {
                    let text = blocks.first().and_then(|block| block.content.as_ref()?.get("text")?.as_str());
                    *role == Role::User && blocks.len() == 1 && text == Some(command.as_str())
                });
            }
        }
    }
    contents
}

fn said(record: &Obj, at: &RecordRef) -> Said {
    let subtype = record.filled("subtype").unwrap_or_default();
    if record.str("type").as_deref() == Some("system") {
        let Some(payload) = record.obj("systemPayload") else { return Said::Nothing };
        return match subtype.as_str() {
            "chat_compression" => payload.list("compressedHistory").map_or(Said::Nothing, |contents| {
                let mut left: Vec<Content> = contents
                    .into_iter()
                    .filter_map(Obj::parse)
                    .filter_map(|content| of_content(&content, at))
                    .collect();
                // The summary of the earlier conversation is the first block.
                if let Some(block) = left.first_mut().and_then(|(_, blocks)| blocks.first_mut()) {
                    block.part = Part::Summary;
                }
                Said::Compresses(left)
            }),
            "slash_command" => {
                let items: Vec<Obj> =
                    payload.list("outputHistoryItems").unwrap_or_default().into_iter().filter_map(Obj::parse).collect();
                let is_answer = payload.str("phase").as_deref() == Some("result")
                    && !payload.is_true("sentToModel")
                    && !items.is_empty()
                    && items.iter().all(|item| item.str("type").as_deref() == Some("assistant"));
                payload.filled("rawCommand").filter(|_| is_answer).map_or(Said::Nothing, Said::Answers)
            }
            _ => Said::Nothing,
        };
    }
    // Words of a spoken conversation are for people.
    let content = record.obj("message").filter(|_| subtype != "realtime_message");
    content.and_then(|content| of_content(&content, at)).map_or(Said::Nothing, Said::Adds)
}

fn of_content(content: &Obj, at: &RecordRef) -> Option<Content> {
    let role = if content.str("role").as_deref() == Some("model") { Role::Assistant } else { Role::User };
    let mut blocks = parts(content.raw("parts"), at);
    for block in &mut blocks {
        let is_thought = block.content.as_ref().and_then(|part| part.get("thought")) == Some(&Value::Bool(true));
        if is_thought && block.kind == Kind::Text {
            (block.kind, block.part) = (Kind::Thinking, Part::Thinking);
        }
    }
    Some((role, blocks)).filter(|(_, blocks)| !blocks.is_empty())
}
