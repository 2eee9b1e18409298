//! `fuzz`: gives random inputs to what reads untrusted bytes. The targets are tests, see `server/tests/fuzz.rs`.
use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use anyhow::Result;
use clap::Args;

use crate::{step, workspace::cargo};

const TARGETS: [&str; 8] = ["ansi", "diff", "envelope", "json", "markdown", "names", "query", "transcript"];
/// For all targets together, in CI.
const IN_CI: Duration = Duration::from_mins(1);
const SEED_IN_CI: u64 = 1;

#[derive(Args)]
pub struct FuzzArguments {
    /// Only this target
    #[arg(value_parser = TARGETS)]
    target: Option<String>,
    /// For each target; 0 reads only the inputs that are stored
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    minutes: f64,
    /// The seed of a former run, which repeats its inputs
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Runs one target or all of them, with new inputs unless a seed is given. An input that fails is shrunk, stored in `fixtures/fuzz`, and an error.
pub fn fuzz(arguments: &FuzzArguments) -> Result<()> {
    let seed = arguments.seed.unwrap_or_else(|| RandomState::new().hash_one(()));
    run(arguments.target.as_deref(), 60.0 * arguments.minutes, seed, |_| ())
}

/// Runs all targets for a minute in all, with the same inputs each time: what fails is then the change's doing. `seen` gets
/// what the test runner prints.
pub fn for_a_minute(seen: impl Fn(&str) + Sync) -> Result<()> {
    run(None, IN_CI.as_secs_f64() / TARGETS.len() as f64, SEED_IN_CI, seen)
}

fn run(target: Option<&str>, seconds: f64, seed: u64, seen: impl Fn(&str) + Sync) -> Result<()> {
    step::say(&format!("seed {seed}"));
    let name = target.map(|target| format!("{target}::{target}"));
    let runner = ["--nocapture", "--test-threads", "1", "--exact"];
    let test = ["test", "--test", "fuzz", "--"].into_iter().chain(runner);
    let mut command = cargo(test.chain(name.as_deref()));
    command.env("VERBATIM_FUZZ_SECONDS", seconds.to_string()).env("VERBATIM_FUZZ_SEED", seed.to_string());
    step::run_reading(&mut command, seen)
}
