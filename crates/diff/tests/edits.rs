//! Typical edits, drawn as text: one line per line, changed words in `⟦⟧`.

use std::fmt::Write;

use diff::{Counts, DiffInput, Spaces, counts, file_diff, line_counts};
use model::view::{CodeLine, DiffRun, FileDiff};

fn diff(old: impl Into<Option<&'static str>>, new: impl Into<Option<&'static str>>) -> FileDiff {
    file_diff(&DiffInput {
        old: old.into(),
        new: new.into(),
        language: None,
        path: "a.txt",
        first_line: None,
        context: 3,
        ..DiffInput::default()
    })
}

fn draw(diff: &FileDiff) -> String {
    let FileDiff { change, first_line, added, removed, approximate, is_cut: _, runs } = diff;
    let mut out = format!("{change:?} +{added} -{removed} first line {first_line:?} approximate {approximate}\n");
    for run in runs {
        match run {
            DiffRun::Context(lines) => lines.iter().for_each(|line| draw_line(&mut out, ' ', line)),
            DiffRun::Change { old, new, .. } => {
                old.iter()
                    .map(|line| ('-', line))
                    .chain(new.iter().map(|line| ('+', line)))
                    .for_each(|(sign, line)| draw_line(&mut out, sign, line));
            }
            DiffRun::Gap { lines, section } => {
                let _ = writeln!(out, "... {lines} lines, {}", section.as_deref().unwrap_or("no section"));
            }
        }
    }
    out
}

fn draw_line(out: &mut String, sign: char, line: &CodeLine) {
    let mut text = line.text.clone();
    for &(start, end) in line.marks.iter().rev() {
        text.insert(end as usize, '⟧');
        text.insert(start as usize, '⟦');
    }
    let text = text.replace('\t', "→").replace('\u{308}', "¨");
    let end = if line.no_newline { "  (no newline)" } else { "" };
    let _ = writeln!(out, "{sign}|{text}|{end}");
}

#[test]
fn created_and_deleted() {
    insta::assert_snapshot!(draw(&diff(None, "a\n\nb")), @r"
    Added +3 -0 first line Some((1, 1)) approximate false
    +|a|
    +||
    +|b|  (no newline)
    ");
    insta::assert_snapshot!(draw(&diff("a\nb\n", None)), @r"
    Deleted +0 -2 first line Some((1, 1)) approximate false
    -|a|
    -|b|
    ");
    insta::assert_snapshot!(draw(&diff(None, "")), @r"
    Added +0 -0 first line Some((1, 1)) approximate false
    ");
}

#[test]
fn emptied_and_filled() {
    insta::assert_snapshot!(draw(&diff("a\nb\n", "")), @r"
    Modified +0 -2 first line None approximate false
    -|a|
    -|b|
    ");
    insta::assert_snapshot!(draw(&diff("", "a")), @r"
    Modified +1 -0 first line None approximate false
    +|a|
    ");
}

#[test]
fn equal() {
    insta::assert_snapshot!(draw(&diff("a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\n")), @r"
    Modified +0 -0 first line None approximate false
    ");
    insta::assert_snapshot!(draw(&diff(None, None)), @r"
    Modified +0 -0 first line Some((1, 1)) approximate false
    ");
}

#[test]
fn replaced_words() {
    let old = "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    sum\n}\n";
    let new = "fn total(items: &[Item], tax: u32) -> u64 {\n    let mut total = 0;\n    total\n}\n";
    insta::assert_snapshot!(draw(&diff(old, new)), @r"
    Modified +3 -3 first line None approximate false
    -|fn total(items: &[Item]) -> ⟦u32⟧ {|
    -|    let mut ⟦sum⟧ = 0;|
    -|    sum|
    +|fn total(items: &[Item]⟦, tax: u32⟧) -> ⟦u64⟧ {|
    +|    let mut ⟦total⟧ = 0;|
    +|    total|
     |}|
    ");
}

#[test]
fn lines_are_paired_by_likeness() {
    let old = "let first = one(a);\nlet second = two(b);\n";
    let new = "// Now in the right order.\nlet first = one(a, c);\nlog(\"between\");\nlet second = two(b, c);\n";
    insta::assert_snapshot!(draw(&diff(old, new)), @r#"
    Modified +4 -2 first line None approximate false
    -|let first = one(a);|
    -|let second = two(b);|
    +|// Now in the right order.|
    +|let first = one(a⟦, c⟧);|
    +|log("between");|
    +|let second = two(b⟦, c⟧);|
    "#);
}

#[test]
fn unlike_lines_have_no_marks() {
    insta::assert_snapshot!(draw(&diff("return Err(Error::Closed)\n", "let answer = compute(6, 7);\n")), @r"
    Modified +1 -1 first line None approximate false
    -|return Err(Error::Closed)|
    +|let answer = compute(6, 7);|
    ");
}

#[test]
fn indentation_and_trailing_spaces() {
    insta::assert_snapshot!(draw(&diff("\tcall(a);\n  b \n", "\t\tcall(a);\n  b\n")), @r"
    Modified +2 -2 first line None approximate false
    -|⟦→⟧call(a);|
    -|  b⟦ ⟧|
    +|⟦→→⟧call(a);|
    +|  b|
    ");
}

#[test]
fn insertion_slides_to_the_block_it_belongs_to() {
    let old = "fn a() {\n    one();\n}\n\nfn c() {\n    three();\n}\n";
    let new = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n\nfn c() {\n    three();\n}\n";
    insta::assert_snapshot!(draw(&diff(old, new)), @r"
    Modified +4 -0 first line None approximate false
     |fn a() {|
     |    one();|
     |}|
     ||
    +|fn b() {|
    +|    two();|
    +|}|
    +||
     |fn c() {|
     |    three();|
     |}|
    ");
}

/// Two functions of a whole file, with a change in each.
fn two_changes(between: usize) -> (String, String) {
    let calls = "        call();\n".repeat(between);
    let text = |a: &str, b: &str| {
        format!(
            "impl Shop {{\n    fn open(&self) {{\n        a();\n        b();\n        c();\n        d();\n        f({a});\n    \
             }}\n\n    fn close(&self) {{\n{calls}        m({b});\n    }}\n\n    fn rest() {{\n        n();\n    }}\n}}\n"
        )
    };
    (text("", ""), text("1", "2"))
}

#[test]
fn gaps_have_sections() {
    let (old, new) = two_changes(10);
    let whole = DiffInput { old: Some(&old), new: Some(&new), context: 3, is_whole: true, ..DiffInput::default() };
    insta::assert_snapshot!(draw(&file_diff(&whole)), @r"
    Modified +2 -2 first line Some((1, 1)) approximate false
    ... 3 lines, fn open(&self)
     |        b();|
     |        c();|
     |        d();|
    -|        f();|
    +|        f(⟦1⟧);|
     |    }|
     ||
     |    fn close(&self) {|
    ... 7 lines, fn close(&self)
     |        call();|
     |        call();|
     |        call();|
    -|        m();|
    +|        m(⟦2⟧);|
     |    }|
     ||
     |    fn rest() {|
    ... 3 lines, no section
    ");
}

/// A fragment says nothing about what the file has above and below.
#[test]
fn fragments_have_no_gaps_at_their_ends() {
    let (old, new) = two_changes(10);
    let fragment = DiffInput {
        old: Some(&old),
        new: Some(&new),
        context: 3,
        first_line: Some((301, 301)),
        ..DiffInput::default()
    };
    insta::assert_snapshot!(draw(&file_diff(&fragment)), @r"
    Modified +2 -2 first line Some((304, 304)) approximate false
     |        b();|
     |        c();|
     |        d();|
    -|        f();|
    +|        f(⟦1⟧);|
     |    }|
     ||
     |    fn close(&self) {|
    ... 7 lines, fn close(&self)
     |        call();|
     |        call();|
     |        call();|
    -|        m();|
    +|        m(⟦2⟧);|
     |    }|
     ||
     |    fn rest() {|
    ");
    insta::assert_snapshot!(draw(&diff("1\n2\n3\n4\n5\nold\n", "1\n2\n3\n4\n5\nnew\n")), @r"
    Modified +1 -1 first line None approximate false
     |3|
     |4|
     |5|
    -|old|
    +|new|
    ");
}

#[test]
fn few_lines_between_two_changes_are_shown() {
    let (old, new) = two_changes(9);
    insta::assert_snapshot!(draw(&file_diff(&DiffInput {
        old: Some(&old),
        new: Some(&new),
        context: 3,
        ..DiffInput::default()
    })), @r"
    Modified +2 -2 first line None approximate false
     |        b();|
     |        c();|
     |        d();|
    -|        f();|
    +|        f(⟦1⟧);|
     |    }|
     ||
     |    fn close(&self) {|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
     |        call();|
    -|        m();|
    +|        m(⟦2⟧);|
     |    }|
     ||
     |    fn rest() {|
    ");
}

#[test]
fn a_single_hidden_line_is_shown() {
    let whole = |lines: u32, last: &str| (1..=lines).map(|line| format!("{line}\n")).collect::<String>() + last;
    let draw_end = |lines: u32| {
        let (old, new) = (whole(lines, "old\n"), whole(lines, "new\n"));
        draw(&file_diff(&DiffInput {
            old: Some(&old),
            new: Some(&new),
            context: 3,
            is_whole: true,
            ..DiffInput::default()
        }))
    };
    insta::assert_snapshot!(draw_end(5), @r"
    Modified +1 -1 first line Some((1, 1)) approximate false
    ... 2 lines, no section
     |3|
     |4|
     |5|
    -|old|
    +|new|
    ");
    insta::assert_snapshot!(draw_end(4), @r"
    Modified +1 -1 first line Some((1, 1)) approximate false
     |1|
     |2|
     |3|
     |4|
    -|old|
    +|new|
    ");
}

#[test]
fn moved_block() {
    let old = "import b\nimport a\n\ndef f():\n    return 1\n\ndef g():\n    return 2\n";
    let new = "import a\nimport b\n\ndef g():\n    return 2\n\ndef f():\n    return 1\n";
    insta::assert_snapshot!(draw(&diff(old, new)), @r"
    Modified +4 -4 first line None approximate false
    -|import b|
     |import a|
    -||
    -|def f():|
    -|    return 1|
    +|import b|
     ||
     |def g():|
     |    return 2|
    +||
    +|def f():|
    +|    return 1|
    ");
}

#[test]
fn missing_newline() {
    insta::assert_snapshot!(draw(&diff("a\nb", "a\nb\n")), @r"
    Modified +1 -1 first line None approximate false
     |a|
    -|b|  (no newline)
    +|b|
    ");
    insta::assert_snapshot!(draw(&diff("a\nb\n", "a\nc")), @r"
    Modified +1 -1 first line None approximate false
     |a|
    -|b|
    +|c|  (no newline)
    ");
    insta::assert_snapshot!(draw(&diff("a\nb", "a\nc")), @r"
    Modified +1 -1 first line None approximate false
     |a|
    -|b|
    +|c|
    ");
}

#[test]
fn carriage_returns() {
    insta::assert_snapshot!(draw(&diff("a\r\nb\r\n", "a\r\nc\r\n")), @r"
    Modified +1 -1 first line None approximate false
     |a|
    -|b|
    +|c|
    ");
    insta::assert_snapshot!(draw(&diff("let a;\r\nb\r\n", "let a;\nb\n")), @r"
    Modified +0 -0 first line None approximate false
     |let a;|
     |b|
    ");
    insta::assert_snapshot!(draw(&diff("a\r\nlet b;\r\n", "a\r\nlet b;\n")), @r"
    Modified +1 -1 first line None approximate false
     |a|
    -|let b;⟦␍⟧|
    +|let b;|
    ");
    insta::assert_snapshot!(draw(&diff("10 %\r50 %\n", "10 %\r90 %\n")), @r"
    Modified +1 -1 first line None approximate false
    -|10 %␍⟦50⟧ %|
    +|10 %␍⟦90⟧ %|
    ");
}

#[test]
fn unicode() {
    insta::assert_snapshot!(draw(&diff("名前を表示する\n", "名前を保存する\n")), @r"
    Modified +1 -1 first line None approximate false
    -|名前を⟦表示⟧する|
    +|名前を⟦保存⟧する|
    ");
    insta::assert_snapshot!(draw(&diff("let face = \"👩‍🚀\"; // ok\n", "let face = \"👨‍🚀\"; // ok\n")), @r#"
    Modified +1 -1 first line None approximate false
    -|let face = "⟦👩‍🚀⟧"; // ok|
    +|let face = "⟦👨‍🚀⟧"; // ok|
    "#);
    insta::assert_snapshot!(draw(&diff("Der Käse schmeckt gut\n", "Der Ka\u{308}se schmeckt sehr gut\n")), @r"
    Modified +1 -1 first line None approximate false
    -|Der ⟦Käse⟧ schmeckt gut|
    +|Der ⟦Ka¨se⟧ schmeckt ⟦sehr ⟧gut|
    ");
}

#[test]
fn large_blocks_and_long_lines_have_no_marks() {
    let old: &'static str = "value = 1\n".repeat(9).leak();
    let new: &'static str = old.replace("value", "amount").leak();
    let marks = |diff: FileDiff| draw(&diff).matches('⟦').count();
    assert_eq!(marks(diff(old, new)), 0);
    let old: &'static str = format!("{} a\n", "word ".repeat(110)).leak();
    let new: &'static str = format!("{} b\n", "word ".repeat(110)).leak();
    assert_eq!(marks(diff(old, new)), 0);
}

#[test]
fn very_large_files_are_approximate() {
    let old: &'static str = (0..10_001).map(|at| format!("let a{at} = 1;")).collect::<Vec<_>>().join("\n").leak();
    let new: &'static str = old.replace("a5000 ", "b5000 ").leak();
    insta::assert_snapshot!(draw(&diff(old, new)), @r"
    Modified +1 -1 first line None approximate true
     |let a4997 = 1;|
     |let a4998 = 1;|
     |let a4999 = 1;|
    -|let a5000 = 1;|
    +|let b5000 = 1;|
     |let a5001 = 1;|
     |let a5002 = 1;|
     |let a5003 = 1;|
    ");
}

#[test]
fn so_are_files_with_too_many_words_to_compare() {
    let block = |word: &str| format!("{}\nkept\n", "a b c ".repeat(60) + word);
    let old: &'static str = block("old").repeat(4_000).leak();
    let new: &'static str = block("new").repeat(4_000).leak();
    let diff = diff(old, new);
    assert_eq!((diff.added, diff.removed, diff.approximate), (4_000, 4_000, true));
}

#[test]
fn moved_blocks_are_found() {
    let body = "    let mut total = 0;\n    for item in items {\n        total += item.worth();\n    }\n";
    let old = format!("fn a() {{\n{body}}}\n\nfn b() {{\n    one();\n    two();\n    three();\n    four();\n}}\n");
    let new = format!("fn a() {{\n}}\n\nfn b() {{\n    one();\n    two();\n    three();\n    four();\n{body}}}\n");
    let diff = file_diff(&DiffInput { old: Some(&old), new: Some(&new), path: "a.txt", ..DiffInput::default() });
    let moved: Vec<(Vec<_>, Vec<_>)> = diff
        .runs
        .iter()
        .filter_map(|run| match run {
            DiffRun::Change { old, new, .. } => {
                Some((old.iter().map(|line| line.moved).collect(), new.iter().map(|line| line.moved).collect()))
            }
            _ => None,
        })
        .collect();
    let lines = |from: u32| (from..from + 4).map(Some).collect::<Vec<_>>();
    assert_eq!(moved, [(lines(8), vec![]), (vec![], lines(1))]);
}

#[test]
fn white_space_can_be_ignored() {
    let (old, new) = ("a(b)\nif x {\nc\n}\n", "a( b )\r\n  if x {\n\tc\n}\nd\n");
    let ignored = DiffInput { old: Some(old), new: Some(new), spaces: Spaces::Ignored, ..DiffInput::default() };
    assert_eq!((file_diff(&ignored).added, file_diff(&ignored).removed), (1, 0));
    let counted = DiffInput { spaces: Spaces::Matter, ..ignored };
    assert_eq!((file_diff(&counted).added, file_diff(&counted).removed), (4, 3));
}

#[test]
fn what_cannot_be_seen_is_shown() {
    insta::assert_snapshot!(draw(&diff("a\n", "a\u{202e}b\u{200b}\u{1b}[0m\u{feff}\u{7f}\n👩\u{200d}🚀 ok\n")), @r"
    Modified +2 -1 first line None approximate false
    -|a|
    +|a⟨U+202E⟩b⟨U+200B⟩␛[0m⟨U+FEFF⟩␡|
    +|👩‍🚀 ok|
    ");
    let hidden = "ad\u{fe0e}min \u{200c}\u{200d}\u{2060} ❤\u{fe0f} ❤\u{fe0f}\u{200d}🔥 ⣀\u{2800}⣀ می\u{200c}خواهم\n";
    insta::assert_snapshot!(draw(&diff("a\n", hidden)), @r"
    Modified +1 -1 first line None approximate false
    -|a|
    +|ad⟨U+FE0E⟩min ⟨U+200C⟩⟨U+200D⟩⟨U+2060⟩ ❤️ ❤️‍🔥 ⣀⠀⣀ می‌خواهم|
    ");
}

#[test]
fn what_is_no_text_has_no_lines() {
    let image = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";
    let stored = format!("sha256:{}", "0".repeat(64));
    for (old, new) in
        [(None, image), (Some(image), "iVBORw0KGgo="), (Some(&*stored), image), (Some("a\n"), "\0\u{1}\n")]
    {
        assert_eq!(line_counts(old, Some(new)), (0, 0));
        assert_eq!(counts(old, Some(new)), Counts { changes: 1, ..Counts::default() });
    }
}

#[test]
fn lines_that_became_each_other_are_pairs() {
    let diff = diff("fn keep(a: u8) -> u8 {\nlast(a)\n", "// new\n// comment\nfn keep(a: u16) -> u16 {\nlast(a, 1)\n");
    let DiffRun::Change { pairs, .. } = &diff.runs[0] else { panic!("{:?}", diff.runs) };
    assert_eq!(pairs, &[(0, 2), (1, 3)]);
}
