//! The steps of a test run, their times, and how many tests each of them held.
use std::{
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    thread::{self, ScopedJoinHandle},
};

use anyhow::Result;

use super::Step;
use crate::step;

/// How a line begins in which a test runner names a test that failed: cargo, nextest, Playwright's closing list, pytest,
/// Python's unittest, Node.
const FAILED: [&str; 7] =
    ["FAIL [", "[sqlite] \u{203a}", "[postgres] \u{203a}", "FAILED tests/", "FAIL: ", "ERROR: ", "not ok "];

/// Tests that passed and failed, read from what a test runner prints.
#[derive(Default)]
pub struct Counts {
    /// Random faults are tried ten times as often.
    pub is_thorough: bool,
    passed: AtomicU32,
    failed: AtomicU32,
    /// The lines that name those that failed.
    names: Mutex<Vec<String>>,
}

impl Counts {
    /// Takes the numbers from a closing line of `cargo test`, nextest or Playwright, and the names of what failed; any other
    /// line holds none.
    pub fn read(&self, line: &str) {
        let line = plain(line);
        let line = line.trim();
        let is_name = FAILED.iter().any(|failed| line.starts_with(failed))
            || (line.starts_with("test ") && line.ends_with(" ... FAILED"));
        if is_name {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            if !names.iter().any(|name| name == line) {
                names.push(line.to_owned());
            }
        }
        let closing = line.starts_with("test result:")
            || line.starts_with("Summary [")
            || line.split_once(' ').is_some_and(|(number, rest)| {
                number.parse::<u32>().is_ok() && matches!(rest.split(' ').next(), Some("passed" | "failed"))
            });
        if closing {
            self.passed.fetch_add(number_before(line, "passed"), Relaxed);
            self.failed.fetch_add(number_before(line, "failed"), Relaxed);
        }
    }
}

enum Outcome {
    Passed,
    Failed,
    Skipped,
}

struct Row {
    name: &'static str,
    title: &'static str,
    outcome: Outcome,
    seconds: f32,
    passed: u32,
    failed: u32,
    names: Vec<String>,
}

impl Row {
    const fn without_tests(step: &Step, outcome: Outcome, failed: u32) -> Self {
        Self { name: step.name, title: step.title, outcome, seconds: 0.0, passed: 0, failed, names: Vec::new() }
    }
}

/// A step that runs tests and counts them.
pub type Tests = fn(&Counts) -> Result<()>;

/// A step that holds or doesn't: it counts as one test.
pub type Check = fn() -> Result<()>;

/// The work of a step.
#[derive(Clone, Copy)]
pub enum Work {
    Tests(Tests),
    Check(Check),
}

/// The results of a test run.
#[derive(Default)]
pub struct Report(Vec<Row>);

impl Report {
    /// Makes the steps, in their order. One that lacks what an earlier one failed to make is skipped.
    pub fn of(steps: &[&'static Step], is_thorough: bool) -> Self {
        let mut report = Self::default();
        let mut left = steps;
        while let Some((first, rest)) = left.split_first() {
            let beside = rest.iter().take_while(|step| step.is_beside).count();
            report.at_once(first, &rest[..beside], is_thorough);
            left = &rest[beside..];
        }
        report
    }

    /// Makes a step and those beside it: their lines mix.
    fn at_once(&mut self, first: &'static Step, beside: &[&'static Step], is_thorough: bool) {
        let rows = thread::scope(|scope| {
            let begin = |step: &'static Step| {
                let is_possible = step.needs.iter().all(|need| !self.failed(need));
                let work = move || row(step, is_thorough);
                (step, is_possible.then(|| scope.spawn(work)))
            };
            let running: Vec<_> = std::iter::once(first).chain(beside.iter().copied()).map(begin).collect();
            let row =
                |(step, running): (&Step, Option<ScopedJoinHandle<Row>>)| match running.map(ScopedJoinHandle::join) {
                    Some(Ok(row)) => row,
                    Some(Err(_)) => Row::without_tests(step, Outcome::Failed, 1),
                    None => Row::without_tests(step, Outcome::Skipped, 0),
                };
            running.into_iter().map(row).collect::<Vec<_>>()
        });
        self.0.extend(rows);
    }

    /// Returns true if the step was to be made, and wasn't.
    fn failed(&self, name: &str) -> bool {
        self.0.iter().any(|row| row.name == name && !matches!(row.outcome, Outcome::Passed))
    }

    /// Prints the table, the seconds of the whole run, what failed and, as the last line, the sum.
    pub fn close(self, seconds: f32) -> ExitCode {
        step::say(&format!("\n{:>8} {:>7} {:>7}  step", "seconds", "passed", "failed"));
        for row in &self.0 {
            let verdict = if matches!(row.outcome, Outcome::Passed) { "" } else { word(&row.outcome) };
            step::say(&format!("{:8.1} {:7} {:7}  {} {verdict}", row.seconds, row.passed, row.failed, row.title));
        }
        let passed: u32 = self.0.iter().map(|row| row.passed).sum();
        let failed: u32 = self.0.iter().map(|row| row.failed).sum();
        step::say(&format!("{seconds:8.1} s in all\n"));
        for name in self.0.iter().flat_map(|row| &row.names) {
            step::say(name);
        }
        closing_line(passed, failed);
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs one step, and says how it went.
fn row(step: &Step, is_thorough: bool) -> Row {
    let counts = Counts { is_thorough, ..Counts::default() };
    step::say(&format!("\n======= {}", step.title));
    let (result, seconds) = step::measured(|| match step.work {
        Work::Tests(work) => work(&counts),
        Work::Check(work) => work().inspect(|()| counts.passed.store(1, Relaxed)),
    });
    let (passed, mut failed) = (counts.passed.into_inner(), counts.failed.into_inner());
    let names = counts.names.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = match result {
        Ok(()) => Outcome::Passed,
        Err(error) => {
            step::say(&format!("error of {}: {error:#}", step.title));
            // An error outside of any test is a failure as well.
            failed = failed.max(1);
            Outcome::Failed
        }
    };
    step::say(&format!("{seconds:5.1} s {}: {}", step.title, word(&outcome)));
    Row { name: step.name, title: step.title, outcome, seconds, passed, failed, names }
}

#[expect(clippy::print_stdout, reason = "the answer of the command")]
fn closing_line(passed: u32, failed: u32) {
    println!("{passed} passed, {failed} failed");
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "FAILED",
        Outcome::Skipped => "skipped",
    }
}

/// The number that stands before a word: 12 in `12 tests run: 11 passed, 1 failed` is not before `passed`, 11 is.
fn number_before(line: &str, word: &str) -> u32 {
    let words: Vec<&str> = line.split([' ', ',', ';', '.']).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

/// The line without terminal colours.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(lines: &[&str]) -> (u32, u32) {
        let counts = Counts::default();
        for line in lines {
            counts.read(line);
        }
        (counts.passed.into_inner(), counts.failed.into_inner())
    }

    #[test]
    fn closing_lines_of_all_three_runners_are_read() {
        assert_eq!(counted(&["test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out"]), (5, 0));
        assert_eq!(
            counted(&["     Summary [   0.512s] 12 tests run: 11 passed (1 slow), 1 failed, 2 skipped"]),
            (11, 1)
        );
        assert_eq!(counted(&["  1 failed", "    tests/sessions.spec.mjs:3:1", "  2 passed (4.2s)"]), (2, 1));
        assert_eq!(counted(&["\u{1b}[32m  3 passed\u{1b}[39m\u{1b}[2m (4.2s)\u{1b}[22m"]), (3, 0));
    }

    #[test]
    fn what_failed_is_named_once() {
        let counts = Counts::default();
        let named = [
            "        FAIL [   0.512s] (12/80) verbatim::answering decisions",
            "test markdown::markdown ... FAILED",
            "    [sqlite] \u{203a} tests/sessions.spec.mjs:3:1 \u{203a} a row is opened",
            "FAILED tests/test_runs.py::test_end - AssertionError",
        ];
        for line in
            named.iter().chain(&named).chain(&["  \u{2713}  1 [sqlite] \u{203a} tests/a.spec.mjs:3:1", "test a ... ok"])
        {
            counts.read(line);
        }
        assert_eq!(counts.names.into_inner().unwrap(), named.map(str::trim));
    }

    #[test]
    fn other_lines_hold_no_numbers() {
        assert_eq!(counted(&["test tests::two_passed ... ok", "running 5 tests", "the 2 passed on", ""]), (0, 0));
    }
}
