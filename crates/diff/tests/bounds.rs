//! Work has a bound, counted in steps.

use diff::{Allowance, Counts, DiffInput, counts, counts_within, file_diff};
use model::view::DiffRun;

/// So many lines of so few kinds that none tells where it belongs, in an order that follows from `seed`.
fn shuffled(lines: u64, kinds: u64, seed: u64) -> String {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("line of kind {}\n", (state >> 33) % kinds)
    };
    (0..lines).map(next).collect()
}

fn compared(old: &str, new: &str, among: usize) -> model::view::FileDiff {
    file_diff(&DiffInput {
        old: Some(old),
        new: Some(new),
        path: "a.txt",
        is_whole: true,
        context: 3,
        among,
        ..DiffInput::default()
    })
}

#[test]
fn lines_that_are_too_many_to_compare_are_all_changed() {
    let (old, new) = (shuffled(40_000, 50, 1), shuffled(40_000, 50, 2));
    let counts = counts(Some(&old), Some(&new));
    assert!(counts.is_cut);
    assert!((39_000..=40_000).contains(&counts.added) && counts.added == counts.removed, "{counts:?}");
    let diff = compared(&old, &new, 1);
    assert_eq!((diff.is_cut, diff.added, diff.removed), (true, counts.added, counts.removed));
    let few = (shuffled(2_000, 50, 1), shuffled(2_000, 50, 2));
    let diff = compared(&few.0, &few.1, 1);
    assert!(!diff.is_cut && diff.added < 2_000, "{}", diff.added);
}

/// Few lines of the other side, and yet much work: frequent lines among many others.
#[test]
fn frequent_lines_among_many_others_are_all_changed() {
    let many: String = (0..90_000).map(|n| format!("a\n{n}\n-{n}\n+{n}\n.{n}\n")).collect();
    let few = "a\n".repeat(1_024);
    assert_eq!(counts(Some(&many), Some(&few)), Counts { added: 1_023, removed: 449_999, changes: 1, is_cut: true });
    assert_eq!(counts(Some(&few), Some(&many)), Counts { added: 449_999, removed: 1_023, changes: 1, is_cut: true });
    let (many, few) = (shuffled(130_000, 2, 1), shuffled(740, 2, 2));
    assert!(counts(Some(&many), Some(&few)).is_cut);
    // Lines that occur a few times on one side alone are found, however long the other side is.
    let (many, few) = (shuffled(130_000, 2, 1), shuffled(20, 2, 2));
    let counts = counts(Some(&many), Some(&few));
    assert!(!counts.is_cut && counts.added < 20, "{counts:?}");
}

/// Two lines of many that tell nothing of where they belong.
#[test]
fn two_lines_changed_among_lines_of_two_kinds() {
    let old: String = (0_u32..28_392).map(|n| if n.count_ones().is_multiple_of(2) { "a\n" } else { "b\n" }).collect();
    let mut new = old.clone().into_bytes();
    for line in [100, 20_000] {
        new[2 * line] ^= b'a' ^ b'b';
    }
    let counts = counts(Some(&old), Some(std::str::from_utf8(&new).expect("text")));
    assert_eq!((counts.added, counts.removed, counts.is_cut), (19_901, 19_901, true));
}

/// Edits of one message share the bound.
#[test]
fn many_differences_take_no_more_than_one() {
    let (old, new) = (shuffled(2_000, 50, 1), shuffled(2_000, 50, 2));
    assert!(!compared(&old, &new, 10).is_cut);
    assert!(compared(&old, &new, 100).is_cut);
}

/// Equal lines in between are found however long the texts are.
#[test]
fn a_long_text_with_few_changes_is_compared_line_by_line() {
    let line = |n: u32, changed: bool| {
        let kind = if changed { "new" } else { "old" };
        if n.is_multiple_of(1_000) { format!("{kind} {n}\n") } else { format!("{n}\n}}\n") }
    };
    let old: String = (1..=50_000).map(|n| line(n, false)).collect();
    let new: String = (1..=50_000).map(|n| line(n, true)).collect();
    let counts = counts(Some(&old), Some(&new));
    assert_eq!(counts, Counts { added: 50, removed: 50, changes: 50, is_cut: false });
}

#[test]
fn an_allowance_is_spent_and_then_nothing_more_is_compared() {
    let (old, new) = (shuffled(5_000, 50, 1), shuffled(5_000, 50, 2));
    let mut allowance = Allowance { compared: 60_000_000, ..Allowance::default() };
    let mut cut = Vec::new();
    for _ in 0..4 {
        cut.push(counts_within(Some(&old), Some(&new), &mut allowance).is_cut);
    }
    // Each takes 25,000,000.
    assert_eq!(cut, [false, false, true, true]);
    assert!((10_000_000..12_000_000).contains(&allowance.compared), "{}", allowance.compared);
}

/// A line that is everywhere is tried in some places only, and what moved is still found where there is little of it.
#[test]
fn blocks_that_moved_are_found_among_equal_lines() {
    let block = "fn first() {\n    one();\n    two();\n    three();\n}\n";
    let rest: String = (0..300).map(|n| format!("fn f{n}() {{\n    call();\n}}\n")).collect();
    let diff = compared(&format!("{block}{rest}"), &format!("{rest}{block}"), 1);
    let moved = diff.runs.iter().filter_map(|run| match run {
        DiffRun::Change { old, .. } => Some(old.iter().filter(|line| line.moved.is_some()).count()),
        _ => None,
    });
    assert_eq!(moved.sum::<usize>(), 5);
}
