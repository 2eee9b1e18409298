//! Replays what an older system made of 124 inputs. Where our answer differs on purpose, a table says so and why.

use model::envelope::{self, EnvelopeError};
use serde_json::{Map, Value, json};
use std::fmt::Write;

fn cases(json: &str) -> Vec<Value> {
    serde_json::from_str(json).expect("a list of cases")
}

fn name(case: &Value) -> &str {
    case["name"].as_str().expect("a case has a name")
}

#[test]
fn normalize() {
    let cases = cases(include_str!("../../../fixtures/vectors/normalize.json"));
    assert_eq!(cases.len(), 53);
    for case in &cases {
        let ours = envelope::normalize(Some(case["input"].clone()));
        match (case.get("ok"), ours) {
            (Some(theirs), Ok(ours)) => {
                let ours = ours.map_or(Value::Null, Value::Object);
                // As text, so that the order of keys counts.
                assert_eq!(ours.to_string(), theirs.to_string(), "{}", name(case));
                let again = envelope::normalize(Some(ours.clone())).expect("what is normal stays normal");
                assert_eq!(again.map_or(Value::Null, Value::Object), second_pass(&ours), "{}", name(case));
            }
            (None, Err(_)) => {}
            (theirs, ours) => panic!("{}: theirs {theirs:?}, ours {ours:?}", name(case)),
        }
    }
}

/// Only an explicit null keeps an envelope without a version, and that null is dropped: the second pass adds the
/// default.
fn second_pass(first: &Value) -> Value {
    let mut second = first.clone();
    if first.get("message_type").is_some() && first.get("version").is_none() {
        second["version"] = json!(1);
    }
    second
}

/// The first message of each refusal, so that reviewers read what a writer gets to see.
#[test]
fn refusals_point_at_the_field() {
    let mut lines = String::new();
    for case in cases(include_str!("../../../fixtures/vectors/normalize.json")) {
        if let Err(EnvelopeError { code, problem }) = envelope::normalize(Some(case["input"].clone())) {
            writeln!(lines, "{:26} {code:24} {problem}", name(&case)).expect("written");
        }
    }
    insta::assert_snapshot!(lines);
}

/// `parse` cases that answer differently here, and why.
const PARSE_DIFFERENCES: &[(&str, &[&str])] = &[
    (
        "absent fields of a payload stay absent: theirs come back as nulls that nobody wrote",
        &[
            "code_edit_nulls_dropped",
            "code_edit_only_path",
            "code_edit_space_path",
            "tool_ok",
            "tool_defaults",
            "tool_extra_kept",
            "tool_nested_null_in_input",
            "tool_output_false",
        ],
    ),
    (
        "reading never fails: theirs raises an error on a stored row that doesn't validate, ours shows the row as it came",
        &[
            "array",
            "string",
            "code_edit_empty_path",
            "code_edit_no_edits",
            "code_edit_missing_edits",
            "code_edit_no_payload",
            "code_edit_extra_in_edit",
            "code_edit_extra_in_payload",
            "code_edit_int_content",
            "todo_empty",
            "todo_bad_status",
            "todo_status_newline",
            "todo_no_id",
            "todo_int_id",
            "todo_extra_activeForm",
            "todo_empty_content",
            "tool_empty_name",
            "tool_missing_name",
            "tool_null_input",
            "tool_list_input",
            "null_type",
            "empty_type",
            "int_type",
            "version_0",
            "version_bad_float",
            "payload_null",
            "payload_list",
            "empty_type_with_extras",
        ],
    ),
];

#[test]
fn parse() {
    let cases = cases(include_str!("../../../fixtures/vectors/parse.json"));
    assert_eq!(cases.len(), 53);
    let mut differences = Vec::new();
    for case in &cases {
        let input = &case["input"];
        let ours = envelope::parse(Some(input));
        let shown = json!({
            "raw": ours.raw,
            "message_type": ours.message_type,
            "is_legacy": ours.is_legacy,
            "has_structured_payload": ours.has_structured_payload,
            "payload": ours.payload,
        });
        assert_eq!(ours.problem.is_some(), case.get("err").is_some(), "{}", name(case));
        if let Some(theirs) = case.get("ok") {
            if shown != *theirs {
                differences.push(name(case));
                let mut without_nulls = theirs.clone();
                without_nulls["payload"] = theirs["raw"]["payload"].clone();
                assert_eq!(shown, without_nulls, "{}", name(case));
            }
        } else {
            differences.push(name(case));
            let as_it_came = json!({
                "raw": input,
                "message_type": input.get("message_type").filter(|tag| tag.is_string()),
                "is_legacy": false,
                "has_structured_payload": false,
                "payload": input.get("payload").filter(|payload| payload.is_object()),
            });
            assert_eq!(shown, as_it_came, "{}", name(case));
        }
    }
    let mut named: Vec<&str> = PARSE_DIFFERENCES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    named.sort_unstable();
    differences.sort_unstable();
    assert_eq!(differences, named);
}

#[test]
fn build() {
    let cases = cases(include_str!("../../../fixtures/vectors/build.json"));
    assert_eq!(cases.len(), 18);
    for case in &cases {
        let args = &case["args"];
        let arg = |key: &str| args.get(key).cloned().unwrap_or_default();
        // Their builders per type take the fields of the payload as arguments; ours has one builder.
        let (message_type, payload) = match case["fn"].as_str().expect("a function") {
            "build_structured_envelope" => (args["message_type"].as_str().expect("a type"), arg("payload")),
            "build_code_edit_envelope" => ("CODE_EDIT", json!({"edits": args["edits"]})),
            "build_todo_envelope" => ("TODO", json!({"todos": args["todos"]})),
            "build_tool_call_envelope" => {
                let keys = ["tool_name", "input", "output", "error"];
                let fields: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), arg(key))).collect();
                ("TOOL_CALL", Value::Object(fields))
            }
            other => panic!("a function that nobody mapped: {other}"),
        };
        let extras = arg("extras").as_object().cloned().unwrap_or_default();
        let version = args.get("version").map_or(envelope::VERSION, |version| version.as_i64().expect("an integer"));
        match (case.get("ok"), envelope::build(message_type, payload, extras, version)) {
            (Some(theirs), Ok(ours)) => {
                assert_eq!(Value::Object(ours).to_string(), theirs.to_string(), "{}", name(case));
            }
            (None, Err(_)) => {}
            (theirs, ours) => panic!("{}: theirs {theirs:?}, ours {ours:?}", name(case)),
        }
    }
}
