//! Lines of a diff that contain searched words, including unchanged and distant ones.

use crate::patch::CONTEXT;
use model::view::{CodeLine, DiffRun, FileDiff};

/// A gap hides more lines than these.
const FEW: usize = 6;
/// Lines drawn at most for the sake of the last that holds the words.
const MOST: usize = 4_000;

/// Leaves unchanged lines away that are neither near a change nor near the words. The difference comes with all of
/// them.
pub fn keep_near(diff: &mut FileDiff, words: &str) {
    let words = words.to_lowercase();
    let runs = std::mem::take(&mut diff.runs);
    let is_change =
        |at: Option<usize>| at.and_then(|at| runs.get(at)).is_some_and(|run| matches!(run, DiffRun::Change { .. }));
    let mut kept: Vec<DiffRun> = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        match run {
            DiffRun::Context(lines) => {
                let (after, before) = (is_change(at.checked_sub(1)), is_change(Some(at + 1)));
                context(&mut kept, lines, &near(lines, &words, after, before));
            }
            run => kept.push(run.clone()),
        }
    }
    diff.runs = kept;
}

/// Which lines stand near the words, or near the change before or after them.
fn near(lines: &[CodeLine], words: &str, after_change: bool, before_change: bool) -> Vec<bool> {
    let context = CONTEXT as usize;
    let mut near: Vec<bool> = (0..lines.len())
        .map(|at| (after_change && at < context) || (before_change && at + context >= lines.len()))
        .collect();
    for at in (0..lines.len()).filter(|at| holds(&lines[*at], words)) {
        near[at.saturating_sub(context)..(at + context + 1).min(lines.len())].fill(true);
    }
    near
}

fn context(kept: &mut Vec<DiffRun>, lines: &[CodeLine], near: &[bool]) {
    let mut at = 0;
    for same in near.chunk_by(|a, b| a == b) {
        let part = &lines[at..at + same.len()];
        at += same.len();
        let left = part.len() as u32;
        match (same.first() == Some(&true) || part.len() <= FEW, kept.last_mut()) {
            (true, _) => kept.push(DiffRun::Context(part.to_vec())),
            (false, Some(DiffRun::Gap { lines, .. })) => *lines += left,
            (false, _) => kept.push(DiffRun::Gap { lines: left, section: None }),
        }
    }
}

/// So many lines of a difference are to be drawn that the last which holds the words is among them.
pub fn lines_to(diff: &FileDiff, words: &str) -> usize {
    let words = words.to_lowercase();
    let lines = diff.runs.iter().flat_map(|run| match run {
        DiffRun::Context(lines) => lines.iter().chain(&[]),
        DiffRun::Change { old, new, .. } => old.iter().chain(new),
        DiffRun::Gap { .. } => [].iter().chain(&[]),
    });
    last(lines.map(|line| holds(line, &words)))
}

/// Like [`lines_to`], for the lines of a text.
pub fn text_lines_to(text: &str, words: &str) -> usize {
    let words = words.to_lowercase();
    last(text.lines().map(|line| line.to_lowercase().contains(&words)))
}

fn last(holds: impl Iterator<Item = bool>) -> usize {
    let last = holds.take(MOST).enumerate().filter(|(_, holds)| *holds).last();
    last.map_or(0, |(at, _)| at + 1 + CONTEXT as usize)
}

fn holds(line: &CodeLine, words: &str) -> bool {
    line.text.to_lowercase().contains(words)
}
