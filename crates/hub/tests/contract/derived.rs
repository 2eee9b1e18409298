//! What is computed from messages: the todo list and the changed files.

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
