//! The built-in example: there after one start, the same after the next, with every type that there is.

use crate::support::House;
use std::collections::BTreeSet;

#[tokio::test]
async fn it_shows_every_message_type() {
    let house = House::new().await;
    hub::demo::load(&house.hub).await.unwrap();
    let list = house.read("/v1/sessions").await;
    let mut types = BTreeSet::new();
    for session in list["sessions"].as_array().unwrap() {
        let path = format!("/v1/sessions/{}/messages?dev=1&limit=500", session["id"].as_str().unwrap());
        let page = house.read(&path).await;
        types.extend(
            page["messages"].as_array().unwrap().iter().map(|m| m["message_type"].as_str().unwrap().to_owned()),
        );
    }
    let missing: Vec<&str> = model::MessageType::WORDS.iter().copied().filter(|tag| !types.contains(*tag)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(types.iter().any(|t| !model::MessageType::WORDS.contains(&t.as_str())), "an unknown type too");
}

#[tokio::test]
async fn loading_it_again_adds_nothing() {
    let house = House::new().await;
    hub::demo::load(&house.hub).await.unwrap();
    let counts = async || {
        let list = house.read("/v1/sessions").await;
        let count = |s: &serde_json::Value| format!("{} {} {}", s["title"], s["message_count"], s["last_seq"]);
        list["sessions"].as_array().unwrap().iter().map(count).collect::<Vec<_>>()
    };
    let before = counts().await;
    hub::demo::load(&house.hub).await.unwrap();
    assert_eq!(counts().await, before);
}
