//! Lines of two texts compared.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use model::message_type::code_edit::{changed_line_ends, line_changes};
use std::ops::Range;

use crate::Spaces;
use crate::lines::{self, Compared};
use crate::slider;

pub(crate) fn line_counts(old: &str, new: &str) -> (u32, u32) {
    let diff = Diff::compute(Algorithm::Histogram, &interned(old, new, Spaces::Matter));
    let counts = (diff.count_additions(), diff.count_removals());
    match fewer(old, new, counts) {
        Some(hunks) => total(&hunks),
        None => counts,
    }
}

fn total(hunks: &[Hunk]) -> (u32, u32) {
    hunks.iter().fold((0, 0), |sum, hunk| (sum.0 + hunk.after.len() as u32, sum.1 + hunk.before.len() as u32))
}

/// A difference of fewer lines than the one by histograms has, if there is one. That one reads best, but agents' own
/// patches count the fewest lines.
fn fewer(old: &str, new: &str, (added, removed): (u32, u32)) -> Option<Vec<Hunk>> {
    if added == 0 || removed == 0 {
        return None;
    }
    let range = |lines: Range<usize>| lines.start as u32..lines.end as u32;
    let changes = line_changes(old, new).into_iter();
    let hunks: Vec<Hunk> = changes.map(|(before, after)| Hunk { before: range(before), after: range(after) }).collect();
    let (plus, minus) = total(&hunks);
    (plus + minus < added + removed).then_some(hunks)
}

/// The same, and in how many places.
pub(crate) fn counts(old: &str, new: &str) -> crate::Counts {
    let mut counts = crate::Counts::default();
    for hunk in hunks(old, new, Spaces::Matter) {
        counts.added += hunk.after.len() as u32;
        counts.removed += hunk.before.len() as u32;
        counts.changes += 1;
    }
    counts
}

pub(crate) fn hunks(old: &str, new: &str, spaces: Spaces) -> Vec<Hunk> {
    let input = interned(old, new, spaces);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    if spaces == Spaces::Matter
        && let Some(hunks) = fewer(old, new, (diff.count_additions(), diff.count_removals()))
    {
        return hunks;
    }
    let indents: Vec<Option<i32>> = (0..input.interner.num_tokens())
        .map(|token| slider::indent(input.interner[imara_diff::Token(token)].line.as_bytes()))
        .collect();
    let indent_of = |token: imara_diff::Token| indents.get(token.0 as usize).copied().flatten();
    diff.postprocess_with_heuristic(&input, slider::GitSlider(indent_of));
    diff.hunks().collect()
}

fn interned<'a>(old: &'a str, new: &'a str, spaces: Spaces) -> InternedInput<Compared<'a>> {
    let is_any_end = changed_line_ends(old, new).is_some();
    let compared = |text| lines::raw(text).map(move |line| Compared { line, spaces, is_any_end });
    let mut input = InternedInput::default();
    input.update_before(compared(old));
    input.update_after(compared(new));
    input
}
