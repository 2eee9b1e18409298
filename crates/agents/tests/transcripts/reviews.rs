//! Findings of a review become a `CODE_REVIEW` of each file.

use crate::lines::{call, error, message, metadata, read_lines, result, user};
use crate::support::{Last, drive};
use model::{Body, Context, Part};
use serde_json::{Value, json};

/// Ids and types of the messages after the prompt.
fn kinds(last: &Last) -> Vec<(&str, &str)> {
    last.messages.iter().skip(1).map(|(_, draft, _)| (draft.id.as_str(), draft.message_type())).collect()
}

#[track_caller]
fn check_reviews(last: &Last, reviews: &[(&str, Value)]) {
    for (id, payload) in reviews {
        assert_eq!(metadata(last, id)["payload"], *payload, "{id}");
        let draft = message(last, id);
        assert_eq!(draft.context, Context::None);
        let Body::CodeReview(review) = Body::of(draft) else { panic!("no review: {draft:?}") };
        assert_eq!(draft.content, model::Payload::to_markdown(&review));
    }
}

#[test]
fn findings_of_claude_code_are_a_review_of_each_file() {
    let findings = json!([
        { "file": "src/mill.rs", "line": 12, "summary": "Divides by zero", "failure_scenario": "No sacks: it panics",
          "verdict": "CONFIRMED", "outcome": "no_change_needed" },
        { "file": "src/oven.rs", "line": 3, "summary": "Burns", "failure_scenario": "Heat of 900", "verdict": "PLAUSIBLE" },
        { "file": "src/mill.rs", "summary": "Has no test", "failure_scenario": "Nobody would see it" },
    ]);
    let input = json!({ "level": "high", "findings": findings });
    let last = read_lines(&[
        user("Review"),
        call("c1", "ReportFindings", &input),
        result("c1", "Reported 3 findings", &json!({ "count": 3, "level": "high", "findings": findings })),
    ]);
    let all = [("c1", "TOOL_CALL"), ("c1~review~0", "CODE_REVIEW"), ("c1~review~1", "CODE_REVIEW")];
    assert_eq!(kinds(&last), all);
    assert_eq!(message(&last, "c1").part, Part::Replaced);
    let mill = json!({
        "file_path": "src/mill.rs",
        "comments": [{
            "side": "new", "start_line": 12, "severity": "major",
            "body": "Divides by zero\n\nNo sacks: it panics\n\n*confirmed, no change needed*",
        }],
        "summary": "**Major**: Has no test\n\nNobody would see it",
    });
    let oven = json!({
        "file_path": "src/oven.rs",
        "comments": [{
            "side": "new", "start_line": 3, "severity": "minor", "body": "Burns\n\nHeat of 900\n\n*plausible*",
        }],
    });
    check_reviews(&last, &[("c1~review~0", mill), ("c1~review~1", oven)]);
}

#[test]
fn findings_that_are_none_leave_the_call() {
    let found = json!({ "file": "src/mill.rs", "line": 1, "summary": "Odd", "failure_scenario": "" });
    let reported = |findings: Value, answer: Value| {
        let last =
            read_lines(&[user("Review"), call("c1", "ReportFindings", &json!({ "findings": findings })), answer]);
        assert_eq!(kinds(&last), [("c1", "TOOL_CALL")], "{findings}");
        assert_eq!(message(&last, "c1").part, Part::Whole);
    };
    let taken = || result("c1", "Reported", &json!({}));
    reported(json!([]), taken());
    reported(json!("none"), taken());
    reported(json!([found, { "line": 2, "summary": "In no file" }]), taken());
    reported(json!([found]), error("c1", "Findings are off"));
}

#[test]
fn the_output_of_codex_reviews_is_a_review_of_each_file() {
    let finding = |title: &str, file: &str, priority: Value, lines: Value| {
        json!({
            "title": title, "body": "Why", "confidence_score": 0.9, "priority": priority,
            "code_location": { "absolute_file_path": file, "line_range": lines },
        })
    };
    let output = json!({
        "findings": [
            finding("[P0] Leaks", "/m/a.rs", json!(0), json!({ "start": 4, "end": 6 })),
            finding("Odd", "/m/b.rs", json!(3), json!({ "start": 9, "end": 9 })),
            finding("Late", "/m/a.rs", Value::Null, json!({})),
            json!({ "title": "Nowhere" }),
        ],
        "overall_correctness": "patch is incorrect", "overall_explanation": "It leaks", "overall_confidence_score": 0.8,
    });
    let line = |second: u32, kind: &str, payload: Value| {
        json!({ "timestamp": format!("2026-01-10T09:00:0{second}Z"), "type": kind, "payload": payload }).to_string()
            + "\n"
    };
    let text = line(0, "session_meta", json!({ "id": "made", "cwd": "/m", "timestamp": "2026-01-10T09:00:00Z" }))
        + &line(1, "event_msg", json!({ "type": "entered_review_mode", "target": { "type": "uncommittedChanges" } }))
        + &line(2, "event_msg", json!({ "type": "exited_review_mode", "review_output": output }))
        + &line(3, "event_msg", json!({ "type": "exited_review_mode", "review_output": null }));
    let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let reading = agents::agent("codex").and_then(|agent| agent.reading).expect("a reader");
        drive(&mut *(reading.open)("made.jsonl", None), pieces)
    };
    let last = read(&mut std::iter::once(text.as_bytes()));
    assert_eq!(last, read(&mut text.as_bytes().chunks(1)));
    let ids: Vec<&str> = last.messages.iter().map(|(_, draft, _)| draft.id.as_str()).collect();
    let [_, _, event, a, b, _] = ids[..] else { panic!("other messages: {ids:?}") };
    assert_eq!(a, format!("{event}~review~0"));
    assert_eq!(message(&last, event).message_type(), "TEXT");
    let of_a = json!({
        "file_path": "/m/a.rs",
        "comments": [{
            "side": "new", "start_line": 4, "end_line": 6, "severity": "blocker", "body": "[P0] Leaks\n\nWhy",
        }],
        "summary": "**Minor**: Late\n\nWhy",
    });
    let of_b = json!({
        "file_path": "/m/b.rs",
        "comments": [{ "side": "new", "start_line": 9, "severity": "nit", "body": "Odd\n\nWhy" }],
    });
    check_reviews(&last, &[(a, of_a), (b, of_b)]);
}
