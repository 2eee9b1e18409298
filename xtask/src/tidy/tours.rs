//! Every crate begins with a tour of itself and takes the workspace's lints.
use super::{Finding, Tree};

/// How the last paragraph of a tour begins: "How to add one", "How to add an endpoint".
const CLOSING: &str = "How to add";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.0.iter().filter_map(|file| Some((file, file.path.strip_suffix("/Cargo.toml")?)));
    let mut findings = Vec::new();
    for (manifest, folder) in manifests {
        let mut found = |place: &str, what: &str, why| {
            findings.push(Finding { place: place.to_owned(), what: what.to_owned(), why });
        };
        if !manifest.text.contains("[lints]\nworkspace = true") {
            found(&manifest.path, "no `[lints] workspace = true`", "the same lints hold everywhere");
        }
        let roots = [format!("{folder}/src/lib.rs"), format!("{folder}/src/main.rs")];
        let Some(root) = roots.iter().find_map(|path| tree.file(path)) else { continue };
        let tour: Vec<&str> = root.text.lines().take_while(|line| line.starts_with("//!")).collect();
        if !tour.iter().any(|line| line.contains(CLOSING)) {
            found(
                &format!("{}:{}", root.path, tour.len().max(1)),
                "the crate's tour says nothing of \"How to add\" one",
                "a reader finds the room in one guess",
            );
        }
    }
    findings
}
