//! A person rewinds a conversation that is being followed: what was left behind stays, and is no part of what holds.

use crate::support::House;
use serde_json::{Value, json};

fn line(n: usize, parent: Option<usize>, kind: &str, content: &Value) -> String {
    let line = json!({
        "type": kind, "uuid": format!("line-{n}"), "parentUuid": parent.map(|n| format!("line-{n}")),
        "sessionId": "kennel", "cwd": "/work/kennel", "timestamp": format!("2026-03-01T09:00:{n:02}Z"),
        "message": { "role": kind, "content": content },
    });
    format!("{line}\n")
}

fn todos(id: &str, item: &str) -> Value {
    let todos = json!([{ "content": item, "status": "pending" }]);
    json!([{ "type": "tool_use", "id": id, "name": "TodoWrite", "input": { "todos": todos } }])
}

#[tokio::test]
async fn what_a_person_rewound_is_kept_and_told_apart() {
    let house = House::new().await;
    let before = [
        line(0, None, "user", &json!("Build a kennel")),
        line(1, Some(0), "assistant", &todos("t1", "Build")),
        line(2, Some(1), "assistant", &json!([{ "type": "text", "text": "Built." }])),
        line(3, Some(2), "user", &json!("Paint it red")),
        line(4, Some(3), "assistant", &todos("t2", "Red")),
        line(5, Some(4), "assistant", &json!([{ "type": "text", "text": "It is red." }])),
    ];
    let path = house.write("kennel.jsonl", before.concat());
    house.import(std::slice::from_ref(&path)).await;
    let after = [before.concat(), line(6, Some(2), "user", &json!("Paint it blue"))].concat();
    house.write("kennel.jsonl", after);
    house.import(&[path]).await;

    let page = house.read("/v1/sessions/kennel/messages?limit=100").await;
    let left: Vec<&str> = page["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter(|message| message["left_behind"] == json!(true))
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert_eq!((left.first(), left.last()), (Some(&"Paint it red"), Some(&"It is red.")));
    assert!(!left.contains(&"Paint it blue") && !left.contains(&"Built."), "{left:?}");

    let outline = house.read("/v1/sessions/kennel/outline").await;
    let prompts: Vec<&str> =
        outline["marks"].as_array().expect("marks").iter().filter_map(|mark| mark["words"].as_str()).collect();
    assert_eq!(prompts, ["Build a kennel", "Paint it blue"]);
    let state = house.read("/v1/sessions/kennel/todos").await;
    assert_eq!(state["todos"][0]["content"], "Build", "{state}");
    let session = house.read("/v1/sessions/kennel").await;
    assert_eq!(session["session"]["todos_open"], 1);
    let found = house.read("/v1/search?q=red").await;
    assert!(found["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "it is found still: {found}");
}
