//! Parses the summary of a test run: how many tests passed, failed and were skipped.

use super::{ToolCall, ToolKind};
use crate::terminal;
use std::fmt;

/// Size of the end of an output that is parsed, in bytes.
const TAIL: usize = 256 * 1024;

/// Counts of a run of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, timed out or couldn't be run.
    pub failed: u64,
    /// Tests that were skipped.
    pub skipped: u64,
}

/// Formats as `1 failed, 12 passed, 2 skipped`, without zeros.
impl fmt::Display for TestCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.failed, "failed"), (self.passed, "passed"), (self.skipped, "skipped")];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        f.write_str(&parts.join(", "))
    }
}

impl ToolCall {
    /// Returns the counts of a test command, as pytest, cargo test, nextest, jest, vitest or `go test -v` print them.
    /// None for other commands, while it is running, or if only a part of the output is stored.
    pub fn test_counts(&self) -> Option<TestCounts> {
        let command = ["command", "cmd"].iter().find_map(|key| self.input.get(*key)?.as_str())?;
        let runs_tests = ["test", "jest", "tox", "check"].iter().any(|word| command.contains(word));
        if self.kind() != ToolKind::Execute || !runs_tests || self.other.contains_key("persisted_path") {
            return None;
        }
        let output = self.output_text().or_else(|| self.error.clone())?;
        if output.len() > TAIL {
            return None;
        }
        let output = terminal::plain(&output);
        // A run of cargo prints one result for each program: the last lines alone would be a part of the count.
        let is_cut = ["| tail", "| head", "|tail", "|head"].iter().any(|pipe| command.contains(pipe));
        let (mut whole, mut sum) = (None, None);
        for found in output.lines().filter_map(line) {
            match found {
                Found::Whole(counts) => whole = Some(counts),
                Found::Part(counts) => sum = Some(plus(sum.unwrap_or_default(), counts)),
            }
        }
        let counts = whole.or(sum.filter(|_| !is_cut))?;
        (counts != TestCounts::default()).then_some(counts)
    }
}

/// A parsed line.
enum Found {
    /// Count of a whole run; the last one applies.
    Whole(TestCounts),
    /// Count of one test, or of one of several programs.
    Part(TestCounts),
}

fn plus(one: TestCounts, other: TestCounts) -> TestCounts {
    TestCounts {
        passed: one.passed.saturating_add(other.passed),
        failed: one.failed.saturating_add(other.failed),
        skipped: one.skipped.saturating_add(other.skipped),
    }
}

fn line(text: &str) -> Option<Found> {
    let trimmed = text.trim();
    if let Some(rest) = trimmed.strip_prefix("test result: ") {
        return listed(rest.split_once(". ")?.1, ';').map(Found::Part);
    }
    if let Some((_, rest)) = trimmed
        .strip_prefix("Summary [")
        .and_then(|rest| rest.split_once("tests run: ").or_else(|| rest.split_once("test run: ")))
    {
        return listed(rest, ',').map(Found::Whole);
    }
    // jest's and vitest's.
    if let Some(rest) = trimmed.strip_prefix("Tests:") {
        return listed(rest, ',').map(Found::Whole);
    }
    if let Some(rest) = trimmed.strip_prefix("Tests  ") {
        let rest = rest.rsplit_once(" (").map_or(rest, |(counts, _)| counts);
        return listed(rest, '|').map(Found::Whole);
    }
    // Go's, of which those of sub-tests are indented.
    let of_one = |passed, failed, skipped| Some(Found::Part(TestCounts { passed, failed, skipped }));
    if text.starts_with("--- PASS: ") {
        return of_one(1, 0, 0);
    }
    if text.starts_with("--- FAIL: ") {
        return of_one(0, 1, 0);
    }
    if text.starts_with("--- SKIP: ") {
        return of_one(0, 0, 1);
    }
    // pytest's: `== 1 failed, 12 passed in 0.42s ==`.
    let (counts, took) = trimmed.trim_matches('=').trim().rsplit_once(" in ")?;
    let took = took.split(' ').next()?.strip_suffix('s')?;
    took.parse::<f64>().ok().and_then(|_| listed(counts, ',')).map(Found::Whole)
}

/// Parses `3 passed, 1 failed`. None if a part isn't a number and a word, or no word is about tests.
fn listed(text: &str, between: char) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    let mut known = false;
    for part in text.split(between).map(str::trim).filter(|part| !part.is_empty()) {
        let (number, word) = part.split_once(' ')?;
        let Ok(number) = number.parse::<u64>() else {
            // The time in cargo's summary.
            if !known {
                return None;
            }
            continue;
        };
        let count = match word.split([' ', '(']).next().unwrap_or_default() {
            "passed" | "xpassed" => &mut counts.passed,
            "failed" | "error" | "errors" | "timed" => &mut counts.failed,
            "skipped" | "ignored" | "todo" | "xfailed" => &mut counts.skipped,
            _ => continue,
        };
        *count = count.saturating_add(number);
        known = true;
    }
    known.then_some(counts)
}

#[cfg(test)]
mod tests {
    use crate::message_type::tool_call::ToolCall;
    use serde_json::json;

    fn counts(command: &str, output: &str) -> Option<String> {
        let call = json!({"tool_name": "Bash", "input": {"command": command}, "output": output});
        let call: ToolCall = serde_json::from_value(call).expect("a call");
        call.test_counts().map(|counts| counts.to_string())
    }

    #[test]
    fn runners_say_what_they_ran() {
        let cargo = "running 2 tests\n\ntest result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s\n\n\
                     test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(counts("cargo test", cargo).as_deref(), Some("1 failed, 15 passed, 1 skipped"));
        assert_eq!(counts("cargo test | tail -3", cargo), None, "it may be a part of them");
        let nextest = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.345s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 2 skipped";
        assert_eq!(counts("cargo nextest run | tail -3", nextest).as_deref(), Some("2 failed, 10 passed, 2 skipped"));
        let pytest =
            "FAILED test_a.py::test_b\n==== 3 failed, 97 passed, 2 skipped, 1 warning in 61.23s (0:01:01) ====\n";
        assert_eq!(counts("pytest -q", pytest).as_deref(), Some("3 failed, 97 passed, 2 skipped"));
        assert_eq!(counts("python -m pytest -q", "..\n2 passed in 0.01s").as_deref(), Some("2 passed"));
        let jest = "Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 2 skipped, 10 passed, 13 total\n";
        assert_eq!(counts("npx jest", jest).as_deref(), Some("1 failed, 10 passed, 2 skipped"));
        let vitest = " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 10 passed | 2 skipped (13)\n";
        assert_eq!(counts("npm test", vitest).as_deref(), Some("1 failed, 10 passed, 2 skipped"));
        let go = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n--- FAIL: TestB (0.01s)\n--- SKIP: TestC (0.00s)\nFAIL\n";
        assert_eq!(counts("go test -v ./...", go).as_deref(), Some("1 failed, 1 passed, 1 skipped"));
    }

    #[test]
    fn other_output_is_no_count() {
        assert_eq!(counts("cat pytest.log", "the 3 passed in review"), None);
        assert_eq!(counts("echo done", "2 passed in 0.01s"), None, "no tests were run");
        assert_eq!(counts("go test ./...", "ok  \tmill\t0.004s"), None);
        assert_eq!(counts("cargo test", "test result: ok. 0 passed; 0 failed; 0 ignored"), None);
        assert_eq!(counts("cargo test", ""), None);
    }
}
