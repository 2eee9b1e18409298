//! No dependency that nothing uses: a crate's sources name each that its `Cargo.toml` does, and each of the workspace's has a
//! crate that takes it.
use std::collections::BTreeSet;

use toml::{Table, Value};

use super::{Finding, Tree};

const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let (mut findings, mut taken, mut offered) = (Vec::new(), BTreeSet::new(), Vec::new());
    for file in tree.0.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let Ok(manifest) = file.text.parse::<Table>() else { continue };
        let folder = file.path.trim_end_matches("Cargo.toml");
        if let Some(workspace) = manifest.get("workspace").and_then(Value::as_table) {
            offered.extend(named(workspace).map(|name| (file.path.clone(), name.to_owned())));
        }
        let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
        let tables = targets.filter_map(Value::as_table).chain([&manifest]);
        for name in tables.flat_map(named) {
            taken.insert(name.to_owned());
            let word = name.replace('-', "_");
            let is_used = tree.below(folder).any(|source| source.extension() == "rs" && has_word(&source.text, &word));
            if !is_used {
                findings.push(finding(&file.path, name, "is named in no source of its crate"));
            }
        }
    }
    let lonely = offered.iter().filter(|(_, name)| !taken.contains(name));
    findings.extend(lonely.map(|(path, name)| finding(path, name, "is taken by no crate of the workspace")));
    findings
}

fn named(table: &Table) -> impl Iterator<Item = &str> {
    KINDS.iter().filter_map(|kind| table.get(*kind)?.as_table()).flat_map(Table::keys).map(String::as_str)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter))
}

fn finding(path: &str, name: &str, what: &str) -> Finding {
    Finding {
        place: path.to_owned(),
        what: format!("`{name}` {what}"),
        why: "an unused dependency is built and audited",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::File;
    use super::{Tree, check};

    #[test]
    fn what_no_source_names_is_found() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let tree = Tree(vec![
            file("Cargo.toml", "[workspace.dependencies]\nalone = \"1\"\nin-use = \"1\"\nmy-in = \"1\"\n"),
            file("a/Cargo.toml", "[dependencies]\nin-use = \"1\"\n[target.'cfg(unix)'.dependencies]\nmy-in = \"1\"\n"),
            file("a/src/lib.rs", "use in_use::Thing; // amy_in\n"),
            file("b/src/lib.rs", "my_in::run();\n"),
        ]);
        let found: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "a/Cargo.toml: `my-in` is named in no source of its crate (an unused dependency is built and audited)",
                "Cargo.toml: `alone` is taken by no crate of the workspace (an unused dependency is built and audited)",
            ]
        );
    }
}
