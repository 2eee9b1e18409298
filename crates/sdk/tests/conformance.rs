//! Replays `fixtures/sdk`: what each call sends, and what each answer becomes. `fixtures/sdk/README.md` explains the
//! cases.

#[path = "conformance/call.rs"]
mod call;
#[path = "conformance/script.rs"]
mod script;

use script::Script;
use sdk::Verbatim;
use serde_json::Value;
use std::path::PathBuf;

/// Calls that take no fields of a message in Rust: `send_structured_message` has them.
const WITHOUT_FIELDS: [&str; 8] = [
    "send_code_edit",
    "send_todo",
    "send_tool_call",
    "send_file",
    "send_error",
    "send_chart",
    "send_code_review",
    "send_progress",
];

fn cases() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sdk");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the file");
        let of_file: Vec<Value> = serde_json::from_str(&text).expect("cases");
        cases.extend(of_file.into_iter().map(|case| (format!("{file}: {}", case["name"]), case)));
    }
    cases
}

#[tokio::test]
async fn it_is_sent_and_understood() {
    let cases = cases();
    assert!(cases.len() > 90, "they are found");
    let mut failures = Vec::new();
    for (name, case) in &cases {
        // Words are read strictly here.
        if case["lenient"] == true {
            continue;
        }
        failures.extend(replay(case).await.into_iter().map(|failure| format!("{name}: {failure}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the differences from the expected result.
async fn replay(case: &Value) -> Vec<String> {
    let function = case["call"]["function"].as_str().expect("a function");
    let exchanges = match (case.get("exchanges"), case.get("request")) {
        (Some(Value::Array(exchanges)), _) => exchanges.clone(),
        (_, Some(Value::Null) | None) => Vec::new(),
        (_, Some(_)) => vec![case.clone()],
    };
    let script = Script::start(exchanges, WITHOUT_FIELDS.contains(&function)).await;
    let verbatim = Verbatim::connect(&script.address, script::KEY).expect("an address and a key");
    let result = call::call(&verbatim, case).await;
    let (mut failures, left) = script.end();
    let due = &case["result"];
    if case["may_be_refused_unsent"] == true && result["error"]["kind"] == "envelope" {
        // Payloads are checked here: nothing is sent.
        for field in ["code", "pointer"] {
            contains(&result["error"][field], &due["error"][field], field, &mut failures);
        }
        return failures;
    }
    contains(&result, due, "result", &mut failures);
    if left > 0 {
        failures.push(format!("{left} requests that are due weren't sent"));
    }
    failures
}

/// Compares field by field what the fixture names; null equals absent.
fn contains(result: &Value, due: &Value, at: &str, failures: &mut Vec<String>) {
    match (result, due) {
        (Value::Object(result), Value::Object(due)) => {
            for (key, due) in due {
                contains(result.get(key).unwrap_or(&Value::Null), due, &format!("{at}/{key}"), failures);
            }
        }
        (Value::Array(result), Value::Array(due)) if result.len() == due.len() => {
            for (index, (result, due)) in result.iter().zip(due).enumerate() {
                contains(result, due, &format!("{at}/{index}"), failures);
            }
        }
        _ if result == due => {}
        _ => failures.push(format!("{at}: {result}, not {due}")),
    }
}
