//! Two rankings as one.

use crate::memory::Found;
use std::collections::HashMap;

/// Dampens the first places: to be first in one ranking counts less than to be high in both.
const DAMPING: f64 = 60.0;

/// Puts rankings together by reciprocal rank: what is high in either comes first, what is high in both before that.
/// Scores of words and of meanings can't be compared, places can.
pub(super) fn together(by_words: &[(i64, f64)], by_meaning: &[(i64, f32)]) -> Vec<Found> {
    let mut found: HashMap<i64, Found> = HashMap::new();
    let new = |rid| Found { rid, score: 0.0, by_words: false, by_meaning: false };
    let rankings = if by_meaning.is_empty() { 1.0 } else { 2.0 };
    let worth = |place: usize| (DAMPING + 1.0) / (DAMPING + 1.0 + place as f64) / rankings;
    for (place, (rid, _)) in by_words.iter().enumerate() {
        let it = found.entry(*rid).or_insert_with(|| new(*rid));
        (it.score, it.by_words) = (it.score + worth(place), true);
    }
    for (place, (rid, _)) in by_meaning.iter().enumerate() {
        let it = found.entry(*rid).or_insert_with(|| new(*rid));
        (it.score, it.by_meaning) = (it.score + worth(place), true);
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.rid.cmp(&a.rid)));
    found
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn what_both_find_comes_first() {
        let rids = |words: &[(i64, f64)], meaning: &[(i64, f32)]| {
            together(words, meaning).iter().map(|found| found.rid).collect::<Vec<_>>()
        };
        assert_eq!(rids(&[(1, 9.0), (2, 8.0)], &[(3, 0.9), (2, 0.8)]), [2, 3, 1]);
        assert_eq!(rids(&[(1, 9.0), (2, 9.0)], &[]), [1, 2]);
        assert_eq!(rids(&[], &[(5, 0.1)]), [5]);
        assert_eq!(rids(&[], &[]), [0; 0]);
        assert!(together(&[(1, 2.0)], &[]).iter().all(|found| found.score <= 1.0 && found.by_words));
    }
}
