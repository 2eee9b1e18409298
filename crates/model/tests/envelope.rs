//! Rules that strict payloads can't express, rows that don't validate, and the types that the older system didn't have.

use model::{
    Body, Draft, MessageId, Micros, Role,
    envelope::{self, EditInfo, EditState, LineComment, edit_info, line_comments, todo_info},
    markdown::to_markdown,
    summary::summary,
};
use serde_json::{Value, json};
use std::fmt::Write;

fn stored(content: &str, metadata: &Value) -> Draft {
    let id = MessageId::parse("m").expect("an id");
    let draft = Draft::text(id, Role::Assistant, "bot", content, Micros(0));
    Draft { metadata: metadata.as_object().cloned(), ..draft }
}

/// The errors that a writer gets, for each rule that the golden vectors don't cover.
#[test]
fn refusals() {
    let edit = |info: Value| json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a"}]}, "edit_info": info});
    let todo = |info: Value| json!({"message_type": "TODO", "payload": {"todos": [{"id": "a/b", "content": "c", "status": "pending"}]}, "todo_info": info});
    let typed = |tag: &str, payload: Value| json!({"message_type": tag, "payload": payload});
    let comment = |field: &str, value: Value| {
        let mut comment = json!({"start_line": 3, "severity": "major", "body": "b"});
        comment[field] = value;
        comment
    };
    let review = |fields: Value| {
        let mut payload = json!({"file_path": "a.rs", "comments": []});
        fields.as_object().into_iter().flatten().for_each(|(key, value)| payload[key] = value.clone());
        typed("CODE_REVIEW", payload)
    };
    let answered = |info: Value| {
        let comments = json!([comment("side", json!("new"))]);
        json!({"message_type": "CODE_REVIEW", "payload": {"file_path": "a.rs", "comments": comments}, "review_info": info})
    };
    let cases = [
        edit(json!({})),
        edit(json!([])),
        edit(json!([5])),
        edit(json!([{"state": "applied"}])),
        edit(json!([{"state": "conflict", "scope": "file"}])),
        edit(json!([{"state": "applied", "scope": "file", "start_line": 0}])),
        edit(json!([{"state": "applied", "scope": "file", "patch": []}])),
        todo(json!([])),
        todo(json!({"a/b": "x"})),
        todo(json!({"a/b": {"state": "gone"}})),
        todo(json!({"a/b": {"priority": 3}})),
        todo(json!({"a/b": {"ended_at": "now"}})),
        typed("CODE_EDIT", json!({"edits": [["a", null, null, null]]})),
        typed("APPROVAL", json!({"kind": "bet", "title": "x", "state": "open"})),
        typed("APPROVAL", json!({"kind": "plan", "title": "x", "state": "approved"})),
        typed(
            "APPROVAL",
            json!({"kind": "plan", "title": "x", "state": "open", "questions": [{"question": "q", "options": [{"label": "l"}]}]}),
        ),
        typed("APPROVAL", json!({"kind": "plan", "title": "x", "state": "denied", "decision": []})),
        typed("ACTION", json!({"selected": ["x"]})),
        typed("ACTION", json!({"reply_to": "m", "selected": "x"})),
        typed("FILE", json!({"files": []})),
        typed("FILE", json!({"files": [{"name": "a", "mime": "b", "size": -1, "state": "ready"}]})),
        review(json!({"file_path": ""})),
        review(json!({"comments": []})),
        review(json!({"comments": [{}]})),
        review(json!({"comments": [comment("side", json!("left"))]})),
        review(json!({"comments": [comment("start_line", json!(0))]})),
        review(json!({"comments": [comment("start_line", json!(i64::MAX))]})),
        review(json!({"comments": [comment("start_line", json!(1.5))]})),
        review(json!({"comments": [comment("end_line", json!(2))]})),
        review(json!({"comments": [comment("end_line", json!("5"))]})),
        review(json!({"comments": [comment("severity", json!("critical"))]})),
        review(json!({"comments": [comment("body", json!(""))]})),
        review(json!({"comments": [comment("suggestion", json!(["x"]))]})),
        review(json!({"comments": [comment("author", json!("bot"))]})),
        review(json!({"comments": ["x"], "summary": "s"})),
        answered(json!([])),
        answered(json!({"first": {}})),
        answered(json!({"0": {"state": "done", "at": 1}})),
        answered(json!({"0": {"state": "resolved"}})),
        typed("ERROR", json!({"error_type": "x", "message": "y", "frames": [{"line": "3"}]})),
    ];
    let mut text = String::new();
    for case in cases {
        let error = envelope::normalize(Some(case.clone())).expect_err("refused");
        writeln!(text, "{case}\n    {} {error}", error.code).expect("written");
    }
    insta::assert_snapshot!(text);
}

/// Comments on lines stand beside a text. What isn't understood of them is none, and stays.
#[test]
fn comments_are_read_leniently_and_resolved_in_their_place() {
    let comment =
        json!({"file_path": "a.rs", "side": "new", "start_line": 3, "end_line": 4, "quote": "x\ny", "body": "Why?"});
    let other = json!({"file_path": "a.rs", "side": "left", "colour": "red"});
    let mut metadata =
        json!({"message_type": "TEXT", "comments": [other, comment, "none"], "webhook_url": "https://a.test"});
    let read = |metadata: &Value| line_comments(stored("Why?", metadata).metadata.as_ref());
    let [found] = <[_; 1]>::try_from(read(&metadata)).expect("one");
    assert_eq!(serde_json::to_value(&found).expect("json"), comment);
    let resolved = LineComment { resolved: true, ..found.clone() };
    assert!(resolved.put_in(&mut metadata));
    assert_eq!(read(&metadata), [resolved]);
    let normal = envelope::normalize(Some(metadata.clone())).expect("kept").expect("some");
    assert_eq!(normal.get("comments"), metadata.get("comments"));
    assert!(found.put_in(&mut metadata));
    assert_eq!(metadata["comments"], json!([other, comment, "none"]));
    let strange = LineComment { start_line: 4, ..found };
    assert!(!strange.put_in(&mut metadata) && !strange.put_in(&mut json!({"comments": {}})));
}

#[test]
fn infos_are_kept_whole_and_read_leniently() {
    let written = json!({"message_type": "CODE_EDIT", "version": 1, "payload": {"edits": [{"file_path": "a"}, {"file_path": "b"}]},
        "edit_info": [{"state": "applied", "scope": "fragment", "start_line": 7, "x": null}, {"state": "failed", "scope": "file"}]});
    let normal = envelope::normalize(Some(written.clone())).expect("valid");
    assert_eq!(normal.clone().map(Value::Object), Some(written));
    assert_eq!(edit_info(normal.as_ref(), 0).start_line, Some(7));
    assert_eq!(edit_info(normal.as_ref(), 1).state, Some(EditState::Failed));
    assert_eq!(edit_info(normal.as_ref(), 2), EditInfo::default());

    let newer = json!({"edit_info": [{"state": "merged", "start_line": "7", "patch": "+x"}], "todo_info": {"1": {"state": "parked", "active_form": "Doing"}}});
    let info = edit_info(newer.as_object(), 0);
    assert_eq!(info, EditInfo { patch: Some("+x".to_owned()), ..EditInfo::default() });
    assert_eq!(todo_info(newer.as_object())["1"].active_form.as_deref(), Some("Doing"));
}

#[test]
fn a_stored_row_that_does_not_validate_shows_through_its_content() {
    let rows = [
        json!({"message_type": "TODO", "version": 1, "payload": {"todos": [{"id": "1", "content": "x", "status": "parked"}]}}),
        json!({"message_type": "TODO", "version": 1}),
        json!({"message_type": "TODO", "version": 1, "payload": [1]}),
        json!({"message_type": 5, "payload": {}}),
        json!({"message_type": "HOLOGRAM", "payload": {"x": null}}),
    ];
    let mut text = String::new();
    for row in &rows {
        let draft = stored("Still readable", row);
        assert_eq!(summary(&draft), "Still readable");
        let kind = match Body::of(&draft) {
            Body::Invalid { message_type, problem, .. } => format!("{message_type} with a problem: {problem}"),
            other => other.message_type().to_owned(),
        };
        writeln!(text, "=== {row}\n{kind}\n{}", to_markdown(&draft)).expect("written");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_edit_without_texts_shows_its_patch() {
    let row = json!({"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a"}]},
        "edit_info": [{"state": "partly_applied", "scope": "fragment", "patch": "@@ -1 +1 @@\n-x\n+y"}]});
    let markdown = to_markdown(&stored("", &row));
    assert_eq!(markdown, "**Edit** `a` (partly applied)\n\n```diff\n@@ -1 +1 @@\n-x\n+y\n```");
}

#[test]
fn a_newer_version_of_a_built_in_type_is_kept_as_it_came() {
    let metadata = json!({"message_type": "TODO", "version": 9, "payload": {"tree": [1, null]}});
    let stored = envelope::normalize(Some(metadata.clone())).expect("not refused").expect("an envelope");
    assert_eq!(Value::Object(stored.clone()), metadata);
    let payload = metadata["payload"].as_object().expect("an object").clone();
    let unknown = Body::Unknown { message_type: "TODO".to_owned(), payload };
    assert_eq!(Body::of_metadata(Some(&stored)), unknown);
}
