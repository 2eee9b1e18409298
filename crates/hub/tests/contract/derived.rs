//! Values computed from messages: the todo list and the changed files.

use crate::support::{House, Talk};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[tokio::test]
async fn the_todo_list_as_it_stands() {
    let house = House::with_fixtures(&["transcripts/claude/todos.jsonl"]).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/todo/todos").await));
}

#[tokio::test]
async fn no_todo_list() {
    let house = House::with(&Talk::new("mill").user("Nothing to do")).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/mill/todos").await));
}

#[tokio::test]
async fn changed_files() {
    let house = House::with_fixtures(&["transcripts/claude/edits.jsonl"]).await;
    assert_snapshot!(house.shown(&house.get("/v1/sessions/edit/changes").await));
}

#[tokio::test]
async fn no_changed_files() {
    let house = House::with(&Talk::new("mill").user("Change nothing")).await;
    assert_eq!(house.read("/v1/sessions/mill/changes").await, json!({"files": [], "added": 0, "removed": 0}));
}

/// The sums of a session's row are those of its changed files, also with more edits than a page holds.
#[tokio::test]
async fn sums_of_many_edits() {
    let mut talk = Talk::new("many").user("Write it line by line");
    for n in 1..=520 {
        let input = json!({"file_path": format!("/mill/{}.txt", n % 7), "old_string": "a", "new_string": "b\nc"});
        talk = talk.calls(&format!("toolu_{n}"), "Edit", &input, "ok", &Value::Null);
    }
    let house = House::with(&talk).await;
    let changes = house.read("/v1/sessions/many/changes").await;
    let files = changes["files"].as_array().unwrap();
    assert_eq!(files.len(), 7);
    assert_eq!(files[0]["path"], "/mill/2.txt", "520 = 2 modulo 7: the file of the last edit comes first");
    let edits: usize = files.iter().map(|f| f["edits"].as_array().unwrap().len()).sum();
    assert_eq!(edits, 520);
    let session = &house.read("/v1/sessions/many").await["session"];
    assert_eq!((&changes["added"], &changes["removed"]), (&session["lines_added"], &session["lines_removed"]));
    assert_eq!(changes["added"], 1040);
}

/// A unified diff is counted, named and folded like an edit that brings its texts.
#[tokio::test]
async fn edits_that_are_diffs() {
    let house = House::new().await;
    house.post("/v1/sessions", json!({"id": "diffs", "agent": "bot"})).await;
    let patches = [
        (
            "src/new.rs",
            "diff --git a/src/new.rs b/src/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.rs\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        ),
        ("src/old.rs", "@@ -10,2 +10,3 @@\n-a\n+b\n+c\n d\n@@ -30 +31 @@\n-x\n+y\n"),
        ("src/gone.rs", "--- a/src/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (
            "logo.png",
            "diff --git a/logo.png b/logo.png\nnew file mode 100644\nBinary files /dev/null and b/logo.png differ\n",
        ),
    ];
    let edits: Vec<Value> = patches.iter().map(|(path, _)| json!({"file_path": path})).collect();
    let info: Vec<Value> =
        patches.iter().map(|(_, patch)| json!({"state": "applied", "scope": "fragment", "patch": patch})).collect();
    let metadata = json!({"message_type": "CODE_EDIT", "payload": {"edits": edits}, "edit_info": info});
    house.post("/v1/sessions/diffs/messages", json!({"id": "d1", "message_metadata": metadata})).await;
    let changes = house.read("/v1/sessions/diffs/changes").await;
    assert_eq!((&changes["added"], &changes["removed"]), (&json!(5), &json!(3)));
    let session = &house.read("/v1/sessions/diffs").await["session"];
    assert_eq!((&session["lines_added"], &session["lines_removed"]), (&json!(5), &json!(3)));
    let net = house.read("/v1/sessions/diffs/changes/net").await;
    let said = |list: &Value| -> Vec<String> {
        let files = list["files"].as_array().unwrap().iter();
        let mut said: Vec<String> = files
            .map(|file| format!("{} {} +{} -{}", file["change"], file["path"], file["added"], file["removed"]))
            .collect();
        said.sort();
        said
    };
    let files =
        [r#""Added" "src/new.rs" +2 -0"#, r#""Deleted" "src/gone.rs" +0 -1"#, r#""Modified" "src/old.rs" +3 -2"#];
    assert_eq!(said(&net), [&[r#""Added" "logo.png" +0 -0"#], &files[..]].concat());
    let texts = &house.read("/v1/sessions/diffs/changes/net?path=src/old.rs").await["files"][0]["texts"];
    let parts = json!([
        {"old": "a\nd\n", "new": "b\nc\nd\n", "first_line": [10, 10], "whole": false},
        {"old": "x\n", "new": "y\n", "first_line": [30, 31], "whole": false},
    ]);
    assert_eq!(*texts, json!({"parts": parts, "patches": []}));
}

/// An edit whose result doesn't say where it is: a file that was read before or after it does.
#[tokio::test]
async fn a_read_tells_where_an_edit_is() {
    let edit = |from: &str, to: &str| json!({"file_path": "/mill/a.rs", "old_string": from, "new_string": to});
    let read = json!({"file_path": "/mill/a.rs"});
    let talk = Talk::new("reads").user("Sow").calls("toolu_1", "Edit", &edit("oats", "rye"), "ok", &Value::Null).calls(
        "toolu_2",
        "Edit",
        &edit("hay", "straw"),
        "ok",
        &Value::Null,
    );
    let place = async |talk: &Talk| {
        let net = House::with(talk).await.read("/v1/sessions/reads/changes/net?path=/mill/a.rs").await;
        let file = &net["files"][0];
        assert_eq!(
            (&net["changes"], &file["changes"], file["edits"].as_array().map(Vec::len)),
            (&json!(2), &json!(2), Some(2))
        );
        file["texts"]["parts"].clone()
    };
    let part = |old: &str, new: &str, edit: Value| json!({"old": old, "new": new, "whole": false, "edit": edit});
    let [first, second] = [3, 5].map(|seq| json!({"seq": seq, "index": 0}));
    assert_eq!(place(&talk).await, json!([part("oats", "rye", first), part("hay", "straw", second.clone())]));
    let talk = talk.calls("toolu_3", "Read", &read, "    41\u{2192}sow(rye);\n    42\u{2192}}", &Value::Null);
    let placed = json!({"old": "sow(oats);\n", "new": "sow(rye);\n", "whole": false, "first_line": [41, 41]});
    assert_eq!(place(&talk).await, json!([placed, part("hay", "straw", second)]));
}
