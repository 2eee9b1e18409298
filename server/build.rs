//! Makes cargo notice a new interface: `rust-embed` reads `target/interface` while the crate compiles, and cargo alone
//! would not see a file that was added there. Makes the linker of a release fold equal functions.
use std::{env, error::Error, fs, io::Write};

const INTERFACE: &str = "../target/interface";

fn main() -> Result<(), Box<dyn Error>> {
    // A folder that is missing counts as changed in every build.
    fs::create_dir_all(INTERFACE)?;
    writeln!(std::io::stdout(), "cargo::rerun-if-changed={INTERFACE}")?;
    // Views are generic: many of their functions are the same to the byte. On this target Rust links by LLD, which keeps one of them.
    let is = |name, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", "x86_64-unknown-linux-gnu") {
        writeln!(std::io::stdout(), "cargo::rustc-link-arg-bins=-Wl,--icf=all")?;
    }
    Ok(())
}
