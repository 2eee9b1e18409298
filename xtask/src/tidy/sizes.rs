//! No file that nobody reads to its end.
use super::{Finding, Tree};

const MOST_LINES: usize = 600;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let written = tree.0.iter().filter(|file| matches!(file.extension(), "css" | "js" | "mjs" | "rs" | "ts"));
    written
        .filter(|file| !file.path.starts_with("fixtures/") && !file.path.contains("/fixtures/"))
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(file, lines)| Finding {
            place: file.path.clone(),
            what: format!("{lines} lines"),
            why: "600 at most: one file per thing",
        })
        .collect()
}
