//! A migration exists for both engines or for none.
use std::collections::BTreeSet;

use super::{Finding, Tree};

pub fn check(tree: &Tree) -> Vec<Finding> {
    let names = |folder| -> BTreeSet<&str> {
        tree.below(folder).filter(|file| file.extension() == "sql").map(|file| &file.path[folder.len()..]).collect()
    };
    let (sqlite, postgres) = (names("migrations/sqlite/"), names("migrations/postgres/"));
    let lonely = |name: &&str| Finding {
        place: format!("migrations/*/{name}"),
        what: "stands in one of the two folders".to_owned(),
        why: "both engines take the same steps, under the same names",
    };
    sqlite.symmetric_difference(&postgres).map(lonely).collect()
}
