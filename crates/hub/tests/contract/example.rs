//! The built-in example: there after one start, the same after the next, with every type that there is.

use crate::support::{House, in_time};
use api::Method;
use hub::Caller;
use serde_json::json;
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

#[tokio::test]
async fn its_agent_answers_what_people_decide_and_write() {
    let house = House::new().await;
    hub::demo::load(&house.hub).await.unwrap();
    let working = tokio::spawn(hub::demo::answer(house.hub.clone()));
    let session = "/v1/sessions/demo-clock-change";
    let before = house.read(&format!("{session}/messages")).await["last_seq"].as_i64().unwrap();
    // Waits for a message of the agent that contains the text.
    let said = async |wanted: &str| {
        let path = format!("{session}/messages?after={before}&limit=100");
        let words = async {
            loop {
                let page = house.read(&path).await;
                let messages = page["messages"].as_array().unwrap();
                if let Some(found) =
                    messages.iter().find(|m| m["content"].as_str().unwrap_or_default().contains(wanted))
                {
                    return found.clone();
                }
                tokio::task::yield_now().await;
            }
        };
        in_time(words).await
    };
    let decide = async |message: &str, body: serde_json::Value| {
        let path = format!("{session}/messages/{message}");
        let shown = house.read(&path).await["entry"]["shown_sha256"].clone();
        let mut body = body;
        if shown.is_string() {
            body["shown_sha256"] = shown;
        }
        let decided = house.send(Caller::owner(), Method::Post, &format!("{path}/decision"), Some(body)).await;
        assert_eq!(decided.status, 200, "{}", decided.body);
    };
    decide("demo-clock-change-call-37~approval~0", json!({"state": "answered", "selected": ["1-1"]})).await;
    said("**Tonight** it is").await;
    let asked = said("Publish the departures").await;
    let id = asked["id"].as_str().unwrap().to_owned();
    decide(&id, json!({"state": "denied", "text": "The boats still run"})).await;
    said("You said: \u{201c}The boats still run\u{201d}").await;
    let write = async |words: &str| {
        let body = json!({"role": "user", "content": words});
        let written = house.send(Caller::owner(), Method::Post, &format!("{session}/messages"), Some(body)).await;
        assert_eq!(written.status, 201, "{}", written.body);
    };
    write("Good evening").await;
    said("You wrote: \u{201c}Good evening\u{201d}").await;
    write("An edit, please").await;
    said("eight departures").await;
    house.hub.shutdown.cancel();
    in_time(working).await.unwrap();
}
