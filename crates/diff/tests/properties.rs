//! Properties of every pair of texts.

use diff::{DiffInput, file_diff, highlight, language_of, line_counts};
use model::view::{CodeLine, DiffRun, FileDiff};
use proptest::prelude::*;

fn diff(old: &str, new: &str, path: &str, context: u32) -> FileDiff {
    file_diff(&DiffInput {
        old: Some(old),
        new: Some(new),
        language: None,
        path,
        first_line: None,
        context,
        ..DiffInput::default()
    })
}

/// Few different lines, so that texts have much in common, and hunks can slide.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("a".to_owned()),
        Just("    b(c)".to_owned()),
        Just(String::new()),
        Just("}".to_owned()),
        "([ab_ (){}é👩🚀名\u{308}\t]|👩\u{200d}🚀){0,12}",
    ];
    let lines = prop::collection::vec(line, 0..24);
    (lines, any::<bool>()).prop_map(|(lines, has_end)| lines.join("\n") + if has_end { "\n" } else { "" })
}

/// Both sides as the runs tell them.
fn sides(diff: &FileDiff) -> (Vec<&CodeLine>, Vec<&CodeLine>) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for run in &diff.runs {
        match run {
            DiffRun::Context(lines) => {
                old.extend(lines);
                new.extend(lines);
            }
            DiffRun::Change { old: removed, new: added, .. } => {
                old.extend(removed);
                new.extend(added);
            }
            DiffRun::Gap { .. } => panic!("a gap though all context was asked for"),
        }
    }
    (old, new)
}

fn join(lines: &[&CodeLine], ends_open: bool) -> String {
    let mut text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
    if ends_open {
        text.pop();
    }
    text
}

fn check_ranges(line: &CodeLine) {
    let tokens = line.tokens.iter().map(|token| (token.start, token.end));
    for ranges in [tokens.collect::<Vec<_>>(), line.marks.clone()] {
        let mut end = 0;
        for (from, to) in ranges {
            assert!(end <= from && from < to && line.text.get(from as usize..to as usize).is_some(), "{line:?}");
            end = to;
        }
    }
}

fn lines(diff: &FileDiff) -> impl Iterator<Item = &CodeLine> {
    diff.runs.iter().flat_map(|run| match run {
        DiffRun::Context(lines) => lines.iter().chain(&[]),
        DiffRun::Change { old, new, .. } => old.iter().chain(new),
        DiffRun::Gap { .. } => [].iter().chain(&[]),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_hold_both_texts(old in text(), new in text()) {
        let diff = diff(&old, &new, "a.txt", u32::MAX);
        let (old_lines, new_lines) = sides(&diff);
        let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
        prop_assert_eq!(join(&old_lines, is_open(&old)), old.as_str());
        prop_assert_eq!(join(&new_lines, is_open(&new)), new.as_str());
        if !old.is_empty() && !new.is_empty() && is_open(&old) != is_open(&new) {
            prop_assert_eq!(old_lines.last().map(|line| line.no_newline), Some(is_open(&old)));
            prop_assert_eq!(new_lines.last().map(|line| line.no_newline), Some(is_open(&new)));
        }
    }

    #[test]
    fn counts_and_context_agree(old in text(), new in text(), context in 0_u32..5) {
        let input = DiffInput { old: Some(&old), new: Some(&new), is_whole: true, context, ..DiffInput::default() };
        let diff = file_diff(&input);
        prop_assert_eq!((diff.added, diff.removed), line_counts(Some(&old), Some(&new)));
        let (mut shown_old, mut shown_new, mut removed, mut added) = (0, 0, 0, 0);
        for (at, run) in diff.runs.iter().enumerate() {
            match run {
                DiffRun::Context(lines) => { shown_old += lines.len(); shown_new += lines.len(); }
                DiffRun::Gap { lines, .. } => {
                    let is_end = at == 0 || at + 1 == diff.runs.len();
                    let few = if is_end { 1 } else { 6 };
                    prop_assert!(*lines > few);
                    shown_old += *lines as usize;
                    shown_new += *lines as usize;
                }
                DiffRun::Change { old, new, .. } => {
                    prop_assert!(!old.is_empty() || !new.is_empty());
                    removed += old.len();
                    added += new.len();
                }
            }
        }
        prop_assert_eq!((removed, added), (diff.removed as usize, diff.added as usize));
        prop_assert_eq!((shown_old + removed, shown_new + added), (old.lines().count(), new.lines().count()));
    }

    #[test]
    fn a_fragment_is_the_whole_without_its_ends(old in text(), new in text(), context in 0_u32..5) {
        let whole = DiffInput {
            old: Some(&old),
            new: Some(&new),
            first_line: Some((11, 21)),
            is_whole: true,
            context,
            ..DiffInput::default()
        };
        let fragment = file_diff(&DiffInput { is_whole: false, ..whole });
        let whole = file_diff(&whole);
        let ends = [whole.runs.first(), whole.runs.last()];
        if whole.added + whole.removed > 0 {
            let gaps = ends.iter().filter(|run| matches!(run, Some(DiffRun::Gap { .. })));
            let shown = whole.runs.len() - gaps.count();
            prop_assert_eq!(fragment.runs.len(), shown);
            let above = if let Some(DiffRun::Gap { lines, .. }) = ends[0] { *lines } else { 0 };
            prop_assert_eq!(fragment.first_line, Some((11 + above, 21 + above)));
            let moved = |diff: &FileDiff| lines(diff).filter_map(|line| line.moved).collect::<Vec<_>>();
            let expected: Vec<u32> = moved(&whole).iter().map(|at| at - above).collect();
            prop_assert_eq!(moved(&fragment), expected);
        } else {
            let gaps = fragment.runs.iter().filter(|run| matches!(run, DiffRun::Gap { .. }));
            prop_assert_eq!(gaps.count(), 0);
        }
    }

    #[test]
    fn ranges_are_sound(old in text(), new in text(), path in "a\\.(rs|py|md|html|yaml|sh)") {
        lines(&diff(&old, &new, &path, 3)).for_each(check_ranges);
    }

    #[test]
    fn equal_texts_have_no_change(text in text()) {
        let diff = diff(&text, &text, "a.txt", 3);
        prop_assert_eq!((diff.added, diff.removed), (0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(old in "(?s).{0,200}", new in "(?s).{0,200}", name in ".{0,20}") {
        lines(&diff(&old, &new, &name, 3)).for_each(check_ranges);
        let _ = language_of(&name);
        highlight(&name, &new).iter().for_each(check_ranges);
    }

    #[test]
    fn any_code_is_survived(
        language in "(bash|c|c-sharp|cpp|css|diff|dockerfile|go|hcl|html|java|javascript|json|lua|make|markdown|nix|php|python|ruby|rust|scss|sql|svelte|swift|toml|tsx|typescript|vue|xml|yaml)",
        code in "(?s)([a-c \n\t<>{}()\\[\\]\"'`#$:=\\-*/\\\\.,;@!?&|%~+_1é👩]|\\$\\{|\"\"\"|<<A\n|<!--|```yaml\n|-->|fn |def |end\n|if |<\\?php |<script>){0,120}",
    ) {
        highlight(&language, &code).iter().for_each(check_ranges);
    }
}
