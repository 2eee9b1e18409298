//! Rules that delete old sessions: what they would delete, what they delete, and what stays.

use crate::support::{House, Talk};
use api::Method::{Delete, Get, Post, Put};
use hub::{Caller, clock};
use model::Micros;
use serde_json::{Value, json};

/// A store with sessions of March 2026, and one of today.
async fn house() -> House {
    let house = House::new().await;
    let files: Vec<_> =
        [(0, "mill", "/home/ada/mill"), (60, "pinned", "/home/ada/mill"), (120, "farm", "/home/ada/farm")]
            .into_iter()
            .map(|(second, session, folder)| {
                let talk = Talk::new(session)
                    .of(folder, "main")
                    .at(second)
                    .user(&format!("Turn the {session}"))
                    .says("It turns");
                house.write(&format!("{session}.jsonl"), talk.text())
            })
            .collect();
    house.import(&files).await;
    let pinned =
        house.send(Caller::owner(), api::Method::Patch, "/v1/sessions/pinned", Some(json!({"pinned": true}))).await;
    assert_eq!(pinned.status, 200, "{}", pinned.body);
    assert_eq!(house.post("/v1/sessions", json!({"id": "fresh", "agent": "bot", "title": "Fresh"})).await.status, 201);
    house
}

async fn set(house: &House, rule: &str, body: Value) -> Value {
    let answer = house.put(&format!("/v1/settings/retention/{rule}"), body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn titles(house: &House) -> Vec<String> {
    let list = house.read("/v1/sessions?sort=title&order=asc").await;
    list["sessions"].as_array().unwrap().iter().map(|session| session["title"].as_str().unwrap().to_owned()).collect()
}

async fn apply(house: &House) -> u64 {
    hub::retention::apply(&house.hub, clock::now()).await.unwrap()
}

#[tokio::test]
async fn a_rule_shows_what_it_would_delete_and_then_deletes_it_once() {
    let house = house().await;
    assert_eq!(house.read("/v1/settings/retention").await, json!({"rules": []}));
    let rules = set(&house, "Old", json!({"days": 30})).await;
    let due = &rules["rules"][0]["due"];
    assert_eq!((&due["sessions"], &due["messages"]), (&json!(2), &json!(4)), "{rules}");
    assert!(due["bytes"].as_u64().unwrap() > 1000, "{rules}");
    assert_eq!(due["titles"], json!(["Turn the mill", "Turn the farm"]));
    // One that is off deletes nothing.
    assert_eq!(apply(&house).await, 0);
    let rules = set(&house, "Old", json!({"on": true, "project": "/home/ada/mill"})).await;
    let expected = json!({"name": "Old", "days": 30, "project": "/home/ada/mill", "agent": null, "larger_than": null, "on": true, "due": null});
    assert_eq!(rules, json!({"rules": [expected]}));
    assert_eq!(apply(&house).await, 1);
    assert_eq!(titles(&house).await, ["Fresh", "Turn the farm", "Turn the pinned"]);
    let audited = house.read("/v1/audit?limit=1&kind=session_deleted").await;
    let entry = &audited["entries"][0];
    assert_eq!(
        (&entry["who"]["kind"], &entry["what"]["session"].is_string()),
        (&json!("verbatim"), &true),
        "{audited}"
    );
    // It can be restored, and stays then.
    assert_eq!(house.send(Caller::owner(), Post, "/v1/sessions/mill/restore", None).await.status, 200);
    assert_eq!(apply(&house).await, 0);
    assert_eq!(set(&house, "Old", json!({"on": false})).await["rules"][0]["due"]["sessions"], json!(0));
    // A rule that is changed looks at all again.
    set(&house, "Old", json!({"on": true, "days": 31})).await;
    assert_eq!(apply(&house).await, 1);
    // Its file is still there.
    house.import(&[house.path("mill.jsonl")]).await;
    assert_eq!(titles(&house).await, ["Fresh", "Turn the farm", "Turn the pinned"]);
    let removed = house.send(Caller::owner(), Delete, "/v1/settings/retention/Old", None).await;
    assert_eq!((removed.status, removed.body), (200, json!({"rules": []})));
}

#[tokio::test]
async fn a_rule_is_about_age_project_agent_and_size() {
    let house = house().await;
    for (body, titles) in [
        (json!({"days": 1}), json!(["Turn the mill", "Turn the farm"])),
        (json!({"days": 36_500}), json!([])),
        (json!({"days": 1, "project": "/home/ada/farm"}), json!(["Turn the farm"])),
        (json!({"days": 1, "project": "", "agent": "codex"}), json!([])),
        (json!({"days": 1, "agent": " claude_code "}), json!(["Turn the mill", "Turn the farm"])),
        (json!({"days": 1, "agent": "", "larger_than": 1_000_000}), json!([])),
        (json!({"days": 1, "larger_than": 0}), json!(["Turn the mill", "Turn the farm"])),
    ] {
        assert_eq!(set(&house, "Any", body.clone()).await["rules"][0]["due"]["titles"], titles, "{body}");
    }
    // Many are looked at in parts.
    let files: Vec<_> = (0..230)
        .map(|number| {
            house.write(&format!("many-{number}.jsonl"), Talk::new(&format!("many-{number}")).user("Grind").text())
        })
        .collect();
    house.import(&files).await;
    set(&house, "Any", json!({"on": true})).await;
    assert_eq!(apply(&house).await, 232);
    assert_eq!(titles(&house).await, ["Fresh", "Turn the pinned"]);
    let later = Micros(clock::now().0 + 2 * 24 * 3600 * Micros::SECOND);
    assert_eq!(hub::retention::apply(&house.hub, later).await.unwrap(), 1, "the fresh one rests for a day then");
}

#[tokio::test]
async fn a_rule_that_does_not_fit_is_named_and_agents_set_none() {
    let house = House::new().await;
    let long = "x".repeat(81);
    for (rule, body, field) in [
        ("a", json!({}), "/days"),
        ("a", json!({"days": 0}), "/days"),
        ("a", json!({"days": 36_501}), "/days"),
        ("a", json!({"days": "30"}), "/days"),
        ("a", json!({"days": 30, "larger_than": -1}), "/larger_than"),
        ("a", json!({"days": 30, "age": 1}), "/age"),
        ("%20", json!({"days": 30}), "rule"),
        (long.as_str(), json!({"days": 30}), "rule"),
    ] {
        let refused = house.put(&format!("/v1/settings/retention/{rule}"), body.clone()).await;
        assert_eq!((refused.status, refused.body["field"].as_str()), (400, Some(field)), "{body}: {}", refused.body);
    }
    for number in 0..50 {
        set(&house, &format!("n{number}"), json!({"days": 30})).await;
    }
    assert_eq!(house.put("/v1/settings/retention/more", json!({"days": 30})).await.status, 400);
    assert_eq!(house.send(Caller::owner(), Delete, "/v1/settings/retention/none", None).await.status, 404);
    let agent = house.agent("other").await;
    for (method, path) in
        [(Get, "/v1/settings/retention"), (Put, "/v1/settings/retention/n0"), (Delete, "/v1/settings/retention/n0")]
    {
        let body = (method == Put).then(|| json!({"days": 1}));
        assert_eq!(house.send(agent.clone(), method, path, body).await.status, 403);
    }
}
