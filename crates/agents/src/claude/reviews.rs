//! The findings that `ReportFindings` hands in.

use crate::parts::reviews::{Finding, line, of_findings, words};
use model::message_type::code_review::Severity;
use serde_json::{Map, Value};

/// Returns the review of each file as content and envelope. Empty for other tools, where nothing was found, and where a
/// finding has no file or no summary: then the call is shown as it is.
pub(crate) fn from_call(tool: &str, input: &Value) -> Vec<(String, Map<String, Value>)> {
    let findings = input.get("findings").and_then(Value::as_array).filter(|_| tool == TOOL);
    let findings: Option<Vec<Finding>> = findings.into_iter().flatten().map(finding).collect();
    of_findings(findings.unwrap_or_default())
}

/// The tool's name.
pub(crate) const TOOL: &str = "ReportFindings";

fn finding(given: &Value) -> Option<Finding> {
    let summary = words(given, "summary")?;
    let verdict = words(given, "verdict");
    let ends = [verdict, words(given, "outcome")].into_iter().flatten();
    let ends: Vec<String> = ends.map(|word| word.to_lowercase().replace('_', " ")).collect();
    let ends = (!ends.is_empty()).then(|| format!("*{}*", ends.join(", ")));
    let parts = [Some(summary.to_owned()), words(given, "failure_scenario").map(str::to_owned), ends];
    let first = line(given.get("line"));
    Some(Finding {
        file: words(given, "file")?.to_owned(),
        lines: first.map(|first| (first, first)),
        // The tool has no severity: what wasn't confirmed weighs less.
        severity: if verdict == Some("PLAUSIBLE") { Severity::Minor } else { Severity::Major },
        body: parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"),
    })
}
