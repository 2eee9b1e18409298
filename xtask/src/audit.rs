//! `audit`: known vulnerabilities, licences and duplicates of the crates in `Cargo.lock`.
//!
//! Advisories are checked with `rustsec`, the library of `cargo audit`, which compiles in seconds; licences, duplicates and sources
//! with `cargo deny`. Both read `deny.toml`.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use rustsec::{
    Database, Lockfile, Report,
    advisory::{Id, Informational},
    report::Settings,
};
use toml::Table;

use crate::{step, tools, workspace};

/// Where the Rust project publishes advisories.
const PUBLISHED: &str = "https://github.com/RustSec/advisory-db";

/// Checks everything.
pub fn audit() -> Result<()> {
    let advisories = step::timed("advisories", advisories);
    let policies = step::timed("licences, duplicates and sources", policies);
    advisories.and(policies)
}

/// Fails if a crate in `Cargo.lock` has an advisory that `deny.toml` doesn't ignore: a vulnerability, or that the crate is unsound
/// or unmaintained.
fn advisories() -> Result<()> {
    check(&database()?)
}

/// Like `advisories`, among the tests. Without a network there is no database, which is said and fails nothing.
pub fn advisories_if_reachable() -> Result<()> {
    match database() {
        Ok(folder) => check(&folder),
        Err(error) => {
            step::say(&format!("Not checked: {error:#}"));
            Ok(())
        }
    }
}

fn check(folder: &Path) -> Result<()> {
    let database = Database::open(folder).with_context(|| format!("{} isn't readable", folder.display()))?;
    let root = workspace::root();
    let lockfile = Lockfile::load(root.join("Cargo.lock"))?;
    let ignored = ignored(&fs::read_to_string(root.join("deny.toml"))?)?;
    let findings = findings(&database, &lockfile, &ignored);
    for finding in &findings {
        step::say(finding);
    }
    let (known, crates) = (database.iter().count(), lockfile.packages.len());
    step::say(&format!("{crates} crates, {known} advisories in {}", folder.display()));
    match findings.len() {
        0 => Ok(()),
        many => bail!("{many} findings: update the crate, or add the id and a reason to `ignore` in deny.toml"),
    }
}

/// Fails if a crate has a licence that `deny.toml` doesn't allow, comes in two versions without a reason there, or comes from
/// elsewhere than the registry.
pub fn policies() -> Result<()> {
    let mut deny = Command::new(tools::cargo_deny()?);
    step::run(deny.args(["--workspace", "check", "licenses", "bans", "sources"]).current_dir(workspace::root()))
}

/// A copy of the database beside the repository, else a clone of the published one, renewed at each run.
fn database() -> Result<PathBuf> {
    let beside = workspace::root().join("../shared/advisory-db");
    if beside.join("crates").is_dir() {
        return Ok(beside);
    }
    let clone = workspace::target().join("advisory-db");
    let mut git = Command::new("git");
    if clone.join(".git").is_dir() {
        git.arg("-C").arg(&clone).args(["pull", "--quiet", "--ff-only"]);
    } else {
        git.args(["clone", "--quiet", "--depth", "1", PUBLISHED]).arg(&clone);
    }
    step::run(&mut git).context("The advisory database can't be fetched")?;
    Ok(clone)
}

/// The advisories that `deny.toml` ignores.
///
/// # Errors
///
/// If one of them has no reason.
fn ignored(deny: &str) -> Result<Vec<Id>> {
    let deny: Table = deny.parse()?;
    let entries =
        deny.get("advisories").and_then(|advisories| advisories.get("ignore")).and_then(|list| list.as_array());
    let entries = entries.context("`advisories.ignore` in deny.toml: expected an array")?;
    let id = |entry: &toml::Value| {
        let text = |name| entry.get(name).and_then(toml::Value::as_str).filter(|text| !text.trim().is_empty());
        match (text("id"), text("reason")) {
            (Some(id), Some(_)) => Ok(id.parse()?),
            _ => bail!("`advisories.ignore` in deny.toml: expected `{{ id, reason }}`; got `{entry}`"),
        }
    };
    entries.iter().map(id).collect()
}

/// What concerns the crates of a lock file, one line each, and which ignored advisories concern none of them.
fn findings(database: &Database, lockfile: &Lockfile, ignored: &[Id]) -> Vec<String> {
    let settings = Settings {
        informational_warnings: vec![Informational::Unmaintained, Informational::Unsound],
        ..Settings::default()
    };
    let report = Report::generate(database, lockfile, &settings);
    let vulnerable = report.vulnerabilities.list.iter().map(|found| {
        let patched: Vec<String> = found.versions.patched().iter().map(ToString::to_string).collect();
        let fix = if patched.is_empty() { "no fixed version".to_owned() } else { patched.join(" or ") };
        (&found.advisory, &found.package, fix)
    });
    let warned = report.warnings.values().flatten();
    let warned = warned.filter_map(|found| Some((found.advisory.as_ref()?, &found.package, found.kind.to_string())));
    let all: Vec<_> = vulnerable.chain(warned).collect();
    let unused = ignored.iter().filter(|id| all.iter().all(|(advisory, ..)| advisory.id != **id));
    let unused = unused.map(|id| format!("{id}: ignored in deny.toml, but concerns no crate in Cargo.lock"));
    let open = all.iter().filter(|(advisory, ..)| !ignored.contains(&advisory.id)).map(|(advisory, package, fix)| {
        format!("{}: {} {}: {} ({fix})", advisory.id, package.name, package.version, advisory.title)
    });
    open.chain(unused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
[[package]]
name = "leaky"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "orphan"
version = "0.3.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

    /// A database of two advisories, and what it finds in [`LOCK`].
    fn found(ignored: &[&str]) -> Vec<String> {
        let folder = std::env::temp_dir().join(format!("verbatim-audit-{}-{}", std::process::id(), ignored.join("-")));
        let write = |id: &str, package: &str, more: &str, patched: &str| {
            let below = folder.join("crates").join(package);
            fs::create_dir_all(&below).expect("a folder");
            let advisory = format!(
                "```toml\n[advisory]\nid = \"{id}\"\npackage = \"{package}\"\ndate = \"2026-01-01\"\n{more}\n\n[versions]\n\
                 patched = [{patched}]\n```\n\n# A title\n\nMore.\n"
            );
            fs::write(below.join(format!("{id}.md")), advisory).expect("a file");
        };
        write("RUSTSEC-2026-9001", "leaky", "", "\">= 1.0.1\"");
        write("RUSTSEC-2026-9002", "orphan", "informational = \"unmaintained\"", "");
        let database = Database::open(&folder).expect("a database");
        fs::remove_dir_all(&folder).expect("removed");
        let ignored: Vec<Id> = ignored.iter().map(|id| id.parse().expect("an id")).collect();
        findings(&database, &LOCK.parse().expect("a lock file"), &ignored)
    }

    #[test]
    fn vulnerable_and_unmaintained_crates_are_found() {
        assert_eq!(
            found(&[]),
            [
                "RUSTSEC-2026-9001: leaky 1.0.0: A title (>=1.0.1)",
                "RUSTSEC-2026-9002: orphan 0.3.0: A title (unmaintained)"
            ]
        );
    }

    #[test]
    fn an_ignored_advisory_must_concern_a_crate() {
        assert_eq!(
            found(&["RUSTSEC-2026-9001", "RUSTSEC-2026-9003"]),
            [
                "RUSTSEC-2026-9002: orphan 0.3.0: A title (unmaintained)",
                "RUSTSEC-2026-9003: ignored in deny.toml, but concerns no crate in Cargo.lock"
            ]
        );
    }

    #[test]
    fn an_ignored_advisory_needs_a_reason() {
        let deny =
            |reason: &str| format!("[advisories]\nignore = [{{ id = \"RUSTSEC-2026-9001\", reason = \"{reason}\" }}]");
        assert_eq!(ignored(&deny("not reachable")).expect("ids").len(), 1);
        assert_eq!(
            ignored(&deny(" ")).expect_err("no reason").to_string(),
            "`advisories.ignore` in deny.toml: expected `{ id, reason }`; got `{ id = \"RUSTSEC-2026-9001\", reason = \" \" }`"
        );
    }
}
