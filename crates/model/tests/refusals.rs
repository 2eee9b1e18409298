//! For each built-in type payloads that no writer may send, each refused with the field, the rule and its code: those of a wrong
//! kind follow from the type's example.

use model::MessageType;
use model::envelope;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::mem::discriminant;
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
type Wrong = (String, Value);

/// Each value of the example's payload as something of another kind, or absent, and a field that its objects don't have. Where
/// that is allowed, it isn't wrong.
fn of_another_kind(example: &Value) -> Vec<Wrong> {
    fn walk(pointer: &str, value: &Value, wrong: &mut Vec<Wrong>) {
        let others = [Value::Null, json!(true), json!(-1), json!("odd"), json!([]), json!({})];
        let others = others.into_iter().filter(|other| discriminant(other) != discriminant(value));
        wrong.extend(others.map(|other| (pointer.to_owned(), other)));
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, field)| walk(&format!("{pointer}/{name}"), field, wrong));
                wrong.push((format!("{pointer}/odd"), json!(1)));
            }
            Value::Array(items) => {
                items.first().into_iter().for_each(|item| walk(&format!("{pointer}/0"), item, wrong));
            }
            _ => {}
        }
    }
    let mut wrong = Vec::new();
    walk("/payload", &example["payload"], &mut wrong);
    wrong.retain(|(pointer, value)| refusal(example, pointer, value).is_some());
    wrong
}

/// Returns wrong values of the right kind.
fn by_value(tag: &str) -> Vec<Wrong> {
    let wrong = match tag {
        "TEXT" => vec![
            ("/payload", json!([{}])),
            ("/version", json!(0)),
            ("/version", json!(-1)),
            ("/version", json!(1.5)),
            ("/version", json!("two")),
            ("/version", json!([1])),
            ("/message_type", json!("")),
            ("/message_type", json!(7)),
            ("/message_type", json!(["TEXT"])),
            ("/message_type", json!("T".repeat(201))),
        ],
        "CODE_EDIT" => vec![
            ("/payload/edits", json!([])),
            ("/payload/edits/0/file_path", json!("")),
            ("/payload/edits/0/new_content", json!(["a", "b"])),
            ("/edit_info", json!([])),
        ],
        "TODO" => vec![
            ("/payload/todos", json!([])),
            ("/payload/todos/1/content", Value::Null),
            ("/payload/todos/2/status", json!("done")),
            ("/payload/todos/2/status", json!(["pending"])),
            ("/todo_info", json!([])),
        ],
        "TOOL_CALL" => vec![
            ("/payload/tool_name", json!("")),
            ("/payload/error", json!(1)),
            ("/payload/error", json!({ "message": "x" })),
            ("/payload/error", json!(["x"])),
        ],
        "APPROVAL" => vec![
            ("/payload/kind", json!("bet")),
            ("/payload/state", json!("approved")),
            ("/payload/questions/0/options/1/label", json!(5)),
            ("/payload/questions/0/options/2/kind", json!("perhaps")),
            ("/payload/questions/0/multi_select", json!("yes")),
            ("/payload/fields", json!([{ "id": "a", "label": "A", "type": "colour" }])),
            ("/payload/decision", json!("yes")),
        ],
        "ACTION" => vec![
            ("/payload/reply_to", json!({})),
            ("/payload/values", json!(["a"])),
            ("/payload/values", json!("a")),
            ("/payload/text", json!(1)),
        ],
        "FILE" => vec![
            ("/payload/files", json!([])),
            ("/payload/files/0/name", json!("")),
            ("/payload/files/0/size", json!(-1)),
            ("/payload/files/0/size", json!(1.5)),
            ("/payload/files/0/state", json!("uploading")),
            ("/payload/files/0/error", json!({})),
            ("/payload/files/0/actions", json!("keep")),
            ("/payload/files/0/actions", json!([{ "id": "keep" }])),
        ],
        "CHART" => vec![
            ("/payload/chart", json!("radar")),
            ("/payload/title", json!("")),
            ("/payload/title", json!("x".repeat(201))),
            ("/payload/unit", json!("x".repeat(41))),
            ("/payload/series", json!([[1, 2]])),
            ("/payload/series/0/points", json!([1, 2])),
            ("/payload/series/0/points/3", json!("11")),
            ("/payload/series/0/points/3", json!(["Thu", 11])),
            ("/payload/series/1/points/0", json!([1, 2, 3])),
        ],
        "CODE_REVIEW" => vec![
            ("/payload/file_path", json!("")),
            ("/payload/comments/0/side", json!("left")),
            ("/payload/comments/0/start_line", json!(0)),
            ("/payload/comments/0/end_line", json!(3)),
            ("/payload/comments/1/severity", json!("critical")),
            ("/payload/comments/1/body", json!("")),
            ("/payload/comments/1/suggestion", json!(["x"])),
            ("/review_info", json!({ "first": {} })),
        ],
        "PROGRESS" => vec![
            ("/payload/label", json!("")),
            ("/payload/current", json!(-1)),
            ("/payload/total", json!(-413)),
            ("/payload/state", json!("stalled")),
            ("/payload/eta_seconds", json!(-1)),
        ],
        "ERROR" => vec![
            ("/payload/error_type", json!("")),
            ("/payload/frames/0/line", json!(-1)),
            ("/payload/retryable", json!("yes")),
        ],
        _ => Vec::new(),
    };
    wrong.into_iter().map(|(pointer, value)| (pointer.to_owned(), value)).collect()
}

fn refusal(example: &Value, pointer: &str, value: &Value) -> Option<envelope::EnvelopeError> {
    let mut metadata = example.clone();
    change(&mut metadata, pointer, value);
    envelope::normalize(Some(metadata)).err()
}

#[test]
fn wrong_payloads_are_refused_by_field() {
    let mut said = String::new();
    for tag in MessageType::WORDS {
        let example = example(tag);
        assert!(envelope::normalize(Some(example.clone())).is_ok(), "the example of {tag}");
        let wrong = [of_another_kind(&example), by_value(tag)].concat();
        assert!(wrong.len() >= FEWEST, "{tag}: {wrong:?}");
        for (pointer, value) in wrong {
            let error = refusal(&example, &pointer, &value).unwrap_or_else(|| panic!("{tag} {pointer} {value}"));
            let named = &error.problem.pointer;
            assert!(named.starts_with(&*pointer) || pointer.starts_with(named.as_str()), "{tag} {pointer}: {error}");
            let value = match value {
                Value::Null => "absent".to_owned(),
                value => model::text::clip(&value.to_string(), 60),
            };
            writeln!(said, "{tag} {pointer} {value}\n    {} {error}", error.code).expect("written");
        }
    }
    insta::assert_snapshot!(said);
}
