//! The project's own commands: `cargo xtask serve` builds and runs everything, `cargo xtask test` checks everything.
//!
//! | File | What it is |
//! |---|---|
//! | `serve` | serve, build: from sources to a running or a released program |
//! | `interface` | the browser's files; the crate `bundle` binds, joins and compresses them |
//! | `dev` | rebuild and restart on change |
//! | `new` | the files of a new message type, and its lines in the tables |
//! | `openapi` | the description of the HTTP API |
//! | `test` | everything that CI runs |
//! | `tidy` | checks that clippy can't do: floors, sizes, forbidden words |
//! | `pg` | a throwaway PostgreSQL |
//! | `fuzz` | random inputs for what reads untrusted bytes |
//! | `agents` | real agents, driven against a scripted model |
//! | `audit` | advisories, licences and duplicates of dependencies |
//! | `sbom` | the list of what is inside the program |
//! | `bench/` | a crate: figures for the budgets |
//! | `release/` | a crate: programs and packages of one commit |
//! | `tools`, `step`, `workspace` | what must be installed, steps with their times, where things lie |
//!
//! How to add one: a variant of [`Task`], a line in [`run`], and a file with the command's name.

mod agents;
mod audit;
mod dev;
mod fuzz;
mod new;
mod openapi;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::{interface, pg, sbom, serve, step, tools, workspace};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and run `verbatim serve`; arguments after `--` go to it
    Serve {
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Like serve, but rebuild and restart whenever a source changes
    Dev {
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Make the release binary `target/release/verbatim`, and the lists of its crates beside it, and stop
    Build,
    /// Write the lists of the crates in the program and in its browser half, `target/release/*.cdx.json` (`CycloneDX`)
    Sbom,
    /// Build the browser's files only, into `target/interface`
    Interface,
    /// Check dependencies: known vulnerabilities, licences, duplicates
    Audit,
    /// Make the files of something new, and its lines in the tables
    New {
        #[command(subcommand)]
        what: New,
    },
    /// Write `docs/api/openapi.json` anew
    Openapi,
    /// Run everything that CI runs, or some of its steps
    Test(test::TestArguments),
    /// Run a command with a throwaway PostgreSQL, whose URL is in `VERBATIM_TEST_POSTGRES`
    Pg {
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Give random inputs to what reads untrusted bytes: a minute for each target
    Fuzz(fuzz::FuzzArguments),
    /// Install real agents from npm into `target/agents`, and drive them against a scripted model: those named, or all
    Agents(agents::AgentsArguments),
    /// Check what clippy can't: floors, file sizes, forbidden words
    Tidy,
    /// Make the programs and packages of one commit, in `target/release-artifacts`: `cargo xtask release --help` lists how
    #[command(disable_help_flag = true)]
    Release {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure: `cargo xtask bench --help` lists what
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

#[derive(Subcommand)]
enum New {
    /// A message type, by its tag: `WIND_GUST`. The tree compiles with it, and its component shows its title
    MessageType { name: String },
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(code) => code,
        Err(error) => {
            step::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<ExitCode> {
    match task {
        Task::Serve { arguments } => serve::serve(&arguments)?,
        Task::Dev { arguments } => dev::dev(&arguments)?,
        Task::Build => serve::build()?,
        Task::Sbom => sbom::write()?,
        Task::Interface => interface::build()?,
        Task::Audit => audit::audit()?,
        Task::New { what: New::MessageType { name } } => new::message_type(&name)?,
        Task::Openapi => openapi::write()?,
        Task::Test(arguments) => return test::test(&arguments),
        Task::Pg { command } => return pg::with_cluster(&command),
        Task::Fuzz(arguments) => fuzz::fuzz(&arguments)?,
        Task::Agents(arguments) => agents::drive(&arguments)?,
        Task::Tidy => tidy::tidy()?,
        Task::Release { arguments } => own_crate("release", &arguments)?,
        Task::Bench { arguments } => own_crate("bench", &arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a command that is a crate of its own, as it takes long to compile.
fn own_crate(name: &str, arguments: &[String]) -> Result<()> {
    step::run(workspace::cargo(["run", "--quiet", "--package", name, "--"]).args(arguments))
}
