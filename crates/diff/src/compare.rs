//! Lines of two texts compared.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use crate::Spaces;
use crate::lines::{self, Compared};
use crate::slider;

pub(crate) fn line_counts(old: &str, new: &str) -> (u32, u32) {
    let diff = Diff::compute(Algorithm::Histogram, &interned(old, new, Spaces::Matter));
    (diff.count_additions(), diff.count_removals())
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
    let indents: Vec<Option<i32>> = (0..input.interner.num_tokens())
        .map(|token| slider::indent(input.interner[imara_diff::Token(token)].line.as_bytes()))
        .collect();
    let indent_of = |token: imara_diff::Token| indents.get(token.0 as usize).copied().flatten();
    diff.postprocess_with_heuristic(&input, slider::GitSlider(indent_of));
    diff.hunks().collect()
}

fn interned<'a>(old: &'a str, new: &'a str, spaces: Spaces) -> InternedInput<Compared<'a>> {
    let compared = |text| lines::raw(text).map(move |line| Compared { line, spaces });
    let mut input = InternedInput::default();
    input.update_before(compared(old));
    input.update_after(compared(new));
    input
}
