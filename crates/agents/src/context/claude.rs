//! Claude Code: which lines of a session file were sent for a reply.
//!
//! Lines form a tree by `parentUuid`. The request of a reply is the branch that ends before it, up to the last compaction. Blocks of
//! one API message stand on lines of their own, with the same `message.id`; results of calls that ran side by side stand on
//! branches of their own. Newer files hold the requests themselves, with digests: `digests` rebuilds and checks them.

mod attachment;
mod branch;
mod content;
mod digests;
mod line;
mod queue;

use super::Log;
use super::request::Request;
use crate::parts::obj::Obj;
pub(super) use content::clear;
use digests::Digests;
use line::{Kind, Lane, Line};
use model::RecordRef;
use model::model_context::ContextBlockKind::ToolResult;
use queue::Queued;
use std::collections::HashMap;

/// The lines of a session's files.
#[derive(Default)]
pub(super) struct Claude {
    lines: Vec<Line>,
    /// By their own ids.
    by_id: HashMap<String, usize>,
    /// Lines of an API message, by its id.
    messages: HashMap<String, Vec<usize>>,
    /// The line that holds a call's result, by the call's id.
    results: HashMap<String, Vec<usize>>,
    /// The last line of each conversation.
    last: HashMap<Lane, usize>,
    digests: Digests,
    queued: Queued,
    /// Bytes that can't be read.
    unreadable: Vec<RecordRef>,
}

impl Log for Claude {
    fn record(&mut self, _: &str, record: &Obj, at: RecordRef) {
        if !self.digests.take(record, &at) && !self.take_queued(record, &at) {
            for line in Line::read(record, &at) {
                self.add(line);
            }
        }
    }

    fn unreadable(&mut self, at: RecordRef) {
        self.unreadable.push(at);
    }

    fn replies(&self) -> Vec<RecordRef> {
        (0..self.lines.len()).filter(|index| self.is_first(*index)).map(|index| self.lines[index].at.clone()).collect()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let reply = match at {
            None => (0..self.lines.len()).rev().find(|index| self.is_first(*index))?,
            Some(at) => {
                // Bytes that are in no line of the tree came in before the line that follows them.
                let is_behind = |line: &Line| line.at.source == at.source && line.at.offset > at.offset;
                let mut found: Vec<usize> = (0..self.lines.len()).filter(|it| self.lines[*it].is_from(at)).collect();
                // A line may hold one of a sub-agent.
                found.sort_by_key(|index| self.first_of(*index).is_none());
                let behind = || self.lines.iter().position(is_behind).or(self.lines.len().checked_sub(1));
                let index = found.first().copied().or_else(behind)?;
                match self.first_of(index) {
                    Some(first) => first,
                    None => match self.next_reply(index) {
                        Some(reply) => reply,
                        // Nobody has answered it yet.
                        None => return Some((self.open(index), self.before(Some(index)).map(|it| self.answered(it)))),
                    },
                }
            }
        };
        let previous = self.before(self.parent(reply));
        Some((self.answered(reply), previous.map(|it| self.answered(it))))
    }
}

impl Claude {
    fn add(&mut self, mut line: Line) {
        let index = self.lines.len();
        if let Some(id) = &line.id {
            // A resumed or forked file repeats lines.
            if self.by_id.contains_key(id) {
                return;
            }
            self.by_id.insert(id.clone(), index);
        }
        let last = match line.kind {
            Kind::Queued => self.last.get(&line.lane).copied(),
            _ => self.last.insert(line.lane.clone(), index),
        };
        if line.is_loose() {
            // Lines of another file aren't known to be before it.
            line.follows = last.filter(|last| self.lines.get(*last).is_some_and(|it| it.at.source == line.at.source));
        }
        if let Some(id) = line.message_id.clone().filter(|_| line.kind == Kind::Assistant) {
            self.messages.entry(id).or_default().push(index);
        }
        for id in line.blocks.iter().filter(|it| it.kind == ToolResult).filter_map(|it| it.call_id.clone()) {
            self.results.entry(id).or_default().push(index);
        }
        self.lines.push(line);
    }

    /// Returns true if the line is the first one of a reply of the model.
    fn is_first(&self, index: usize) -> bool {
        self.first_of(index) == Some(index)
    }

    /// The first line of the reply that a line belongs to.
    fn first_of(&self, index: usize) -> Option<usize> {
        let line = self.lines.get(index).filter(|line| line.kind == Kind::Assistant && !line.is_synthetic)?;
        Some(self.group(line).next().unwrap_or(index))
    }

    /// The lines of an API message. Without an id, a line is a message of its own.
    fn group(&self, line: &Line) -> impl Iterator<Item = usize> {
        let all = line.message_id.as_ref().and_then(|id| self.messages.get(id));
        let same = move |index: &usize| self.lines.get(*index).is_some_and(|other| other.lane == line.lane);
        all.into_iter().flatten().copied().filter(same)
    }

    /// The first reply whose branch goes through a line, among the next ones.
    fn next_reply(&self, index: usize) -> Option<usize> {
        const LOOK: usize = 100;
        let lane = &self.lines.get(index)?.lane;
        let is_reply = |next: &usize| self.lines.get(*next).is_some_and(|it| it.lane == *lane) && self.is_first(*next);
        let mut replies = (index + 1..self.lines.len()).filter(is_reply).take(LOOK);
        replies.find(|next| self.ancestors(self.parent(*next), *next).indices.contains(&index))
    }

    /// The last reply on the branch that ends with a line.
    fn before(&self, from: Option<usize>) -> Option<usize> {
        let mut at = from;
        for _ in 0..self.lines.len() {
            let index = at?;
            if let Some(first) = self.first_of(index) {
                return Some(first);
            }
            let logical = || self.by_id.get(self.lines.get(index)?.logical.as_ref()?).copied();
            at = self.parent(index).or_else(logical);
        }
        None
    }

    /// The request that a reply answers, by the first line of the reply.
    fn answered(&self, reply: usize) -> Request {
        let Some(line) = self.lines.get(reply) else { return self.open(reply) };
        self.digests.request(self, line).unwrap_or_else(|| self.branch(self.parent(reply), Some(reply)))
    }

    /// The request that would be sent behind a line.
    fn open(&self, index: usize) -> Request {
        let mut request = self.branch(Some(index), None);
        request.unanswered();
        request
    }
}
