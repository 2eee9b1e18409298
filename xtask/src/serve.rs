//! `serve` and `build`: from sources to the one program that holds everything.
use std::{os::unix::process::CommandExt, path::PathBuf, process::Command};

use anyhow::Result;

use crate::{interface, sbom, step, workspace};

/// Builds what changed, then becomes `verbatim serve`: signals and the exit status are the program's own.
pub fn serve(arguments: &[String]) -> Result<()> {
    interface::build()?;
    let program = program()?;
    step::say(&format!("starting {}", program.display()));
    let error = Command::new(&program).arg("serve").args(arguments).exec();
    Err(anyhow::Error::new(error).context(format!("{} did not start", program.display())))
}

/// Builds the server with the interface embedded, in the profile that the tests use too.
pub fn program() -> Result<PathBuf> {
    step::timed("server: compile", || step::run(&mut compile()))?;
    Ok(workspace::target().join("debug/verbatim"))
}

fn compile() -> Command {
    workspace::cargo(["build", "--bin", "verbatim"])
}

/// Makes the release binary, and beside it the list of what is inside.
pub fn build() -> Result<()> {
    interface::build()?;
    step::timed("server: compile for release", || step::run(compile().arg("--release")))?;
    step::say(&format!("made {}", workspace::target().join("release/verbatim").display()));
    sbom::write()
}
