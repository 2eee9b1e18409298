//! Snapshots that no test writes any more.
use super::{Finding, Tree, tree::File};

/// With one of these a file names its snapshots while it runs, so that their names can't be read from it.
const NAMED_AT_RUN_TIME: [&str; 4] = ["glob!(", "snapshot!(format!", "snapshot!(name", "snapshot_suffix"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let snapshots = tree.0.iter().filter(|file| file.extension() == "snap");
    snapshots.filter_map(|snapshot| finding(tree, snapshot)).collect()
}

fn finding(tree: &Tree, snapshot: &File) -> Option<Finding> {
    let found = |what| Some(Finding { place: snapshot.path.clone(), what, why: "remove it: no test reads it" });
    let Some(source) = snapshot.text.lines().find_map(|line| line.strip_prefix("source: ")) else {
        return found("names no source".to_owned());
    };
    let source = source.trim().trim_matches('"');
    let Some(test) = tree.file(source) else {
        return found(format!("its source {source} is gone"));
    };
    let name = name(&snapshot.path);
    let written = [format!("fn {name}("), format!("fn test_{name}("), format!("\"{name}\"")];
    let alive = written.iter().any(|sign| test.text.contains(sign))
        || NAMED_AT_RUN_TIME.iter().any(|sign| test.text.contains(sign));
    if alive { None } else { found(format!("nothing named {name} in {source}")) }
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
            file("crates/a/src/snapshots/a__b__tests__gone.snap", "---\nsource: crates/a/src/b.rs\n---\n"),
            file("crates/a/src/snapshots/a__b__tests__kept-2.snap", "---\nsource: crates/a/src/b.rs\n---\n"),
            file("crates/a/src/snapshots/a__c__tests__moved.snap", "---\nsource: crates/a/src/c.rs\n---\n"),
        ]);
        let whats: Vec<String> = check(&tree).into_iter().map(|finding| finding.what).collect();
        assert_eq!(whats, ["nothing named gone in crates/a/src/b.rs", "its source crates/a/src/c.rs is gone"]);
    }
}
