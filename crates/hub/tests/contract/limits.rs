//! Messages with so much in them that it would take long to compare.

use crate::live::Talk;
use api::Method::{Get, Patch, Post};
use insta::assert_snapshot;
use serde_json::{Value, json};

pub fn edits(edits: &[Value]) -> Value {
    json!({"message_metadata": {"message_type": "CODE_EDIT", "version": 2, "payload": {"edits": edits}}})
}

pub fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_content": old, "new_content": new})
}

/// So many lines of fifty kinds, none of which tells where it belongs.
pub fn shuffled(lines: u64, seed: u64) -> String {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("line of kind {}\n", (state >> 33) % 50)
    };
    (0..lines).map(next).collect()
}

/// Lines that are too many to be compared with each other all count as changed, wherever they are told.
#[tokio::test]
async fn an_edit_of_many_shuffled_lines_is_changed_as_a_whole() {
    let talk = Talk::new().await;
    let (old, new) = (shuffled(40_000, 1), shuffled(40_000, 2));
    let posted = talk.agent(Post, "/messages", edits(&[edit("a.txt", &old, &new)])).await;
    assert_eq!(posted.status, 201);
    let session = talk.owner(Get, "", Value::Null).await.body["session"].clone();
    let added = session["lines_added"].as_i64().unwrap();
    assert!((39_000..=40_000).contains(&added), "{added}");
    for path in ["/changes", "/changes/net"] {
        let changes = talk.owner(Get, path, Value::Null).await.body;
        assert_eq!((&changes["added"], &changes["removed"]), (&json!(added), &session["lines_removed"]), "{path}");
    }
}

#[tokio::test]
async fn lists_of_a_message_have_a_limit() {
    let talk = Talk::new().await;
    let path = |n: usize| edit(&format!("f/{n}.txt"), "a\n", "b\n");
    let all: Vec<Value> = (0..=1_000).map(path).collect();
    let mut seen = talk.house.shown(&talk.agent(Post, "/messages", edits(&all)).await);
    let todos: Vec<Value> =
        (0..=5_000).map(|n| json!({"id": n.to_string(), "content": "x", "status": "pending"})).collect();
    let todo = |todos: &[Value]| json!({"message_metadata": {"message_type": "TODO", "payload": {"todos": todos}}});
    seen += &format!("\n{}", talk.house.shown(&talk.agent(Post, "/messages", todo(&todos)).await));
    let posted = talk.agent(Post, "/messages", edits(&all[..1_000])).await;
    assert_eq!(posted.status, 201);
    let change = talk.agent(Patch, "/messages/1", edits(&all)).await;
    seen += &format!("\n{}", talk.house.shown(&change));
    assert_snapshot!(seen);
    assert_eq!(talk.agent(Post, "/messages", todo(&todos[..5_000])).await.status, 201);
    let changes = talk.owner(Get, "/changes/net", Value::Null).await.body;
    assert_eq!(changes["files"].as_array().unwrap().len(), 1_000);
}
