//! Makes cargo notice a new interface: `rust-embed` reads `target/interface` while the crate compiles, and cargo alone
//! would not see a file that was added there.
use std::{error::Error, fs, io::Write};

const INTERFACE: &str = "../target/interface";

fn main() -> Result<(), Box<dyn Error>> {
    // A folder that is missing counts as changed in every build.
    fs::create_dir_all(INTERFACE)?;
    writeln!(std::io::stdout(), "cargo::rerun-if-changed={INTERFACE}")?;
    Ok(())
}
