//! Many edits of one file, folded.

use diff::{Allowance, Net, Part, Step, fold, hunks};
use model::view::FileChange;
use proptest::prelude::*;

fn step<'a>(old: &'a str, new: &'a str, line: u32) -> Step<'a> {
    Step { old: Some(old), new: Some(new), first_line: Some(line), is_whole: false, edit: 0 }
}

fn folded<'a>(steps: impl IntoIterator<Item = Step<'a>>) -> Net {
    fold(steps, &mut Allowance::default())
}

fn part(old: &str, new: &str, first_line: (u32, u32)) -> Part {
    Part {
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        first_line: Some(first_line),
        is_whole: false,
        edit: None,
    }
}

#[test]
fn edits_of_the_same_lines_are_one() {
    let net = folded([step("a\nb\nc\n", "a\nB\nc\n", 5), step("B\nc\nd\n", "BB\nd\n", 6)]);
    assert_eq!(net.parts, [part("a\nb\nc\nd\n", "a\nBB\nd\n", (5, 5))]);
}

#[test]
fn edits_that_take_each_other_back_are_none() {
    let net = folded([step("a\n", "b\n", 1), step("b\n", "a\n", 1)]);
    assert_eq!((net.parts, net.change, net.is_broken), (Vec::new(), FileChange::Modified, false));
}

#[test]
fn a_part_behind_another_moves_with_it() {
    let net = folded([step("x\n", "y\n", 20), step("a\n", "a\nb\nc\n", 3)]);
    assert_eq!(net.parts, [part("a\n", "a\nb\nc\n", (3, 3)), part("x\n", "y\n", (20, 22))]);
}

#[test]
fn a_place_beyond_all_numbers_is_the_last_one() {
    let net = folded([step("a\n", "b\n", 1), step("x\n", "y\n", u32::MAX), step("b\n", "b\nc\n", 1)]);
    assert_eq!(net.parts[1], part("x\n", "y\n", (u32::MAX, u32::MAX)));
}

#[test]
fn a_created_file_stays_created_whatever_is_edited_in_it() {
    let created = Step { new: Some("a\nb\n"), is_whole: true, ..Step::default() };
    let net = folded([created, step("b\n", "B\n", 2)]);
    let whole =
        Part { old: None, new: Some("a\nB\n".to_owned()), first_line: Some((1, 1)), is_whole: true, edit: None };
    assert_eq!((net.change, net.parts), (FileChange::Added, vec![whole]));
}

#[test]
fn a_fragment_is_found_in_what_is_known() {
    let loose = |old, new| Step { old: Some(old), new: Some(new), ..Step::default() };
    let net = folded([step("let a = 1;\n", "let a = 2;\n", 4), loose("a = 2", "a = 3"), loose("elsewhere", "here")]);
    let fragment = Part {
        old: Some("elsewhere".to_owned()),
        new: Some("here".to_owned()),
        first_line: None,
        is_whole: false,
        edit: Some(0),
    };
    assert_eq!(net.parts, [part("let a = 1;\n", "let a = 3;\n", (4, 4)), fragment]);
}

#[test]
fn what_contradicts_is_kept_apart() {
    let net = folded([step("a\n", "b\n", 1), step("c\n", "d\n", 1)]);
    assert!(net.is_broken);
    assert_eq!(net.parts, [part("a\n", "b\n", (1, 1)), part("c\n", "d\n", (1, 1))]);
}

#[test]
fn a_file_that_is_written_over_was_there() {
    let written = Step { new: Some("z\n"), is_whole: true, ..Step::default() };
    let whole = Part { old: None, new: Some("z\n".to_owned()), first_line: Some((1, 1)), is_whole: true, edit: None };
    let net = folded([step("a\n", "b\n", 5), written]);
    assert_eq!((net.change, net.is_broken), (FileChange::Modified, true));
    assert_eq!(net.parts, [part("a\n", "b\n", (5, 5)), whole.clone()]);
    // Also where nothing is left of the edits before.
    let net = folded([step("a\n", "b\n", 5), step("b\n", "a\n", 5), written]);
    assert_eq!((net.change, net.parts), (FileChange::Modified, vec![whole]));
}

#[test]
fn a_deleted_file_is_deleted() {
    let deleted = Step { old: Some("a\nB\n"), is_whole: true, ..Step::default() };
    let net = folded([step("b\n", "B\n", 2), deleted]);
    let whole =
        Part { old: Some("a\nb\n".to_owned()), new: None, first_line: Some((1, 1)), is_whole: true, edit: None };
    assert_eq!((net.change, net.parts, net.is_broken), (FileChange::Deleted, vec![whole], false));
}

#[test]
fn a_patch_has_the_lines_around() {
    let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
    let new = old.replace("10\n", "ten\n").replace("20\n", "20");
    let hunks = hunks(&old, &new, 1);
    let text: Vec<String> = hunks.iter().map(|hunk| format!("{:?} {:?}\n{}", hunk.old, hunk.new, hunk.text)).collect();
    insta::assert_snapshot!(text.concat(), @r"
    8..11 8..11
     9
    -10
    +ten
     11
    18..20 18..20
     19
    -20
    +20
    \ No newline at end of file
    ");
}

/// A file, and edits of it: place, lines that go, lines that come.
fn edits() -> impl Strategy<Value = (usize, Vec<(usize, usize, usize)>)> {
    (1_usize..40, prop::collection::vec((0_usize..60, 0_usize..6, 0_usize..6), 1..12))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Putting the parts' new lines in the place of their old ones gives the file as it became.
    #[test]
    fn the_net_change_is_the_sum_of_the_edits((size, edits) in edits(), around in 0_usize..4) {
        let before: Vec<String> = (0..size).map(|n| format!("line {n}\n")).collect();
        let mut file = before.clone();
        let mut windows = Vec::new();
        for (number, &(at, gone, come)) in edits.iter().enumerate() {
            let at = at.min(file.len());
            let end = (at + gone).min(file.len());
            let (from, to) = (at.saturating_sub(around), (end + around).min(file.len()));
            let old = file[from..to].concat();
            file.splice(at..end, (0..come).map(|n| format!("edit {number} line {n}\n")));
            let new = file[from..to + come - (end - at)].concat();
            // An edit without an old text has no place.
            if old.is_empty() {
                return Ok(());
            }
            windows.push((old, new, from as u32 + 1));
        }
        let net = folded(windows.iter().map(|(old, new, line)| step(old, new, *line)));
        prop_assert!(!net.is_broken);
        let mut result = before;
        for part in net.parts.iter().rev() {
            let (old, new) = (part.old.as_deref().unwrap_or_default(), part.new.as_deref().unwrap_or_default());
            let at = part.first_line.unwrap_or((1, 1)).0 as usize - 1;
            let length = old.lines().count();
            prop_assert_eq!(result[at..at + length].concat(), old);
            result.splice(at..at + length, new.split_inclusive('\n').map(str::to_owned));
        }
        prop_assert_eq!(result.concat(), file.concat());
    }
}

fn loose<'a>(old: &'a str, new: &'a str, edit: usize) -> Step<'a> {
    Step { old: Some(old), new: Some(new), edit, ..Step::default() }
}

#[test]
fn an_edit_of_unknown_place_is_found_in_what_was_read_before_it() {
    let read = "fn sow() {\n    let a = 1;\n}\n";
    let net = folded([step(read, read, 20), loose("a = 1", "a = 2;\n    let b = 3", 1), loose("b = 3", "b = 4", 2)]);
    assert_eq!(net.parts, [part("    let a = 1;\n", "    let a = 2;\n    let b = 4;\n", (21, 21))]);
}

#[test]
fn an_edit_of_unknown_place_is_found_in_what_was_read_after_it() {
    let read = "one\ntwo\nlet a = 2;\nthree\nlet b = 5;\nmore\n";
    let net =
        folded([loose("b = 4", "b = 5", 0), loose("let a = 1;\nlet c = 1;", "let a = 2;", 1), step(read, read, 9)]);
    assert_eq!(
        net.parts,
        [part("let a = 1;\nlet c = 1;\n", "let a = 2;\n", (11, 11)), part("let b = 4;\n", "let b = 5;\n", (14, 13))]
    );
}

#[test]
fn what_is_there_twice_or_elsewhere_stays_of_unknown_place() {
    let twice = "let a = 2;\nlet a = 2;\n";
    let net = folded([loose("a = 1", "a = 2", 7), step(twice, twice, 1)]);
    let place: Vec<_> = net.parts.iter().map(|part| (part.first_line, part.edit)).collect();
    assert_eq!(place, [(None, Some(7))]);
}

/// Edits of unknown place are looked for in all that is known: each takes as much as all before it, up to a bound.
#[test]
fn edits_that_are_too_many_stand_for_themselves() {
    let texts: Vec<(String, String)> = (0..200).map(|n| (format!("was {n}\n"), format!("is {n}\n"))).collect();
    let steps = || {
        texts.iter().enumerate().map(|(edit, (old, new))| Step {
            old: Some(old),
            new: Some(new),
            edit,
            ..Step::default()
        })
    };
    let mut allowance = Allowance::default();
    let all = fold(steps(), &mut allowance);
    let taken = Allowance::default().folded - allowance.folded;
    assert!(taken > 200 * 199 / 2 * 32, "{taken}");
    let mut few = Allowance { folded: taken / 4, ..Allowance::default() };
    let cut = fold(steps(), &mut few);
    assert_eq!((few.folded, all.is_broken, cut.is_broken), (0, false, true));
    assert_eq!(cut.parts, all.parts, "none is left out");
    // Such of known place, too: what follows isn't joined with what is known.
    let mut none = Allowance { folded: 0, ..Allowance::default() };
    let apart = fold([step("a\n", "b\n", 1), step("b\n", "c\n", 1)], &mut none);
    assert_eq!((apart.parts, apart.is_broken), (vec![part("a\n", "b\n", (1, 1)), part("b\n", "c\n", (1, 1))], true));
}
