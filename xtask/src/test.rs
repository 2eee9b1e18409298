//! `test`: everything that CI runs. Every step is tried, so that one run shows all there is to repair.
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::Result;

use crate::{
    audit, fuzz, interface,
    pg::Cluster,
    serve, step, tidy, tools,
    workspace::{self, cargo},
};

mod python;
mod report;

use report::{Counts, Report, Tests};

/// The variable that tells random tests how often to try: a number, or `all`.
const EXTENT: &str = "VERBATIM_TEST_EXTENT";

/// What `workspace::PROGRAM` leaves out.
const OURSELVES: [&str; 2] = ["--package", "xtask"];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What CI runs.
    Usual,
    /// Besides, the release binary; and the tests that kill the server and cut its power do it ten times as often.
    All,
}

/// The step that makes what a browser loads.
const INTERFACE: &str = "interface";

/// What asks the server over HTTP, and what gives random inputs to its parts.
const CLIENTS: [(&str, Tests); 5] = [
    ("the Python SDK", python::sdk),
    ("the older product's SDK", python::older_sdk),
    ("the contract, by its description", python::contract),
    ("the TypeScript SDK", typescript_sdk),
    ("fuzz targets, for a minute", |counts| fuzz::for_a_minute(|line| counts.read(line))),
];

/// Says, step by step, what holds and what doesn't; the last line reads `N passed, N failed`.
pub fn test(extent: Extent) -> Result<ExitCode> {
    let (report, seconds) = step::measured(|| steps(extent));
    Ok(report?.close(seconds))
}

fn steps(extent: Extent) -> Result<Report> {
    tools::for_building()?;
    tools::for_testing()?;

    let mut report = Report::default();
    report.check("format", || step::run(&mut cargo(["fmt", "--all", "--check"])));
    report.check("tidy", tidy::tidy);
    report.check("advisories", audit::advisories_if_reachable);
    report.check("licences, duplicates and sources", audit::policies);
    // Much of the interface is compiled by one processor. Clippy needs none of its files.
    report.checks_at_once([(INTERFACE, interface::build), ("clippy", clippy)]);
    report.check("clippy in the browser", || {
        step::run(&mut cargo(["clippy", "--package", "frontend", "--target", tools::WASM, "--", "--deny", "warnings"]))
    });
    report.tests("unit and contract tests, SQLite and PostgreSQL", |counts| native_tests(extent, counts));
    report.tests("examples in the documentation", |counts| {
        counting(&mut native("test", &workspace::PROGRAM, ["--doc", "--quiet"]), counts)
    });
    report.check("documentation", || {
        all_native(|packages| {
            step::run(native("doc", packages, ["--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-Dwarnings"))
        })
    });
    let server = report.check("server", || serve::program().map(drop));
    if report.held(INTERFACE) && server {
        report.tests("browser tests", browser_tests);
    } else {
        report.skip("browser tests");
    }
    if server {
        report.tests_at_once(&CLIENTS);
    } else {
        for (name, _) in CLIENTS {
            report.skip(name);
        }
    }
    if extent == Extent::All {
        report.check("release", serve::build);
    }
    Ok(report)
}

fn clippy() -> Result<()> {
    all_native(|packages| step::run(&mut native("clippy", packages, ["--all-targets", "--", "--deny", "warnings"])))
}

fn native_tests(extent: Extent, counts: &Counts) -> Result<()> {
    // Many tests wait for a server that waits: twice as many as there are processors keep all of them busy.
    let threads = thread::available_parallelism()?.get() * 2;
    let cluster = Cluster::start()?;
    all_native(|packages| {
        let mut command = if tools::find(["cargo-nextest"]).is_some() {
            native("nextest", packages, ["--no-fail-fast", "--no-tests", "pass"])
        } else {
            native("test", packages, ["--all-targets", "--no-fail-fast"])
        };
        command.env("NEXTEST_TEST_THREADS", threads.to_string());
        if extent == Extent::All {
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

/// Runs a command over the program and over ourselves.
fn all_native(run: impl FnMut(&[&str]) -> Result<()>) -> Result<()> {
    [workspace::PROGRAM.as_slice(), &OURSELVES].into_iter().try_for_each(run)
}

/// A cargo command over packages that are compiled for this machine.
fn native<const N: usize>(command: &str, packages: &[&str], arguments: [&str; N]) -> Command {
    let command: &[&str] = if command == "nextest" { &["nextest", "run"] } else { &[command] };
    cargo(command.iter().chain(packages).copied().chain(arguments))
}

fn counting(command: &mut Command, counts: &Counts) -> Result<()> {
    step::run_reading(command, |line| counts.read(line))
}
