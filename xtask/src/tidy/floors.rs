//! Who may depend on whom: arrows point down only, and what must not know something can't.
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Finding;
use crate::{step, workspace::cargo};

/// Each of our crates and those of ours that it may depend on.
const FLOORS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("api", &["model"]),
    ("agents", &["model"]),
    ("channels", &["model"]),
    ("cost", &["model"]),
    ("diff", &["model"]),
    ("drivers", &["agents"]),
    ("redact", &[]),
    ("store", &["model"]),
    ("store-tests", &["model", "store"]),
    ("backup", &["model", "store"]),
    ("sdk", &["api", "model"]),
    ("mcp", &["api", "model", "sdk"]),
    ("tui", &["api", "diff", "model", "sdk"]),
    ("hub", &["agents", "api", "channels", "cost", "diff", "drivers", "model", "redact", "store"]),
    ("app", &["agents", "api", "diff", "model"]),
    ("frontend", &["api", "app", "model"]),
    (
        "server",
        &[
            "agents", "api", "app", "backup", "channels", "cost", "diff", "drivers", "hub", "mcp", "model", "redact",
            "sdk", "store", "tui",
        ],
    ),
    ("xtask", &[]),
    ("bench", &["xtask"]),
    ("bundle", &[]),
    ("release", &["xtask"]),
];

/// Crates of others that only these of ours may name.
const OWNED: [(&str, &[&str]); 9] = [
    ("arborium", &["diff", "hub"]),
    ("imara-diff", &["diff"]),
    ("leptos", &["app", "frontend"]),
    ("libsqlite3-sys", &["store"]),
    ("prometheus-client", &["hub", "server"]),
    ("pulldown-cmark", &["app", "tui"]),
    ("ratatui", &["server", "tui"]),
    ("rmcp", &["mcp"]),
    // For the server its tests alone, which look into databases that it wrote for others.
    ("sqlx", &["server", "store", "store-tests"]),
];

/// Pure with their default features: time, randomness and IO are arguments.
const PURE: &[&str] = &["agents", "api", "cost", "diff", "model", "redact"];
/// Crates that would make them impure, at any depth.
const IMPURE: [&str; 11] =
    ["axum", "chrono", "getrandom", "hyper", "mio", "rand", "reqwest", "rusqlite", "sqlx", "tokio", "uuid"];

/// Reads cargo's own view of the workspace.
pub fn check() -> Result<Vec<Finding>> {
    let metadata = step::output(&mut cargo(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let crates = dependencies(&metadata).context("`cargo metadata` has an unexpected shape")?;
    let mut findings = arrows(&crates);
    for name in PURE {
        let arguments = ["tree", "--package", name, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
        findings.extend(impurities(name, &step::output(&mut cargo(arguments))?));
    }
    Ok(findings)
}

type Crates<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn dependencies(metadata: &Value) -> Option<Crates<'_>> {
    let mut crates = Crates::new();
    for package in metadata["packages"].as_array()? {
        let names = package["dependencies"].as_array()?.iter().filter_map(|dependency| dependency["name"].as_str());
        crates.insert(package["name"].as_str()?, names.collect());
    }
    Some(crates)
}

fn arrows(crates: &Crates<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, dependencies) in crates {
        let mut found = |what, why| findings.push(Finding { place: format!("crate {name}"), what, why });
        let Some((_, allowed)) = FLOORS.iter().find(|(floor, _)| floor == name) else {
            found("has no floor".to_owned(), "every crate stands in FLOORS of xtask/src/tidy/floors.rs");
            continue;
        };
        for dependency in dependencies {
            if crates.contains_key(dependency) && !allowed.contains(dependency) {
                found(format!("depends on {dependency}"), "arrows point down only, see docs/ARCHITECTURE.md");
            }
            if OWNED.iter().any(|(owned, owners)| owned == dependency && !owners.contains(name)) {
                found(format!("depends on {dependency}"), "that crate has an owner, see OWNED in tidy/floors.rs");
            }
        }
    }
    findings
}

fn impurities(name: &str, tree: &str) -> Vec<Finding> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names
        .filter(|dependency| IMPURE.iter().any(|impure| dependency == impure || dependency.starts_with("sqlx-")))
        .map(|dependency| Finding {
            place: format!("crate {name}"),
            what: format!("reaches {dependency}: `cargo tree -p {name} -i {dependency}` shows how"),
            why: "it is pure: time, randomness and IO are arguments",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| format!("{}: {}", finding.place, finding.what)).collect()
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        let crates = Crates::from([("app", vec!["model", "store"]), ("model", vec!["serde"]), ("store", vec!["sqlx"])]);
        assert_eq!(whats(&arrows(&crates)), ["crate app: depends on store"]);
    }

    #[test]
    fn an_owned_crate_elsewhere_and_a_new_crate_are_found() {
        let crates = Crates::from([("hub", vec!["sqlx"]), ("shed", vec![])]);
        assert_eq!(whats(&arrows(&crates)), ["crate hub: depends on sqlx", "crate shed: has no floor"]);
    }

    #[test]
    fn an_impure_crate_is_found_at_any_depth() {
        let tree = "model v0.1.0 (/w/crates/model)\nserde v1.0.0\nsqlx-core v0.9.0\ntokio v1.0.0 (*)";
        assert_eq!(impurities("model", tree).len(), 2);
    }
}
