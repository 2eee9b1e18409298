//! A folder that is one conversation, whose events lie in a file each.

use crate::support::{House, fixture};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The lines of the fixture, as the files that the agent writes.
fn written(house: &House, events: &[&str]) -> Vec<PathBuf> {
    let write = |(n, event): (usize, &&str)| {
        // Printed for people, its bytes have several lines.
        let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(event).unwrap()).unwrap();
        let text = if n + 1 == events.len() { pretty } else { (*event).to_owned() };
        house.write(&format!("garden/events/event-{n:05}-e-{n}.json"), text)
    };
    events.iter().enumerate().map(write).collect()
}

/// The messages of the conversation, without what differs by the place of their bytes.
async fn messages(house: &House) -> Vec<Value> {
    let page = house.read("/v1/sessions/garden/messages?limit=500").await;
    let of = |entry: &Value| {
        let get = |field: &str| entry[field].clone();
        json!([get("id"), get("role"), get("content"), get("call_id"), get("run_id"), get("metadata")])
    };
    page["messages"].as_array().unwrap().iter().map(of).collect()
}

#[tokio::test]
async fn events_in_a_file_each_are_read_as_one_conversation() {
    let log = std::fs::read_to_string(fixture("transcripts/openhands/events.jsonl")).unwrap();
    let is_event = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|event| event["id"].is_string());
    let lines: Vec<&str> = log.lines().filter(is_event).collect();
    let whole = House::new().await;
    let file = whole.write("garden/events.jsonl", lines.join("\n"));
    whole.import(&[file]).await;
    let expected = messages(&whole).await;
    assert!(expected.len() > 20, "{expected:?}");

    let house = House::new().await;
    let mut files = written(&house, &lines[..lines.len() - 2]);
    // Whatever the order in which they are named.
    files.reverse();
    let job = house.import(&files).await;
    assert_eq!((&job["files_done"], &job["sessions"], &job["failed"]), (&json!(files.len()), &json!(1), &json!([])));
    let before = messages(&house).await.len();

    written(&house, &lines);
    // Other files that the agent keeps beside the events aren't events.
    house.write("garden/base_state.json", "{\"id\": \"garden\"}");
    house.write("garden/events/.eventlog-len-5.marker", "");
    let folder = [house.path("garden")];
    let grown = house.import(&folder).await;
    assert_eq!((&grown["files"], &grown["failed"]), (&json!(lines.len()), &json!([])));
    assert_eq!(messages(&house).await, expected);
    assert!(before < expected.len());
    let again = house.import(&folder).await;
    assert_eq!((&again["messages"], &again["sessions"], &again["failed"]), (&json!(0), &json!(1), &json!([])));

    let detail = house.read("/v1/sessions/garden").await;
    let sources = detail["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 1);
    assert!(sources[0]["path"].as_str().unwrap().ends_with("garden/events/events.jsonl"), "{sources:?}");
}
