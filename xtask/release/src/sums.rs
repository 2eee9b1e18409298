//! `SHA256SUMS` of all files of a release, as `sha256sum --check` reads it.
use std::fs;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::Release;

pub const NAME: &str = "SHA256SUMS";

/// Writes the sums of all files that are there.
pub fn write(release: &Release) -> Result<()> {
    let sums = of_files(release)?;
    release.write(NAME, sums.as_bytes())
}

/// Checks that the list and the files are the same.
pub fn check(release: &Release) -> Result<()> {
    let file = release.folder.join(NAME);
    let listed = fs::read_to_string(&file).with_context(|| format!("{}: run `cargo xtask release`", file.display()))?;
    let sums = of_files(release)?;
    let differing: Vec<&str> = listed
        .lines()
        .filter(|line| !sums.contains(line))
        .chain(sums.lines().filter(|line| !listed.contains(line)))
        .collect();
    if !differing.is_empty() {
        bail!("{NAME} doesn't fit the files: {}", differing.join(", "));
    }
    Ok(())
}

fn of_files(release: &Release) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(&release.folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != NAME);
    names.sort();
    let line = |name: String| Ok(format!("{:x}  {name}\n", Sha256::digest(fs::read(release.folder.join(&name))?)));
    names.into_iter().map(line).collect()
}
