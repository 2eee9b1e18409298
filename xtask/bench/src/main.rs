//! `cargo xtask bench`: figures for the budgets of the design. Each bench prints a table and writes `target/bench/NAME.json`.
//!
//! | File | What it is |
//! |---|---|
//! | `wasm` | sizes of the browser's files |
//! | `import` | import, start, idle server |
//! | `round_trip` | transcripts of all agents, imported twice and exported |
//! | `pages` | pages and search over HTTP |
//! | `browser` | `end2end/perf` in Chromium |
//! | `hub` | messages, their answers and events, open streams |
//! | `scale` | a store of millions of messages: import, pages, search, live messages, start, checks |
//! | `abuse` | memory and `/healthz` while hostile input arrives |
//! | `table`, `machine` | figures with their budgets, and what the machine can do |
//! | `input`, `program`, `http` | transcripts to read, the release program, a connection to it |
//!
//! How to add one: a variant of [`Bench`], a line in [`run`], and a file in this folder.

use std::{fs, process::ExitCode};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use serde_json::Value;

use xtask::{interface, pg, serve, step, tools, workspace};

mod abuse;
mod browser;
mod http;
mod hub;
mod import;
mod input;
mod machine;
mod pages;
mod program;
mod round_trip;
mod scale;
mod table;
mod wasm;

#[derive(Parser)]
#[command(name = "cargo xtask bench", about = "Figures for the budgets of the design")]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Clone, Subcommand)]
enum Bench {
    /// Sizes of the browser's files: as they are, gzip, brotli
    Wasm,
    /// Import of transcripts, start on the store that it made, a server that only watches
    Import {
        #[command(flatten)]
        input: input::InputArguments,
        /// How often
        #[arg(long, default_value_t = 5)]
        runs: usize,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// Transcripts of all agents, imported twice and exported: fails if a byte or a message differs
    RoundTrip {
        #[command(flatten)]
        arguments: round_trip::RoundTripArguments,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// Pages, parts of pages and search, over HTTP
    Pages {
        #[command(flatten)]
        input: input::InputArguments,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// Messages that agents post, their answers and events, and open event streams, on both engines
    Hub {
        #[command(flatten)]
        arguments: hub::HubArguments,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// A large store of one engine, made up: import, pages, search, live messages, start, checks, memory
    Scale {
        #[command(flatten)]
        arguments: scale::ScaleArguments,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// Memory above idle and `/healthz` while hostile input arrives; fails if the server ends or freezes
    Abuse {
        #[command(flatten)]
        arguments: abuse::AbuseArguments,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
    /// A session of 10,000 messages in Chromium: open, scroll, live lines, memory
    Browser {
        /// Open the largest session of these transcripts too: a folder as `~/.claude` is one
        #[arg(long, value_name = "DIR")]
        transcripts: Option<std::path::PathBuf>,
        /// In Firefox, as its makers build it, instead
        #[arg(long)]
        firefox: bool,
        #[command(flatten)]
        program: program::ProgramArguments,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().bench) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            step::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures and keeps the figures.
fn run(bench: Bench) -> Result<()> {
    match bench {
        Bench::Wasm => keep("wasm", &wasm::measure()?),
        Bench::Import { input, runs, program } => keep("import", &import::measure(&program.find()?, &input, runs)?),
        Bench::RoundTrip { arguments, program } => {
            keep("round-trip", &round_trip::measure(&program.find()?, &arguments)?)
        }
        Bench::Pages { input, program } => keep("pages", &pages::measure(&program.find()?, &input)?),
        Bench::Hub { arguments, program } => keep("hub", &hub::measure(&program.find()?, &arguments)?),
        Bench::Scale { arguments, program } => keep(&arguments.name(), &scale::measure(&program.find()?, &arguments)?),
        Bench::Abuse { arguments, program } => {
            let (figures, failures) = abuse::measure(&program.find()?, &arguments)?;
            keep("abuse", &figures)?;
            if failures > 0 {
                bail!("the server ended or froze in {failures} steps");
            }
            Ok(())
        }
        Bench::Browser { transcripts, firefox, program } => {
            let name = if firefox { "firefox" } else { "browser" };
            keep(name, &browser::measure(&program.find()?, transcripts.as_deref(), firefox)?)
        }
    }
}

fn keep(name: &str, figures: &Value) -> Result<()> {
    let folder = workspace::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{name}.json")), format!("{figures:#}\n"))?;
    Ok(())
}
