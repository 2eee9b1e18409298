//! The browser's files, in `target/interface`: compiled here, made by the crate `bundle`.
use std::path::PathBuf;

use anyhow::Result;

use crate::{step, tools, workspace};

/// The profile of the root `Cargo.toml` that the interface is always compiled with.
const PROFILE: &str = "wasm-release";

/// Builds what changed.
pub fn build() -> Result<()> {
    tools::for_building()?;
    let compiled = step::timed("interface: compile for the browser", compile)?;
    step::timed("interface: bind, join styles, compress", || {
        let mut bundle = workspace::cargo(["run", "--quiet", "--package", "bundle", "--"]);
        step::run(bundle.arg(compiled).arg(workspace::root()))
    })
}

/// Compiles `frontend` alone: together with the rest of the workspace, Leptos' `hydrate` and `ssr` would unify.
fn compile() -> Result<PathBuf> {
    let mut compile = workspace::cargo([
        "rustc",
        "--package",
        "frontend",
        "--lib",
        "--target",
        tools::WASM,
        "--profile",
        PROFILE,
        "--",
        // Where functions and data are named in the code: without it nothing can be split off.
        "-Clink-arg=--emit-relocs",
    ]);
    // The server embeds what comes of it, and its bytes are to be the same wherever they are made.
    step::run(compile.env("CARGO_ENCODED_RUSTFLAGS", workspace::remapped().join("\x1f")))?;
    Ok(workspace::target().join(tools::WASM).join(PROFILE).join("frontend.wasm"))
}
