//! Rows of a difference that is drawn piece by piece.

use diff::{Arrangement, DiffInput, Outline, Row, Which};
use proptest::prelude::*;

fn outline(old: &str, new: &str) -> Outline {
    Outline::of(&DiffInput { old: Some(old), new: Some(new), path: "a.rs", ..DiffInput::default() })
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a"), Just("    b(c)"), Just(""), Just("}"), Just("let d = 1;"), Just("let e = 1;")];
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

/// Both texts as the rows tell them; None where a gap hides lines.
fn sides(rows: &[Row]) -> Option<(String, String)> {
    let (mut old, mut new) = (String::new(), String::new());
    for row in rows {
        match row {
            Row::Gap { .. } => return None,
            Row::Same { line, .. } => {
                old += &format!("{}\n", line.text);
                new += &format!("{}\n", line.text);
            }
            Row::Changed { old: removed, new: added } => {
                old += &removed.as_ref().map(|(_, line)| format!("{}\n", line.text)).unwrap_or_default();
                new += &added.as_ref().map(|(_, line)| format!("{}\n", line.text)).unwrap_or_default();
            }
        }
    }
    Some((old, new))
}

fn number(row: &Row, which: Which) -> Option<u32> {
    match (row, which) {
        (Row::Gap { .. }, _) => None,
        (Row::Same { old, .. }, Which::Old) => Some(*old),
        (Row::Same { new, .. }, Which::New) => Some(*new),
        (Row::Changed { old, .. }, Which::Old) => old.as_ref().map(|(number, _)| *number),
        (Row::Changed { new, .. }, Which::New) => new.as_ref().map(|(number, _)| *number),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_tell_both_texts(old in text(), new in text()) {
        let outline = outline(&old, &new);
        for arrangement in [Arrangement::Unified, Arrangement::Split] {
            let layout = outline.lay_out(arrangement, u32::MAX);
            let rows = layout.rows(0..usize::MAX);
            prop_assert_eq!(rows.len(), layout.len());
            prop_assert_eq!(sides(&rows), Some((old.clone(), new.clone())));
        }
    }

    #[test]
    fn pieces_are_the_whole(old in text(), new in text(), size in 1_usize..7, context in 0_u32..4) {
        let outline = outline(&old, &new);
        for arrangement in [Arrangement::Unified, Arrangement::Split] {
            let layout = outline.lay_out(arrangement, context);
            let whole = layout.rows(0..layout.len());
            let pieces: Vec<Row> =
                (0..layout.len()).step_by(size).flat_map(|from| layout.rows(from..from + size)).collect();
            prop_assert_eq!(whole, pieces);
        }
    }

    #[test]
    fn a_line_is_found_where_it_is_drawn(old in text(), new in text(), context in 0_u32..4) {
        let outline = outline(&old, &new);
        for arrangement in [Arrangement::Unified, Arrangement::Split] {
            let layout = outline.lay_out(arrangement, context);
            let rows = layout.rows(0..layout.len());
            for which in [Which::Old, Which::New] {
                let mut shown = 0;
                for (at, row) in rows.iter().enumerate() {
                    let Some(number) = number(row, which) else { continue };
                    prop_assert_eq!(layout.row_of(which, number), Some(at as u32));
                    shown += 1;
                }
                let all = (1..=outline.len(which) as u32 + 1).filter(|line| layout.row_of(which, *line).is_some());
                prop_assert_eq!(all.count(), shown);
            }
        }
    }

    #[test]
    fn the_way_from_change_to_change_meets_each_once(old in text(), new in text(), context in 0_u32..4) {
        let outline = outline(&old, &new);
        let layout = outline.lay_out(Arrangement::Unified, context);
        let mut at = None;
        let mut found = Vec::new();
        while let Some(place) = layout.change_after(at) {
            at = Some(place.rows.0);
            found.push(place);
        }
        prop_assert_eq!(found.len() as u32, layout.changes());
        let mut at = None;
        while let Some(place) = layout.change_before(at) {
            at = Some(place.rows.0);
            prop_assert_eq!(found.pop(), Some(place));
        }
        prop_assert!(found.is_empty());
    }
}

/// Neither moved blocks nor pairs are looked for in a large file, and yet its rows have words and colours.
#[test]
fn rows_of_a_large_file_are_coloured_when_they_are_drawn() {
    let line = |at: u32, word: &str| format!("    let row_{at} = {word}({at});\n");
    let old: String = (0..15_000).map(|at| line(at, "tree")).collect();
    let new: String = (0..15_000).map(|at| line(at, if at % 10 == 5 { "pear" } else { "tree" })).collect();
    let outline = outline(&old, &new);
    let layout = outline.lay_out(Arrangement::Unified, 3);
    assert!(outline.approximate());
    let row = layout.row_of(Which::New, 10_006).expect("line 10,006 is shown");
    let [Row::Changed { new: Some((10_006, line)), .. }] = &layout.rows(row as usize..row as usize + 1)[..] else {
        panic!("line 10,006 is a changed one");
    };
    assert_eq!(line.text, "    let row_10005 = pear(10005);");
    assert_eq!(
        line.marks.iter().map(|(from, to)| &line.text[*from as usize..*to as usize]).collect::<Vec<_>>(),
        ["pear"]
    );
    assert!(!line.tokens.is_empty());
    assert_eq!(layout.text_of(Which::Old, (10_006, 10_006)).as_deref(), Some("    let row_10005 = tree(10005);"));
}

#[test]
fn hidden_lines_are_drawn_when_asked_for() {
    let old: String = (1..=40).map(|at| format!("line {at}\n")).collect();
    let new = old.replace("line 20\n", "pear 20\n");
    let outline = outline(&old, &new);
    let layout = outline.lay_out(Arrangement::Unified, 3);
    let shown: Vec<String> = layout
        .unchanged_lines(5, 7)
        .iter()
        .map(|row| match row {
            Row::Same { old, new, line } => format!("{old} {new} {}", line.text),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(shown, ["5 5 line 5", "6 6 line 6", "7 7 line 7"]);
    assert!(layout.unchanged_lines(20, 20).is_empty());
}

#[test]
fn hidden_lines_are_shown_where_they_were_asked_for() {
    let old: String = (1..=60).map(|line| format!("{line}\n")).collect();
    let new = old.replacen("1\n", "one\n", 1).replacen("60\n", "sixty\n", 1);
    let outline = Outline::of(&DiffInput {
        old: Some(&old),
        new: Some(&new),
        first_line: Some((101, 101)),
        is_whole: true,
        ..DiffInput::default()
    });
    let gaps = |opened: &[std::ops::Range<u32>]| -> Vec<(u32, u32)> {
        let layout = outline.lay_out_with(Arrangement::Unified, 3, opened);
        let gap = |row: Row| match row {
            Row::Gap { first, lines, .. } => Some((first, lines)),
            _ => None,
        };
        layout.rows(0..layout.len()).into_iter().filter_map(gap).collect()
    };
    assert_eq!(gaps(&[]), [(105, 52)]);
    assert_eq!(gaps(std::slice::from_ref(&(105..125))), [(125, 32)]);
    assert_eq!(gaps(&[130..140, 110..120, 115..122]), [(105, 5), (122, 8), (140, 17)]);
    // Opened as a whole once some of it was.
    assert_eq!(gaps(&[101..130, 103..104]), [(130, 27)]);
    // A gap of one line would take its place.
    assert_eq!(gaps(std::slice::from_ref(&(106..157))), []);
}
