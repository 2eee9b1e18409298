//! The SDKs as their users install them: a wheel and a source archive for Python, a package for npm.
use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};
use xtask::{step, workspace};

use crate::{Release, targets};

/// Makes all of them, by the tools of their languages.
pub fn make(release: &Release) -> Result<()> {
    let folder = tempfile::tempdir()?;
    python(release, folder.path())?;
    typescript(folder.path())?;
    for file in fs::read_dir(folder.path())? {
        let file = file?;
        if file.file_type()?.is_file() {
            release.write(&file.file_name().to_string_lossy(), &fs::read(file.path())?)?;
        }
    }
    Ok(())
}

fn python(release: &Release, made: &Path) -> Result<()> {
    let hatchling = targets::environment()?.with_file_name("hatchling");
    let mut build = Command::new(hatchling);
    build.args(["build", "--target", "wheel", "--target", "sdist", "--directory"]).arg(made);
    build.current_dir(workspace::root().join("clients/python")).env("SOURCE_DATE_EPOCH", release.time.to_string());
    step::output(&mut build).map(drop)
}

fn typescript(made: &Path) -> Result<()> {
    let folder = workspace::root().join("clients/typescript");
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments).current_dir(&folder);
        npm
    };
    step::output(&mut npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    // A file that a source no longer makes would be packed.
    if folder.join("dist").exists() {
        fs::remove_dir_all(folder.join("dist"))?;
    }
    step::output(&mut npm(&["run", "build"]))?;
    step::output(npm(&["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination"]).arg(made)).map(drop)
}

/// Returns the versions of the SDKs, each with the file that has it.
pub fn versions() -> Result<Vec<(&'static str, String)>> {
    let read = |path: &'static str| fs::read_to_string(workspace::root().join(path)).with_context(|| path);
    let python: toml::Table = read(PYTHON)?.parse()?;
    let python = python.get("project").and_then(|project| project.get("version")?.as_str());
    let typescript: serde_json::Value = serde_json::from_str(&read(TYPESCRIPT)?)?;
    Ok(vec![
        (PYTHON, python.context("pyproject.toml has no version")?.to_owned()),
        (TYPESCRIPT, typescript["version"].as_str().context("package.json has no version")?.to_owned()),
    ])
}

const PYTHON: &str = "clients/python/pyproject.toml";
const TYPESCRIPT: &str = "clients/typescript/package.json";
