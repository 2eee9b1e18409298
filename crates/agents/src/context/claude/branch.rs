//! The branch of the tree that a request holds, and its messages.

use super::Claude;
use super::attachment::is_recent;
use super::content::clear;
use super::line::{Kind, Lane, Line};
use crate::context::block;
use crate::context::request::Request;
use model::model_context::ContextBlockKind as BlockKind;
use model::model_context::{ContextBlock, ContextDialect, ContextReply, ContextRole as Role, UnrecordedPart};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Lines from the first one that is sent to the last, and why they may not be right.
#[derive(Default)]
pub(super) struct Branch {
    pub indices: Vec<usize>,
    pub doubts: Vec<String>,
}

impl Claude {
    /// The line before a line: the one that it names, or the one that was read before it.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        let line = self.lines.get(index)?;
        if line.kind == Kind::Boundary {
            return None;
        }
        match &line.parent {
            Some(parent) => self.by_id.get(parent).copied().or_else(|| self.read_before(index)),
            None => line.follows,
        }
    }

    /// The line of the same conversation and file that was read before a line whose parent isn't there.
    fn read_before(&self, index: usize) -> Option<usize> {
        let Line { lane, at, .. } = self.lines.get(index)?;
        let is_same = |line: &Line| line.lane == *lane && line.at.source == at.source && line.kind != Kind::Queued;
        (0..index).rev().find(|before| self.lines.get(*before).is_some_and(is_same))
    }

    /// The branch that ends with a line. It begins with the session, or with the last compaction.
    pub(super) fn ancestors(&self, end: Option<usize>, before: usize) -> Branch {
        let mut branch = Branch::default();
        let (relinked, is_whole) = self.relinked(before);
        if !is_whole {
            branch.doubts.push("A compaction kept messages that aren't in the records".to_owned());
        }
        let (mut at, mut seen) = (end, HashSet::new());
        while let Some(index) = at.filter(|index| seen.insert(*index)) {
            let Some(line) = self.lines.get(index) else { break };
            branch.indices.push(index);
            if line.kind == Kind::Boundary {
                break;
            }
            at = relinked.get(&index).copied().or_else(|| self.parent(index));
            let is_lost = !relinked.contains_key(&index) && self.names_lost(line);
            let begins =
                line.is_summary && !at.and_then(|at| self.lines.get(at)).is_some_and(|it| it.kind == Kind::Boundary);
            if begins {
                branch.doubts.push(
                    "A summary stands without the line of its compaction: what was kept beside it isn't known"
                        .to_owned(),
                );
                break;
            }
            if is_lost {
                branch.doubts.push(lost(at));
            }
            if at.is_some_and(|at| seen.contains(&at)) {
                branch.doubts.push("The lines name each other in a circle".to_owned());
            }
        }
        branch.indices.reverse();
        branch.indices = self.with_queued(branch.indices, before);
        branch
    }

    /// The request whose last line is `end`, and that the line `reply` answers.
    pub(super) fn branch(&self, end: Option<usize>, reply: Option<usize>) -> Request {
        let line = reply.or(end).and_then(|index| self.lines.get(index));
        let mut request = Request::new(ContextDialect::Anthropic, self.reply(reply));
        request.unrecorded = UnrecordedPart::ALL.to_vec();
        let before = reply.unwrap_or(self.lines.len());
        let branch = self.ancestors(end, before);
        if reply.is_some() && line.is_some_and(|line| self.names_lost(line)) {
            request.doubt(lost(end));
        }
        branch.doubts.into_iter().for_each(|doubt| request.doubt(doubt));
        let mut writer = Writer { log: self, request: &mut request, sent: BTreeSet::new(), before, system: Vec::new() };
        branch.indices.iter().for_each(|index| writer.send(*index));
        writer.flush();
        self.clear_results(&branch.indices, &mut request);
        self.damage(&branch.indices, line, &mut request);
        if line.is_some_and(|line| line.lane != Lane::Main) {
            request.note("This is the context of a sub-agent: the session's own conversation isn't part of it");
        }
        request
    }

    pub(super) fn reply(&self, reply: Option<usize>) -> ContextReply {
        let Some(line) = reply.and_then(|index| self.lines.get(index)) else { return ContextReply::default() };
        let mut lines: Vec<&Line> = self.group(line).filter_map(|index| self.lines.get(index)).collect();
        if lines.is_empty() {
            lines.push(line);
        }
        ContextReply {
            id: line.message_id.clone(),
            seq: None,
            at: lines.first().and_then(|line| line.time),
            model: line.model.clone(),
            agent_version: line.version.clone(),
            // It grows while the reply is written.
            usage: lines.iter().filter_map(|line| line.usage).max_by_key(|usage| (usage.output, usage.total())),
            records: lines.iter().map(|line| line.at.clone()).collect(),
        }
    }

    /// Where compactions before a line put what they kept: behind their summary, or before it. A line's new parent, by the line;
    /// and whether all that was kept is there.
    fn relinked(&self, before: usize) -> (HashMap<usize, usize>, bool) {
        let (mut parents, mut is_whole) = (HashMap::new(), true);
        let boundaries = self.lines.iter().take(before).filter(|line| !line.kept.is_empty());
        for boundary in boundaries {
            let kept: Vec<usize> = boundary.kept.iter().filter_map(|id| self.by_id.get(id).copied()).collect();
            let anchor = boundary.anchor.as_ref().and_then(|id| self.by_id.get(id).copied());
            let (Some(anchor), Some(head), Some(tail)) = (anchor, kept.first(), kept.last()) else {
                is_whole = false;
                continue;
            };
            is_whole &= kept.len() == boundary.kept.len();
            for (index, line) in self.lines.iter().enumerate().take(before) {
                let is_behind = line.parent.is_some() && line.parent == boundary.anchor;
                if is_behind && index != *head {
                    parents.insert(index, *tail);
                }
            }
            parents.insert(*head, anchor);
            if boundary.kept_is_list {
                parents.extend(kept.iter().zip(kept.iter().skip(1)).map(|(above, below)| (*below, *above)));
            }
        }
        (parents, is_whole)
    }

    /// Results that the program cleared on the way are sent without their content.
    fn clear_results(&self, indices: &[usize], request: &mut Request) {
        let lines = indices.iter().filter_map(|index| self.lines.get(*index));
        let cleared: HashSet<&String> = lines.flat_map(|line| &line.cleared).collect();
        for block in request.messages.iter_mut().flat_map(|message| &mut message.blocks) {
            if block.call_id.as_ref().is_some_and(|id| cleared.contains(id)) {
                clear(block);
            }
        }
    }

    /// Returns true if the line names one before it that isn't there.
    fn names_lost(&self, line: &Line) -> bool {
        line.parent.as_ref().is_some_and(|parent| !self.by_id.contains_key(parent))
    }

    /// Bytes among the lines of the branch that can't be read.
    fn damage(&self, indices: &[usize], line: Option<&Line>, request: &mut Request) {
        let Some(end) = line.map(|line| &line.at) else { return };
        let start = indices.iter().filter_map(|index| self.lines.get(*index)).map(|line| line.at.offset).min();
        let start = start.unwrap_or_default();
        let is_between =
            |at: &&model::RecordRef| at.source == end.source && at.offset >= start && at.offset < end.offset;
        let lost = self.unreadable.iter().filter(is_between).count();
        if lost > 0 {
            request.doubt(format!("Lines that can't be read stand among these: {lost}. What they held isn't known"));
        }
    }
}

/// Returns the reason for a line that names one that isn't there, by the line that stands in its place.
fn lost(stands_for_it: Option<usize>) -> String {
    match stands_for_it {
        Some(_) => "A line names one before it that isn't in the records; the line read before it stands in its place",
        None => "The records begin in the middle of the conversation: what came before isn't known",
    }
    .to_owned()
}

struct Writer<'a> {
    log: &'a Claude,
    request: &'a mut Request,
    sent: BTreeSet<usize>,
    /// The reply: what is read from it on isn't sent.
    before: usize,
    /// The program's system texts. They go behind all that the model is told before its next reply.
    system: Vec<ContextBlock>,
}

impl Writer<'_> {
    fn flush(&mut self) {
        let system = std::mem::take(&mut self.system);
        self.request.say(Role::System, system);
    }

    fn send(&mut self, index: usize) {
        let Some(line) = self.log.lines.get(index) else { return };
        if !self.sent.insert(index) {
            return;
        }
        match line.kind {
            Kind::Assistant if !line.is_synthetic => self.send_reply(index, line),
            Kind::Assistant if line.is_filler() => {
                self.flush();
                self.request.say(Role::Assistant, line.blocks.iter().cloned());
            }
            Kind::Attachment if line.role == Role::System => self.system.extend(line.blocks.iter().cloned()),
            Kind::User => {
                if line.version.as_deref().is_some_and(is_recent)
                    && line.blocks.first().is_some_and(|first| first.kind == BlockKind::Text)
                {
                    self.end_text();
                }
                self.request.say(line.role, line.blocks.iter().cloned());
            }
            Kind::Attachment | Kind::Queued => self.request.say(line.role, line.blocks.iter().cloned()),
            _ => {}
        }
    }

    /// Ends the text before with a line end, where another text of the same message follows.
    fn end_text(&mut self) {
        let last = self.request.messages.last_mut().filter(|message| message.role == Role::User);
        let Some(last) = last.and_then(|message| message.blocks.last_mut()).filter(|it| it.kind == BlockKind::Text)
        else {
            return;
        };
        let words = last.content.as_ref().and_then(|content| content.get("text")).and_then(Value::as_str);
        if let Some(words) = words {
            let joined = block::text(format!("{words}\n"), last.part, last.records.first());
            *last = ContextBlock { inexact: last.inexact, ..joined };
        }
    }

    /// A reply of the model, and the results of its calls.
    fn send_reply(&mut self, index: usize, line: &Line) {
        self.flush();
        let mut group: Vec<usize> = self.log.group(line).collect();
        if group.is_empty() {
            group.push(index);
        }
        let blocks = |index: &usize| self.log.lines.get(*index).map(|line| line.blocks.clone()).unwrap_or_default();
        let said: Vec<ContextBlock> = group.iter().filter(|index| **index < self.before).flat_map(blocks).collect();
        self.sent.extend(group);
        let calls: Vec<String> = said.iter().filter_map(|block| block.call_id.clone()).collect();
        self.request.say(Role::Assistant, said);
        let mut results: Vec<usize> = Vec::new();
        for id in &calls {
            let of_call = self.log.results.get(id).into_iter().flatten();
            let is_own = |index: &&usize| self.log.lines.get(**index).is_some_and(|it| it.lane == line.lane);
            results.extend(of_call.filter(is_own).find(|index| **index < self.before));
        }
        results.sort_unstable();
        for index in results {
            self.send(index);
        }
    }
}
