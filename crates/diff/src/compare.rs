//! Lines of two texts compared, with a bound on the work.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};
use model::message_type::code_edit::{changed_line_ends, line_changes_among};

use crate::Spaces;
use crate::anchors::{self, Stretch};
use crate::lines::{self, Compared};
use crate::slider;

/// Most work of one comparison, or of all comparisons of one message, as [`anchors::work`] counts it: the lines of a stretch that
/// the other side has too, times those of the other side. 10,000 lines of few kinds compared with as many others are within it.
const MAX_WORK: u64 = 100_000_000;

/// Most comparisons of lines by which a difference of fewer lines is looked for.
const FEWER_WORK: u64 = 1 << 20;

/// Work limit of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    work: u64,
    /// How many comparisons share what looking for a difference of fewer lines takes.
    among: usize,
}

impl Bound {
    /// For one of so many comparisons, 0 or 1 for all of it.
    pub(crate) fn among(comparisons: usize) -> Self {
        Self { work: MAX_WORK / comparisons.max(1) as u64, among: comparisons }
    }

    /// With no more steps than these.
    pub(crate) fn at_most(self, steps: u64) -> Self {
        Self { work: self.work.min(steps), among: if steps < FEWER_WORK { usize::MAX } else { self.among } }
    }
}

/// The lines that differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) hunks: Vec<Hunk>,
    /// True if a range was too large to compare, and counts as changed.
    pub(crate) is_cut: bool,
    /// Steps that it took, at most.
    pub(crate) work: u64,
}

impl Changes {
    pub(crate) fn counts(&self) -> crate::Counts {
        let (added, removed) = total(&self.hunks);
        crate::Counts { added, removed, changes: self.hunks.len() as u32, is_cut: self.is_cut }
    }
}

fn total(hunks: &[Hunk]) -> (u32, u32) {
    hunks.iter().fold((0, 0), |sum, hunk| (sum.0 + hunk.after.len() as u32, sum.1 + hunk.before.len() as u32))
}

/// Compares the lines of two texts.
pub(crate) fn changes(old: &str, new: &str, spaces: Spaces, bound: Bound) -> Changes {
    if old.is_empty() || new.is_empty() {
        return one_sided(old, new);
    }
    let input = interned(old, new, spaces);
    let slider = Slider::of(&input);
    let whole = whole(&input);
    let work = anchors::work(&input, &whole);
    if work > bound.work {
        return piecewise(&input, &whole, bound.work, &slider);
    }
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    // The difference by histograms reads best, but agents' own patches count the fewest lines.
    let counts = (diff.count_additions(), diff.count_removals());
    let all = (whole.before.len() as u64).saturating_mul(whole.after.len() as u64);
    let work = work.saturating_add(if all <= FEWER_WORK { all } else { 0 });
    if spaces == Spaces::Matter
        && let Some(hunks) = fewer(old, new, counts, bound.among)
    {
        return Changes { hunks, is_cut: false, work };
    }
    diff.postprocess_with_heuristic(&input, slider.heuristic(|token| token));
    Changes { hunks: diff.hunks().collect(), is_cut: false, work }
}

/// Returns the changes of a new or deleted file. No lines are compared, whatever its size.
fn one_sided(old: &str, new: &str) -> Changes {
    let lines = |text| 0..lines::raw(text).count() as u32;
    let all = Hunk { before: lines(old), after: lines(new) };
    let hunks = if old == new { Vec::new() } else { vec![all] };
    Changes { hunks, is_cut: false, work: 0 }
}

/// A difference of fewer lines, if there is one.
fn fewer(old: &str, new: &str, (added, removed): (u32, u32), among: usize) -> Option<Vec<Hunk>> {
    if added == 0 || removed == 0 {
        return None;
    }
    let range = |lines: Range<usize>| lines.start as u32..lines.end as u32;
    let changes = line_changes_among(old, new, among).into_iter();
    let hunks: Vec<Hunk> = changes.map(|(before, after)| Hunk { before: range(before), after: range(after) }).collect();
    let (plus, minus) = total(&hunks);
    (plus + minus < added + removed).then_some(hunks)
}

/// All but the lines that are equal at both ends.
fn whole(input: &InternedInput<Compared<'_>>) -> Stretch {
    let (before, after) = (&input.before, &input.after);
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let tail = before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    Stretch { before: head..before.len() - tail, after: head..after.len() - tail }
}

/// Compares the stretches between lines that both sides have once, the cheapest ones first.
fn piecewise(input: &InternedInput<Compared<'_>>, whole: &Stretch, max: u64, slider: &Slider) -> Changes {
    let stretches = anchors::between(input, whole).into_iter();
    let mut stretches: Vec<(u64, Stretch)> =
        stretches.map(|stretch| (anchors::work(input, &stretch), stretch)).collect();
    stretches.sort_by_key(|(work, stretch)| (*work, stretch.before.start, stretch.after.start));
    let (mut left, mut changes) = (max, Changes::default());
    for (work, stretch) in stretches {
        if let Some(rest) = left.checked_sub(work) {
            left = rest;
            changes.work += work;
            changes.hunks.extend(within(input, &stretch, slider));
        } else {
            changes.is_cut = true;
            let range = |lines: Range<usize>| lines.start as u32..lines.end as u32;
            changes.hunks.push(Hunk { before: range(stretch.before), after: range(stretch.after) });
        }
    }
    changes.hunks.sort_by_key(|hunk| (hunk.before.start, hunk.after.start));
    changes
}

/// Compares one stretch. Its lines are numbered anew: the comparison takes room for each number.
fn within(input: &InternedInput<Compared<'_>>, stretch: &Stretch, slider: &Slider) -> Vec<Hunk> {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut tokens: Vec<Token> = Vec::new();
    let mut numbered = |side: &[Token]| -> Vec<Token> {
        let number = |token: &Token| {
            Token(*numbers.entry(token.0).or_insert_with(|| {
                tokens.push(*token);
                tokens.len() as u32 - 1
            }))
        };
        side.iter().map(number).collect()
    };
    let before = numbered(&input.before[stretch.before.clone()]);
    let after = numbered(&input.after[stretch.after.clone()]);
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Histogram, &before, &after, tokens.len() as u32);
    let token_of = |token: Token| tokens.get(token.0 as usize).copied().unwrap_or(token);
    diff.postprocess_with(&before, &after, slider.heuristic(token_of));
    let shift = |lines: Range<u32>, by: usize| lines.start + by as u32..lines.end + by as u32;
    let hunks = diff.hunks().map(|hunk| Hunk {
        before: shift(hunk.before, stretch.before.start),
        after: shift(hunk.after, stretch.after.start),
    });
    hunks.collect()
}

/// How far the lines are indented.
struct Slider(Vec<Option<i32>>);

impl Slider {
    fn of(input: &InternedInput<Compared<'_>>) -> Self {
        let indent = |token| slider::indent(input.interner[Token(token)].line.as_bytes());
        Self((0..input.interner.num_tokens()).map(indent).collect())
    }

    fn heuristic(&self, token_of: impl Fn(Token) -> Token) -> slider::GitSlider<impl Fn(Token) -> Option<i32>> {
        slider::GitSlider(move |token| self.0.get(token_of(token).0 as usize).copied().flatten())
    }
}

fn interned<'a>(old: &'a str, new: &'a str, spaces: Spaces) -> InternedInput<Compared<'a>> {
    let is_any_end = changed_line_ends(old, new).is_some();
    let compared = |text| lines::raw(text).map(move |line| Compared { line, spaces, is_any_end });
    let mut input = InternedInput::default();
    input.update_before(compared(old));
    input.update_after(compared(new));
    input
}
