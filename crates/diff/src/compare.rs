//! Lines of two texts compared.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use model::message_type::code_edit::{MAX_WORK, changed_line_ends};

use crate::Spaces;
use crate::lines::{self, Compared};
use crate::slider;

pub(crate) fn line_counts(old: &str, new: &str) -> (u32, u32) {
    let diff = shortest(&interned(old, new, Spaces::Matter));
    (diff.count_additions(), diff.count_removals())
}

/// The difference by histograms, which reads best, if it has no more lines than there must be: agents' own patches count
/// the fewest. Large ones aren't compared twice.
fn shortest(input: &InternedInput<Compared<'_>>) -> Diff {
    let best = Diff::compute(Algorithm::Histogram, input);
    let changed = |diff: &Diff| u64::from(diff.count_additions()) + u64::from(diff.count_removals());
    let work = u64::from(best.count_additions()) * u64::from(best.count_removals());
    if work == 0 || work > MAX_WORK as u64 {
        return best;
    }
    let fewest = Diff::compute(Algorithm::MyersMinimal, input);
    if changed(&fewest) < changed(&best) { fewest } else { best }
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
    let mut diff = shortest(&input);
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
