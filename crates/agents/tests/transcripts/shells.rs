//! Known records with something unknown inside, and results that hold more than text: words stay words, pictures pictures.

use crate::lines::{call, message, read_lines, result, tool_call, user};
use crate::support::Last;
use model::message_type::Body;
use model::message_type::file::{FileItem, FileState};
use model::message_type::tool_call::ToolState;
use model::{Context, Role};
use serde_json::{Value, json};

/// A whole PNG of one pixel, in base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn gave_back(content: &Value, structured: &Value) -> Last {
    let mut line = result("c1", "", structured);
    line["message"]["content"][0]["content"] = content.clone();
    read_lines(&[user("Look"), call("c1", "mcp__browser__shot", &json!({ "name": "front" })), line])
}

fn file(last: &Last, n: usize) -> FileItem {
    match Body::of(message(last, &format!("c1~file~{n}"))) {
        Body::File(file) => file.files[0].clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_picture_of_a_result_is_a_picture_in_each_shape_beside_its_words() {
    let words = json!({ "type": "text", "text": "Shot" });
    for picture in [
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": PNG } }),
        json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
        json!({ "type": "image", "source": { "type": "base64", "data": PNG } }),
        json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PNG}") } }),
        json!({ "type": "resource", "resource": { "uri": "f:///a.png", "mimeType": "image/png", "blob": PNG } }),
    ] {
        let last = gave_back(&json!([words, picture]), &Value::Null);
        let item = file(&last, 0);
        assert_eq!((item.state, item.mime.as_str()), (FileState::Ready, "image/png"), "{picture}");
        assert!(item.blob.is_some_and(|blob| last.blobs.contains_key(blob.trim_start_matches("sha256:"))));
        let call = tool_call(&last, "c1");
        assert_eq!(call.output_text().as_deref(), Some("Shot"), "{picture}");
        assert_eq!(call.other.get("files"), Some(&json!(1)));
    }
}

#[test]
fn a_picture_that_only_the_structured_result_has_is_shown() {
    let structured = json!({ "type": "image", "file": { "base64": PNG, "type": "image/png", "originalSize": 70 } });
    let last = gave_back(&json!([]), &structured);
    assert_eq!(file(&last, 0).state, FileState::Ready);
    assert_eq!(tool_call(&last, "c1").other.get("files"), Some(&json!(1)));
}

#[test]
fn a_broken_picture_says_so() {
    for data in ["bm90IGEgcGljdHVyZQ==", &PNG[..60], "%%%", ""] {
        let picture = json!({ "type": "image", "data": data, "mimeType": "image/png" });
        let item = file(&gave_back(&json!([picture]), &Value::Null), 0);
        assert_eq!(item.state, FileState::Error, "{data}");
        assert!(item.error.is_some_and(|error| !error.is_empty()));
    }
}

#[test]
fn a_result_of_an_unknown_shape_is_its_words_or_its_data_without_bytes() {
    let output = |content: Value| tool_call(&gave_back(&content, &Value::Null), "c1").output_text().unwrap_or_default();
    assert_eq!(output(json!({ "type": "report", "text": "All is well" })), "All is well");
    assert_eq!(output(json!([{ "type": "report", "content": [{ "type": "text", "text": "Inside" }] }])), "Inside");
    assert_eq!(output(json!([{ "type": "resource_link", "uri": "f:///b.md", "name": "b.md" }])), "b.md (f:///b.md)");
    let data = output(json!([{ "type": "grid", "rows": [1], "raw": "ab+/".repeat(100) }]));
    assert_eq!(
        serde_json::from_str::<Value>(&data).expect("JSON"),
        json!({ "type": "grid", "rows": [1], "raw": "(400 bytes of encoded data)" })
    );
    assert_eq!(output(json!(12)), "12");
}

#[test]
fn an_advisor_speaks_in_words_and_an_error_of_a_server_tool_fails() {
    let line = |content: Value| {
        let blocks = json!([
            { "type": "server_tool_use", "id": "srv1", "name": "advisor", "input": {} },
            { "type": "advisor_tool_result", "tool_use_id": "srv1", "content": content },
        ]);
        json!({ "type": "assistant", "message": { "content": blocks } })
    };
    let of = |content: Value| tool_call(&read_lines(&[user("Water"), line(content)]), "srv1");
    let advice = of(json!({ "type": "advisor_result", "text": "Use less water." }));
    assert_eq!((advice.state(), advice.output_text().as_deref()), (ToolState::Done, Some("Use less water.")));
    let failed = of(json!({ "type": "advisor_tool_result_error", "error_code": "overloaded" }));
    assert_eq!((failed.state(), failed.error.as_deref()), (ToolState::Failed, Some("overloaded")));
}

#[test]
fn a_record_with_words_is_found_by_them_and_one_without_is_its_fields() {
    let system = |line: Value| {
        let last = read_lines(&[user("Water"), line]);
        let draft = message(&last, "line-1");
        assert_eq!(draft.role, Role::System);
        (draft.sender.clone(), draft.content.clone(), draft.context)
    };
    let recap = system(json!({ "type": "system", "subtype": "away_summary", "content": "Row 1 is done." }));
    assert_eq!(recap, ("away_summary".to_owned(), "Row 1 is done.".to_owned(), Context::Ephemeral));
    let new =
        system(json!({ "type": "system", "subtype": "moon_phase", "content": [{ "type": "text", "text": "Full" }] }));
    assert_eq!(new.1, "Full");
    let bare = system(json!({ "type": "system", "subtype": "moon_phase", "phase": 3 }));
    assert_eq!((bare.1.as_str(), bare.2), ("moon phase (phase: 3)", Context::None));
    let attached = |attachment: Value| system(json!({ "type": "attachment", "attachment": attachment })).1;
    assert_eq!(attached(json!({ "type": "companion_intro", "name": "Pip" })), "companion intro (name: Pip)");
    assert_eq!(attached(json!({ "type": "hint", "content": [{ "type": "text", "text": "Mow first" }] })), "Mow first");
}
