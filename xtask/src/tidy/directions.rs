//! Inside the interface, imports go in one direction: by groups in `frontend`, by folders in `app`.
use super::{Finding, Tree, circles::modules_named};

const FRONTEND: &str = "frontend/src/";
const ROOT: &str = "frontend/src/lib.rs";
/// The modules that each module of the browser's half of `app` may not know.
const APP: [(&str, &[&str]); 3] = [
    ("app/src/shared", &["browser", "islands", "pages", "message", "transcript"]),
    ("app/src/browser", &["islands", "pages", "message", "transcript"]),
    ("app/src/islands", &["pages", "message", "transcript"]),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let groups = tree.file(ROOT).map(|root| groups(&root.text)).unwrap_or_default();
    let level = |module: &str| groups.iter().position(|group| group.contains(&module));
    for file in tree.below(FRONTEND).filter(|file| file.extension() == "rs") {
        let features = file.lines().filter(|(_, line)| line.contains("cfg(feature")).map(|(number, _)| Finding {
            place: format!("{}:{number}", file.path),
            what: "depends on a feature".to_owned(),
            why: "`frontend` runs in the browser alone",
        });
        findings.extend(features);
        let own = file.path.strip_prefix(FRONTEND).and_then(|path| path.split(['/', '.']).next()).unwrap_or_default();
        let Some(own_level) = level(own) else { continue };
        for name in modules_named(file).into_iter().filter(|name| name != own) {
            if level(&name).is_some_and(|other| other <= own_level) {
                findings.push(Finding {
                    place: file.path.clone(),
                    what: format!("imports crate::{name}"),
                    why: "a module imports only from the groups below its own, see frontend/src/lib.rs",
                });
            }
        }
    }
    for (folder, unknown) in APP {
        for file in tree.below(folder).filter(|file| file.extension() == "rs") {
            let known = modules_named(file).into_iter().filter(|name| unknown.contains(&name.as_str()));
            findings.extend(known.map(|name| Finding {
                place: file.path.clone(),
                what: format!("imports crate::{name}"),
                why: "shared knows neither server nor browser, the browser kit no islands, and islands no pages",
            }));
        }
    }
    findings
}

/// Groups of `mod` lines with nothing between them.
fn groups(root: &str) -> Vec<Vec<&str>> {
    let mut groups = vec![Vec::new()];
    for line in root.lines() {
        match line.strip_prefix("mod ").and_then(|line| line.strip_suffix(';')) {
            Some(module) => groups.last_mut().into_iter().for_each(|group| group.push(module)),
            None if groups.last().is_some_and(|group| !group.is_empty()) => groups.push(Vec::new()),
            None => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{super::tree::File, *};

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn lists_of_imports_are_read() {
        let text = "use crate::a::{x, y};\nuse crate::{b, c::{d, e}, f};\nfn g() { crate::h::i() }\nuse mycrate::j;\n/// [`crate::k`]\nfn l() {}\n";
        assert_eq!(
            modules_named(&file("frontend/src/z.rs", text)).into_iter().collect::<Vec<_>>(),
            ["a", "b", "c", "f", "h"]
        );
    }

    #[test]
    fn an_import_upwards_or_sideways_is_found() {
        let tree = Tree(vec![
            file("frontend/src/lib.rs", "//! A tour.\nmod top;\n\n// Below.\nmod low;\nmod side;\n\nfn f() {}\n"),
            file("frontend/src/low.rs", "use crate::{side, top};\n"),
            file("frontend/src/top.rs", "use crate::low;\n"),
            file("frontend/src/top/part.rs", "use crate::top::X;\n#[cfg(feature = \"a\")]\n"),
            file("app/src/browser/dom.rs", "use crate::islands;\n"),
        ]);
        let found: Vec<String> = check(&tree).iter().map(|it| format!("{} {}", it.place, it.what)).collect();
        assert_eq!(
            found,
            [
                "frontend/src/low.rs imports crate::side",
                "frontend/src/low.rs imports crate::top",
                "frontend/src/top/part.rs:2 depends on a feature",
                "app/src/browser/dom.rs imports crate::islands",
            ]
        );
    }
}
