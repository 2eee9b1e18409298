//! `sbom`: the crates inside the program, as `CycloneDX` 1.5 in JSON, by `cargo cyclonedx`.
//!
//! The program holds the server and, embedded, the interface: two crates that are compiled for two targets, with a list each.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{step, tools, workspace};

/// Of the files that `cargo cyclonedx` writes, one into the folder of each crate.
const NAME: &str = "verbatim.cdx";

/// Writes `target/release/verbatim.cdx.json` and `verbatim-interface.cdx.json`, which are the same for the same commit.
pub fn write() -> Result<()> {
    let host = step::output(Command::new("rustc").args(["--print", "host-tuple"]))?;
    write_for(host.trim(), &workspace::target().join("release"), "verbatim")
}

/// Writes the lists of the program for a target as `NAME.cdx.json` and `NAME-interface.cdx.json` into a folder.
pub fn write_for(target: &str, folder: &Path, name: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (package, target, name) in [
        ("server", target, format!("{name}.cdx.json")),
        ("frontend", tools::WASM, format!("{name}-interface.cdx.json")),
    ] {
        let written = list(package, target)?;
        let file = folder.join(name);
        fs::copy(workspace::root().join(package).join(format!("{NAME}.json")), &file)?;
        written.iter().try_for_each(fs::remove_file)?;
        step::say(&format!("made {}", file.display()));
    }
    Ok(())
}

/// Lists the dependencies of each crate of the workspace. Returns the files.
fn list(package: &str, target: &str) -> Result<Vec<PathBuf>> {
    let committed =
        step::output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace::root()));
    let mut command = Command::new(tools::cargo_cyclonedx()?);
    command.arg("cyclonedx").arg("--manifest-path").arg(workspace::root().join(package).join("Cargo.toml"));
    command.args(["--quiet", "--format", "json", "--spec-version", "1.5", "--override-filename", NAME]);
    command.args(["--target", target]).env("SOURCE_DATE_EPOCH", committed.as_deref().unwrap_or("0").trim());
    step::run(&mut command)?;
    let files = workspace::members()?.into_iter().map(|member| member.join(format!("{NAME}.json")));
    Ok(files.filter(|file| file.is_file()).collect())
}
