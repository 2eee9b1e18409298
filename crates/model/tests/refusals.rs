//! For each built-in type payloads that no writer may send, each refused with the field, the rule and its code.

use model::MessageType;
use model::envelope;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Fewest wrong payloads of a type.
const FEWEST: usize = 10;

/// The metadata of the example of a type.
fn example(tag: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fixtures/messages/{tag}.json"));
    let message: Value = serde_json::from_slice(&std::fs::read(file).expect("an example")).expect("JSON");
    match &message["metadata"] {
        Value::Null => json!({ "message_type": tag, "payload": {} }),
        metadata => metadata.clone(),
    }
}

/// Sets what a pointer names, also a field that isn't there. Null takes it away.
fn change(metadata: &mut Value, pointer: &str, value: &Value) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match metadata.pointer_mut(parent).expect("a parent") {
        Value::Object(fields) if value.is_null() => drop(fields.shift_remove(name)),
        Value::Object(fields) => drop(fields.insert(name.to_owned(), value.clone())),
        Value::Array(items) => items[name.parse::<usize>().expect("an index")] = value.clone(),
        _ => panic!("{pointer} is in no object or array"),
    }
}

/// Where, and what is wrong there.
type Wrong = (&'static str, &'static str, Value);

fn text() -> Vec<Wrong> {
    let of = |pointer, value| ("TEXT", pointer, value);
    vec![
        of("/payload", json!([])),
        of("/payload", json!([{}])),
        of("/payload", json!("words")),
        of("/payload", json!(5)),
        of("/payload", json!(true)),
        of("/version", json!(0)),
        of("/version", json!(-1)),
        of("/version", json!(1.5)),
        of("/version", json!("two")),
        of("/version", json!([1])),
        of("/message_type", json!("")),
        of("/message_type", json!(7)),
        of("/message_type", json!(["TEXT"])),
        of("/message_type", json!("T".repeat(201))),
    ]
}

fn code_edit() -> Vec<Wrong> {
    let of = |pointer, value| ("CODE_EDIT", pointer, value);
    vec![
        of("/payload", json!([])),
        of("/payload/edits", Value::Null),
        of("/payload/edits", json!([])),
        of("/payload/edits", json!({ "file_path": "a" })),
        of("/payload/edits/0", json!("a")),
        of("/payload/edits/0/file_path", Value::Null),
        of("/payload/edits/0/file_path", json!("")),
        of("/payload/edits/0/file_path", json!(["a"])),
        of("/payload/edits/0/old_content", json!(1)),
        of("/payload/edits/0/new_content", json!(["a", "b"])),
        of("/payload/edits/0/language", json!({})),
        of("/payload/edits/0/patch", json!("@@")),
        of("/payload/title", json!("x")),
        of("/edit_info", json!([])),
    ]
}

fn todo() -> Vec<Wrong> {
    let of = |pointer, value| ("TODO", pointer, value);
    vec![
        of("/payload", json!("x")),
        of("/payload/todos", Value::Null),
        of("/payload/todos", json!([])),
        of("/payload/todos", json!("Bake")),
        of("/payload/todos/0", json!(["1", "Bake", "pending"])),
        of("/payload/todos/0/id", Value::Null),
        of("/payload/todos/0/id", json!(1)),
        of("/payload/todos/1/content", Value::Null),
        of("/payload/todos/1/content", json!(false)),
        of("/payload/todos/2/status", Value::Null),
        of("/payload/todos/2/status", json!("done")),
        of("/payload/todos/2/status", json!(["pending"])),
        of("/payload/todos/0/owner", json!("Ada")),
        of("/payload/title", json!("x")),
        of("/todo_info", json!([])),
    ]
}

fn tool_call() -> Vec<Wrong> {
    let of = |pointer, value| ("TOOL_CALL", pointer, value);
    vec![
        of("/payload", json!(["Bash"])),
        of("/payload/tool_name", Value::Null),
        of("/payload/tool_name", json!("")),
        of("/payload/tool_name", json!(5)),
        of("/payload/tool_name", json!(["Bash"])),
        of("/payload/input", json!("ls")),
        of("/payload/input", json!(["ls"])),
        of("/payload/input", json!(1)),
        of("/payload/input", json!(true)),
        of("/payload/error", json!(1)),
        of("/payload/error", json!({ "message": "x" })),
        of("/payload/error", json!(["x"])),
    ]
}

fn approval() -> Vec<Wrong> {
    let of = |pointer, value| ("APPROVAL", pointer, value);
    vec![
        of("/payload/kind", Value::Null),
        of("/payload/kind", json!("bet")),
        of("/payload/title", Value::Null),
        of("/payload/title", json!(["Run"])),
        of("/payload/state", json!("approved")),
        of("/payload/state", json!(1)),
        of("/payload/risk", json!({})),
        of("/payload/questions", json!("Run?")),
        of("/payload/questions/0", json!("Run?")),
        of("/payload/questions/0/question", Value::Null),
        of("/payload/questions/0/options", json!({ "a": "b" })),
        of("/payload/questions/0/options/0", json!("Allow")),
        of("/payload/questions/0/options/0/id", Value::Null),
        of("/payload/questions/0/options/1/label", json!(5)),
        of("/payload/questions/0/options/2/kind", json!("perhaps")),
        of("/payload/questions/0/multi_select", json!("yes")),
        of("/payload/fields", json!([{ "id": "a", "label": "A", "type": "colour" }])),
        of("/payload/decision", json!("yes")),
        of("/payload/owner", json!("Ada")),
    ]
}

fn action() -> Vec<Wrong> {
    let of = |pointer, value| ("ACTION", pointer, value);
    vec![
        of("/payload", json!(["Allow once"])),
        of("/payload/approval_id", Value::Null),
        of("/payload/approval_id", json!(5)),
        of("/payload/approval_id", json!(["a"])),
        of("/payload/reply_to", json!({})),
        of("/payload/selected", json!("Allow once")),
        of("/payload/selected/0", json!(1)),
        of("/payload/selected/0", json!(["Allow once"])),
        of("/payload/values", json!(["a"])),
        of("/payload/values", json!("a")),
        of("/payload/text", json!(1)),
        of("/payload/rule", json!("x")),
    ]
}

fn file() -> Vec<Wrong> {
    let of = |pointer, value| ("FILE", pointer, value);
    vec![
        of("/payload/files", Value::Null),
        of("/payload/files", json!([])),
        of("/payload/files", json!("crash.png")),
        of("/payload/files/0", json!("crash.png")),
        of("/payload/files/0/name", Value::Null),
        of("/payload/files/0/name", json!("")),
        of("/payload/files/0/mime", json!(5)),
        of("/payload/files/0/size", json!(-1)),
        of("/payload/files/0/size", json!(1.5)),
        of("/payload/files/0/size", json!("48 KB")),
        of("/payload/files/0/blob", json!(["9f86"])),
        of("/payload/files/0/state", json!("uploading")),
        of("/payload/files/0/error", json!({})),
        of("/payload/files/0/actions", json!("keep")),
        of("/payload/files/0/actions", json!([{ "id": "keep" }])),
        of("/payload/files/0/path", json!("/tmp")),
    ]
}

fn chart() -> Vec<Wrong> {
    let of = |pointer, value| ("CHART", pointer, value);
    vec![
        of("/payload/chart", Value::Null),
        of("/payload/chart", json!("radar")),
        of("/payload/title", json!("")),
        of("/payload/title", json!("x".repeat(201))),
        of("/payload/x", json!(5)),
        of("/payload/x/0", json!({})),
        of("/payload/unit", json!("x".repeat(41))),
        of("/payload/series", Value::Null),
        of("/payload/series", json!([[1, 2]])),
        of("/payload/series/0/name", Value::Null),
        of("/payload/series/0/points", json!("1, 2")),
        of("/payload/series/0/points", json!([1, 2])),
        of("/payload/series/0/points/3", json!("11")),
        of("/payload/series/0/points/3", json!(["Thu", 11])),
        of("/payload/series/1/points/0", json!([1, 2, 3])),
        of("/payload/series/1/colour", json!("red")),
        of("/payload/legend", json!(true)),
    ]
}

fn code_review() -> Vec<Wrong> {
    let of = |pointer, value| ("CODE_REVIEW", pointer, value);
    vec![
        of("/payload/file_path", Value::Null),
        of("/payload/file_path", json!("")),
        of("/payload/comments", Value::Null),
        of("/payload/comments", json!("Odd")),
        of("/payload/comments/0", json!("Odd")),
        of("/payload/comments/0/side", json!("left")),
        of("/payload/comments/0/start_line", Value::Null),
        of("/payload/comments/0/start_line", json!(0)),
        of("/payload/comments/0/start_line", json!("41")),
        of("/payload/comments/0/end_line", json!(3)),
        of("/payload/comments/1/severity", json!("critical")),
        of("/payload/comments/1/body", json!("")),
        of("/payload/comments/1/suggestion", json!(["x"])),
        of("/payload/comments/1/author", json!("bot")),
        of("/payload/summary", json!(5)),
        of("/review_info", json!({ "first": {} })),
    ]
}

fn progress() -> Vec<Wrong> {
    let of = |pointer, value| ("PROGRESS", pointer, value);
    vec![
        of("/payload", json!(50)),
        of("/payload/label", Value::Null),
        of("/payload/label", json!("")),
        of("/payload/label", json!(["Tests"])),
        of("/payload/current", json!(-1)),
        of("/payload/current", json!("269")),
        of("/payload/total", json!(-413)),
        of("/payload/total", json!([413])),
        of("/payload/unit", json!(1)),
        of("/payload/state", Value::Null),
        of("/payload/state", json!("stalled")),
        of("/payload/eta_seconds", json!(-1)),
        of("/payload/eta_seconds", json!("40 s")),
        of("/payload/percent", json!(65)),
    ]
}

fn error() -> Vec<Wrong> {
    let of = |pointer, value| ("ERROR", pointer, value);
    vec![
        of("/payload/error_type", Value::Null),
        of("/payload/error_type", json!("")),
        of("/payload/error_type", json!(429)),
        of("/payload/message", Value::Null),
        of("/payload/message", json!({ "text": "x" })),
        of("/payload/frames", json!("at main")),
        of("/payload/frames/0", json!("src/client.rs:112")),
        of("/payload/frames/0/line", json!("112")),
        of("/payload/frames/0/line", json!(-1)),
        of("/payload/frames/0/function", json!(["send"])),
        of("/payload/frames/0/column", json!(4)),
        of("/payload/retryable", json!("yes")),
        of("/payload/retry_at", json!("in a minute")),
        of("/payload/status", json!(429)),
    ]
}

#[test]
fn wrong_payloads_are_refused_by_field() {
    let all = [text(), code_edit(), todo(), tool_call(), approval(), action(), file(), chart(), code_review()];
    let all = all.into_iter().flatten().chain(progress()).chain(error());
    let (mut said, mut counts) = (String::new(), BTreeMap::<&str, usize>::new());
    for (tag, pointer, value) in all {
        *counts.entry(tag).or_default() += 1;
        let mut metadata = example(tag);
        assert!(envelope::normalize(Some(metadata.clone())).is_ok(), "the example of {tag}");
        change(&mut metadata, pointer, &value);
        let refused = envelope::normalize(Some(metadata));
        let error = refused.expect_err(&format!("{tag} {pointer} {value}"));
        let named = &error.problem.pointer;
        assert!(named.starts_with(pointer) || pointer.starts_with(named.as_str()), "{tag} {pointer}: {error}");
        let value = match value {
            Value::Null => "absent".to_owned(),
            value => model::text::clip(&value.to_string(), 60),
        };
        writeln!(said, "{tag} {pointer} {value}\n    {} {error}", error.code).expect("written");
    }
    insta::assert_snapshot!(said);
    for tag in MessageType::ALL {
        assert!(counts.get(tag.as_str()) >= Some(&FEWEST), "{tag}: {counts:?}");
    }
}
