//! The difference of two texts, from lines to runs.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use model::view::{CodeLine, DiffRun, FileChange, FileDiff};

use crate::language::{language_named, language_of};
use crate::lines::{self, Compared, Ends, Side};
use crate::moves::{self, Moves};
use crate::section::Sections;
use crate::words::{self, Budget};
use crate::{DiffInput, Spaces};

/// Lines of both sides together; beyond that, lines are compared and nothing else.
const MAX_LINES: usize = 20_000;

pub(crate) fn file_diff(input: &DiffInput<'_>) -> FileDiff {
    let (old_text, new_text) = (input.old.unwrap_or_default(), input.new.unwrap_or_default());
    let hunks = hunks(old_text, new_text, input.spaces);
    let (drawable_old, drawable_new) = (lines::drawable(old_text), lines::drawable(new_text));
    let (mut old, mut new) = (Side::of(&drawable_old), Side::of(&drawable_new));
    let is_whole = input.old.is_none() || input.new.is_none();
    let (ends_old, ends_new) = (has_open_end(old_text), has_open_end(new_text));
    // Two fragments without an end say nothing about the end of the file.
    let marks_ends = is_whole || (ends_old != ends_new && !old_text.is_empty() && !new_text.is_empty());
    old.marks_end = marks_ends && ends_old;
    new.marks_end = marks_ends && ends_new;

    let is_large = old.len() + new.len() > MAX_LINES;
    let removed: usize = hunks.iter().map(|hunk| hunk.before.len()).sum();
    let added: usize = hunks.iter().map(|hunk| hunk.after.len()).sum();
    let language = input.language.and_then(language_named).or_else(|| language_of(input.path));
    if !is_large {
        if removed > 0 {
            old.colour(language);
        }
        new.colour(language);
    }
    let moves = if is_large { Moves::default() } else { moves::find(&old.texts(), &new.texts(), &hunks) };
    let mut builder = Builder {
        moves,
        returns: Ends::of(old_text).differ(Ends::of(new_text)),
        budget: if is_large { Budget { left: 0 } } else { Budget::for_file() },
        approximate: is_large,
        sections: None,
        language,
        context: input.context as usize,
        runs: Vec::new(),
        old,
        new,
    };
    builder.build(&hunks);
    FileDiff {
        change: match (input.old, input.new) {
            (None, Some(_)) => FileChange::Added,
            (Some(_), None) => FileChange::Deleted,
            _ => FileChange::Modified,
        },
        first_line: input.first_line.or_else(|| is_whole.then_some((1, 1))),
        added: added as u32,
        removed: removed as u32,
        runs: builder.runs,
        approximate: builder.approximate,
    }
}

pub(crate) fn line_counts(old: &str, new: &str) -> (u32, u32) {
    let diff = Diff::compute(Algorithm::Histogram, &interned(old, new, Spaces::Matter));
    (diff.count_additions(), diff.count_removals())
}

pub(crate) fn hunks(old: &str, new: &str, spaces: Spaces) -> Vec<Hunk> {
    let input = interned(old, new, spaces);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks().collect()
}

fn interned<'a>(old: &'a str, new: &'a str, spaces: Spaces) -> InternedInput<Compared<'a>> {
    let compared = |text| lines::raw(text).map(move |line| Compared { line, spaces });
    let mut input = InternedInput::default();
    input.update_before(compared(old));
    input.update_after(compared(new));
    input
}

fn has_open_end(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

struct Builder<'a> {
    moves: Moves,
    old: Side<'a>,
    new: Side<'a>,
    /// Are carriage returns at the ends of changed lines shown?
    returns: bool,
    budget: Budget,
    approximate: bool,
    /// Found when the first gap needs them.
    sections: Option<(Vec<&'a str>, Sections<'a>)>,
    language: Option<&'static str>,
    context: usize,
    runs: Vec<DiffRun>,
}

impl Builder<'_> {
    fn build(&mut self, hunks: &[Hunk]) {
        let mut at = 0;
        for (index, hunk) in hunks.iter().enumerate() {
            let before = if index == 0 { 0 } else { self.context };
            self.unchanged(at..hunk.after.start as usize, before, self.context);
            self.change(range(&hunk.before), range(&hunk.after));
            at = hunk.after.end as usize;
        }
        let before = if hunks.is_empty() { 0 } else { self.context };
        self.unchanged(at..self.new.len(), before, 0);
    }

    /// Unchanged lines, of which the first `before` and the last `after` ones are shown.
    fn unchanged(&mut self, lines: Range<usize>, before: usize, after: usize) {
        let hidden = lines.len().saturating_sub(before.saturating_add(after));
        // A gap takes the place of a line, so it never hides a single one.
        if hidden <= 1 || self.context >= lines.len() {
            return self.show(lines);
        }
        let gap = lines.start + before..lines.end - after;
        self.show(lines.start..gap.start);
        let section = self.section(gap.end);
        self.runs.push(DiffRun::Gap { lines: hidden as u32, section });
        self.show(gap.end..lines.end);
    }

    fn show(&mut self, lines: Range<usize>) {
        if !lines.is_empty() {
            self.runs.push(DiffRun::Context(self.new.code(lines)));
        }
    }

    fn change(&mut self, old: Range<usize>, new: Range<usize>) {
        let code = if self.returns { Side::code_with_returns } else { Side::code };
        let (first_old, first_new) = (old.start, new.start);
        let (mut old, mut new) = (code(&mut self.old, old), code(&mut self.new, new));
        let mut pairs = Vec::new();
        if !self.approximate {
            match words::mark(&texts(&old), &texts(&new), &mut self.budget) {
                Some(marks) => {
                    old.iter_mut().zip(marks.old).for_each(|(line, marks)| line.marks = marks);
                    new.iter_mut().zip(marks.new).for_each(|(line, marks)| line.marks = marks);
                    pairs = marks.pairs;
                }
                None => self.approximate = true,
            }
        }
        old.iter_mut().zip(first_old..).for_each(|(line, at)| line.moved = self.moves.of_old(at));
        new.iter_mut().zip(first_new..).for_each(|(line, at)| line.moved = self.moves.of_new(at));
        self.runs.push(DiffRun::Change { old, new, pairs });
    }

    fn section(&mut self, at: usize) -> Option<String> {
        let (lines, sections) = self.sections.get_or_insert_with(|| {
            let lines = self.new.texts();
            let sections = Sections::of(&lines, self.language);
            (lines, sections)
        });
        sections.above(lines, at)
    }
}

fn texts(lines: &[CodeLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn range(lines: &Range<u32>) -> Range<usize> {
    lines.start as usize..lines.end as usize
}
