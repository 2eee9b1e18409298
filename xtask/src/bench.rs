//! `bench`: figures for the budgets of the design. Each bench prints a table and writes `target/bench/NAME.json`.
//!
//! How to add one: a variant of [`Bench`], a line in [`run`], and a file in `bench/`.
use std::fs;

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;

use crate::workspace;

mod wasm;

#[derive(Clone, Copy, Subcommand)]
pub enum Bench {
    /// Sizes of the browser's files: as they are, gzip, brotli
    Wasm,
}

/// Measures and keeps the figures.
pub fn run(bench: Bench) -> Result<()> {
    match bench {
        Bench::Wasm => keep("wasm", &wasm::measure()?),
    }
}

fn keep(name: &str, figures: &Value) -> Result<()> {
    let folder = workspace::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{name}.json")), format!("{figures:#}\n"))?;
    Ok(())
}
