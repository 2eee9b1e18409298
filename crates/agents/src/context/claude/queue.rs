//! Prompts that a person typed while the agent worked, where no line repeats them: the removal from the queue stands
//! for them.

use super::Claude;
use super::line::{Lane, Line, QUEUE};
use crate::claude::queue::{Queue, Shown};
use crate::context::block;
use crate::parts::blocks::joined_text;
use crate::parts::obj::Obj;
use model::RecordRef;
use model::model_context::ContextPart as Part;
use std::collections::HashSet;

/// A line of the queue, and the number of the line that stands for what it gave.
pub(super) type Place = (RecordRef, usize);

/// Removals that gave a prompt to the model.
#[derive(Default)]
pub(super) struct Queued {
    queue: Queue<Place>,
    /// Their lines, ascending.
    lines: Vec<usize>,
}

impl Claude {
    /// Takes note of a record before its lines. True for one of the queue, which has no further meaning.
    pub(super) fn take_queued(&mut self, record: &Obj, at: &RecordRef) -> bool {
        let kind = record.str("type");
        if kind.as_deref() == Some(QUEUE) {
            self.operate(record, at);
            return true;
        }
        let is_main = !record.is_true("isSidechain") && record.filled("parent_tool_use_id").is_none();
        self.queued.queue.leave(is_main && kind.as_deref() == Some("assistant"));
        match kind.as_deref() {
            Some("user") if is_main && !record.is_true("isMeta") => {
                let content = record.obj("message").and_then(|message| message.raw("content").map(joined_text));
                self.show(&content.unwrap_or_default());
            }
            Some("attachment") if is_main => {
                let attachment = record.obj("attachment");
                if let Some(given) = attachment.filter(|it| it.str("type").as_deref() == Some("queued_command")) {
                    let text = given.raw("prompt").map(joined_text).unwrap_or_default();
                    let back = given.filled("source_uuid").and_then(|command| self.queued.queue.give(command, &text));
                    self.put_back(back);
                    self.show(&text);
                }
            }
            _ => {}
        }
        false
    }

    fn operate(&mut self, record: &Obj, at: &RecordRef) {
        let place = (at.clone(), self.lines.len());
        let queue = &mut self.queued.queue;
        match record.str("operation").as_deref() {
            Some("enqueue") => {
                queue.enqueue(record, &place);
            }
            Some("dequeue") => {
                let back = queue.dequeue(record);
                self.put_back(back);
            }
            Some("remove") => {
                let Some(prompt) = queue.remove(record, &place) else { return };
                let Some(mut line) = Line::of(record, QUEUE, at.clone()) else { return };
                let mut block = block::text(prompt.text, Part::History, Some(at));
                block.records.extend(Some(prompt.at.0).filter(|queued| queued != at));
                block.inexact = true;
                line.blocks.push(block);
                self.queued.lines.push(place.1);
                self.add(line);
            }
            Some("popAll") => queue.clear_prompts(),
            _ => {}
        }
    }

    fn show(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if let Shown::Taken(place) | Shown::Guessed(place) = self.queued.queue.show(text) {
            self.put_back([place]);
        }
    }

    /// Removals that gave nothing to the model after all.
    fn put_back(&mut self, places: impl IntoIterator<Item = Place>) {
        for (_, line) in places {
            self.queued.lines.retain(|queued| *queued != line);
        }
    }

    /// Puts the prompts that were given on the way among the lines of a branch of the session's own conversation.
    pub(super) fn with_queued(&self, mut branch: Vec<usize>, before: usize) -> Vec<usize> {
        let is_main = |index: &usize| self.lines.get(*index).is_some_and(|line| line.lane == Lane::Main);
        if self.queued.lines.is_empty() || !branch.last().is_some_and(is_main) {
            return branch;
        }
        let on_branch: HashSet<usize> = branch.iter().copied().collect();
        // Results of parallel calls stand on branches of their own.
        let is_near = |index: usize| {
            let of_group = |line: &Line| self.group(line).any(|other| on_branch.contains(&other));
            on_branch.contains(&index) || self.lines.get(index).is_some_and(of_group)
        };
        for queued in self.queued.lines.iter().copied().filter(|queued| *queued < before) {
            let after = self.lines.get(queued).and_then(|line| line.follows);
            let is_here = after.is_some_and(|after| is_near(after) || self.parent(after).is_some_and(is_near));
            let place = branch.iter().position(|index| *index > queued).unwrap_or(branch.len());
            // A prompt before a compaction is in its summary.
            if is_here && place > 0 {
                branch.insert(place, queued);
            }
        }
        branch
    }
}
