//! `audit`: known vulnerabilities, licences and duplicates of the crates in `Cargo.lock`, by `cargo deny` and `deny.toml`.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{step, tools, workspace};

/// Where the Rust project publishes advisories. The same as in `deny.toml`.
const PUBLISHED: &str = "https://github.com/RustSec/advisory-db";

/// Checks everything.
pub fn audit() -> Result<()> {
    let advisories = step::timed("advisories", advisories);
    let policies = step::timed("licences, duplicates and sources", policies);
    advisories.and(policies)
}

/// Fails if a crate has an advisory that `deny.toml` doesn't ignore: a vulnerability, or that the crate is unsound or unmaintained.
fn advisories() -> Result<()> {
    let mut deny = Command::new(tools::cargo_deny()?);
    deny.args(["--workspace", "check", "advisories"]).current_dir(workspace::root());
    if let Some(beside) = beside() {
        let copy = with_history(&beside)?;
        deny.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", format!("url.{}.insteadOf", copy.display()));
        deny.env("GIT_CONFIG_VALUE_0", PUBLISHED);
    }
    step::run(&mut deny)
}

/// Like `advisories`, among the tests. Without a network there is no database, which is said and fails nothing.
pub fn advisories_if_reachable() -> Result<()> {
    let reachable =
        beside().is_some() || step::output(Command::new("git").args(["ls-remote", "--heads", PUBLISHED])).is_ok();
    if !reachable {
        step::say(&format!("Not checked: {PUBLISHED} can't be reached"));
        return Ok(());
    }
    advisories()
}

/// Fails if a crate has a licence that `deny.toml` doesn't allow, comes in two versions without a reason there, or comes from
/// elsewhere than the registry.
pub fn policies() -> Result<()> {
    let mut deny = Command::new(tools::cargo_deny()?);
    step::run(deny.args(["--workspace", "check", "licenses", "bans", "sources"]).current_dir(workspace::root()))
}

/// A copy of the advisories without their history, beside the repository. It is fetched in place of the published ones.
fn beside() -> Option<PathBuf> {
    Some(workspace::root().join("../shared/advisory-db")).filter(|folder| folder.join("crates").is_dir())
}

/// Makes a git repository with the files of a folder. `cargo deny` takes advisories from nothing else.
fn with_history(folder: &Path) -> Result<PathBuf> {
    let copy = workspace::target().join("advisory-db");
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy)?;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(copy.join(".git")).arg("--work-tree").arg(folder).args(arguments);
        git.envs([("GIT_AUTHOR_NAME", "copy"), ("GIT_AUTHOR_EMAIL", "copy@localhost")]);
        git.envs([("GIT_COMMITTER_NAME", "copy"), ("GIT_COMMITTER_EMAIL", "copy@localhost")]);
        step::run(&mut git)
    };
    git(&["init", "--quiet", "--initial-branch", "main"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "A copy"])?;
    Ok(copy)
}
