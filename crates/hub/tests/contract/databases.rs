//! Databases of an agent: each session of one is a document of its own.

use crate::support::{House, fixture};
use serde_json::{Value, json};

/// Titles and parents of all sessions below one.
async fn sessions(house: &House) -> Vec<(String, Value)> {
    let list = house.read("/v1/sessions").await;
    let mut found = Vec::new();
    for session in list["sessions"].as_array().unwrap() {
        found.push((session["title"].as_str().unwrap().to_owned(), session["child_count"].clone()));
    }
    found
}

async fn messages(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions/ses_garden1/messages").await;
    let line = |entry: &Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("role"), text("sender"), text("content"))
    };
    list["messages"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn sessions_of_a_database_are_imported_and_followed_without_doubles() {
    let house = House::new().await;
    let database = house.write("opencode.db", std::fs::read(fixture("databases/opencode.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&job["sessions"], &job["failed"]), (&json!(2), &json!([])));
    assert_eq!(sessions(&house).await, [("Water the beds".to_owned(), json!(1))]);
    let before = messages(&house).await;
    insta::assert_snapshot!(before.join("\n"));

    let again = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&again["sessions"], &again["messages"]), (&json!(2), &json!(0)));

    std::fs::write(&database, std::fs::read(fixture("databases/opencode_later.db")).unwrap()).unwrap();
    let grown = house.import(std::slice::from_ref(&database)).await;
    assert_eq!((&grown["messages"], &grown["failed"]), (&json!(1), &json!([])));
    let after = messages(&house).await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().map(String::as_str), Some("assistant bot All **beds** are wet."));
    // What was imported is a document, in which the texts of the rows are as they were.
    let detail = house.read("/v1/sessions/ses_garden1").await;
    let path = detail["sources"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("opencode.db/ses_garden1.json"), "{path}");
    assert_eq!(house.path("opencode.db").metadata().unwrap().len(), 10_240, "nothing was written to it");
    let beside = std::fs::read_dir(house.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let beside: Vec<_> = beside.filter(|name| name.to_string_lossy().starts_with("opencode.db-")).collect();
    assert_eq!(beside, Vec::<std::ffi::OsString>::new());
}

#[tokio::test]
async fn other_databases_are_refused_by_name() {
    let house = House::new().await;
    let mut bytes = std::fs::read(fixture("databases/opencode.db")).unwrap();
    bytes.truncate(2000);
    let torn = house.write("torn.db", bytes);
    let job = house.import(std::slice::from_ref(&torn)).await;
    let reason = job["failed"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("can't be read as a database: "), "{reason}");
    assert_eq!(sessions(&house).await, []);
}

/// A database in which a table is a view that has no end.
#[tokio::test]
async fn a_database_with_an_endless_view_is_refused() {
    let house = House::new().await;
    let database = house.write("opencode.db", std::fs::read(fixture("databases/endless.db")).unwrap());
    let job = house.import(std::slice::from_ref(&database)).await;
    assert_eq!(job["failed"][0]["reason"], "isn't read: `part` must be a table without generated columns");
    assert_eq!(sessions(&house).await, []);
}
