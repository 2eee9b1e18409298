//! The texts of a file in a unified diff.

use diff::{Allowance, Fragment, Texts, fold, texts};
use model::envelope::EditInfo;
use model::message_type::code_edit::Edit;
use model::view::{DiffRun, FileChange};

fn edit() -> Edit {
    Edit { file_path: "src/mill.rs".to_owned(), ..Edit::default() }
}

fn info(patch: &str) -> EditInfo {
    EditInfo { patch: Some(patch.to_owned()), ..EditInfo::default() }
}

fn said<'t>(texts: &'t Texts<'_>) -> (FileChange, Option<&'t str>, &'t [Fragment<'t>], Option<&'t str>) {
    (texts.change, texts.moved_from.as_deref(), &texts.fragments, texts.patch)
}

fn part(old: &str, new: &str, first_line: (u32, u32)) -> Fragment<'static> {
    Fragment {
        old: Some(old.to_owned().into()),
        new: Some(new.to_owned().into()),
        first_line: Some(first_line),
        is_whole: false,
    }
}

const TWO: &str = "diff --git a/src/mill.rs b/src/mill.rs\nindex 0a1..0b2 100644\n--- a/src/mill.rs\n+++ b/src/mill.rs\n\
                   @@ -10,3 +10,4 @@ fn grind() {\n one\n+more\n two\n three\n@@ -40,2 +41,2 @@\n-old\n+new\n end\n";

#[test]
fn each_hunk_is_a_fragment_of_known_place() {
    let (edit, info) = (edit(), info(TWO));
    let read = texts(&edit, &info);
    let fragments = vec![
        part("one\ntwo\nthree\n", "one\nmore\ntwo\nthree\n", (10, 10)),
        part("old\nend\n", "new\nend\n", (40, 41)),
    ];
    assert_eq!(said(&read), (FileChange::Modified, None, fragments.as_slice(), None));
    assert_eq!(read.line_counts(), (2, 1));
    let net = fold(read.steps(), &mut Allowance::default());
    let places: Vec<_> = net.parts.iter().map(|part| part.first_line).collect();
    assert_eq!((places, net.is_broken), (vec![Some((10, 10)), Some((40, 41))], false));
}

#[test]
fn they_are_one_difference_with_a_gap() {
    let (edit, info) = (edit(), info(TWO));
    let diff = texts(&edit, &info).file_diff(&edit, 3).expect("a difference");
    let gaps: Vec<u32> = diff
        .runs
        .iter()
        .filter_map(|run| match run {
            DiffRun::Gap { lines, .. } => Some(*lines),
            _ => None,
        })
        .collect();
    assert_eq!((diff.first_line, diff.added, diff.removed, gaps), (Some((10, 10)), 2, 1, vec![27]));
}

#[test]
fn heads_say_what_happened() {
    let created = "diff --git a/new b/new\nnew file mode 100644\nindex 000..0b2\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    let deleted = "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let empty = "diff --git a/e b/e\nnew file mode 100644\nindex 000..e69\n";
    let moved = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n";
    let changed = "diff --git \"a/m\\303\\244.rs\" \"b/n\\303\\244.rs\"\nsimilarity index 90%\nrename from \"m\\303\\244.rs\"\n\
                   rename to \"n\\303\\244.rs\"\nindex 1..2\n--- \"a/m\\303\\244.rs\"\n+++ \"b/n\\303\\244.rs\"\n@@ -1 +1 @@\n-a\n+b\n";
    let whole = |old: Option<&str>, new: Option<&str>| {
        let text = |text: Option<&str>| text.map(|text| text.to_owned().into());
        vec![Fragment { old: text(old), new: text(new), first_line: Some((1, 1)), is_whole: true }]
    };
    let cases = [
        (created, FileChange::Added, None, whole(None, Some("a\nb\n"))),
        (deleted, FileChange::Deleted, None, whole(Some("a\n"), None)),
        (empty, FileChange::Added, None, whole(None, Some(""))),
        (moved, FileChange::Modified, Some("old"), Vec::new()),
        (changed, FileChange::Modified, Some("m\u{e4}.rs"), vec![part("a\n", "b\n", (1, 1))]),
    ];
    for (patch, change, from, fragments) in cases {
        let (edit, info) = (edit(), info(patch));
        assert_eq!(said(&texts(&edit, &info)), (change, from, fragments.as_slice(), None), "{patch}");
    }
}

#[test]
fn what_was_trimmed_is_read_all_the_same() {
    for patch in ["@@ -3,4 +3,4 @@\n-a\n+b\n c\n \n ", "@@ -3,4 +3,4 @@\n-a\n+b\n c"] {
        let (edit, info) = (edit(), info(patch));
        assert_eq!(texts(&edit, &info).fragments, [part("a\nc\n\n\n", "b\nc\n\n\n", (3, 3))], "{patch}");
    }
}

#[test]
fn what_cannot_be_read_stays_as_it_is() {
    let binary =
        "diff --git a/p.png b/p.png\ndeleted file mode 100644\nindex 1..2\nBinary files a/p.png and /dev/null differ\n";
    let mode = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
    let cut = "@@ -1,900 +1,900 @@\n-a\n+b\n\n\n... [TRUNCATED - DIFF TOO LARGE] ...";
    let against = "@@ -1 +1 @@\n-a\n+b\n@@ -9 +20 @@\n-c\n+d\n";
    let combined = "diff --cc a\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n";
    let far = "@@ -4294967295,2 +4294967295,2 @@\n-a\n+b\n c\n@@ -18446744073709551615 +1 @@\n-a\n+b\n";
    for patch in [binary, mode, cut, against, combined, far, "", "nothing of a diff"] {
        let (edit, info) = (edit(), info(patch));
        let read = texts(&edit, &info);
        assert_eq!((read.fragments.as_slice(), read.patch), (&[][..], Some(patch)), "{patch}");
        let deleted = patch == binary;
        assert_eq!(read.change, if deleted { FileChange::Deleted } else { FileChange::Modified }, "{patch}");
    }
}
