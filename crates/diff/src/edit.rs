//! The texts of an edit. One that brings a unified diff instead of them says the same: each hunk is a fragment of known place.

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};
use diffy::{Hunk, Line, Patch};
use model::envelope::{EditInfo, EditScope};
use model::message_type::code_edit::{Edit, closed, line_ends_note};
use model::view::{DiffRun, FileChange, FileDiff};
use std::borrow::Cow;

use crate::{Allowance, Counts, DiffInput, Spaces, Step, counts_bound, file_diff};

/// Maximum number of empty last lines that programs trim from a diff.
const TRIMMED_AT_MOST: usize = 3;

/// The texts of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts<'a> {
    /// As the edit's texts say it, or the header of its unified diff.
    pub change: FileChange,
    /// The path that the file had before.
    pub moved_from: Option<Cow<'a, str>>,
    /// In the order of the file, with their lines before the edit and after it.
    pub fragments: Vec<Fragment<'a>>,
    /// A patch that can't be parsed, to be shown unchanged: a binary file, a changed mode, an incomplete diff.
    pub patch: Option<&'a str>,
    /// How many edits share the bound on work.
    edits: usize,
}

/// A part of a file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// None: the file is created.
    pub old: Option<Cow<'a, str>>,
    /// None: the file is deleted.
    pub new: Option<Cow<'a, str>>,
    /// Where the texts begin, from 1; None where unknown.
    pub first_line: Option<(u32, u32)>,
    /// Whether the texts are the whole file.
    pub is_whole: bool,
}

impl Fragment<'_> {
    /// The texts as they are compared: the last lines of a part of unknown place go on in the file.
    fn compared(&self) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
        let closed = match (&self.old, &self.new) {
            (Some(old), Some(new)) if !self.is_whole => closed(old, new, self.first_line.map(|(old, _)| old)),
            _ => None,
        };
        match closed {
            Some((old, new)) => (Some(Cow::Owned(old)), Some(Cow::Owned(new))),
            None => (self.old.as_deref().map(Cow::Borrowed), self.new.as_deref().map(Cow::Borrowed)),
        }
    }
}

/// Returns the texts of an edit, in its own fields or in the unified diff of `info`.
pub fn texts<'a>(edit: &'a Edit, info: &'a EditInfo) -> Texts<'a> {
    let (old, new) = (edit.old_content.as_deref(), edit.new_content.as_deref());
    let moved_from = info.moved_from.as_deref().map(Cow::Borrowed);
    match (old, new, info.patch.as_deref()) {
        (None, None, Some(patch)) => {
            let read = read(patch);
            Texts { moved_from: moved_from.or(read.moved_from), ..read }
        }
        (None, None, None) => {
            // Without a text of a whole file: it was deleted, and nobody recorded what it held.
            let is_gone = info.scope == Some(EditScope::File);
            let change = if is_gone { FileChange::Deleted } else { FileChange::Modified };
            Texts { change, moved_from, fragments: Vec::new(), patch: None, edits: 1 }
        }
        _ => {
            let is_whole = info.scope == Some(EditScope::File) || old.is_none() || new.is_none();
            let first = info.start_line.or(is_whole.then_some(1));
            let fragment = Fragment {
                old: old.map(Cow::Borrowed),
                new: new.map(Cow::Borrowed),
                first_line: first.map(|line| (line, line)),
                is_whole,
            };
            let change = change(old.is_some(), new.is_some());
            Texts { change, moved_from, fragments: vec![fragment], patch: None, edits: 1 }
        }
    }
}

const fn change(was_there: bool, is_there: bool) -> FileChange {
    match (was_there, is_there) {
        (false, true) => FileChange::Added,
        (true, false) => FileChange::Deleted,
        _ => FileChange::Modified,
    }
}

impl Texts<'_> {
    /// As one of so many edits of a message: all of them together take no more work than one alone.
    #[must_use]
    pub fn among(self, edits: usize) -> Self {
        Self { edits, ..self }
    }

    /// How many comparisons share the bound on work.
    fn comparisons(&self) -> usize {
        self.edits.max(1).saturating_mul(self.fragments.len().max(1))
    }

    /// Count of added and of removed lines.
    pub fn line_counts(&self) -> (u32, u32) {
        let counts = self.counts();
        (counts.added, counts.removed)
    }

    /// How much differs.
    pub fn counts(&self) -> Counts {
        self.counts_within(&mut Allowance::default())
    }

    /// Like [`Texts::counts`], with no more steps than are left, which it takes away.
    pub fn counts_within(&self, allowance: &mut Allowance) -> Counts {
        let counts = self.fragments.iter().map(|it| {
            let (old, new) = it.compared();
            counts_bound(old.as_deref(), new.as_deref(), self.comparisons(), allowance)
        });
        counts.fold(Counts::default(), |sum, one| Counts {
            added: sum.added + one.added,
            removed: sum.removed + one.removed,
            changes: sum.changes + one.changes,
            is_cut: sum.is_cut || one.is_cut,
        })
    }

    /// How all lines end now, where they ended in another way before: a sentence.
    pub fn line_ends_note(&self) -> Option<String> {
        self.fragments.iter().find_map(|it| line_ends_note(it.old.as_deref()?, it.new.as_deref()?))
    }

    /// The first line that is other than before, in the file after the edit; None where it isn't known.
    pub fn first_changed_line(&self) -> Option<u32> {
        self.fragments.iter().find_map(|it| {
            let (old, new) = (it.old.as_deref().unwrap_or_default(), it.new.as_deref().unwrap_or_default());
            let same = old.lines().zip(new.lines()).take_while(|(a, b)| a == b).count();
            Some(it.first_line?.1.saturating_add(same as u32))
        })
    }

    /// As steps of a fold: what was done at once comes from the last place to the first.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.fragments.iter().rev().map(|it| Step {
            old: it.old.as_deref(),
            new: it.new.as_deref(),
            first_line: it.first_line.map(|(old, _)| old),
            is_whole: it.is_whole,
            edit: 0,
        })
    }

    /// All fragments as one difference; what is between them is a gap. None without any.
    pub fn file_diff(&self, edit: &Edit, context: u32) -> Option<FileDiff> {
        let mut all: Option<FileDiff> = None;
        let mut end = 0;
        for fragment in &self.fragments {
            let (old, new) = fragment.compared();
            let diff = file_diff(&DiffInput {
                old: old.as_deref(),
                new: new.as_deref(),
                language: edit.language.as_deref(),
                path: &edit.file_path,
                first_line: fragment.first_line,
                is_whole: fragment.is_whole,
                context,
                spaces: Spaces::Matter,
                among: self.comparisons(),
            });
            let lines = old_lines(&diff);
            let first = diff.first_line.map_or(0, |(old, _)| old);
            match &mut all {
                Some(all) => append(all, diff, end),
                None => all = Some(diff),
            }
            end = first.saturating_add(lines);
        }
        all
    }
}

/// Puts a later part of the same file behind what is there; `end` is the line behind that, on the old side.
fn append(all: &mut FileDiff, mut part: FileDiff, end: u32) {
    let (Some(first), Some(next)) = (all.first_line, part.first_line) else { return };
    let skipped = next.0.saturating_sub(end);
    let shift = (next.0.saturating_sub(first.0), next.1.saturating_sub(first.1));
    if skipped > 0 {
        all.runs.push(DiffRun::Gap { lines: skipped, section: None });
    }
    for run in &mut part.runs {
        let DiffRun::Change { old, new, .. } = run else { continue };
        // Moved lines refer to the line of the other side, counted from the first line.
        for line in old {
            line.moved = line.moved.map(|at| at.saturating_add(shift.1));
        }
        for line in new {
            line.moved = line.moved.map(|at| at.saturating_add(shift.0));
        }
    }
    all.runs.append(&mut part.runs);
    all.added += part.added;
    all.removed += part.removed;
    all.approximate |= part.approximate;
    all.is_cut |= part.is_cut;
}

/// Lines of the old side that a difference stands for.
fn old_lines(diff: &FileDiff) -> u32 {
    diff.runs.iter().fold(0, |lines, run| {
        lines.saturating_add(match run {
            DiffRun::Gap { lines, .. } => *lines,
            DiffRun::Context(lines) => lines.len() as u32,
            DiffRun::Change { old, .. } => old.len() as u32,
        })
    })
}

/// A unified diff of one file, with git's head or without.
fn read(patch: &str) -> Texts<'_> {
    let whole = if patch.ends_with('\n') { Cow::Borrowed(patch) } else { Cow::Owned(format!("{patch}\n")) };
    let read = (0..=TRIMMED_AT_MOST).find_map(|lines| match lines {
        0 => read_whole(&whole),
        _ => read_whole(&format!("{whole}{}", " \n".repeat(lines))),
    });
    let (change, moved_from, fragments) = read.unwrap_or((FileChange::Modified, None, Vec::new()));
    // A new path is all that such a head says.
    let is_read = !fragments.is_empty() || (moved_from.is_some() && !patch.contains("\nnew mode "));
    Texts { change, moved_from: moved_from.map(Cow::Owned), fragments, patch: (!is_read).then_some(patch), edits: 1 }
}

type Read = (FileChange, Option<String>, Vec<Fragment<'static>>);

fn read_whole(patch: &str) -> Option<Read> {
    if !patch.starts_with("diff --git ") {
        let patch = Patch::from_str(patch).ok()?;
        let is = |name: Option<&str>| name != Some("/dev/null");
        return text(&patch, change(is(patch.original()), is(patch.modified())), None);
    }
    let mut files = PatchSet::parse(patch, ParseOptions::gitdiff());
    let (Some(Ok(file)), None) = (files.next(), files.next()) else { return None };
    let (change, moved_from) = match file.operation() {
        FileOperation::Create(_) => (FileChange::Added, None),
        FileOperation::Delete(_) => (FileChange::Deleted, None),
        FileOperation::Rename { from, .. } => (FileChange::Modified, Some(from.to_string())),
        FileOperation::Modify { .. } | FileOperation::Copy { .. } => (FileChange::Modified, None),
    };
    match file.patch().as_text() {
        Some(patch) => text(patch, change, moved_from),
        None => Some((change, moved_from, Vec::new())),
    }
}

fn text(patch: &Patch<'_, str>, change: FileChange, moved_from: Option<String>) -> Option<Read> {
    let fragment = |hunk: &Hunk<'_, str>| {
        let (old, new) = sides(hunk);
        let first = |range: diffy::HunkRange| {
            // An empty side is named by the line before it.
            u32::try_from(range.start() + usize::from(range.is_empty())).ok()
        };
        Some(Fragment {
            old: Some(Cow::Owned(old)),
            new: Some(Cow::Owned(new)),
            first_line: Some((first(hunk.old_range())?, first(hunk.new_range())?)),
            is_whole: false,
        })
    };
    let mut fragments = patch.hunks().iter().map(fragment).collect::<Option<Vec<_>>>()?;
    let empty = || Fragment {
        old: Some(Cow::Borrowed("")),
        new: Some(Cow::Borrowed("")),
        first_line: Some((1, 1)),
        is_whole: true,
    };
    match (change, fragments.as_mut_slice()) {
        (FileChange::Modified, _) | (_, [_]) => {}
        (_, []) => fragments.push(empty()),
        // The diff of an added or deleted file has one hunk.
        _ => return None,
    }
    for fragment in &mut fragments {
        fragment.is_whole = change != FileChange::Modified;
        match change {
            FileChange::Added => fragment.old = None,
            FileChange::Deleted => fragment.new = None,
            FileChange::Modified => {}
        }
    }
    fits(patch.hunks()).then_some((change, moved_from, fragments))
}

/// Returns true if the gaps between hunks have the same length on both sides.
fn fits(hunks: &[Hunk<'_, str>]) -> bool {
    let place = |range: diffy::HunkRange| {
        let start = range.start() + usize::from(range.is_empty());
        (start, start + range.len())
    };
    hunks.array_windows().all(|[before, after]| {
        let (old, new) = (place(before.old_range()), place(before.new_range()));
        let (next_old, next_new) = (place(after.old_range()), place(after.new_range()));
        next_old.0.checked_sub(old.1).is_some_and(|gap| next_new.0.checked_sub(new.1) == Some(gap))
    })
}

fn sides(hunk: &Hunk<'_, str>) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    for line in hunk.lines() {
        match line {
            Line::Context(line) => {
                old.push_str(line);
                new.push_str(line);
            }
            Line::Delete(line) => old.push_str(line),
            Line::Insert(line) => new.push_str(line),
        }
    }
    (old, new)
}
