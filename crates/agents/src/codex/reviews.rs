//! Findings of `/review`: the output of an `exited_review_mode` event.

use super::Rollout;
use crate::parts::at::{At, derived_id};
use crate::parts::obj::Obj;
use crate::parts::reviews::{Finding, line, of_findings, words};
use model::message_type::code_review::Severity;
use model::{Context, Role};
use serde_json::Value;

impl Rollout {
    /// A review of each file that has findings, after the event itself.
    pub(super) fn reviewed(&mut self, at: &At, kind: &str, event: &Obj) {
        self.aside(at, kind, event);
        let findings = event.obj("review_output").and_then(|output| output.value("findings"));
        let findings: Vec<Finding> =
            findings.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(finding).collect();
        for (n, (content, metadata)) in of_findings(findings).into_iter().enumerate() {
            let mut draft = at.text(&derived_id(&at.id, "review", n), Role::Assistant, "bot", content);
            // The model gets the findings as a text, which has a line of its own.
            draft.context = Context::None;
            draft.metadata = Some(metadata);
            self.say(at, draft);
        }
    }
}

/// None where there is no file or nothing is said: the event keeps what was written.
fn finding(given: &Value) -> Option<Finding> {
    let place = given.get("code_location")?;
    let range = place.get("line_range");
    let end = |key: &str| line(range.and_then(|range| range.get(key)));
    let parts: Vec<&str> = ["title", "body"].iter().filter_map(|key| words(given, key)).collect();
    Some(Finding {
        file: words(place, "absolute_file_path")?.to_owned(),
        lines: end("start").map(|first| (first, end("end").unwrap_or(first))),
        severity: match given.get("priority").and_then(Value::as_i64) {
            Some(0) => Severity::Blocker,
            Some(1) => Severity::Major,
            Some(2) | None => Severity::Minor,
            Some(_) => Severity::Nit,
        },
        body: Some(parts.join("\n\n")).filter(|body| !body.is_empty())?,
    })
}
