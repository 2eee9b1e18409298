//! Lines that both sides of a comparison have once: between them, each stretch is compared by itself.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{InternedInput, Token};

/// Lines of both sides that are compared with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// A line that the old side has more often makes the histogram difference give way to Myers' algorithm.
const FEW: u64 = 63;
/// For that one, a line is frequent if the other side has it at least as often as the root of a stretch's lines, or so often.
const OFTEN: u64 = 1_024;

/// Estimates the maximum work to compare a range: the product of the numbers of lines on each side that the other side
/// has too, or the work of looking around frequent lines, if that is more.
pub(crate) fn work<T>(input: &InternedInput<T>, stretch: &Stretch) -> u64 {
    let (before, after) = (&input.before[stretch.before.clone()], &input.after[stretch.after.clone()]);
    if before.is_empty() || after.is_empty() {
        return 0;
    }
    let (old, new) = (occurrences(before), occurrences(after));
    let shared = |lines: &[Token], others: &HashMap<u32, u64>| {
        lines.iter().filter(|token| others.contains_key(&token.0)).count() as u64
    };
    let all = shared(before, &new).saturating_mul(shared(after, &old));
    all.max(lines_above(before, &old, &new).saturating_add(lines_above(after, &old, &old)))
}

/// By kind of line, how often it is there.
fn occurrences(lines: &[Token]) -> HashMap<u32, u64> {
    let mut occurrences = HashMap::new();
    for line in lines {
        *occurrences.entry(line.0).or_default() += 1;
    }
    occurrences
}

/// Lines that Myers' algorithm looks at to drop frequent ones: for each of them those above it, up to the first that isn't
/// frequent, half of all on average.
fn lines_above(lines: &[Token], old: &HashMap<u32, u64>, others: &HashMap<u32, u64>) -> u64 {
    let all = lines.len() as u64;
    let above = |line: &Token| {
        old.get(&line.0).filter(|count| **count > FEW)?;
        let count = *others.get(&line.0)?;
        // It is frequent in a stretch of no more lines than this.
        Some(if count < OFTEN { all.min(count * count) } else { all })
    };
    lines.iter().filter_map(above).fold(0, u64::saturating_add) / 2
}

/// The stretches of `whole` that no pair of equal lines divides further. Takes time in proportion to the lines, but for a
/// search in the pairs.
pub(crate) fn between<T>(input: &InternedInput<T>, whole: &Stretch) -> Vec<Stretch> {
    let (before, after) = (&input.before, &input.after);
    let mut stretches = Vec::new();
    let (mut old, mut new) = (whole.before.start, whole.after.start);
    let mut push = |before: Range<usize>, after: Range<usize>| {
        if !before.is_empty() || !after.is_empty() {
            stretches.push(Stretch { before, after });
        }
    };
    for (at_old, at_new) in pairs(input, whole) {
        if at_old < old || at_new < new {
            continue;
        }
        // Equal lines around the pair belong to it.
        let above = (1..)
            .take_while(|by| at_old >= old + by && at_new >= new + by && before[at_old - by] == after[at_new - by]);
        let above = above.count();
        push(old..at_old - above, new..at_new - above);
        let below = before[at_old..whole.before.end].iter().zip(&after[at_new..whole.after.end]);
        let below = below.take_while(|(a, b)| a == b).count();
        (old, new) = (at_old + below, at_new + below);
    }
    push(old..whole.before.end, new..whole.after.end);
    stretches
}

/// Places of lines that each side has once, in the order of both: a longest increasing subsequence.
fn pairs<T>(input: &InternedInput<T>, whole: &Stretch) -> Vec<(usize, usize)> {
    let kinds = input.interner.num_tokens() as usize;
    let old = once(&input.before, whole.before.clone(), kinds);
    let new = once(&input.after, whole.after.clone(), kinds);
    let mut both: Vec<(usize, usize)> = old.into_iter().zip(new).filter_map(|(a, b)| a.zip(b)).collect();
    both.sort_unstable();
    // The pair that ends the best run of each length, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(both.len());
    for (index, (_, at)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| both[*end].1 < *at);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        run.push(both[index]);
        next = previous[index];
    }
    run.reverse();
    run
}

/// By kind of line: where it is, if it is there once.
fn once(side: &[Token], range: Range<usize>, kinds: usize) -> Vec<Option<usize>> {
    let mut count = vec![0_u8; kinds];
    let mut place = vec![None; kinds];
    for at in range {
        let kind = side[at].0 as usize;
        count[kind] = count[kind].saturating_add(1);
        place[kind] = (count[kind] == 1).then_some(at);
    }
    place
}
