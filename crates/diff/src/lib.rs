//! Code edits as view models: which lines and words changed, and what colours the syntax has.
//!
//! A tour, top-down:
//! - [`Outline`]: two texts of which the lines are compared. `compare` does it (histogram diff, between the lines
//!   that `anchors` finds where there is much to compare; `slider` is git's indentation heuristic); `words` pairs lines and
//!   marks the changed words; `moves` finds blocks that only went elsewhere; `section` names what a gap belongs to.
//! - [`Layout`]: its rows with context and gaps, drawn by ranges: the rest of a file of a million lines costs nothing.
//! - [`file_diff`]: all of it as a [`FileDiff`].
//! - [`texts`]: what an edit says of a file, in its own texts or in a unified diff.
//! - [`fold`]: many edits of one file become its net change.
//! - [`hunks`]: a unified diff.
//! - [`Allowance`]: what comparing and folding all files of a session may take.
//! - [`line_counts`]: the `+n -m` of a list, without the rest.
//! - [`highlight`]: a code block to lines with tokens. `syntax` asks `grammar`; `around` says what opened above a
//!   fragment; `hazard` keeps texts from it that it can't bear; `language` is the table of languages and of the file names they go by.
//! - `lines`: how a text becomes lines, and how what can't be seen becomes visible.
//!
//! Pure: no clock and no IO. Work is bounded by sizes and not by a deadline, so that an edit looks the same on a laptop
//! and on a busy server, and a cached view model equals a fresh one. What wasn't done because of a bound is said in
//! [`FileDiff::approximate`]; colours may be missing at any time.
//!
//! Bounds: `compare` takes 100,000,000 comparisons of lines at most, for one difference or for all of a message ([`Texts::among`]);
//! a stretch beyond counts as changed as a whole, and [`FileDiff::is_cut`] says so. [`fold`] goes through 4 GiB of lines; edits
//! beyond stand for themselves. 20,000 lines of both sides (then no moved
//! blocks and no pairs), 8 lines and 512 bytes for words, 64 KiB and 5,000 chars a line for colours (a larger file is coloured by
//! the rows that are drawn).
//!
//! How to add one, a language: its feature in `Cargo.toml` (read its scanner first: see `hazard`), one row in
//! `language.rs` and one in `grammar.rs`. A test compiles every row's grammar.

#![warn(missing_docs)]

mod allowance;
mod anchors;
mod around;
mod compare;
mod edit;
mod fold;
mod grammar;
mod hazard;
mod language;
mod layout;
mod lines;
mod moves;
mod outline;
mod patch;
mod section;
mod slider;
mod syntax;
mod words;

use compare::Bound;
use model::view::{CodeLine, DiffRun, FileDiff};

pub use allowance::Allowance;
pub use edit::{Fragment, Texts, texts};
pub use fold::{Net, Part, Step, fold};
pub use language::language_of;
pub use layout::{Arrangement, ChangePosition, Layout, Row};
pub use outline::{Outline, Which};
pub use patch::{PatchHunk, hunks};

/// The texts to compare, and information about them.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiffInput<'a> {
    /// None: the file is created.
    pub old: Option<&'a str>,
    /// None: the file is deleted.
    pub new: Option<&'a str>,
    /// Name, alias or extension; where it's missing or unknown, `path` decides.
    pub language: Option<&'a str>,
    /// Path of the file: its name or extension decides the language where `language` doesn't. May be empty.
    pub path: &'a str,
    /// Line numbers, from 1, where the old and the new text start in their files; None for a fragment of unknown place.
    pub first_line: Option<(u32, u32)>,
    /// Whether the texts are the whole file. They are where one of them is missing.
    pub is_whole: bool,
    /// Unchanged lines shown around a change; `u32::MAX` shows all.
    pub context: u32,
    /// Whether lines that differ in white space alone are changes.
    pub spaces: Spaces,
    /// How many differences share the bound on work, as those of one message do; 0 and 1 leave all of it to this one.
    pub among: usize,
}

/// Whether white space counts when two lines are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Spaces {
    /// White space counts. Line ends don't where all of them changed alike, as from CRLF to LF.
    #[default]
    Matter,
    /// White space is skipped, also within a line and at its end: `a b` equals `ab`.
    Ignored,
}

/// Difference of one file or fragment.
///
/// - A gap hides more than six lines between two changes, and two lines or more at an end. Its `section` is the header of
///   the function or class in which the lines below it are.
/// - A fragment has no gap at its ends: how much the file has there isn't known. `first_line` and `moved` count from the
///   first line that is shown then.
/// - `no_newline` is set where a side is a whole file, or where the sides differ in it: two fragments without a line end
///   say nothing about the file's end.
/// - `\r` before a line's end isn't part of its text, but shown as `␍` on changed lines when the texts don't end all their
///   lines alike. A `\r` elsewhere is always shown so.
/// - Characters without a width and those that turn the text around are shown as `⟨U+202E⟩`, control characters as their
///   pictures: `␛`.
///
/// ```
/// use diff::{DiffInput, file_diff};
///
/// let (old, new) = (Some("knead\nbake\n"), Some("knead\nbake well\n"));
/// let diff = file_diff(&DiffInput { old, new, path: "plan.txt", is_whole: true, context: 3, ..DiffInput::default() });
/// assert_eq!((diff.added, diff.removed), (1, 1));
/// ```
pub fn file_diff(input: &DiffInput<'_>) -> FileDiff {
    let mut diff = Outline::of(input).file_diff(input.context);
    if !input.is_whole {
        cut_ends(&mut diff);
    }
    diff
}

/// Removes the gaps at both ends of a fragment: "5 unchanged lines" would be taken for all that is there.
pub fn cut_ends(diff: &mut FileDiff) {
    diff.runs.pop_if(|run| matches!(run, DiffRun::Gap { .. }));
    let Some(&DiffRun::Gap { lines: hidden, .. }) = diff.runs.first() else { return };
    diff.runs.remove(0);
    diff.first_line = diff.first_line.map(|(old, new)| (old.saturating_add(hidden), new.saturating_add(hidden)));
    for run in &mut diff.runs {
        let DiffRun::Change { old, new, .. } = run else { continue };
        for line in old.iter_mut().chain(new) {
            line.moved = line.moved.map(|at| at.saturating_sub(hidden));
        }
    }
}

/// Returns the lines added and removed, without words and colours. What is no text has none.
pub fn line_counts(old: Option<&str>, new: Option<&str>) -> (u32, u32) {
    let counts = counts(old, new);
    (counts.added, counts.removed)
}

/// How much differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines.
    pub added: u32,
    /// Lines of the old text that the new one lacks, changed lines included.
    pub removed: u32,
    /// Places in which lines differ, as an [`Outline`] has them.
    pub changes: u32,
    /// Whether stretches were too much work to compare: all of their lines count as changed.
    pub is_cut: bool,
}

/// Counts what differs, without words and colours. What is no text has no lines.
pub fn counts(old: Option<&str>, new: Option<&str>) -> Counts {
    counts_within(old, new, &mut Allowance::default())
}

/// Like [`counts`], with no more steps than are left, which it takes away.
pub fn counts_within(old: Option<&str>, new: Option<&str>, allowance: &mut Allowance) -> Counts {
    counts_bound(old, new, 1, allowance)
}

/// Like [`counts_within`], of one of so many comparisons that share the bound on work of one.
pub(crate) fn counts_bound(old: Option<&str>, new: Option<&str>, among: usize, allowance: &mut Allowance) -> Counts {
    match (old.unwrap_or_default(), new.unwrap_or_default()) {
        (old, new) if old.is_empty() && new.is_empty() => Counts::default(),
        (old, new) if is_binary(Some(old)) || is_binary(Some(new)) => {
            Counts { changes: u32::from(old != new), ..Counts::default() }
        }
        (old, new) => {
            let bound = Bound::among(among).at_most(allowance.compared);
            let changes = compare::changes(old, new, Spaces::Matter, bound);
            allowance.compared = allowance.compared.saturating_sub(changes.work);
            changes.counts()
        }
    }
}

/// Returns true if these are the bytes of an image, written as text or stored elsewhere, or of anything else that has no lines.
fn is_binary(text: Option<&str>) -> bool {
    /// How base64 of PNG, JPEG, GIF and WebP begins.
    const IMAGES: [&str; 4] = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"];
    let is_image = |text: &str| {
        let is_stored = text.strip_prefix("sha256:").is_some_and(|digest| digest.trim_end().len() == 64);
        is_stored || text.starts_with("data:image/") || IMAGES.iter().any(|beginning| text.starts_with(beginning))
    };
    text.is_some_and(|text| text.contains('\0') || is_image(text))
}

/// Returns whether a patch says no more of a file than that its bytes changed, or the bytes themselves.
pub fn is_binary_patch(patch: &str) -> bool {
    patch.lines().any(|line| line.starts_with("Binary files ") || line.starts_with("GIT binary patch"))
}

/// Returns the lines of a code block with their syntax tokens. They have none when the language (name, alias or
/// extension) is unknown or the block too large.
///
/// ```
/// let lines = diff::highlight("rust", "let x = 1;\n");
/// assert_eq!(lines[0].text, "let x = 1;");
/// assert!(!lines[0].tokens.is_empty());
/// ```
pub fn highlight(language: &str, code: &str) -> Vec<CodeLine> {
    let mut side = lines::Side::of(code, language::language_named(language));
    side.is_part = true;
    (0..side.len()).map(|line| side.code(line)).collect()
}
