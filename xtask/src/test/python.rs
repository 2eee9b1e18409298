//! The tests that are written in Python, each in a virtual environment of its own below `target`.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use anyhow::{Result, anyhow};

use super::{counting, report::Counts};
use crate::{step, tools, workspace};

/// The older product's SDK as it is published: each of its listed versions, all at once, since they wait most of the time.
pub fn older_sdk(counts: &Counts) -> Result<()> {
    let folder = workspace::root().join("end2end/omnara");
    // Of what the package asks for, its SDK needs these alone.
    let python = environment("omnara", &folder.join("needs.txt"))?;
    let versions = fs::read_to_string(folder.join("sdk.txt"))?;
    let check = |version: &str| {
        let package = workspace::target().join("omnara").join(version.replace("==", "-"));
        if !package.exists() {
            step::run(pip(&python).args(["--no-deps", "--target"]).arg(&package).arg(version))?;
        }
        counting(tests(&python).arg(folder.join("check.py")).env("PYTHONPATH", package), counts)
    };
    let check = &check;
    thread::scope(|scope| {
        let checks: Vec<_> = versions.lines().map(|version| scope.spawn(move || check(version))).collect();
        checks.into_iter().try_for_each(|check| check.join().map_err(|_| anyhow!("a check panicked"))?)
    })
}

/// Requests made up from the `OpenAPI` document, good and bad ones, to a server of their own.
pub fn contract(counts: &Counts) -> Result<()> {
    let folder = workspace::root().join("end2end/contract");
    let python = environment("schemathesis", &folder.join("needs.txt"))?;
    counting(tests(&python).arg(folder.join("check.py")), counts)
}

/// Our own SDK, installed from its folder as its users install it.
pub fn sdk(counts: &Counts) -> Result<()> {
    let folder = workspace::root().join("clients/python");
    let python = environment("python-sdk", &folder.join("tests/needs.txt"))?;
    step::run(pip(&python).args(["--no-deps", "--no-build-isolation", "--force-reinstall"]).arg(&folder))?;
    counting(tests(&python).args(["-m", "pytest"]).current_dir(&folder), counts)
}

/// The interpreter of a virtual environment with these packages, which is made where it is missing or has others.
pub fn environment(name: &str, needs: &Path) -> Result<PathBuf> {
    let folder = workspace::target().join(name);
    let python = folder.join("bin/python");
    let installed = folder.join("needs.txt");
    let needed = fs::read(needs)?;
    if !(python.exists() && fs::read(&installed).is_ok_and(|there| there == needed)) {
        step::run(Command::new(tools::python()?).args(["-m", "venv", "--clear"]).arg(&folder))?;
        step::run(pip(&python).arg("--requirement").arg(needs))?;
        fs::write(installed, needed)?;
    }
    Ok(python)
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// An interpreter for tests that start our server.
fn tests(python: &Path) -> Command {
    let mut tests = Command::new(python);
    tests.env("VERBATIM_PROGRAM", workspace::target().join("debug/verbatim")).env("PYTHONDONTWRITEBYTECODE", "1");
    tests
}
