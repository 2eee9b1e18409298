//! Lines are compared as git compares them. `agreement/NAME` holds a text before and after, and in `hunks` what
//! `git diff --no-index --histogram --indent-heuristic --text -U0 before after` says about it; with `--minimal` in
//! `rare_line_moved`, where that changes fewer lines, as agents' own patches do.

use std::fs;
use std::ops::Range;
use std::path::Path;

#[test]
fn hunks_are_those_of_git() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement");
    let mut cases = 0;
    for case in fs::read_dir(&folder).expect("the cases").map(|case| case.expect("a case").path()) {
        let read = |name: &str| fs::read_to_string(case.join(name)).expect("before, after and hunks");
        let (before, after, theirs) = (read("before"), read("after"), read("hunks"));
        let ours: String = diff::hunks(&before, &after, 0).iter().map(|hunk| header(&hunk.old, &hunk.new)).collect();
        assert_eq!(ours, theirs, "{}", case.display());
        cases += 1;
    }
    assert!(cases > 20, "{cases} cases in {}", folder.display());
}

fn header(old: &Range<u32>, new: &Range<u32>) -> String {
    let side = |lines: &Range<u32>| match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    };
    format!("@@ -{} +{} @@\n", side(old), side(new))
}
