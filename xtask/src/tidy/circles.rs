//! Inside each crate, modules import each other in one direction, whatever names they use: an import of what another module exports
//! again is one of the module that has it.
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Macro, Meta, UseTree, Visibility, visit::Visit};

use super::{Finding, Tree, tree::File};

/// The crates.
const CRATES: [&str; 16] = [
    "app",
    "crates/agents",
    "crates/api",
    "crates/channels",
    "crates/cost",
    "crates/diff",
    "crates/drivers",
    "crates/hub",
    "crates/mcp",
    "crates/model",
    "crates/redact",
    "crates/sdk",
    "crates/store",
    "crates/tui",
    "frontend",
    "server",
];
/// Crates in which that holds within each folder as well.
const TO_THE_LEAVES: [&str; 2] = ["crates/agents", "crates/hub"];

/// The path of a module, or of an item in it, from the root of its crate.
type Path = Vec<String>;

/// A module's file.
#[derive(Default)]
struct Module {
    /// The paths that it names and that may be in its own crate, from the root of that.
    named: BTreeSet<Path>,
    /// The re-exports of items of other modules: the path here, and the path as it is named.
    exported: Vec<(Path, Path)>,
}

/// The modules right below the root of its crate that a file names as `crate::NAME`, also in its tests.
pub fn modules_named(file: &File) -> BTreeSet<String> {
    let Ok(parsed) = syn::parse_file(&file.text) else { return BTreeSet::new() };
    let mut reader = Reader { own: &Path::new(), reads_tests: true, module: Module::default(), roots: BTreeSet::new() };
    reader.visit_file(&parsed);
    reader.roots
}

pub fn check(tree: &Tree) -> Vec<Finding> {
    CRATES.iter().flat_map(|folder| of_crate(tree, folder)).collect()
}

fn of_crate(tree: &Tree, folder: &str) -> Vec<Finding> {
    let source = format!("{folder}/src/");
    let mut modules = BTreeMap::new();
    for file in tree.below(&source).filter(|file| file.extension() == "rs" && !file.is_test()) {
        let Ok(parsed) = syn::parse_file(&file.text) else { continue };
        let name = file.path.trim_start_matches(&*source).trim_end_matches(".rs");
        let path: Path = match name {
            "lib" | "main" => Path::new(),
            name => name.split('/').map(str::to_owned).collect(),
        };
        let module = Module::default();
        let mut reader = Reader { own: &path, reads_tests: false, module, roots: BTreeSet::new() };
        reader.visit_file(&parsed);
        let module = reader.module;
        modules.insert(path, module);
    }
    let edges = edges(&modules);
    let deepest = if TO_THE_LEAVES.contains(&folder) { usize::MAX } else { 0 };
    let parents: BTreeSet<&[String]> = modules
        .keys()
        .flat_map(|path| (0..path.len()).map(|end| &path[..end]))
        .filter(|it| it.len() <= deepest)
        .collect();
    parents.into_iter().filter_map(|parent| circle(&source, parent, &edges)).collect()
}

/// Which module uses which.
fn edges(modules: &BTreeMap<Path, Module>) -> BTreeSet<(Path, Path)> {
    let exported: BTreeMap<&Path, &Path> =
        modules.values().flat_map(|module| &module.exported).map(|(here, there)| (here, there)).collect();
    let mut edges = BTreeSet::new();
    for (own, module) in modules {
        for named in &module.named {
            let found = resolve(named, modules, &exported, 0);
            if found != *own {
                edges.insert((own.clone(), found));
            }
        }
    }
    edges
}

/// The module that has what a path names.
fn resolve(named: &Path, modules: &BTreeMap<Path, Module>, exported: &BTreeMap<&Path, &Path>, depth: usize) -> Path {
    for end in 1..=named.len() {
        let part = named[..end].to_vec();
        // An export of an export of itself is none that compiles.
        if let Some(there) = exported.get(&part).filter(|_| depth < 8 && !modules.contains_key(&part)) {
            let whole = there.iter().chain(&named[end..]).cloned().collect();
            return resolve(&whole, modules, exported, depth + 1);
        }
    }
    let longest = (0..=named.len()).rev().find(|end| modules.contains_key(&named[..*end]));
    named[..longest.unwrap_or(0)].to_vec()
}

/// The modules right below a parent that reach themselves: each with all that is below it.
fn circle(source: &str, parent: &[String], edges: &BTreeSet<(Path, Path)>) -> Option<Finding> {
    let below = |path: &Path| path.strip_prefix(parent).and_then(|rest| rest.first()).cloned();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (below(from), below(to))
            && from != to
        {
            imports.entry(from).or_default().insert(to);
        }
    }
    // A module that imports none of those left, or is imported by none of them, is in no circle.
    loop {
        let imported: BTreeSet<String> = imports.values().flatten().cloned().collect();
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        imports.retain(|name, imports| imported.contains(name) && !imports.is_disjoint(&left));
        if imports.len() == left.len() {
            break;
        }
    }
    (!imports.is_empty()).then(|| Finding {
        place: format!("{source}{}", parent.join("/")),
        what: format!("these import each other in a circle: {}", imports.into_keys().collect::<Vec<_>>().join(", ")),
        why: "of two modules one is below the other; move what both need into a third",
    })
}

/// Reads what a module names.
struct Reader<'a> {
    own: &'a Path,
    reads_tests: bool,
    module: Module,
    /// The words right behind `crate`.
    roots: BTreeSet<String>,
}

impl Reader<'_> {
    /// Notes a path that begins with `crate`, `super` or `self`.
    fn name(&mut self, words: &[String]) {
        self.note_root(words);
        if let Some(path) = self.absolute(words) {
            self.module.named.insert(path);
        }
    }

    fn note_root(&mut self, words: &[String]) {
        if let [first, second, ..] = words
            && first == "crate"
        {
            self.roots.insert(second.clone());
        }
    }

    fn absolute(&self, words: &[String]) -> Option<Path> {
        let mut base = match words.first()?.as_str() {
            "crate" => return Some(words[1..].to_vec()),
            "self" => self.own.clone(),
            "super" => self.own[..self.own.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        let mut rest = &words[1..];
        while rest.first().is_some_and(|word| word == "super") {
            base.pop()?;
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn import(&mut self, tree: &UseTree, before: &mut Path, exports: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, exports);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, exports)),
            UseTree::Name(name) if name.ident == "self" => self.import_one(before.clone(), None, exports),
            UseTree::Name(name) => {
                let whole = before.iter().cloned().chain([name.ident.to_string()]).collect();
                self.import_one(whole, None, exports);
            }
            UseTree::Rename(name) => {
                let whole = before.iter().cloned().chain([name.ident.to_string()]).collect();
                self.import_one(whole, Some(name.rename.to_string()), exports);
            }
            UseTree::Glob(_) => self.import_one(before.clone(), None, false),
        }
    }

    /// Notes an import. A path without `crate` before it may begin with a child of the module.
    fn import_one(&mut self, words: Path, renamed: Option<String>, exports: bool) {
        self.note_root(&words);
        let whole = self.absolute(&words).unwrap_or_else(|| self.own.iter().cloned().chain(words).collect());
        if exports && let Some(last) = renamed.or_else(|| whole.last().cloned()) {
            let here: Path = self.own.iter().cloned().chain([last]).collect();
            if here != whole {
                self.module.exported.push((here, whole.clone()));
            }
        }
        self.module.named.insert(whole);
    }

    /// Paths within the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut words = Path::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.name(&std::mem::take(&mut words));
                    }
                    words.push(word.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.name(&std::mem::take(&mut words));
                    self.tokens(group.stream());
                }
                _ => self.name(&std::mem::take(&mut words)),
            }
        }
        self.name(&words);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if self.reads_tests || !is_test(item) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exports = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &mut Path::new(), exports);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if words.len() > 1 {
            self.name(&words);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }
}

/// Only tests may import upwards.
fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => attribute.path().is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        let findings = check(&Tree(files.iter().map(file).collect()));
        findings.into_iter().map(|it| format!("{} {}", it.place, it.what)).collect()
    }

    #[test]
    fn a_circle_is_found_behind_what_the_crate_exports_again() {
        let found = found(&[
            ("crates/cost/src/lib.rs", "mod bill;\nmod price;\npub use bill::Bill;\npub use price::Price;\n"),
            ("crates/cost/src/bill.rs", "use crate::Price;\npub struct Bill(Price);\n"),
            ("crates/cost/src/price.rs", "pub struct Price;\nimpl From<crate::Bill> for Price {}\n"),
        ]);
        assert_eq!(found, ["crates/cost/src/ these import each other in a circle: bill, price"]);
    }

    #[test]
    fn a_circle_is_found_in_macros_lists_and_through_parents() {
        let found = found(&[
            ("app/src/message.rs", "use super::{clock::{self, Clock}, pages};\n"),
            ("app/src/message/text.rs", "fn f() { view! { <p>{crate::pages::title()}</p> } }\n"),
            ("app/src/pages.rs", "use crate::{clock::Clock as Time, message};\n"),
            ("app/src/clock.rs", "pub struct Clock;\n"),
        ]);
        assert_eq!(found, ["app/src/ these import each other in a circle: message, pages"]);
    }

    #[test]
    fn within_a_folder_and_in_tests_a_circle_is_none() {
        let found = found(&[
            (
                "crates/diff/src/view.rs",
                "mod row;\nuse row::Row;\npub struct View;\n#[cfg(test)]\nmod tests { use crate::net::Net; }\n",
            ),
            ("crates/diff/src/view/row.rs", "use super::View;\npub struct Row(View);\n"),
            ("crates/diff/src/net.rs", "use crate::view::View;\n"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn in_the_hub_a_folder_has_none_either() {
        let found = found(&[
            ("crates/hub/src/requests/card.rs", "use crate::requests::wait::Wait;\npub struct Card;\n"),
            ("crates/hub/src/requests/wait.rs", "use super::card::Card;\npub struct Wait;\n"),
        ]);
        assert_eq!(found, ["crates/hub/src/requests these import each other in a circle: card, wait"]);
    }
}
