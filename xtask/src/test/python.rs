//! The tests that are written in Python, each in a virtual environment of its own below `target`.
use std::{fs, path::Path, process::Command, thread};

use anyhow::{Result, anyhow};

use super::{counting, report::Counts};
use crate::{
    step,
    tools::{environment, pip},
    workspace,
};

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

/// An interpreter for tests that start our server.
fn tests(python: &Path) -> Command {
    let mut tests = Command::new(python);
    tests.env("VERBATIM_PROGRAM", workspace::target().join("debug/verbatim")).env("PYTHONDONTWRITEBYTECODE", "1");
    tests
}
