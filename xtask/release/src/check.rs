//! The checklist of `docs/releasing.md`, as far as a program can walk it.
use std::process::Command;

use anyhow::{Result, bail};
use xtask::{step, workspace};

use crate::{Release, sdks, sums, text, trial};

/// Walks all of it, and says of each line whether it holds.
pub fn walk(release: &Release) -> Result<()> {
    let lines: [(&str, &dyn Fn() -> Result<()>); 7] = [
        ("the tree is the commit", &clean),
        ("the lock file fits", &locked),
        ("CHANGELOG.md has the version on top", &|| changelog(release)),
        ("the SDKs have the version", &|| sdk_versions(release)),
        ("the oldest Rust is the one that is named", &oldest_rust),
        ("SHA256SUMS fits the files", &|| sums::check(release)),
        ("each package installs a program of this version", &|| trial::all(release)),
    ];
    let mut failed = 0;
    for (name, line) in lines {
        match line() {
            Ok(()) => step::say(&format!("ok    {name}")),
            Err(error) => {
                failed += 1;
                step::say(&format!("fail  {name}: {error:#}"));
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of the checklist failed");
    }
    Ok(())
}

/// Checks that nothing is different from the commit: packages are made from one.
pub fn clean() -> Result<()> {
    let changed = step::output(Command::new("git").args(["status", "--porcelain"]).current_dir(workspace::root()))?;
    if !changed.is_empty() {
        bail!(
            "these files differ from the commit; commit them, or package a program with `--program`\n{}",
            changed.trim_end()
        );
    }
    Ok(())
}

fn locked() -> Result<()> {
    step::output(&mut workspace::cargo(["metadata", "--locked", "--format-version", "1"])).map(drop)
}

/// A version that isn't released yet has a heading with something behind its number.
fn changelog(release: &Release) -> Result<()> {
    let text = text("CHANGELOG.md")?;
    let heading = text.lines().find(|line| line.starts_with("## ")).unwrap_or_default();
    let expected = format!("## {}", release.version);
    if heading != expected {
        bail!("expected the heading `{expected}`, the version of Cargo.toml; the first one is `{heading}`");
    }
    Ok(())
}

fn sdk_versions(release: &Release) -> Result<()> {
    for (file, version) in sdks::versions()? {
        if version != release.version {
            bail!("{file} has {version}, and Cargo.toml {}", release.version);
        }
    }
    Ok(())
}

/// `rust-version` is the oldest compiler that CI builds with. Of a newer one here, nobody knows whether the older one does.
fn oldest_rust() -> Result<()> {
    let named = env!("CARGO_PKG_RUST_VERSION");
    let here = step::output(Command::new("rustc").arg("--version"))?;
    if !here.starts_with(&format!("rustc {named}.")) {
        bail!("Cargo.toml names {named}, and this is {}: build with `cargo +{named} check`", here.trim());
    }
    Ok(())
}
