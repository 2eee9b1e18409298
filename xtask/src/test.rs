//! `test`: everything that CI runs. Every step is tried, so that one run shows all there is to repair.
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::{Context as _, Result};
use clap::{Args, builder::PossibleValuesParser};

use crate::{
    audit, fuzz, interface,
    pg::Cluster,
    serve, step, tidy, tools,
    workspace::{self, cargo},
};

mod python;
mod report;

use report::{Counts, Report, Work};

/// The variable that tells random tests how often to try: a number, or `all`.
const EXTENT: &str = "VERBATIM_TEST_EXTENT";

/// Cargo's default without packages: the program.
const PROGRAM: [&str; 0] = [];
/// The program and ourselves at once, so that the crates of others are checked once.
const ALL: [&str; 3] = ["--workspace", "--exclude", "frontend"];
/// Those of us that have tests, each by itself: together, their crates would get other features and be compiled again.
const OURSELVES: [[&str; 2]; 3] = [["--package", "xtask"], ["--package", "bundle"], ["--package", "release"]];

/// One step of a test run.
struct Step {
    /// By which it is chosen.
    name: &'static str,
    /// Its title for people.
    title: &'static str,
    /// The steps without which it has nothing to test.
    needs: &'static [&'static str],
    /// It runs at once with the step before: both wait, or use one processor, for most of their time.
    is_beside: bool,
    work: Work,
}

const fn check(name: &'static str, title: &'static str, work: report::Check) -> Step {
    Step { name, title, needs: &[], is_beside: false, work: Work::Check(work) }
}

const fn tests(name: &'static str, title: &'static str, work: report::Tests) -> Step {
    Step { name, title, needs: &[], is_beside: false, work: Work::Tests(work) }
}

const fn client(name: &'static str, title: &'static str, work: report::Tests) -> Step {
    Step { needs: &["server"], is_beside: true, ..tests(name, title, work) }
}

/// The steps, in their order.
const STEPS: [Step; 19] = [
    check("format", "format", || step::run(&mut cargo(["fmt", "--all", "--check"]))),
    check("tidy", "tidy", tidy::tidy),
    check("advisories", "advisories", audit::advisories_if_reachable),
    check("policies", "licences, duplicates and sources", audit::policies),
    check("interface", "interface", interface::build),
    // Much of the interface is compiled by one processor. Clippy needs none of its files.
    Step { is_beside: true, ..check("clippy", "clippy", clippy) },
    check("clippy-browser", "clippy in the browser", || {
        step::run(&mut cargo(["clippy", "--package", "frontend", "--target", tools::WASM, "--", "--deny", "warnings"]))
    }),
    tests("native", "unit and contract tests, SQLite and PostgreSQL", native_tests),
    tests("examples", "examples in the documentation", |counts| {
        counting(&mut native("test", &PROGRAM, ["--doc", "--quiet"]), counts)
    }),
    check("documentation", "documentation", || {
        step::run(native("doc", &ALL, ["--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-Dwarnings"))
    }),
    check("server", "server", || serve::program().map(drop)),
    Step { needs: &["interface", "server"], ..tests("browser", "browser tests", browser_tests) },
    Step { is_beside: false, ..client("python", "the Python SDK", python::sdk) },
    client("older-sdk", "the older product's SDK", python::older_sdk),
    client("contract", "the contract, by its description", python::contract),
    client("typescript", "the TypeScript SDK", typescript_sdk),
    client("fuzz", "fuzz targets, for a minute", |counts| fuzz::for_a_minute(|line| counts.read(line))),
    check("release", "release", serve::build),
    Step { needs: &["release"], ..tests("packages", "packages, installed and used", packages) },
];

/// The steps that are made with `--all` alone, or by their names: they need the release program.
const ON_DEMAND: [&str; 2] = ["release", "packages"];

#[derive(Args)]
pub struct TestArguments {
    /// Only these steps
    #[arg(value_name = "STEP", value_parser = PossibleValuesParser::new(STEPS.iter().map(|step| step.name)))]
    steps: Vec<String>,
    /// This step and those after it
    #[arg(long, value_name = "STEP", conflicts_with = "steps",
        value_parser = PossibleValuesParser::new(STEPS.iter().map(|step| step.name)))]
    from: Option<String>,
    /// Print the names of the steps, and run none
    #[arg(long)]
    list: bool,
    /// Also make the release binary and try its packages, and try random faults ten times as often
    #[arg(long)]
    all: bool,
}

/// Says, step by step, what holds and what doesn't; the last line reads `N passed, N failed`.
pub fn test(arguments: &TestArguments) -> Result<ExitCode> {
    let steps = arguments.chosen();
    if arguments.list {
        list(&steps);
        return Ok(ExitCode::SUCCESS);
    }
    tools::for_building()?;
    tools::for_testing()?;
    let (report, seconds) = step::measured(|| Report::of(&steps, arguments.all));
    Ok(report.close(seconds))
}

impl TestArguments {
    fn chosen(&self) -> Vec<&'static Step> {
        let first = self.from.as_deref().and_then(|name| STEPS.iter().position(|step| step.name == name)).unwrap_or(0);
        let is_chosen = |step: &&Step| match &*self.steps {
            [] => !ON_DEMAND.contains(&step.name) || self.all || self.from.as_deref() == Some(step.name),
            names => names.iter().any(|name| name == step.name),
        };
        STEPS.iter().skip(first).filter(is_chosen).collect()
    }
}

#[expect(clippy::print_stdout, reason = "the answer of the command")]
fn list(steps: &[&Step]) {
    for step in steps {
        println!("{:15} {}", step.name, step.title);
    }
}

fn clippy() -> Result<()> {
    step::run(&mut native("clippy", &ALL, ["--all-targets", "--", "--deny", "warnings"]))
}

fn native_tests(counts: &Counts) -> Result<()> {
    // Many tests wait for a server that waits: twice as many as there are processors keep all of them busy.
    let threads = thread::available_parallelism()?.get() * 2;
    tools::installed("pebble", "pebble").context("the tests of certificates need an authority")?;
    let cluster = Cluster::start()?;
    let packages = [PROGRAM.as_slice()].into_iter().chain(OURSELVES.iter().map(<[_; 2]>::as_slice));
    packages.into_iter().try_for_each(|packages| {
        let mut command = if tools::find(["cargo-nextest"]).is_some() {
            native("nextest", packages, ["--no-fail-fast", "--no-tests", "pass"])
        } else {
            native("test", packages, ["--all-targets", "--no-fail-fast"])
        };
        command.env("NEXTEST_TEST_THREADS", threads.to_string());
        if counts.is_thorough {
            command.env(EXTENT, "all");
        }
        counting(cluster.tell(&mut command), counts)
    })
}

fn browser_tests(counts: &Counts) -> Result<()> {
    let chromium = tools::chromium()?;
    let folder = workspace::root().join("end2end");
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments).current_dir(&folder).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
        npm
    };
    step::run(&mut npm(&["ci", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    step::run(&mut npm(&["exec", "--offline", "--", "prettier", "--check", "../style"]))?;
    let program = workspace::target().join("debug/verbatim");
    let cluster = Cluster::start()?;
    let mut playwright = npm(&["exec", "--offline", "--", "playwright", "test"]);
    counting(cluster.tell(&mut playwright).env("CHROMIUM", chromium).env("VERBATIM_PROGRAM", program), counts)
}

/// The TypeScript SDK, built, against a server of its own and in Chromium.
fn typescript_sdk(counts: &Counts) -> Result<()> {
    let chromium = tools::chromium()?;
    let folder = workspace::root().join("clients/typescript");
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments).current_dir(&folder);
        npm
    };
    // Without scripts: `prepare` builds, and `test` does so as well.
    step::run(&mut npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    let program = workspace::target().join("debug/verbatim");
    counting(npm(&["test"]).env("CHROMIUM", chromium).env("VERBATIM_PROGRAM", program), counts)
}

/// Packages of the release program, which is built where it is missing.
fn packages(counts: &Counts) -> Result<()> {
    let program = workspace::target().join("release/verbatim");
    if !program.is_file() {
        serve::build()?;
    }
    let mut release = cargo(["run", "--quiet", "--package", "release", "--", "--try", "--program"]);
    counting(release.arg(program), counts)
}

/// A cargo command over packages that are compiled for this machine.
fn native<const N: usize>(command: &str, packages: &[&str], arguments: [&str; N]) -> Command {
    let command: &[&str] = if command == "nextest" { &["nextest", "run"] } else { &[command] };
    cargo(command.iter().chain(packages).copied().chain(arguments))
}

fn counting(command: &mut Command, counts: &Counts) -> Result<()> {
    step::run_reading(command, |line| counts.read(line))
}
