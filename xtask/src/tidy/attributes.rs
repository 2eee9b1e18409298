//! Attribute names stand in one table, `app/src/shared/attr.rs`: code takes its constants, and markup, selectors and styles use no
//! others.
use std::collections::BTreeSet;

use super::{Finding, Tree, tree::File};

const TABLE: &str = "app/src/shared/attr.rs";
const PREFIX: &str = "data-";
/// Who writes and reads attributes.
const FOLDERS: [&str; 4] = ["app/src/", "frontend/src/", "style/", "app/assets/"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(table) = tree.file(TABLE) else { return Vec::new() };
    let known: BTreeSet<&str> = table.lines().flat_map(|(_, line)| names(line)).map(|(_, name)| name).collect();
    let constants: BTreeSet<&str> =
        table.lines().filter_map(|(_, line)| line.split_once(" = \"")).map(|(name, _)| name.trim()).collect();
    let (mut findings, mut used) = (Vec::new(), BTreeSet::new());
    let ours = |file: &&File| file.path != TABLE && FOLDERS.iter().any(|folder| file.path.starts_with(folder));
    for file in tree.0.iter().filter(ours).filter(|file| matches!(file.extension(), "rs" | "css" | "js")) {
        for (number, line) in file.lines() {
            used.extend(constants.iter().filter(|name| line.contains(&format!("attr::{name}"))).copied());
            for (at, name) in names(line) {
                used.insert(name);
                let is_literal =
                    file.extension() == "rs" && line[..at].ends_with('"') && line[at + name.len()..].starts_with('"');
                let (what, why) = if !known.contains(name) {
                    (format!("`{name}` isn't in {TABLE}"), "a name that one side alone knows is read by nobody")
                } else if is_literal {
                    (format!("`\"{name}\"`"), "code takes the constant of `shared::attr`, which the compiler checks")
                } else {
                    continue;
                };
                findings.push(Finding { place: format!("{}:{number}", file.path), what, why });
            }
        }
    }
    for (number, line) in table.lines() {
        let Some((name, attribute)) = line.split_once(" = \"") else { continue };
        let attribute = attribute.trim_end_matches("\";");
        if !used.contains(name.trim()) && !used.contains(attribute) {
            findings.push(Finding {
                place: format!("{TABLE}:{number}"),
                what: format!("`{attribute}` is used nowhere"),
                why: "the table holds what there is",
            });
        }
    }
    findings
}

/// Attribute names of a line, with their places.
fn names(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices(PREFIX).filter_map(|(at, _)| {
        if line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let rest = &line[at..];
        let end =
            rest.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches('-');
        (name.len() > PREFIX.len() && end == name.len()).then_some((at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::{Tree, check};
    use crate::tidy::tree::File;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let table = "attributes! {\n    SEQ = \"data-seq\";\n}\n";
        let tree = Tree(vec![file(super::TABLE, table), file("frontend/src/uses.rs", "attr::SEQ"), file(path, text)]);
        check(&tree).into_iter().map(|finding| format!("{} {}", finding.place, finding.what)).collect()
    }

    #[test]
    fn code_takes_the_constant() {
        assert_eq!(
            found("frontend/src/a.rs", "row.get_attribute(\"data-seq\")"),
            ["frontend/src/a.rs:1 `\"data-seq\"`"]
        );
        assert_eq!(found("frontend/src/a.rs", "dom::find(row, \"[data-seq]\")"), [""; 0]);
    }

    #[test]
    fn markup_selectors_and_styles_use_no_other_names() {
        for (path, text) in
            [("app/src/a.rs", "<p data-sec=1>"), ("style/a.css", "[data-sec] {}"), ("app/assets/a.js", "'[data-sec]'")]
        {
            assert_eq!(found(path, text), [format!("{path}:1 `data-sec` isn't in app/src/shared/attr.rs")]);
        }
    }

    #[test]
    fn the_table_holds_what_is_used() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let tree = Tree(vec![file(super::TABLE, "attributes! {\n    OLD = \"data-old\";\n}\n")]);
        let found: Vec<String> = check(&tree).into_iter().map(|finding| finding.what).collect();
        assert_eq!(found, ["`data-old` is used nowhere"]);
    }
}
