//! Texts compared, laid out, folded, and read from a patch. An input is texts of one file, one after the other.

use crate::{engine, inputs};
use diff::{
    Allowance, Arrangement, DiffInput, Outline, PatchHunk, Row, Spaces, Step, Which, counts, counts_within, fold,
    highlight, hunks, texts,
};
use model::envelope::EditInfo;
use model::hidden::may_hide;
use model::message_type::code_edit::{Edit, changed_line_ends};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The separator between the texts.
const BETWEEN: char = '\u{1c}';
const PATHS: [&str; 7] = ["a.rs", "a.py", "a.md", "a.html", "a.yaml", "a.sh", "a.txt"];
const WORDS: &[&str] = &[
    "a\n",
    "b\n",
    "    b(c)\n",
    "}\n",
    "fn a() {\n",
    "/*",
    "*/",
    "\"\"\"",
    "'''",
    "```\n",
    "<!--",
    "-->",
    "<<EOF\n",
    "EOF\n",
    "r#\"",
    "---\n",
    "@@ -1,3 +1,4 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@ -4294967295,4294967295 +1 @@\n",
    "--- a/x\n+++ b/x\n",
    "diff --git a/x b/y\n",
    "rename from x\nrename to y\n",
    "new file mode 100644\n",
    "deleted file mode 100644\n",
    "\\ No newline at end of file\n",
    "GIT binary patch\n",
    "Binary files a and b differ\n",
    "+a\n",
    "-a\n",
    " a\n",
    "data:image/png;base64,",
    "iVBORw0KGgo",
];

fn check(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let states: Vec<&str> = input.split(BETWEEN).collect();
    let (old, new) = (states[0], *states.get(1).unwrap_or(&""));
    let path = PATHS[input.len() % PATHS.len()];
    compared(old, new, path);
    bounded(old, new);
    patched(old, new);
    folded(&states);
    read_as_patch(new, path);
    for line in highlight(path, new) {
        ranges(&line.text, line.tokens.iter().map(|token| (token.start, token.end)));
    }
}

/// Ranges of a line are in order and between letters.
fn ranges(text: &str, ranges: impl IntoIterator<Item = (u32, u32)>) {
    let mut before = 0;
    for (from, to) in ranges {
        assert!(
            before <= from && from < to && text.get(from as usize..to as usize).is_some(),
            "{from}..{to} of {text:?}"
        );
        before = to;
    }
}

fn compared(old: &str, new: &str, path: &str) {
    let input = DiffInput { old: Some(old), new: Some(new), path, is_whole: true, context: 3, ..DiffInput::default() };
    let outline = Outline::of(&input);
    outline.with_spaces(Spaces::Ignored).file_diff(3);
    let is_plain = !old.bytes().chain(new.bytes()).any(|byte| may_hide(byte) || byte == b'\r');
    for arrangement in [Arrangement::Unified, Arrangement::Split] {
        let layout = outline.lay_out(arrangement, u32::MAX);
        let rows = layout.rows(0..usize::MAX);
        assert_eq!(rows.len(), layout.len());
        if is_plain {
            assert_eq!(sides(&rows), [ended(old), ended(new)]);
        }
        let layout = outline.lay_out(arrangement, 1);
        let whole = layout.rows(0..layout.len());
        let size = 1 + layout.len() / 5;
        let pieces = (0..layout.len()).step_by(size).flat_map(|from| layout.rows(from..from + size));
        assert_eq!(pieces.collect::<Vec<Row>>(), whole);
        let (mut at, mut changes) = (None, 0);
        while let Some(place) = layout.change_after(at) {
            assert!(at < Some(place.rows.0), "the way forward ends");
            (at, changes) = (Some(place.rows.0), changes + 1);
        }
        assert_eq!(changes, layout.changes());
        layout.overview(7);
        for number in [0, 1, layout.last_number(), u32::MAX] {
            layout.unchanged_lines(number, number.saturating_add(9));
            for which in [Which::Old, Which::New] {
                layout.row_of(which, number);
                layout.text_of(which, (number, number.saturating_add(1)));
            }
        }
    }
    let diff = outline.file_diff(3);
    let (count, many) = (counts(Some(old), Some(new)), (diff.added, diff.removed));
    // Binary content has no line counts, but is drawn as if it had lines.
    if count.added + count.removed > 0 {
        assert_eq!((count.added, count.removed), many);
    }
}

/// Both texts as the rows tell them.
fn sides(rows: &[Row]) -> [String; 2] {
    let (mut old, mut new) = (String::new(), String::new());
    let push = |side: &mut String, line: &model::view::CodeLine| {
        ranges(&line.text, line.tokens.iter().map(|token| (token.start, token.end)));
        ranges(&line.text, line.marks.iter().copied());
        side.push_str(&line.text);
        side.push('\n');
    };
    for row in rows {
        match row {
            Row::Gap { .. } => panic!("a gap though all was asked for"),
            Row::Same { line, .. } => {
                push(&mut old, line);
                push(&mut new, line);
            }
            Row::Changed { old: removed, new: added } => {
                if let Some((_, line)) = removed {
                    push(&mut old, line);
                }
                if let Some((_, line)) = added {
                    push(&mut new, line);
                }
            }
        }
    }
    [old, new]
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Work is counted, and no more of it is done than is left.
fn bounded(old: &str, new: &str) {
    let mut allowance = Allowance { compared: 5_000, ..Allowance::default() };
    for _ in 0..3 {
        let before = allowance.compared;
        let counts = counts_within(Some(old), Some(new), &mut allowance);
        assert!(allowance.compared <= before);
        assert!(
            counts.added as usize <= new.lines().count() && counts.removed as usize <= old.lines().count(),
            "{counts:?}"
        );
    }
}

/// A unified diff of two texts makes one of the other.
fn patched(old: &str, new: &str) {
    // The diff is empty for lines that differ in their ends alone.
    if changed_line_ends(old, new).is_some() {
        return;
    }
    for context in [0, 3] {
        assert_eq!(applied(old, &hunks(old, new, context)), new);
    }
}

fn applied(old: &str, hunks: &[PatchHunk]) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    for hunk in hunks {
        out += &lines[at..hunk.old.start as usize].concat();
        at = hunk.old.end as usize;
        let mut signed = hunk.text.split_inclusive('\n').peekable();
        while let Some(line) = signed.next() {
            let has_no_end = signed.next_if(|next| next.starts_with('\\')).is_some();
            let (sign, line) = line.split_at(1);
            if sign != "-" {
                out += if has_no_end { line.trim_end_matches('\n') } else { line };
            }
        }
    }
    out + &lines[at..].concat()
}

/// Edits of a whole file are together what they were one by one; edits of parts have an end.
fn folded(states: &[&str]) {
    let pairs = || states.windows(2).enumerate();
    let whole = |(edit, pair): (usize, &[&str])| (edit, pair[0].to_owned(), pair[1].to_owned());
    let steps: Vec<(usize, String, String)> = pairs().map(whole).collect();
    let step = |is_whole, line: Option<u32>| {
        steps.iter().map(move |(edit, old, new)| Step {
            old: Some(old),
            new: Some(new),
            first_line: line.map(|line| line.saturating_add(3 * *edit as u32)),
            is_whole,
            edit: *edit,
        })
    };
    let net = fold(step(true, Some(1)).map(|step| Step { first_line: Some(1), ..step }), &mut Allowance::default());
    if let (Some(first), Some(last)) = (states.first(), states.last())
        && states.len() > 1
    {
        assert!(!net.is_broken, "{net:?}");
        let sides: Vec<_> = net.parts.iter().map(|part| (part.old.as_deref(), part.new.as_deref())).collect();
        if first == last {
            assert_eq!(sides, []);
        } else {
            assert_eq!(sides, [(Some(*first), Some(*last))]);
        }
    }
    for line in [None, Some(1), Some(u32::MAX - 9)] {
        let mut allowance = Allowance { folded: 1 << 20, ..Allowance::default() };
        fold(step(false, line), &mut allowance);
        assert!(allowance.folded <= 1 << 20);
    }
}

/// Anything may come as a patch.
fn read_as_patch(patch: &str, path: &str) {
    let edit = Edit { file_path: path.to_owned(), ..Edit::default() };
    let info = EditInfo { patch: Some(patch.to_owned()), ..EditInfo::default() };
    let texts = texts(&edit, &info);
    texts.counts();
    texts.line_ends_note();
    texts.first_changed_line();
    texts.file_diff(&edit, 3);
    fold(texts.steps(), &mut Allowance::default());
}

#[test]
fn diff() {
    let own: Vec<Vec<u8>> = inputs::messages()
        .iter()
        .flat_map(|message| message["metadata"]["payload"]["edits"].as_array().cloned().unwrap_or_default())
        .flat_map(|edit| {
            ["old_content", "new_content"].map(|key| edit[key].as_str().unwrap_or("a\nb\n").as_bytes().to_vec())
        })
        .collect();
    let piece = inputs::piece(&own, WORDS);
    // Each text is the one before it with a few pieces taken out and put in.
    let edit = (any::<Index>(), any::<bool>(), piece.clone());
    let texts =
        (vec(piece, 0..20), vec(vec(edit, 0..4), 1..5), select(vec!["", "\n"])).prop_map(|(mut pieces, edits, end)| {
            let text = |pieces: &[Vec<u8>]| [pieces.concat().as_slice(), end.as_bytes()].concat();
            let mut states = vec![text(&pieces)];
            for edits in edits {
                for (at, is_added, piece) in edits {
                    let at = at.index(pieces.len() + 1);
                    if is_added {
                        pieces.insert(at, piece);
                    } else if at < pieces.len() {
                        pieces.remove(at);
                    }
                }
                states.push(text(&pieces));
            }
            states.join(&(BETWEEN as u8))
        });
    engine::run("diff", texts.boxed(), check);
}
