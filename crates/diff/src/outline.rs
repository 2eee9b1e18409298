//! A difference of which the lines are compared, and the rest is found for the rows that are looked at.
//!
//! A file of a million lines is opened and left in the middle: what isn't drawn is neither coloured nor copied.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use imara_diff::Hunk;
use model::message_type::code_edit::line_ends_note;
use model::view::{CodeLine, FileChange};

use crate::compare::{self, Bound, Changes};
use crate::language::{language_named, language_of};
use crate::lines::{Ends, Side};
use crate::moves::{self, Moves};
use crate::section::Sections;
use crate::words::{self, Budget, Marks};
use crate::{DiffInput, Spaces};

/// Lines of both sides together; beyond that no moved blocks are looked for, and lines are paired by their order.
const MAX_LINES: usize = 20_000;

/// Two texts and which of their lines changed.
#[derive(Debug)]
pub struct Outline {
    pub(crate) old: Arc<Side>,
    pub(crate) new: Arc<Side>,
    pub(crate) change: FileChange,
    pub(crate) first_line: Option<(u32, u32)>,
    pub(crate) language: Option<&'static str>,
    pub(crate) hunks: Vec<Hunk>,
    /// True if a range is shown as changed without being compared.
    is_cut: bool,
    among: usize,
    /// True if carriage returns at the ends of changed lines are shown.
    returns: bool,
    /// None: the file is large.
    details: Option<Details>,
    sections: OnceLock<Sections>,
}

/// Details of a file that isn't large.
#[derive(Debug)]
struct Details {
    /// Marks of each hunk; None if the work would be too much.
    marks: Vec<Option<Marks>>,
    moves: Moves,
}

/// The compared texts.
struct Texts {
    old: Arc<Side>,
    new: Arc<Side>,
    change: FileChange,
    first_line: Option<(u32, u32)>,
    language: Option<&'static str>,
}

/// One of the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The text before the change.
    Old,
    /// The text after the change.
    New,
}

impl Outline {
    /// Compares the lines. `context` of the input counts when they are laid out.
    pub fn of(input: &DiffInput<'_>) -> Self {
        let language = input.language.and_then(language_named).or_else(|| language_of(input.path));
        let side = |text: Option<&str>| Side::of(text.unwrap_or_default(), language);
        let (mut old, mut new) = (side(input.old), side(input.new));
        let is_whole = input.is_whole || input.old.is_none() || input.new.is_none();
        let (ends_old, ends_new) = (old.has_open_end(), new.has_open_end());
        // Two fragments without an end say nothing about the end of the file.
        let marks_ends = is_whole || (ends_old != ends_new && old.len() > 0 && new.len() > 0);
        old.marks_end = marks_ends && ends_old;
        new.marks_end = marks_ends && ends_new;
        (old.is_part, new.is_part) = (!is_whole, !is_whole);
        let change = match (input.old, input.new) {
            (None, Some(_)) => FileChange::Added,
            (Some(_), None) => FileChange::Deleted,
            _ => FileChange::Modified,
        };
        let first_line = input.first_line.or_else(|| is_whole.then_some((1, 1)));
        Self::compare(
            Texts { old: Arc::new(old), new: Arc::new(new), change, first_line, language },
            input.spaces,
            input.among,
        )
    }

    /// Compares the same texts again, with white space treated in another way.
    #[must_use]
    pub fn with_spaces(&self, spaces: Spaces) -> Self {
        let (old, new) = (Arc::clone(&self.old), Arc::clone(&self.new));
        let texts = Texts { old, new, change: self.change, first_line: self.first_line, language: self.language };
        Self::compare(texts, spaces, self.among)
    }

    fn compare(texts: Texts, spaces: Spaces, among: usize) -> Self {
        let Texts { old, new, change, first_line, language } = texts;
        let Changes { hunks, is_cut, .. } = match change {
            FileChange::Added | FileChange::Deleted if old.len() + new.len() > 0 => {
                let all = Hunk { before: 0..old.len() as u32, after: 0..new.len() as u32 };
                Changes { hunks: vec![all], ..Changes::default() }
            }
            _ => compare::changes(old.raw(), new.raw(), spaces, Bound::among(among)),
        };
        let is_large = old.len() + new.len() > MAX_LINES;
        let returns = Ends::of(old.raw()).differ(Ends::of(new.raw()));
        let mut outline = Self {
            old,
            new,
            change,
            first_line,
            language,
            hunks,
            is_cut,
            among,
            returns,
            details: None,
            sections: OnceLock::new(),
        };
        if !is_large {
            outline.details = Some(outline.details());
        }
        outline
    }

    fn details(&self) -> Details {
        let moves = moves::find(&self.old.texts(), &self.new.texts(), &self.hunks, self.among);
        let mut budget = Some(Budget::among(self.among));
        let mut mark = |hunk: &Hunk| {
            if !words::is_small(hunk) {
                return budget.is_some().then(Marks::default);
            }
            let (old, new) = self.texts(hunk);
            let found = budget.as_mut().and_then(|budget| words::mark(&old, &new, budget));
            if found.is_none() {
                budget = None;
            }
            found
        };
        Details { marks: self.hunks.iter().map(&mut mark).collect(), moves }
    }

    /// The lines of a hunk as they are shown.
    fn texts(&self, hunk: &Hunk) -> (Vec<Cow<'_, str>>, Vec<Cow<'_, str>>) {
        (
            hunk.before.clone().map(|line| self.changed_text(Which::Old, line as usize)).collect(),
            hunk.after.clone().map(|line| self.changed_text(Which::New, line as usize)).collect(),
        )
    }

    pub(crate) fn changed_text(&self, which: Which, line: usize) -> Cow<'_, str> {
        let side = self.side(which);
        if self.returns { side.line_with_return(line) } else { Cow::Borrowed(side.line(line)) }
    }

    /// Returns whether stretches were too much work to compare: all of their lines count as changed.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether something was left out because the file is large.
    pub fn approximate(&self) -> bool {
        self.details.as_ref().is_none_or(|details| details.marks.iter().any(Option::is_none))
    }

    pub(crate) fn is_large(&self) -> bool {
        self.details.is_none()
    }

    /// Returns whether the file was added, modified or deleted: without an old text it is added, without a new one
    /// deleted.
    pub fn change(&self) -> FileChange {
        self.change
    }

    /// Returns the line numbers, from 1, at which both texts start in their files; None where unknown.
    pub fn first_line(&self) -> Option<(u32, u32)> {
        self.first_line
    }

    /// Returns how many lines a side has.
    pub fn len(&self, which: Which) -> usize {
        self.side(which).len()
    }

    /// Returns whether a line of either side has more bytes.
    pub fn has_longer_line(&self, bytes: usize) -> bool {
        [&self.old, &self.new].into_iter().any(|side| side.has_longer_line(bytes))
    }

    pub(crate) fn side(&self, which: Which) -> &Side {
        match which {
            Which::Old => &self.old,
            Which::New => &self.new,
        }
    }

    /// A line with all that is known about it but for the colours of a large file. `hunk` is the one that it belongs to.
    pub(crate) fn line(&self, which: Which, line: usize, hunk: Option<usize>, marks: Option<&Marks>) -> CodeLine {
        let mut code = self.side(which).code(line);
        let Some(hunk) = hunk.and_then(|hunk| self.hunks.get(hunk)) else { return code };
        if self.returns {
            code.text = self.changed_text(which, line).into_owned();
        }
        let (first, of) = match which {
            Which::Old => (hunk.before.start, marks.map(|marks| &marks.old)),
            Which::New => (hunk.after.start, marks.map(|marks| &marks.new)),
        };
        if let Some(marks) = of.and_then(|marks| marks.get(line - first as usize)) {
            code.marks.clone_from(marks);
        }
        code.moved = self.details.as_ref().and_then(|details| match which {
            Which::Old => details.moves.of_old(line),
            Which::New => details.moves.of_new(line),
        });
        code
    }

    /// Changed words of a hunk, and which lines are pairs.
    pub(crate) fn marks(&self, hunk: usize) -> Option<Cow<'_, Marks>> {
        if let Some(details) = &self.details {
            return details.marks.get(hunk)?.as_ref().map(Cow::Borrowed);
        }
        let hunk = self.hunks.get(hunk).filter(|hunk| words::is_small(hunk))?;
        let (old, new) = self.texts(hunk);
        words::mark(&old, &new, &mut Budget::for_file()).map(Cow::Owned)
    }

    /// Lines of a hunk of which one became the other. Of a large file they aren't known.
    pub(crate) fn pairs(&self, hunk: usize) -> &[(u32, u32)] {
        let marks = self.details.as_ref().and_then(|details| details.marks.get(hunk)?.as_ref());
        marks.map(|marks| marks.pairs.as_slice()).unwrap_or_default()
    }

    /// Header of what the line of the new side belongs to.
    pub(crate) fn section(&self, line: usize) -> Option<String> {
        self.sections.get_or_init(|| Sections::of(&self.new, self.language)).above(&self.new, line)
    }

    /// How all lines end now, where they ended in another way before: a sentence.
    pub fn line_ends_note(&self) -> Option<String> {
        line_ends_note(self.old.text(), self.new.text())
    }
}
