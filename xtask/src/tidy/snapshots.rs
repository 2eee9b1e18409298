//! Snapshots that no test writes any more.
use super::{Finding, Tree, tree::File};

/// With one of these a file names its snapshots while it runs, so that their names can't be read from it.
const NAMED_AT_RUN_TIME: [&str; 4] = ["glob!(", "snapshot!(format!", "snapshot!(name", "snapshot_suffix"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let snapshots = tree.0.iter().filter(|file| file.extension() == "snap");
    snapshots.filter_map(|snapshot| finding(tree, snapshot)).collect()
}

fn finding(tree: &Tree, snapshot: &File) -> Option<Finding> {
    let (name, tests) = (name(&snapshot.path), tests(tree, &snapshot.path));
    let written = [format!("fn {name}("), format!("fn test_{name}("), format!("\"{name}\"")];
    let alive = tests.iter().any(|test| {
        let has = |sign: &str| test.text.contains(sign);
        written.iter().any(|sign| has(sign)) || NAMED_AT_RUN_TIME.iter().any(|sign| has(sign))
    });
    let what = if tests.is_empty() { "its test is gone".to_owned() } else { format!("no test named {name}") };
    if alive { None } else { Some(Finding { place: snapshot.path.clone(), what, why: "remove it: no test reads it" }) }
}

/// Where the tests of a snapshot may stand: it lies in `snapshots/` beside them, with their modules in its name. The
/// source that it names itself is not kept up when a test moves.
fn tests<'a>(tree: &'a Tree, path: &str) -> Vec<&'a File> {
    let Some((folder, file)) = path.rsplit_once("/snapshots/") else { return Vec::new() };
    let modules: Vec<&str> = file.split("__").chain(["lib", "main"]).collect();
    let beside = tree.0.iter().filter(|test| {
        let stem = test.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(".rs"));
        stem.is_some_and(|stem| modules.contains(&stem))
    });
    beside.collect()
}

/// The name that a test gave: `grid` for `snapshots/model__policy__tests__grid-2.snap`.
fn name(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".snap");
    let name = file.rsplit("__").next().unwrap_or(file);
    match name.rsplit_once('-') {
        Some((name, number)) if number.parse::<u32>().is_ok() => name,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_lives_as_long_as_its_test() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let tree = Tree(vec![
            file("crates/a/src/b.rs", "#[test]\nfn kept() {}\n"),
            file("crates/a/src/snapshots/a__b__tests__gone.snap", ""),
            file("crates/a/src/snapshots/a__b__tests__kept-2.snap", ""),
            file("crates/a/src/snapshots/a__c__tests__moved.snap", ""),
        ]);
        let whats: Vec<String> = check(&tree).into_iter().map(|finding| finding.what).collect();
        assert_eq!(whats, ["no test named gone", "its test is gone"]);
    }
}
