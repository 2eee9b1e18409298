//! One message per built-in type in `fixtures/messages`, generated from the types' examples.
//!
//! To write one again, delete it and run the tests twice.

use model::{Body, Draft, MessageId, Micros, Provenance, envelope, markdown::to_markdown, policy, summary::summary};
use serde_json::Map;
use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/messages")
}

fn examples() -> Vec<(String, Draft)> {
    let draft = |(n, (role, content, body)): (usize, (model::Role, String, Body))| {
        let id = MessageId::parse(format!("example-{n}")).expect("an id");
        let metadata = body.envelope(Map::new()).expect("an example validates");
        let sender = if role == model::Role::User { "web" } else { "bot" };
        let draft = Draft::text(id, role, sender, content, Micros(1_767_225_600_000_000));
        let mut draft = Draft { metadata: Some(metadata), provenance: Provenance::Reader, ..draft };
        draft.context = policy::policy(&policy::facts_of(&draft)).context;
        (body.message_type().to_owned(), draft)
    };
    Body::examples().into_iter().enumerate().map(draft).collect()
}

fn json(draft: &Draft) -> String {
    serde_json::to_string_pretty(draft).expect("JSON") + "\n"
}

#[test]
fn are_fresh_and_complete() {
    let mut expected = BTreeSet::new();
    for (tag, draft) in examples() {
        let file = format!("{tag}.json");
        let path = folder().join(&file);
        if !path.exists() {
            fs::write(&path, json(&draft)).expect("written");
            panic!("{file} was missing and is written now: read it, and run the tests again");
        }
        assert_eq!(fs::read_to_string(&path).expect(&file), json(&draft), "{file} is stale");
        expected.insert(file);
    }
    let found: BTreeSet<String> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn are_read_back_as_they_were() {
    for (tag, draft) in examples() {
        let read: Draft = serde_json::from_str(&json(&draft)).expect("a draft");
        assert_eq!(read, draft, "{tag}");
        let body = Body::of(&read);
        assert_eq!(body.message_type(), tag);
        assert!(!matches!(body, Body::Invalid { .. } | Body::Unknown { .. }), "{tag}");
        let metadata = read.metadata.clone().map(serde_json::Value::Object);
        assert_eq!(envelope::normalize(metadata).expect("valid"), read.metadata, "{tag}");
    }
}

#[test]
fn as_one_line_and_as_markdown() {
    let mut text = String::new();
    for (tag, draft) in examples() {
        writeln!(text, "=== {tag}\n{}\n---\n{}\n", summary(&draft), to_markdown(&draft)).expect("written");
    }
    insta::assert_snapshot!(text);
}

#[cfg(feature = "schema")]
#[test]
fn have_a_schema() {
    let mut generator = schemars::SchemaGenerator::default();
    for tag in model::MessageType::WORDS {
        assert!(Body::schema(tag, &mut generator).is_some(), "{tag}");
    }
    assert!(Body::schema("HOLOGRAM", &mut generator).is_none());
    insta::assert_json_snapshot!(generator.definitions());
}
