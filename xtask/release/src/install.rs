//! Archives of the program, the script that installs one of them, and the files for Compose.
use anyhow::Result;

use crate::{
    Release,
    files::{Files, gzip},
    targets::Program,
    text,
};

const SCRIPT: &str = include_str!("../files/install.sh");
const COMPOSE: [(&str, &str); 2] = [
    ("compose.yaml", include_str!("../files/compose.yaml")),
    ("compose.postgres.yaml", include_str!("../files/compose.postgres.yaml")),
];

/// Makes the archive of a program.
pub fn make_archive(release: &Release, program: &Program) -> Result<()> {
    let name = format!("verbatim-{}-{}", release.version, program.target.name);
    let mut files = Files::default();
    files.add_program("verbatim", program.read()?);
    files.add("README.md", text("README.md")?);
    for (path, text) in release.licences(program.target)? {
        files.add(path, text);
    }
    release.write(&format!("{name}.tar.gz"), &gzip(&files.tar(&format!("{name}/"), release.time)?)?)
}

/// Writes what is the same for all systems.
pub fn make_scripts(release: &Release) -> Result<()> {
    release.write(SCRIPT_NAME, SCRIPT.replace("@VERSION@", &release.version).as_bytes())?;
    COMPOSE
        .into_iter()
        .try_for_each(|(name, text)| release.write(name, text.replace("@VERSION@", &release.version).as_bytes()))
}

pub const SCRIPT_NAME: &str = "install.sh";
